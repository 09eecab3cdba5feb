package metric

import (
	"math"
	"testing"
)

// A pairing has the mean difference, the counts and Wilcoxon's p.
func TestPair_ByHand(t *testing.T) {
	p := Pair([]float64{0.5, 1, 0.75}, []float64{0.75, 0.5, 0.75})
	if math.Abs(p.Difference-0.25/3) > 1e-15 || p.Better != 1 || p.Equal != 1 || p.Worse != 1 ||
		*p.P != Wilcoxon([]float64{0.5, 1, 0.75}, []float64{0.75, 0.5, 0.75}) {
		t.Errorf("%+v", p)
	}
}
