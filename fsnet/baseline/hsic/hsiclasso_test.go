package hsic

import (
	"context"
	"fmt"
	"math"
	"testing"

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
		return Lasso{}
	}
	return BlockLasso{B: f.B, Permutations: len(f.Permutations), permutations: f.Permutations}
}

// The fixtures are what pyHSICLasso selects, in its order, with its coefficients: testdata/make_hsic.py. Where its path ends before K,
// the last feature that it lists has the coefficient 0; we pad instead.
func TestHSICLassoAgainstPyHSICLasso(t *testing.T) {
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
			model, err := f.method().Fit(context.Background(), data, baseline.Options{K: f.K, Device: device})
			if err != nil {
				t.Fatal(err)
			}
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
