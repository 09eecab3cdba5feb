package method

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// thin is a table of which most values are one of each column.
type thin struct {
	embedding.Dense
	usual []float32
}

func (t thin) Zero() []float32 { return t.usual }

func (t thin) Stored(look func(i int, columns []int32, values []float32)) error {
	for i := range len(t.X) / t.D {
		var columns []int32
		var values []float32
		for j, v := range t.X[i*t.D : (i+1)*t.D] {
			if v != t.usual[j] {
				columns, values = append(columns, int32(j)), append(values, v)
			}
		}
		look(i, columns, values)
	}
	return nil
}

// passes is a table that is read in stretches, and has no x to look into.
type passes struct{ of embedding.Dense }

func (t passes) Width() int { return t.of.D }

func (t passes) Each(look func(i, from int, values []float32)) error {
	return t.of.Each(func(i, _ int, values []float32) {
		look(i, 0, values[:5])
		look(i, 5, values[5:])
	})
}

func (t passes) Columns(look func(j int, column []float64)) error { return t.of.Columns(look) }

// Every embedding has the same bits from rows in memory and from passes over
// them. The moments of a sparse table are those of the dense one except for
// rounding, with values beyond the clip and a constant column.
func TestEmbedding_OfTables(t *testing.T) {
	const n, d, classes = 150, 20, 3
	r := num.RNG(4, "tables")
	usual, x, y := make([]float32, d), []float32(nil), []int(nil)
	for j := range usual {
		usual[j] = -0.3 * float32(j%4)
	}
	for i := range n {
		y = append(y, i%classes)
		for j := range d {
			v := usual[j]
			if r.Float64() < 0.3 && j != 6 {
				v = float32(r.NormFloat64()) + float32(j%3*y[i])
			}
			if i == 11 && j == 2 {
				v = 40
			}
			x = append(x, v)
		}
	}
	weights, sum := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = 0.2 + r.Float64()
		sum += weights[i]
	}
	for i := range weights {
		weights[i] *= n / sum
	}
	target := embedding.Target{Y: y, Classes: classes}
	for _, kind := range []string{"class-t", "class-deviation", "histogram"} {
		for _, protocol := range []string{config.FsNet, config.Stepwise} {
			s := config.Settings{Protocol: protocol, Live: config.Live{Rules: config.Rules{Embedding: kind, Bins: config.StandardBins, StandardizeEmbedding: true}}}
			for _, target.Weights = range [][]float64{nil, weights} {
				want, err := Embed(s, embedding.Dense{X: x, D: d}, target)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Embed(s, passes{embedding.Dense{X: x, D: d}}, target)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %s: in passes the embedding differs: %v", kind, protocol, err)
				}
				got, err = Embed(s, thin{embedding.Dense{X: x, D: d}, usual}, target)
				if err != nil || len(got) != len(want) {
					t.Fatal(err, len(got), len(want))
				}
				for i, v := range got {
					if math.Abs(float64(v-want[i])) > 2e-6*max(1, math.Abs(float64(want[i]))) {
						t.Errorf("%s, %s: number %d of the sparse table is %v, not %v", kind, protocol, i, v, want[i])
					}
				}
			}
		}
	}
}
