package train

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device/devicetest"
)

// The weights are the largest entries of P, by column of the file: constant columns have none, and before the first step nobody has.
func TestWeights(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			data := planted(40, 90)
			const constant = 11
			for i := range data.N {
				data.X[i*data.D+constant] = 2
			}
			training := open(t, d, data, config.Config{K: 3, Epochs: 40, Stop: "never"})
			if weights, err := training.Weights(); err != nil || weights != nil {
				t.Errorf("before the first step: %v, %v", weights, err)
			}
			advance(t, training, 40)
			weights, err := training.Weights()
			if err != nil {
				t.Fatal(err)
			}
			p, err := training.engine.Probability(training.look(training.step))
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, data.D)
			for i, x := range p {
				index, _ := training.feature(i % training.engine.Layout.D)
				want[index] = max(want[index], x)
			}
			if len(weights) != data.D || weights[constant] != 0 {
				t.Fatalf("%d weights, %g of a constant column", len(weights), weights[constant])
			}
			for j, w := range weights {
				if diff := w - want[j]; diff > 1e-6 || diff < -1e-6 {
					t.Errorf("column %d weighs %g, want %g", j, w, want[j])
				}
			}
			if names := training.Names(); len(names) != data.D || names[7] != "signal7" {
				t.Errorf("%d names", len(names))
			}
		})
	}
}
