package fused

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// Weighted by the classes' sizes, the rows of Φ of all classes sum to zero.
// Folded weights on the first classes' rows give what the weights give on all
// rows, and their gradient unfolds into GoMLX's by the weights. The last class
// may have no rows.
func TestFold_ChangesNothing(t *testing.T) {
	const d, out = 9, 4
	for _, device := range devicetest.All(t) {
		for name, sizes := range map[string][]int{"two": {7, 5}, "three": {2, 9, 4}, "none of the last": {5, 6, 0}} {
			bins := config.StandardBins + len(sizes) - 2 // 10 and 11
			t.Run(fmt.Sprintf("%s/%s", device.Name, name), func(t *testing.T) {
				r := num.RNG(3, "folding")
				var y []int
				for c, n := range sizes {
					y = append(y, slices.Repeat([]int{c}, n)...)
				}
				draw := func(n int) []float32 {
					list := make([]float32, n)
					for i := range list {
						list[i] = float32(r.NormFloat64())
					}
					return list
				}
				phi, err := embedding.Compute(config.Settings{Live: config.Live{Rules: config.Rules{Embedding: config.ClassDeviation, Bins: bins, StandardizeEmbedding: true}}},
					embedding.Dense{X: draw(len(y) * d), D: d}, embedding.Target{Y: y, Classes: len(sizes)})
				if err != nil {
					t.Fatal(err)
				}
				for b := range bins {
					for j := range d {
						sum := 0.0
						for c, n := range sizes {
							sum += float64(n) * float64(phi[(c*bins+b)*d+j])
						}
						if math.Abs(sum) > 1e-5 {
							t.Fatalf("bin %d of feature %d: the classes' rows add up to %g", b, j, sum)
						}
					}
				}

				a := Layout{Architecture: method.Architecture{D: d, Rows: len(y), Classes: len(sizes), Embedding: bins * len(sizes), Bins: bins}, Block: d,
					Parts: 1}
				oneHot := make([]float32, len(y)*a.Classes)
				for i, c := range y {
					oneHot[i*a.Classes+c] = 1
				}
				exec, err := graph.NewExec(device.Backend(), func(in []*graph.Node) []*graph.Node {
					phi, w, through := in[0], in[1], in[2]
					folding := a.Folding(in[3])
					layers := a.foldLayers([]method.PredictorLayer{{Weights: w}}, folding)
					reduced := a.IndependentRows(phi)
					whole := method.WeightPredictor(phi, []method.PredictorLayer{{Weights: w}})
					gradient := graph.Gradient(graph.ReduceAllSum(graph.Mul(whole, through)), w)
					unfolded := a.unfold(a.predictorGradient(reduced, layers, through), folding)
					return []*graph.Node{whole, method.WeightPredictor(reduced, layers), gradient[0], unfolded[0]}
				})
				if err != nil {
					t.Fatal(err)
				}
				results, err := exec.Call(tensors.FromFlatDataAndDimensions(phi, a.Embedding, d),
					tensors.FromFlatDataAndDimensions(draw(out*a.Embedding), out, a.Embedding),
					tensors.FromFlatDataAndDimensions(draw(out*d), out, d), tensors.FromFlatDataAndDimensions(oneHot, len(y), a.Classes))
				if err != nil {
					t.Fatal(err)
				}
				for i, what := range []string{"weights", "gradients"} {
					want, got := tensors.MustCopyFlatData[float32](results[2*i]), tensors.MustCopyFlatData[float32](results[2*i+1])
					if len(want) != len(got) {
						t.Fatalf("%s: %v, not %v", what, results[2*i+1].Shape(), results[2*i].Shape())
					}
					for j := range want {
						if math.Abs(float64(got[j]-want[j])) > 1e-5*(1+math.Abs(float64(want[j]))) {
							t.Errorf("%s: number %d is %g folded, %g without", what, j, got[j], want[j])
						}
					}
				}
			})
		}
	}
}
