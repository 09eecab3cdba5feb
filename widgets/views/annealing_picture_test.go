package views

import (
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// The lines of the picture say how often a leader changed in words that a person would use.
func TestAnnealingText(t *testing.T) {
	lost, before, soon, late := 2, 80, 95, 101
	got := annealingText([]session.Selected{
		{Selector: 1, SettlesAt: &before, Name: "b", Leader: session.Entry{Name: "a", Probability: 0.9},
			Second: session.Entry{Name: "c", Probability: 0.05}, Entropy: 0.5, LeadsSince: 30, Changes: 1, LostTo: &lost},
		{Selector: 0, Leader: session.Entry{Name: "x"}}, {Selector: 2, Leader: session.Entry{Name: "y"}, Changes: 7, SettlesAt: &late},
		{Selector: 3, Leader: session.Entry{Probability: 0.5}, SettlesAt: &soon},
	}, session.Status{Step: 90, Steps: 100})
	for i, want := range []string{
		"",
		"selector 0: x 0.000, entropy 0.00 bits, margin 0.000, leader since step 0, never changed, no trend to settle",
		"selector 1: a 0.900, entropy 0.50 bits, margin 0.850, leader since step 30, " +
			"changed once, settled at step 80; duplicate: selector 2 has it, this one gets b",
		"changed 7 times, does not settle within this schedule", "never changed, settles at about step 95",
	} {
		if line := strings.Split(got, "\n")[i]; !strings.HasSuffix(line, want) {
			t.Errorf("line %d is %q, want %q", i, line, want)
		}
	}
}

// What lies ahead is drawn as it will be used: where the temperature moves by epoch, each epoch at the one it ends with. The points that
// people drag lie on the line through those, so that setting them anew changes nothing.
func TestAnnealingAheadIsWhatIsUsed(t *testing.T) {
	for _, c := range []struct {
		every, pace string
		used        func(step int) float64
	}{
		{config.TauStep, "", func(step int) float64 { return float64(step) / 5 }},
		{config.TauEpoch, "", func(step int) float64 { return min(math.Floor(float64(step)/5)+1, 100) }},
		{config.TauStep, "0.5", func(step int) float64 { return float64(step) / 10 }},
		{config.TauEpoch, "0.5", func(step int) float64 { return min(math.Floor(float64(step)/5)+1, 100) / 2 }},
	} {
		every, used := c.every, c.used
		tau := func(place float64) float64 { return 10 * math.Pow(0.001, place/100) }
		s := session.Status{Step: 52, Steps: 500, StepsPerEpoch: 5, Epoch: 10.4, Tau: tau(used(52))}
		s.Config.Live = config.Live{
			Epochs: 100, Tau0: 10, TauEnd: 0.01, Schedule: "exponential", TauEvery: every, TauPace: c.pace, Sharpness: 20, SharpnessSchedule: "late",
		}
		c := Temperature.ahead(s)
		if len(c.Steps) < 100 {
			t.Fatalf("%d points are ahead", len(c.Steps))
		}
		for i, step := range c.Steps {
			if want := tau(used(step)); math.Abs(math.Log(c.Values[i]/want)) > math.Log(10/0.01)/500+1e-9 && step != 52 ||
				i == 0 && c.Values[i] != s.Tau {
				t.Errorf("by %s: step %d is drawn at τ = %v, and is made at %v", every, step, c.Values[i], want)
			}
		}
		points, err := Temperature.Points(s)
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := Temperature.Compose(s, points[1:])
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := config.ParseSchedule(text)
		if err != nil {
			t.Fatal(err)
		}
		for step := 52; step <= 500; step++ {
			if got, want := drawn.Tau(float64(step)/5, s.Config.Live), tau(used(step)); math.Abs(math.Log(got/want)) > 1e-3 {
				t.Fatalf("by %s: %s makes τ = %v of %v at step %d", every, text, got, want, step)
			}
		}
	}
}
