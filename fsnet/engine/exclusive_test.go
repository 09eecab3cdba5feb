package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/device/devicetest"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/rng"
)

// leaders are the columns of the largest values, row by row.
func leaders(z [][]float32) []int {
	list := make([]int, len(z))
	for k, row := range z {
		for j, v := range row {
			if v > row[list[k]] {
				list[k] = j
			}
		}
	}
	return list
}

// However alike the selectors are, no two of them lead with one feature, and each leads with what a walk from the surest on leaves it.
// Nothing changes before the sharpness grows.
func TestEachFeatureLeadsOneSelector(t *testing.T) {
	r := rng.New(1, "exclusive")
	cases := map[string][][]float32{
		// asked again after each taking, the first two would change places for ever
		"two in turn":   {{2, 1.9, -9, -9}, {2.1, -1, 1.5, -9}, {-9, 1, 1.4, 1.3}, {0, 0.1, 0.2, 0.3}},
		"all the same":  slices.Repeat([][]float32{{0.1, 0.7, 0.3, 0.5, 0.2, 0.4, 0.6, 0.65}}, 8),
		"with padding":  slices.Repeat([][]float32{{3, 2, 1, float32(math.Inf(-1))}}, 3),
		"one selector":  {{1, 2, 3}},
		"far apart":     {{1e5, 2, 3}, {1e5, 2, 3}, {-1e5, 1, 0}},
		"ties of order": {{1, 0, 0.5}, {1, 0, 0.5}},
	}
	for _, k := range []int{2, 10, 40} {
		flat := make([][]float32, k)
		for i := range flat {
			flat[i] = make([]float32, k+20)
			for j := range flat[i] {
				flat[i][j] = float32(0.01*r.NormFloat64()) + float32(j%7)*0.01
			}
		}
		cases["flat, "+string(rune('0'+k/10))] = flat
	}
	for _, d := range devicetest.All(t) {
		for name, z := range cases {
			for _, sigma := range []float32{1, 1.5} {
				out, err := graph.CallOnce(d.Backend(), func(z, sigma *graph.Node) *graph.Node {
					return method.Exclusive(z, sigma, nil, 0)
				}, z, sigma)
				if err != nil {
					t.Fatal(err)
				}
				got := out.Value().([][]float32)
				exact := make([][]float64, len(z))
				for k, row := range z {
					for _, v := range row {
						exact[k] = append(exact[k], float64(v))
					}
				}
				want := exact
				if sigma > 1 {
					want = exclusive(exact)
				}
				for k, row := range want {
					for j, v := range row {
						if math.Abs(float64(got[k][j])-v) > 1e-6*math.Abs(v) {
							t.Fatalf("%s: %s, σ = %g: z[%d, %d] is %g, by hand %g", d.Name, name, sigma, k, j, got[k][j], v)
						}
					}
				}
				lead := leaders(got)
				slices.Sort(lead)
				if sigma > 1 && len(slices.Compact(lead)) < len(z) {
					t.Errorf("%s: %s: two selectors lead with one feature: %v", d.Name, name, leaders(got))
				}
			}
		}
	}
}

// Replicas go each by their own order.
func TestReplicasKeepApartEachForItself(t *testing.T) {
	one := [][]float32{{2, 1, 0}, {3, 1, 2.5}, {0, 0.5, 0.4}}
	other := [][]float32{{9, 1, 0}, {3, 1, 2.5}, {7, 0.5, 0.4}}
	for _, d := range devicetest.All(t) {
		both, err := graph.CallOnce(d.Backend(), func(z *graph.Node) *graph.Node {
			return method.Exclusive(z, graph.Const(z.Graph(), []float32{2, 2}), nil, 0)
		}, [][][]float32{one, other})
		if err != nil {
			t.Fatal(err)
		}
		for r, z := range [][][]float32{one, other} {
			alone, err := graph.CallOnce(d.Backend(), func(z *graph.Node) *graph.Node {
				return method.Exclusive(z, graph.Const(z.Graph(), float32(2)), nil, 0)
			}, z)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := both.Value().([][][]float32)[r], alone.Value().([][]float32); !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
				t.Errorf("%s: replica %d: %v, alone %v", d.Name, r, got, want)
			}
		}
	}
}
