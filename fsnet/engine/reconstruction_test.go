package engine

import (
	"math"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/devicetest"
)

// The reconstruction error, as a training reports it and in the paper's figure
// 3, is the mean of (x − x̂)² over rows and features, with x̂ made of the
// selected features without noise and dropout. The reference is the definition
// in plain float64.
func TestReconstructionError_MatchesReference(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range map[string]config.Config{"fsnet": {Seed: 1}, "paper": {Protocol: config.Paper, Seed: 3}} {
			toy := newToy(t, c)
			e := toy.engine(t, d)
			advanced(t, e, 0, 2, toy.settings.Live)
			theta, _ := parametersOf(t, e)
			r := toy.reference(nn.Widen(theta), 1)
			weights := r.predict("reconstruction")
			chosen := []int{4, 11, 2}
			var selected []float32
			want, features := 0.0, toy.arch.D
			for i := range toy.arch.Rows {
				x := toy.x[i*features : (i+1)*features]
				h := make([]float64, len(chosen))
				for k, j := range chosen {
					selected, h[k] = append(selected, x[j]), float64(x[j])
				}
				for _, stack := range []string{"encoder", "decoder"} {
					layers := len(toy.arch.Hidden)
					if stack == "decoder" {
						layers--
					}
					for layer := range layers {
						h = r.dense(h, stack, layer)
						for o := range h {
							h[o] = max(h[o], 0.2*h[o])
						}
					}
				}
				for j, v := range x {
					again := 0.0
					for o, hidden := range h {
						again += hidden * math.Tanh(weights[o][j])
					}
					want += (float64(v) - again) * (float64(v) - again) / float64(toy.arch.Rows*features)
				}
			}
			_, got, err := e.Infer(selected, toy.x, toy.arch.Rows)
			check(t, err)
			if math.Abs(got-want) > 1e-5*want {
				t.Errorf("%s, %s: %v, and by the definition %v", d.Name, name, got, want)
			}
		}
	}
}
