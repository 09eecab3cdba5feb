package logistic_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/logistic"
	"fsnetlab/fsnet/metric"
	"fsnetlab/tests/kit/baselinetest"
)

// The fixtures are what scikit-learn decides of two rows of five, fitted to the others: testdata/make_logistic.py.
func TestLogisticAgainstScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]struct {
		baselinetest.Table
		C         float64
		Columns   []int
		Decision  [][]float64
		Predicted []int
		Balanced  float64
	}](t, "logistic.json") {
		train, test := parted(f.Data(t), f.Name == "ALLAML")
		if f.Columns != nil {
			train, test = train.Only(f.Columns), test.Only(f.Columns)
		}
		model, err := logistic.Regression{C: f.C}.Fit(t.Context(), train, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := model.Predict(test.Rows)
		if err != nil || !slices.Equal(predicted, f.Predicted) {
			t.Errorf("%s, C = %g: %v, %v, scikit-learn %v", f.Name, f.C, predicted, err, f.Predicted)
		}
		if balanced := metric.BalancedAccuracy(test.Y, predicted, test.Classes); math.Abs(balanced-f.Balanced) > 1e-12 {
			t.Errorf("%s: a balanced accuracy of %v, scikit-learn %v", f.Name, balanced, f.Balanced)
		}
		worst := 0.0
		for r, row := range test.Rows {
			for c, value := range model.Predictor.(*logistic.Functions).Decision(row) {
				worst = max(worst, math.Abs(value-f.Decision[r][c])/max(1, math.Abs(f.Decision[r][c])))
			}
		}
		if t.Logf("%s, C = %g, %d features: decisions agree to %.1g", f.Name, f.C, test.Width(), worst); worst > 1e-7 {
			t.Errorf("%s, C = %g: decisions differ by %g", f.Name, f.C, worst)
		}
	}
}

// parted is three rows of five, and the others; scaled by the former where asked.
func parted(data baseline.Data, scaled bool) (train, test baseline.Data) {
	train.Classes, test.Classes = data.Classes, data.Classes
	for i, row := range data.Rows {
		part := &test
		if i%5 < 3 {
			part = &train
		}
		part.Rows, part.Y = append(part.Rows, slices.Clone(row)), append(part.Y, data.Y[i])
	}
	if !scaled {
		return train, test
	}
	column := make([]float64, len(train.Rows))
	for j := range data.Width() {
		for i, row := range train.Rows {
			column[i] = row[j]
		}
		mean, spread := column[0], 1.0
		if !baseline.Constant(column) {
			mean, spread = baseline.MeanAndSpread(column)
		}
		for _, rows := range [][][]float64{train.Rows, test.Rows} {
			for _, row := range rows {
				row[j] = (row[j] - mean) / spread
			}
		}
	}
	return train, test
}

// A class without rows is never predicted, and has no function.
func TestClassesWithoutRows(t *testing.T) {
	data := baseline.Data{Rows: [][]float64{{0}, {1}, {2}, {10}, {11}}, Y: []int{1, 1, 1, 3, 3}, Classes: 5}
	model, err := logistic.Regression{}.Fit(t.Context(), data, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := model.Predict([][]float64{{-5}, {20}})
	if err != nil || !slices.Equal(predicted, []int{1, 3}) || model.Predictor.Parameters() != 2 {
		t.Errorf("%v, %v, %d parameters", predicted, err, model.Predictor.Parameters())
	}
}

func ExampleRegression() {
	data := baseline.Data{Rows: [][]float64{{0}, {1}, {2}, {10}, {11}}, Y: []int{0, 0, 0, 1, 1}, Classes: 2}
	model, err := logistic.Regression{}.Fit(context.Background(), data, baseline.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(model.Predict([][]float64{{-5}, {9}}))
	// Output: [0 1] <nil>
}
