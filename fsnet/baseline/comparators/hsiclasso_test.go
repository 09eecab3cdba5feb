package comparators

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

type hsicFixture struct {
	baselinetest.Table
	K, B         int
	Regression   bool
	Order        []int
	Beta         []float64
	Permutations [][]int
}

func (f hsicFixture) method() baseline.Method {
	if f.B == 0 {
		return HSICLasso{}
	}
	return HSICBlockLasso{B: f.B, Permutations: len(f.Permutations), permutations: f.Permutations}
}

// The fixtures are what pyHSICLasso selects, in its order and with its
// coefficients: testdata/make_hsic.py. If its path ends before K, the last
// feature that it lists has coefficient 0, and we pad instead.
func TestHSICLasso_MatchesPyHSICLasso(t *testing.T) {
	t.Parallel()
	for _, f := range baselinetest.Fixture[[]hsicFixture](t, "hsic.json") {
		t.Run(fmt.Sprintf("%s every=%d b=%d k=%d regression=%t", f.Name, f.Every, f.B, f.K, f.Regression), func(t *testing.T) {
			var data baseline.Data
			if f.Regression {
				data = f.Quantities(t)
			} else {
				data = f.Data(t)
			}
			device := baselinetest.Compiled()
			if len(data.Rows[0]) < 1000 { // where compiling takes longer than computing
				device = baselinetest.Plain()
			}
			model := must(f.method().Fit(context.Background(), data, baseline.Options{K: f.K, Device: device}))(t)
			worst := 0.0
			for r, s := range model.Selected {
				theirs := r < len(f.Order) && f.Beta[r] > 0
				if s.Padding == theirs {
					t.Fatalf("rank %d is %+v, pyHSICLasso selects %d", r, s, len(f.Order))
				}
				if s.Padding {
					break
				}
				if s.Index != f.Order[r] {
					t.Errorf("rank %d is column %d (%v), theirs %d (%v)", r, s.Index, s.Score, f.Order[r], f.Beta[r])
				}
				worst = max(worst, math.Abs(s.Score-f.Beta[r]))
			}
			if t.Logf("coefficients agree to %.1g", worst); worst > 1e-4 {
				t.Errorf("coefficients differ by %g", worst)
			}
		})
	}
}

// onColumns runs the path on a plain table of these columns. entered lists the
// features whose products it asked for, each once.
func onColumns(t *testing.T, columns [][]float64, y []float64, k int) (selected []baseline.Feature, entered []int) {
	t.Helper()
	with := func(y []float64) []float64 {
		products := make([]float64, len(columns))
		for j, x := range columns {
			products[j] = floats.Dot(x, y)
		}
		return products
	}
	selected = must(nonNegativeLARS(with(y), []int{k}, func(feature, _ int) ([]float64, error) {
		if slices.Contains(entered, feature) {
			t.Errorf("feature %d is asked for twice", feature)
		}
		entered = append(entered, feature)
		return with(columns[feature]), nil
	}))(t)[0]
	return selected, entered
}

// Where the path stops, the conditions of the optimum hold: correlation λ for
// all with a coefficient, at most λ for the others.
func TestNonNegativeLARS_IsOptimal(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		const n, d = 30, 25
		columns := make([][]float64, d)
		y := make([]float64, n)
		for j := range columns {
			columns[j] = make([]float64, n)
			norm := 0.0
			for i := range n {
				columns[j][i] = random.NormFloat64()
				if j > 0 {
					columns[j][i] += 0.7 * columns[j-1][i] // correlated, so that features leave
				}
				norm += columns[j][i] * columns[j][i]
			}
			for i := range n {
				columns[j][i] /= math.Sqrt(norm)
				y[i] += float64(j%3) * columns[j][i]
			}
		}
		for _, k := range []int{1, 4, 10, d} {
			selected, _ := onColumns(t, columns, y, k)
			residual := slices.Clone(y)
			has := map[int]bool{}
			for _, f := range selected {
				has[f.Index] = true
				if f.Score <= 0 {
					t.Errorf("seed %d, k %d: coefficient %v", seed, k, f.Score)
				}
				for i := range residual {
					residual[i] -= f.Score * columns[f.Index][i]
				}
			}
			level := floats.Dot(columns[selected[0].Index], residual)
			for j, x := range columns {
				c := floats.Dot(x, residual)
				if has[j] && math.Abs(c-level) > 1e-9 || c > level+1e-9 {
					t.Errorf("seed %d, k %d: feature %d has correlation %v, λ is %v", seed, k, j, c, level)
				}
			}
			if len(selected) != k && level > 1e-8 {
				t.Errorf("seed %d: %d features instead of %d at λ = %v", seed, len(selected), k, level)
			}
		}
	}
}

// Copies and combinations of selected features never enter.
func TestNonNegativeLARS_LeavesCopiesOut(t *testing.T) {
	a, b := []float64{1, 0, 0, 0}, []float64{0, 1, 0, 0}
	both := []float64{math.Sqrt2 / 2, math.Sqrt2 / 2, 0, 0}
	selected, _ := onColumns(t, [][]float64{a, a, b, both, a}, []float64{3, 1, 1, 0}, 5)
	seen := map[int]bool{}
	for _, f := range selected {
		seen[f.Index] = true
	}
	if !seen[0] || seen[1] || seen[4] || len(selected) > 2 {
		t.Errorf("selects %+v", selected)
	}
	if selected, _ := onColumns(t, [][]float64{{-1, 0}, {0, 0}}, []float64{1, 0}, 2); len(selected) != 0 {
		t.Errorf("selects %+v, though nothing lowers the error", selected)
	}
}

// A copy, up to rounding, isn't even looked at, since a look at one feature is
// a pass over all of them.
func TestNonNegativeLARS_SkipsCopies(t *testing.T) {
	columns := [][]float64{{1, 0, 0}, {1 - 1e-9, 2e-9, 1e-9}, {0, 1, 0.1}, {1 - 1e-9, -1e-9, 3e-9}}
	if _, entered := onColumns(t, columns, []float64{3, 1, 0.5}, 4); !slices.Equal(entered, []int{0, 2}) {
		t.Errorf("looks at %v", entered)
	}
}
