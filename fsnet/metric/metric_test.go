package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// Accuracies and errors are those computed by hand.
func TestAccuracy_ByHand(t *testing.T) {
	truth := []int{0, 0, 0, 0, 1, 1, 3}
	predicted := []int{0, 0, 0, 1, 1, 0, 1}
	for name, test := range map[string]struct{ got, want float64 }{
		"accuracy":                     {Accuracy(truth, predicted), 4.0 / 7},
		"balanced accuracy":            {BalancedAccuracy(truth, predicted, 4), (3.0/4 + 1.0/2 + 0) / 3}, // class 2 does not occur
		"model size":                   {ModelKB(2500), 10},
		"majority":                     {Majority([]int{1, 1, 0, 1}, 4), 3.0 / 4},
		"majority of two":              {Majority([]int{1, 0, 0, 1}, 4), 1.0 / 2},
		"accuracy of nothing":          {Accuracy(nil, nil), 0},
		"balanced accuracy of nothing": {BalancedAccuracy(nil, nil, 2), 0},
		"majority of nothing":          {Majority(nil, 2), 0},
		"R²":                           {R2([]float64{3, -0.5, 2, 7}, []float64{2.5, 0, 2, 8}), 0.9486081370449679}, // scikit-learn's r2_score
		"R² of the mean":               {R2([]float64{1, 2, 6}, []float64{3, 3, 3}), 0},
		"R² of equal ones, right":      {R2([]float64{2, 2}, []float64{2, 2}), 1},
		"R² of equal ones, wrong":      {R2([]float64{2, 2}, []float64{2, 3}), 0},
		"R² of equal ones, odd mean":   {R2([]float64{7.7, 7.7, 7.7}, []float64{7.7, 7.7, 8}), 0}, // which is 7.699999999999999
		"R² of equal ones, odd, right": {R2([]float64{7.7, 7.7, 7.7}, []float64{7.7, 7.7, 7.7}), 1},
		"R² of nothing":                {R2(nil, nil), 0},
		"RMSE":                         {RMSE([]float64{1, 2, 3, 4}, []float64{1, 2, 3, 8}), 2},
		"RMSE of nothing":              {RMSE(nil, nil), 0},
		// Two columns that say the same: one bit, since a half lies in either
		// bin.
		"information, equal": {MutualInformation([]float64{0, 5, 0, 5, 1, 6, 1, 6}, 4, 2), 1},
		// Independent: every pair of bins once.
		"information, independent": {MutualInformation([]float64{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2), 0},
		// Three columns, of which the first two are equal: 1, 0 and 0 bits.
		"information, three columns": {MutualInformation([]float32{0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1}, 4, 3), 1.0 / 3},
		// p(1,1) = 1/2, p(0,0) = p(0,1) = 1/4: H(A) + H(B) − H(A,B) = 1 +
		// 0.811… − 1.5
		"information, partly":        {MutualInformation([]float64{0, 0, 0, 1, 1, 1, 1, 1}, 4, 2), 1 + (0.25*2 + 0.75*math.Log2(4.0/3)) - 1.5},
		"information, constant":      {MutualInformation([]float64{7, 0, 7, 1}, 2, 2), 0},
		"information, one column":    {MutualInformation([]float64{7, 0, 7, 1}, 4, 1), 0},
		"information of nothing":     {MutualInformation[float32](nil, 0, 5), 0},
		"information, ten bins":      {MutualInformation(twice(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 10, 2), math.Log2(10)},
		"information, the bins' end": {MutualInformation(twice(0, 9.5, 10), 3, 2), math.Log2(3) - 2.0/3},
	} {
		if !near(test.got, test.want) {
			t.Errorf("%s is %v, want %v", name, test.got, test.want)
		}
	}
}

// fixture reads a file of testdata, which holds at least so many cases.
func fixture[T any](t *testing.T, name string, least int) (cases []T) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(content, &cases)
	}
	if err != nil || len(cases) < least {
		t.Fatalf("%s has %d cases: %v", name, len(cases), err)
	}
	return cases
}

// twice is two equal columns.
func twice(values ...float64) []float64 {
	var x []float64
	for _, v := range values {
		x = append(x, v, v)
	}
	return x
}

// The fixtures are what scikit-learn computes: testdata/make_fixtures.py.
func TestAccuracy_MatchesScikitLearn(t *testing.T) {
	type data struct {
		Classes, K        int
		Truth, Predicted  []int
		X                 []float64
		Accuracy          float64
		BalancedAccuracy  float64 `json:"balanced_accuracy"`
		Confusion         [][]int
		MutualInformation float64 `json:"mutual_information"`
	}
	for i, f := range fixture[data](t, "fixtures.json", 4) {
		for name, test := range map[string]struct{ got, want float64 }{
			"accuracy":           {Accuracy(f.Truth, f.Predicted), f.Accuracy},
			"balanced accuracy":  {BalancedAccuracy(f.Truth, f.Predicted, f.Classes), f.BalancedAccuracy},
			"mutual information": {MutualInformation(f.X, len(f.Truth), f.K), f.MutualInformation},
		} {
			if !near(test.got, test.want) {
				t.Errorf("fixture %d: %s is %v, scikit-learn says %v", i, name, test.got, test.want)
			}
		}
		if got := Confusion(f.Truth, f.Predicted, f.Classes); fmt.Sprint(got) != fmt.Sprint(f.Confusion) {
			t.Errorf("fixture %d: confusion %v, scikit-learn says %v", i, got, f.Confusion)
		}
	}
}

// A mistake in the program isn't hidden behind a number.
func TestAccuracy_MistakesPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"accuracy":          func() { Accuracy([]int{1}, nil) },
		"confusion":         func() { Confusion([]int{1}, []int{1}, 1) },
		"R²":                func() { R2([]float64{1}, nil) },
		"information":       func() { MutualInformation([]float64{1, 2, 3}, 2, 2) },
		"a feature twice":   func() { Jaccard([][]int{{1, 1}, {1, 2}}) },
		"a feature below 0": func() { Nogueira([][]int{{-1}, {1}}, 3) },
		"feature d":         func() { Nogueira([][]int{{3}, {1}}, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			call()
		}()
	}
}
