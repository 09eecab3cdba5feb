package comparators

import (
	"context"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// At a given C, the conditions of the optimum hold, whatever the reference
// says.
func TestL1Logistic_IsOptimal(t *testing.T) {
	data := baselinetest.Normal(60, 40, 3)
	w := must(baseline.Begin(L1Logistic{}, data, baseline.Options{K: 1}, "test"))(t)
	columns := w.Columns()
	for _, c := range []float64{0.02, 0.2, 1} {
		for _, l := range oneAgainstRest(data, columns) {
			if err := l.solve(t.Context(), w, 1/c); err != nil {
				t.Fatal(err)
			}
			balance := 0.0
			slopes := make([]float64, len(columns))
			for i, row := range data.Rows {
				margin := l.intercept
				for j, w := range l.weights {
					margin += w * row[j]
				}
				r := 1 / (1 + math.Exp(-margin))
				if data.Y[i] == l.class {
					r--
				}
				balance += r
				for j := range slopes {
					slopes[j] += r * row[j]
				}
			}
			if math.Abs(balance) > 1e-5/c {
				t.Errorf("C = %g, class %d: the intercept misses by %g", c, l.class, balance)
			}
			for j, w := range l.weights {
				miss := math.Abs(slopes[j]) - 1/c
				if w != 0 {
					miss = math.Abs(slopes[j] + math.Copysign(1/c, w))
				}
				if miss > 1e-5/c {
					t.Errorf("C = %g, class %d, feature %d: weight %g misses by %g", c, l.class, j, w, miss)
				}
			}
		}
	}
}

// For a quantity the weights are the Lasso's: residuals are orthogonal to
// features with weights, except for the penalty.
func TestLasso_QuantityIsOptimal(t *testing.T) {
	data := baselinetest.Normal(40, 60, 2)
	data.Y, data.Classes = nil, 0
	for i, row := range data.Rows {
		data.Target = append(data.Target, 300+40*row[3]-25*row[7]+5*row[9]+float64(i%3))
	}
	for _, c := range []float64{0.05, 0.2, 5} {
		m := must(L1Logistic{C: c}.Fit(t.Context(), data, baseline.Options{K: 2}))(t)
		columns := m.Columns()
		if slices.Sort(columns); !slices.Equal(columns, []int{3, 7}) || m.Predictor != nil {
			t.Errorf("C = %g: features %v", c, columns)
		}
		linear := m.Regressor.(*linearEstimator)
		weights := map[int]float64{}
		f := linear.fitted.functions[0]
		for k, j := range f.columns {
			weights[j] = f.weights[k]
		}
		balance, slopes := 0.0, make([]float64, len(data.Rows[0]))
		for i, row := range data.Rows {
			r := (linear.Estimate(row) - data.Target[i]) / linear.spread
			balance += r
			for j := range slopes {
				slopes[j] += r * row[j]
			}
		}
		if math.Abs(balance) > 1e-5/c {
			t.Errorf("C = %g: the intercept misses by %g", c, balance)
		}
		for j, slope := range slopes {
			miss := math.Abs(slope) - 1/c
			if w := weights[j]; w != 0 {
				miss = math.Abs(slope + math.Copysign(1/c, w))
			}
			if miss > 1e-5/c {
				t.Errorf("C = %g, feature %d: weight %g misses by %g", c, j, weights[j], miss)
			}
		}
		if m.Regressor.Parameters() != len(weights)+1 {
			t.Errorf("C = %g: %d parameters", c, m.Regressor.Parameters())
		}
	}
}

// With the penalty, K features have weights, unless the classes can't use so
// many.
func TestL1Logistic_SelectsK(t *testing.T) {
	for _, classes := range []int{2, 3} {
		data := baselinetest.Normal(60, 200, classes)
		for _, k := range []int{1, 2, 5, 9} {
			m := must(L1Logistic{}.Fit(context.Background(), data, baseline.Options{K: k}))(t)
			used := map[int]bool{}
			for _, f := range m.Predictor.(*logisticModel).functions {
				for _, j := range f.columns {
					used[j] = true
				}
			}
			if len(used) != k {
				t.Errorf("%d classes: %d features have weights, not %d", classes, len(used), k)
			}
			for _, f := range m.Selected {
				if !used[f.Index] || f.Padding || f.Score <= 0 {
					t.Errorf("%d classes: %+v", classes, f)
				}
			}
		}
	}
	m := must(L1Logistic{}.Fit(context.Background(), baselinetest.Normal(12, 200, 2), baseline.Options{K: 50}))(t)
	own := 0
	for _, f := range m.Selected {
		if !f.Padding {
			own++
		}
	}
	if own > 12 || own < 2 {
		t.Errorf("%d features of 12 rows have weights", own)
	}
}
