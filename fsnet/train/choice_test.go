package train

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// Most selectors settle, on different features, most of which tell the classes
// apart. Some of the planted features are equally good, so that rounding
// decides about a single selector: three seeds together are judged.
func TestTraining_ChoiceSettlesAndSpreads(t *testing.T) {
	for name, c := range map[string]config.Config{
		"fsnet":    {},
		"stepwise": {Protocol: config.Stepwise},
	} {
		t.Run(name, func(t *testing.T) {
			c.K, c.Stop = 5, "never"
			d := devicetest.All(t)[0]
			settled, different, signals := 0, 0, 0
			for seed := range int64(3) {
				c.Seed = seed + 1
				training := open(t, d, planted(60, 300), c)
				run(t, training)
				s := training.Status()
				settled += s.SettledRows
				different += *s.UniqueRows
				if want := map[string]float64{"fsnet": 20, "stepwise": 100}[name]; s.Sharpness != want {
					t.Errorf("the sharpness ends at %g", s.Sharpness)
				}
				chosen := must(training.Selection())
				for _, f := range chosen {
					if strings.HasPrefix(f.Name, "signal") {
						signals++
					}
				}
			}
			if settled < 8 && name != "stepwise" || different < 13 || signals < 12 {
				t.Errorf("of 15 selectors %d settled, %d lead with a feature of their own, %d tell the classes apart", settled, different, signals)
			}
		})
	}
}

// Screening, scaling, embedding and every step see the training rows alone:
// other values in the test and validation rows change no bit of P.
func TestTraining_OtherRowsChangeNothing(t *testing.T) {
	for name, c := range map[string]config.Config{
		"fsnet":    {},
		"stepwise": {Protocol: config.Stepwise},
		"weighted": {Protocol: config.Stepwise},
		"nuisance": {Protocol: config.Stepwise},
	} {
		t.Run(name, func(t *testing.T) {
			c.K, c.Epochs, c.Screen, c.ValidationFraction = 3, 20, new(40), new(0.2)
			of := func(data *dataset.Dataset) []float32 {
				training := open(t, devicetest.All(t)[0], data, c)
				run(t, training)
				weights := must(training.Weights())
				return weights
			}
			data, poisoned := planted(60, 90), planted(60, 90)
			s := must(c.Resolve())
			parts := must(dataset.Split(data, s))
			for _, i := range slices.Concat(parts.Validation, parts.Test) {
				for j := range poisoned.D {
					poisoned.X[i*poisoned.D+j] = 1000*float32(poisoned.Y[i]) + float32(j%7)
				}
			}
			if name == "weighted" {
				weights := make([]float64, data.N)
				for i := range weights {
					weights[i] = 1 + float64(i%4)
				}
				data = must(data.WithWeights(weights))
				for _, i := range slices.Concat(parts.Validation, parts.Test) {
					weights[i] = 1e9
				}
				poisoned = must(poisoned.WithWeights(weights))
			}
			if name == "nuisance" {
				values := make([]string, data.N)
				for i := range values {
					values[i] = fmt.Sprint("site ", i%4)
				}
				data = must(data.WithNuisance(values))
				for _, i := range slices.Concat(parts.Validation, parts.Test) {
					values[i] = fmt.Sprint("a new site ", i%3)
				}
				poisoned = must(poisoned.WithNuisance(values))
			}
			if !slices.Equal(of(data), of(poisoned)) {
				t.Error("the test and validation rows have a say in P")
			}
		})
	}
}

// A rate that makes every selector certain of one feature early settles
// nothing: the run goes on until they keep apart.
func TestTraining_NotSettledBeforeSharpnessGrows(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 90), config.Config{K: 3, SelectorLearningRate: new(0.5), Epochs: 60})
	advance(t, training, training.Steps()/3)
	if p := *training.Status().MaxProbability; p < 0.9 {
		t.Fatalf("the largest probability is %g on average: this test says nothing", p)
	}
	run(t, training)
	s := training.Status()
	if s.State == session.Settled && (2*s.Step <= s.Steps || *s.UniqueRows != 3) || s.Sharpness <= 1 {
		t.Errorf("%s at step %d of %d, sharpness %g, on %d features", s.State, s.Step, s.Steps, s.Sharpness, *s.UniqueRows)
	}
}
