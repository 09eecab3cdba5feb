package train

import (
	"math"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// The device's temperature, the status's, the one M is drawn with and the
// curve's are one: the paper's own is that of the epoch, Algorithm 2's τ0
// (τE/τ0)^(e/E) with e from 1. Ours falls with every step.
func TestTemperature_IsTheOneInUse(t *testing.T) {
	d := devicetest.All(t)[0]
	for protocol, place := range map[string]func(step, perEpoch int) float64{
		config.FsNet: func(step, perEpoch int) float64 { return float64(step) / float64(perEpoch) },
		config.Paper: func(step, perEpoch int) float64 { return float64(step/perEpoch + 1) },
	} {
		t.Run(protocol, func(t *testing.T) {
			training := open(t, d, planted(40, 90), config.Config{Protocol: protocol, K: 3, Epochs: 12, Batch: new(8), Stop: "never"})
			perEpoch := training.engine.StepsPerEpoch
			if perEpoch != 3 {
				t.Fatalf("%d steps an epoch", perEpoch)
			}
			tau := func(step int) float64 { return 10 * math.Pow(0.01/10, min(place(step, perEpoch)/12, 1)) }
			for training.step < training.Steps() {
				plan := must(training.engine.Plan(training.step, 1, 1, training.settings.Live))
				if got, want := plan.Hypers[method.HyperTau], float32(tau(training.step)); got != want {
					t.Errorf("step %d is made at τ = %v, not %v", training.step, got, want)
				}
				m := must(training.Matrix(session.MatrixRequest{Of: "sample"}))
				if said := training.Status().Tau; said != tau(training.step) || m.Tau != said {
					t.Errorf("at step %d the status says τ = %v and M %v, not %v", training.step, said, m.Tau, tau(training.step))
				}
				advance(t, training, training.step+1)
			}
			if end := training.Status().Tau; end != 0.01 {
				t.Errorf("it ends at τ = %v", end)
			}
			h := must(training.History(session.HistoryRequest{Metrics: []string{"tau"}}))
			c := h.Curves["tau"]
			if len(c.Steps) != 12 {
				t.Fatalf("the curve has %d points", len(c.Steps))
			}
			for i, step := range c.Steps {
				if want := tau(step - 1); c.Values[i] != want {
					t.Errorf("the curve is at %v after step %d, not %v", c.Values[i], step, want)
				}
			}
		})
	}
}
