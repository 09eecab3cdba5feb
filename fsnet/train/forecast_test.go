package train

import (
	"fmt"
	"math"
	"testing"

	"fsnetlab/fsnet/engine"
)

// The estimate of when a selector settles is the line through its logits.
func TestSettlesAt_Extrapolates(t *testing.T) {
	const settle, steps = 10, 200
	var r record
	now := 0
	look := func(step, leader int, p float64) {
		now = step
		r.addLook(step, engine.Observation{Leader: []int{leader}, Probability: []float64{p}, Second: []float64{0}, Entropy: []float64{0}, Soft: []float64{0}}, false, math.NaN())
	}
	inverse := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	estimate := func() string {
		if at := r.settlesAt(0, now, settle, steps); at != nil {
			return fmt.Sprint(*at)
		}
		return "none"
	}
	if got := estimate(); got != "none" {
		t.Errorf("before the first look: %s", got)
	}
	for step := 10; step <= 40; step += 10 {
		look(step, 7, 0.3)
	}
	if got := estimate(); got != "none" {
		t.Errorf("without a trend: %s", got)
	}
	noise := []float64{0.01, -0.02, 0.015, -0.01, 0.005}
	for i := range 5 { // another leader; its logit grows by 0.01 a step from −1 at step 50
		look(50+10*i, 8, inverse(-1+0.1*float64(i)+noise[i]))
		if i == 2 && estimate() != "none" {
			t.Errorf("after three looks: %s", estimate())
		}
	}
	at := r.settlesAt(0, now, settle, steps)
	if want := 50 + (logit(settledProbability)+1)/0.01; at == nil || math.Abs(float64(*at)-want) > 30 {
		t.Errorf("estimated %s, want about %.0f", estimate(), want)
	}
	if n := r.changes(0); n != 1 {
		t.Errorf("%d changes of the leader", n)
	}
	look(100, 9, 0.95)
	if got, want := estimate(), fmt.Sprint(100+settle); got != want {
		t.Errorf("above the threshold it settles at %s, want %s", got, want)
	}
	look(110, 9, math.NaN())
	if got := estimate(); got != "none" {
		t.Errorf("of what is not a number: %s", got)
	}
}
