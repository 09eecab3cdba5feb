package filter

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
	"fsnetlab/tests/kit/baselinetest"
)

// scoresOf are a method's scores of all columns.
func scoresOf(t *testing.T, m baseline.Method, data baseline.Data) []float64 {
	t.Helper()
	model, err := m.Fit(t.Context(), data, baseline.Options{K: data.Width()})
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, data.Width())
	for _, f := range model.Selected {
		scores[f.Index] = f.Score
	}
	return scores
}

type relieffFixture struct {
	baselinetest.Table
	Rows, Neighbours int
	Scores           []float64
	Top              []int
}

// The fixtures are what skrebate computes: testdata/make_relieff.py.
func TestReliefFAgainstSkrebate(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]relieffFixture](t, "relieff.json") {
		data := f.Data(t)
		data.Rows, data.Y = data.Rows[:f.Rows], data.Y[:f.Rows]
		scores := scoresOf(t, ReliefF{Neighbours: f.Neighbours}, data)
		if f.Top == nil {
			f.Top = places.All(data.Width())
		}
		for k, j := range f.Top {
			if math.Abs(scores[j]-f.Scores[k]) > 1e-9 {
				t.Errorf("%s, k = %d: W of column %d is %v, skrebate says %v", f.Name, f.Neighbours, j, scores[j], f.Scores[k])
			}
		}
	}
}

// Classes of different sizes, one with fewer rows than neighbours, which skrebate weighs otherwise: the definition, followed literally.
func TestReliefFAgainstTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	const d, k = 5, 4
	data := baseline.Data{Classes: 4} // the last has no row
	for c, size := range []int{12, 9, 3} {
		for range size {
			row := make([]float64, d)
			for j := range row {
				row[j] = random.NormFloat64() + float64(c*j)
			}
			data.Rows, data.Y = append(data.Rows, row), append(data.Y, c)
		}
	}
	n := len(data.Rows)
	part := func(j, i, l int) float64 {
		least, most := math.Inf(1), math.Inf(-1)
		for _, row := range data.Rows {
			least, most = min(least, row[j]), max(most, row[j])
		}
		return math.Abs(data.Rows[i][j]-data.Rows[l][j]) / (most - least)
	}
	distance := func(i, l int) (sum float64) {
		for j := range d {
			sum += part(j, i, l)
		}
		return sum
	}
	sizes := data.ClassSizes()
	scores := scoresOf(t, ReliefF{Neighbours: k}, data)
	for j := range d {
		want := 0.0
		for i := range n {
			for c := range 3 {
				var rows []int
				for l := range n {
					if l != i && data.Y[l] == c {
						rows = append(rows, l)
					}
				}
				slices.SortFunc(rows, func(a, b int) int {
					if distance(i, a) < distance(i, b) {
						return -1
					}
					return 1
				})
				rows = rows[:min(k, len(rows))]
				mean := 0.0
				for _, l := range rows {
					mean += part(j, i, l) / float64(len(rows))
				}
				if own := data.Y[i]; c == own {
					want -= mean / float64(n)
				} else {
					want += mean / float64(n) * float64(sizes[c]) / float64(n-sizes[own])
				}
			}
		}
		if math.Abs(scores[j]-want) > 1e-12 {
			t.Errorf("W of column %d is %v, by definition %v", j, scores[j], want)
		}
	}
}
