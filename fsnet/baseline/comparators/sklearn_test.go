package comparators

import (
	"context"
	"fmt"
	"math"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

type sklearnFixture struct {
	baselinetest.Table
	FClassif    []float64 `json:"f_classif"`
	FRegression []float64 `json:"f_regression"`
	Top         []int
	FTop        []float64 `json:"f_top"`
	SVM         []struct {
		Columns   []int
		C, Gamma  float64
		Decision  [][]float64
		Predicted []int
	}
	L1 []struct {
		C          float64
		Weights    [][]float64
		Intercepts []float64
	}
}

// relative is how far a lies from b, in parts of b.
func relative(a, b float64) float64 { return math.Abs(a-b) / max(math.Abs(b), 1e-300) }

// The fixtures are what scikit-learn computes: testdata/make_sklearn.py.
func TestFilters_MatchScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]sklearnFixture](t, "sklearn.json") {
		t.Run(f.Name, func(t *testing.T) {
			data := f.Data(t)
			if f.Top != nil {
				agreesOnTop(t, data, f)
			} else {
				agreesOnF(t, data, f.FClassif)
				agreesOnF(t, f.Quantities(t), f.FRegression)
			}
			for i := range f.SVM {
				t.Run(fmt.Sprintf("svm %d", i), func(t *testing.T) { agreesOnSVM(t, data, f, i) })
			}
			for i := range f.L1 {
				t.Run(fmt.Sprintf("l1 %d", i), func(t *testing.T) { agreesOnL1(t, data, f, i) })
			}
		})
	}
}

func agreesOnF(t *testing.T, data baseline.Data, want []float64) {
	t.Helper()
	model := must(ANOVA{}.Fit(context.Background(), data, baseline.Options{K: len(want)}))(t)
	for _, f := range model.Selected {
		if relative(f.Score, want[f.Index]) > 1e-9 {
			t.Errorf("F of column %d is %v, scikit-learn says %v", f.Index, f.Score, want[f.Index])
		}
	}
}

func agreesOnTop(t *testing.T, data baseline.Data, f sklearnFixture) {
	t.Helper()
	model := must(ANOVA{}.Fit(context.Background(), data, baseline.Options{K: len(f.Top)}))(t)
	for r, s := range model.Selected {
		if s.Index != f.Top[r] || relative(s.Score, f.FTop[r]) > 1e-9 {
			t.Errorf("rank %d is column %d with F %v, scikit-learn says %d with %v", r, s.Index, s.Score, f.Top[r], f.FTop[r])
		}
	}
}

// parted is three rows of five, and the others.
func parted(data baseline.Data) (train, test baseline.Data) {
	train.Classes, test.Classes = data.Classes, data.Classes
	for i, row := range data.Rows {
		part := &test
		if i%5 < 3 {
			part = &train
		}
		part.Rows = append(part.Rows, row)
		part.Y = append(part.Y, data.Y[i])
	}
	return train, test
}

func agreesOnSVM(t *testing.T, data baseline.Data, f sklearnFixture, i int) {
	want := f.SVM[i]
	if want.Columns != nil {
		data = data.Only(want.Columns)
	}
	train, test := parted(data)
	model := must(SVM{C: want.C, Gamma: want.Gamma}.Fit(context.Background(), train, baseline.Options{}))(t)
	predicted := must(model.Predict(test.Rows))(t)
	if fmt.Sprint(predicted) != fmt.Sprint(want.Predicted) {
		t.Errorf("predicts %v, scikit-learn %v", predicted, want.Predicted)
	}
	fitted, worst := model.Predictor.(*machines), 0.0
	for r, row := range test.Rows {
		for p, value := range fitted.Decision(row) {
			worst = max(worst, math.Abs(value-want.Decision[r][p]))
		}
	}
	if t.Logf("decision values agree to %.1g", worst); worst > 1e-3 {
		t.Errorf("decision values differ by %g", worst)
	}
}

func agreesOnL1(t *testing.T, data baseline.Data, f sklearnFixture, i int) {
	want := f.L1[i]
	model := must(L1Logistic{C: want.C}.Fit(context.Background(), data, baseline.Options{K: 1}))(t)
	zero := make([]float64, data.Width())
	predictor, worst := model.Predictor.(*logisticModel), 0.0
	intercepts := predictor.Decision(zero)
	if len(intercepts) != len(want.Weights) {
		t.Fatalf("%d functions, scikit-learn has %d", len(intercepts), len(want.Weights))
	}
	for c, intercept := range intercepts {
		worst = max(worst, math.Abs(intercept-want.Intercepts[c]))
	}
	for j := range zero {
		one := make([]float64, len(zero))
		one[j] = 1
		for c, value := range predictor.Decision(one) {
			worst = max(worst, math.Abs(value-intercepts[c]-want.Weights[c][j]))
		}
	}
	if t.Logf("weights agree to %.1g", worst); worst > 1e-3 {
		t.Errorf("weights differ by %g", worst)
	}
}
