package train

import (
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/safetensors"
	"fsnetlab/tests/kit/devicetest"
)

// What the device is told, what the status says, what M is drawn with and what the curve shows are one temperature: the paper's own is
// that of the epoch, Algorithm 2's τ0 (τE/τ0)^(e/E) with e from 1; ours falls with every step.
func TestTemperatureIsTheOneInUse(t *testing.T) {
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
				plan, err := training.engine.Plan(training.step, 1, 1, training.settings.Live)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := plan.Hypers[method.HyperTau], float32(tau(training.step)); got != want {
					t.Errorf("step %d is made at τ = %v, not %v", training.step, got, want)
				}
				m, err := training.Matrix(session.MatrixRequest{Of: "sample"})
				if err != nil {
					t.Fatal(err)
				}
				if said := training.Status().Tau; said != tau(training.step) || m.Tau != said {
					t.Errorf("at step %d the status says τ = %v and M %v, not %v", training.step, said, m.Tau, tau(training.step))
				}
				advance(t, training, training.step+1)
			}
			if end := training.Status().Tau; end != 0.01 {
				t.Errorf("it ends at τ = %v", end)
			}
			h, err := training.History(session.HistoryRequest{Metrics: []string{"tau"}})
			if err != nil {
				t.Fatal(err)
			}
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

// Older checkpoints are refused: those of the noise with keys of 32 bits would go on with another step.
func TestOlderCheckpointsAreRefused(t *testing.T) {
	_, c := small(t)
	f, err := safetensors.Read(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata[MetaFormatVersion] = "3"
	if err := safetensors.Write(c.Path, f); err != nil {
		t.Fatal(err)
	}
	_, err = LoadCheckpoint(c.Path)
	if err == nil || !strings.Contains(err.Error(), `has format version "3"`) || !strings.Contains(err.Error(), `reads version "5"`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
