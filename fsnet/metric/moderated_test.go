package metric

import (
	"math"
	"slices"
	"testing"
)

// The fixtures use SciPy's polygamma functions and root finding:
// testdata/make_moderated.py.
func TestModeratedF_MatchesSciPy(t *testing.T) {
	type data struct {
		How        string
		Classes, D int
		Y          []int
		X, F       []float64
	}
	for _, f := range fixture[data](t, "moderated.json", 6) {
		got := ModeratedF(f.X, f.D, f.Y, f.Classes)
		for j, want := range f.F {
			if math.Abs(got[j]-want) > 1e-9*want {
				t.Errorf("%s: column %d has F = %v, SciPy says %v", f.How, j, got[j], want)
			}
		}
		narrow := make([]float32, len(f.X))
		for i, v := range f.X {
			narrow[i] = float32(v)
		}
		for j, got := range ModeratedF(narrow, f.D, f.Y, f.Classes) {
			if math.Abs(got-f.F[j]) > 1e-4*(1+f.F[j]) {
				t.Errorf("%s, 32 bits: column %d has F = %v, SciPy says %v", f.How, j, got, f.F[j])
			}
		}
		if got := ModeratedF(f.X, f.D, f.Y, f.Classes+2); !slices.EqualFunc(got, f.F,
			func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }) {
			t.Errorf("%s: two classes without rows change F to %v", f.How, got)
		}
	}
}

// If there is nothing to compute with, the results are numbers all the same.
func TestModeratedF_LittleData(t *testing.T) {
	varied := []float64{1, 4, 7, 2, 6, 7, 5, 5, 7, 9, 1, 7} // 4×3, the last column constant
	for name, test := range map[string]struct {
		x       []float64
		d       int
		y       []int
		classes int
		check   func(f []float64) bool
	}{
		"one class":             {varied, 3, []int{1, 1, 1, 1}, 2, func(f []float64) bool { return slices.Equal(f, []float64{0, 0, 0}) }},
		"a constant column":     {varied, 3, []int{0, 0, 1, 1}, 2, func(f []float64) bool { return f[0] > f[1] && f[1] > 0 && f[2] == 0 }},
		"a class of one row":    {varied, 3, []int{0, 0, 0, 1}, 2, func(f []float64) bool { return f[0] > 0 && f[1] > 0 && f[2] == 0 }},
		"classes of one row":    {varied, 3, []int{0, 1, 2, 3}, 4, func(f []float64) bool { return f[0] > f[1] && f[1] > 0 && f[2] == 0 }},
		"two rows":              {varied[:6], 3, []int{0, 1}, 2, func(f []float64) bool { return f[1] > f[0] && f[0] > 0 && f[2] == 0 }},
		"two rows of one class": {varied[:6], 3, []int{0, 0}, 2, func(f []float64) bool { return slices.Equal(f, []float64{0, 0, 0}) }},
		"one row":               {varied[:3], 3, []int{0}, 2, func(f []float64) bool { return slices.Equal(f, []float64{0, 0, 0}) }},
		"no rows":               {nil, 3, nil, 2, func(f []float64) bool { return slices.Equal(f, []float64{0, 0, 0}) }},
		"no columns":            {nil, 0, []int{0, 1}, 2, func(f []float64) bool { return len(f) == 0 }},
		"nothing varies": {slices.Repeat([]float64{.1, .7}, 9), 2, []int{0, 1, 1, 0, 1, 1, 1, 2, 2}, 3,
			func(f []float64) bool { return slices.Equal(f, []float64{0, 0}) }},
		"told without spread": {[]float64{0, 1, 0, 2, 1, 4, 1, 3}, 2, []int{0, 0, 1, 1}, 2, func(f []float64) bool {
			return f[0] > f[1] && f[1] > 0
		}},
	} {
		f := ModeratedF(test.x, test.d, test.y, test.classes)
		if len(f) != test.d || !test.check(f) {
			t.Errorf("%s: %v", name, f)
		}
		for j, v := range f {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: column %d has F = %v", name, j, v)
			}
		}
	}
}

// A column among columns of more spread is drawn towards theirs: its lucky
// small variance counts less than in the plain F.
func TestModeratedF_Shrinks(t *testing.T) {
	got := moderate([]float64{0.01, 1, 1.2, 0.9, 1.1, 1, 0.8}, 4)
	if !(got[0] > 5*0.01 && got[0] < got[6] && got[2] < 1.2) { // of d₀ = 1.1
		t.Errorf("%v", got)
	}
	for _, y := range []float64{1e-3, 0.1, 1, 10, 1e4} {
		if x := inverseTrigamma(y); math.Abs(trigamma(x)-y) > 1e-12*y {
			t.Errorf("ψ′(%v) = %v, not %v", x, trigamma(x), y)
		}
	}
}
