package hsic

import (
	"math"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// The fixtures are the definition in NumPy: testdata/make_relevance.py.
func TestScreeningAgainstNumPy(t *testing.T) {
	for _, f := range baselinetest.Fixture[map[string][]struct {
		baselinetest.Table
		Classes, Quantity []float64
	}](t, "relevance.json")["hsic"] {
		for what, of := range map[string]struct {
			data baseline.Data
			want []float64
		}{"classes": {f.Data(t), f.Classes}, "a quantity": {f.Quantities(t), f.Quantity}} {
			model, err := Screening{}.Fit(t.Context(), of.data, baseline.Options{K: len(of.want), Device: baselinetest.Plain()})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range model.Selected {
				if math.Abs(s.Score-of.want[s.Index]) > 1e-6 {
					t.Errorf("%s, %s: column %d has %v, NumPy %v", f.Name, what, s.Index, s.Score, of.want[s.Index])
				}
			}
		}
	}
}
