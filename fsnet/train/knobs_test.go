package train

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// knobs are the keys of a training, each with a value that no protocol has.
func knobs() map[string]string {
	live := map[string]string{"learning_rate": "0.02", "selector_learning_rate": "0.03",
		"lambda": "7", "dropout": "0.6", "tau0": "3", "tau_end": "0.5", "schedule": "linear", "sharpness": "5",
		"sharpness_schedule": "linear", "repulsion": "40", "class_weight": "balanced", "epochs": "23"}
	structural := map[string]string{"seed": "5", "split_seed": "8",
		"test_fraction": "0.4", "scaling": "none", "never": "signal7", "must": "noise0003", "cost": "signal7:9",
		"hidden": "9,5", "batch": "11",
		"rows_per_class": "5", "screen": "60"}
	maps.Copy(structural, live)
	return structural
}

// weak is a data set whose classes differ little, and are not equally many, so
// that no choice is beyond doubt.
func weak() *dataset.Dataset {
	data := planted(45, 90)
	r := num.RNG(3, "weak")
	for i := range data.X {
		data.X[i] += float32(3 * r.NormFloat64())
	}
	for i := range 9 {
		data.Y[3*i] = 1
	}
	return data
}

// What a user turns has an effect or is rejected: under every protocol, each
// key changes P, or is rejected in one line.
func TestTraining_NoKnobIsDead(t *testing.T) {
	all := devicetest.All(t)
	d, data := all[len(all)-1], weak() // Go's, which has nothing to compile: nearly every training is of another shape
	for _, protocol := range config.Protocols() {
		t.Run(protocol, func(t *testing.T) {
			fitted := func(s config.Settings) []float32 {
				training := must(Open(t.Context(), d, data, s))
				defer training.Close()
				run(t, training)
				p := must(training.Weights())
				return p
			}
			base := config.Config{Protocol: protocol, K: 3, Epochs: 6, Hidden: []int{6}, Seed: 2, Stop: "never", Data: data.Name}
			if protocol == config.Stepwise {
				base.Hidden = nil
				base.TauEnd = new(0.3) // with less, each of so few scores is all or nothing
			}
			s := must(base.Resolve())
			p := fitted(s)
			for name, value := range knobs() {
				c := base
				check(t, c.Set(name, value))
				turned, err := c.Resolve()
				if why, _ := s.Idle(name); why != "" {
					if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), why) {
						t.Errorf("%s = %s does nothing and is not refused: %v", name, value, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s = %s: %v", name, value, err)
				} else if slices.Equal(fitted(turned), p) {
					t.Errorf("%s = %s changes nothing", name, value)
				}
			}
		})
	}
}

// The number of bins is limited by the training rows, not by the rows of the
// file.
func TestOpen_RejectsTooManyBins(t *testing.T) {
	d, data := devicetest.All(t)[0], planted(16, 30)
	rules := config.RulesOf(config.FsNet)
	rules.Bins = 9
	for _, c := range []config.Config{{Protocol: config.Paper}, {Rules: &rules}} {
		c.K, c.Data, c.Split, c.Screen = 3, data.Name, config.Stratified, new(0)
		s := must(c.Resolve())
		if _, err := Open(t.Context(), d, data, s); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "8 training rows") {
			t.Errorf("bins = %d: %v", s.Bins, err)
		}
	}
}
