package train

import (
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/tests/kit/devicetest"
)

// Equal weights change no bit, a row of weight 0 isn't there, and other weights
// change P.
func TestTraining_RowWeights(t *testing.T) {
	devices := devicetest.All(t) // Go's backend is the last, and compiles nothing
	for name, c := range map[string]config.Config{
		"fsnet":    {},
		"stepwise": {Protocol: config.Stepwise},
	} {
		t.Run(name, func(t *testing.T) {
			c.K, c.Epochs, c.Screen = 3, 5, new(20)
			of := func(data *dataset.Dataset, err error) []float32 {
				t.Helper()
				check(t, err)
				training := open(t, devices[len(devices)-1], data, c)
				run(t, training)
				p := must(training.Weights())
				return p
			}
			data := planted(40, 60)
			s := must(c.Resolve())
			parts := must(dataset.Split(data, s))
			plain := of(data, nil)
			weights := slices.Repeat([]float64{2.5}, data.N)
			if !slices.Equal(of(data.WithWeights(weights)), plain) {
				t.Error("equal weights change P")
			}
			for _, i := range parts.Train[:5] {
				weights[i] = 0
			}
			without := parts
			without.Left, without.Train = parts.Train[:5], parts.Train[5:]
			if !slices.Equal(of(data.WithWeights(weights)), of(data.WithSplit(without))) {
				t.Error("rows of weight 0 have a say in P")
			}
			weights[parts.Train[6]] = 20
			if slices.Equal(of(data.WithWeights(weights)), of(data.WithSplit(without))) {
				t.Error("a weight of 20 says nothing")
			}
		})
	}
}
