package metric

import (
	"math"
	"testing"
)

// p for few differences is the exact one, counted by hand.
func TestWilcoxon_ByHand(t *testing.T) {
	zeros := make([]float64, 5)
	for name, test := range map[string]struct{ got, want float64 }{
		"nothing":                 {Wilcoxon(nil, nil), 1},
		"no difference":           {Wilcoxon(zeros, zeros), 1},
		"all one way":             {Wilcoxon([]float64{1, 2, 3, 4, 5}, zeros), 2.0 / 32},
		"all the other way":       {Wilcoxon(zeros, []float64{1, 2, 3, 4, 5}), 2.0 / 32},
		"one":                     {Wilcoxon([]float64{1}, zeros[:1]), 1},
		"zeros are left out":      {Wilcoxon([]float64{0, 2, 0, 4, 5}, zeros), 2.0 / 8},
		"the least one differs":   {Wilcoxon([]float64{-1, 2, 3, 4, 5}, zeros), 4.0 / 32},
		"all equal, one differs":  {Wilcoxon([]float64{-1, 1, 1, 1, 1}, zeros), 2 * 6.0 / 32}, // at least four of five
		"equal but for rounding":  {Wilcoxon([]float64{0.1 + 0.2, 1}, []float64{0.3, 0.5}), 1},
		"as large in both senses": {Wilcoxon([]float64{1, -1}, zeros[:2]), 1},
	} {
		if !near(test.got, test.want) {
			t.Errorf("%s is %v, want %v", name, test.got, test.want)
		}
	}
}

// The fixtures are what SciPy computes: testdata/make_wilcoxon.py.
func TestWilcoxon_MatchesSciPy(t *testing.T) {
	type data struct {
		How  string
		A, B []float64
		P    float64
	}
	for _, f := range fixture[data](t, "wilcoxon.json", 10) {
		if p := Wilcoxon(f.A, f.B); math.Abs(p-f.P) > 1e-9*f.P {
			t.Errorf("%s: p = %v, SciPy says %v", f.How, p, f.P)
		}
		if p, q := Wilcoxon(f.A, f.B), Wilcoxon(f.B, f.A); math.Abs(p-q) > 1e-12 {
			t.Errorf("%s: p = %v, the other way round %v", f.How, p, q)
		}
	}
}
