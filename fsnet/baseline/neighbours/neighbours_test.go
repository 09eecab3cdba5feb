package neighbours_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/neighbours"
	"fsnetlab/tests/kit/baselinetest"
)

// The fixtures are what scikit-learn predicts of two rows of five, fitted to the others: testdata/make_knn.py.
func TestKNNAgainstScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]struct {
		baselinetest.Table
		Neighbours int
		Predicted  []int
	}](t, "knn.json") {
		data := f.Data(t)
		train := baseline.Data{Classes: data.Classes}
		var test [][]float64
		for i, row := range data.Rows {
			if i%5 < 3 {
				train.Rows, train.Y = append(train.Rows, row), append(train.Y, data.Y[i])
			} else {
				test = append(test, row)
			}
		}
		model, err := neighbours.KNN{Neighbours: f.Neighbours}.Fit(t.Context(), train, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if predicted, err := model.Predict(test); err != nil || !slices.Equal(predicted, f.Predicted) {
			t.Errorf("%s, k = %d: %v, %v, scikit-learn %v", f.Name, f.Neighbours, predicted, err, f.Predicted)
		}
	}
}

func ExampleKNN() {
	data := baseline.Data{Rows: [][]float64{{0}, {1}, {2}, {10}, {11}}, Y: []int{0, 0, 0, 1, 1}, Classes: 2}
	model, err := neighbours.KNN{Neighbours: 3}.Fit(context.Background(), data, baseline.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(model.Predict([][]float64{{-5}, {9}}))
	// Output: [0 1] <nil>
}
