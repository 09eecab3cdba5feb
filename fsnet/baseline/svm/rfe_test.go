package svm

import (
	"math"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
	"fsnetlab/tests/kit/baselinetest"
)

type rfeFixture struct {
	baselinetest.Table
	C, Step float64
	Order   []int
	Squares []float64
}

// standardised are the columns with mean 0 and standard deviation 1.
func standardised(data baseline.Data) baseline.Data {
	data = data.Only(places.All(data.Width()))
	column := make([]float64, len(data.Rows))
	for j := range data.Rows[0] {
		for i, row := range data.Rows {
			column[i] = row[j]
		}
		if baseline.Constant(column) {
			continue
		}
		mean, spread := baseline.MeanAndSpread(column)
		for _, row := range data.Rows {
			row[j] = (row[j] - mean) / spread
		}
	}
	return data
}

// One feature at a time it is scikit-learn's RFE; by parts its SVC, asked in turn: testdata/make_rfe.py.
func TestRFEAgainstScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]rfeFixture](t, "rfe.json") {
		data := f.Data(t)
		if f.Name == "ALLAML" {
			data = standardised(data)
		}
		model, err := RFE{C: f.C, Step: max(f.Step, 1e-9)}.Fit(t.Context(), data, baseline.Options{K: len(f.Order)})
		if err != nil {
			t.Fatal(err)
		}
		score := math.Inf(1)
		for r, selected := range model.Selected {
			score = min(score, f.Squares[r])
			if selected.Index != f.Order[r] || math.Abs(selected.Score-score) > 1e-4*score {
				t.Errorf("%s, C = %g, step %g: rank %d is column %d with %v, scikit-learn's %d with %v", f.Name, f.C, f.Step, r, selected.Index, selected.Score, f.Order[r], score)
				break
			}
		}
	}
}

// Copies of a column have the same weight, and the later one goes first.
func TestRFETakesTheLaterOfTwoCopiesAway(t *testing.T) {
	data := baselinetest.Normal(40, 4, 2)
	for i, row := range data.Rows {
		data.Rows[i] = append(row, row[0])
	}
	model, err := RFE{}.Fit(t.Context(), data, baseline.Options{K: 5})
	if err != nil {
		t.Fatal(err)
	}
	if model.Selected[0].Index == 4 {
		t.Errorf("%v", model.Selected)
	}
}
