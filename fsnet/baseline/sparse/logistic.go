package sparse

import (
	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// Logistic predicts by linear functions, one a class against the others; for two classes one alone.
type Logistic struct {
	functions []linear
}

// linear is w·x + b, above 0 for a class. other is the class below 0, where there are two; else −1.
type linear struct {
	class, other int
	columns      []int // those whose weight is not 0
	weights      []float64
	intercept    float64
}

var _ baseline.Predictor = (*Logistic)(nil)

func (m *Logistic) add(l *lasso) {
	f := linear{class: l.class, other: l.other, intercept: l.intercept}
	for j, w := range l.weights {
		if w != 0 {
			f.columns = append(f.columns, j)
			f.weights = append(f.weights, w)
		}
	}
	m.functions = append(m.functions, f)
}

// Decision is w·x + b of a row for each class that had rows, by class; one value for two classes, above 0 for the second.
func (m *Logistic) Decision(row []float64) []float64 {
	values := make([]float64, len(m.functions))
	for i, f := range m.functions {
		values[i] = f.intercept
		for k, j := range f.columns {
			values[i] += f.weights[k] * row[j]
		}
	}
	return values
}

// Predict is the class with the largest value, the first of several.
func (m *Logistic) Predict(row []float64) int {
	values := m.Decision(row)
	if f := m.functions[0]; len(m.functions) == 1 {
		if values[0] > 0 {
			return f.class
		}
		return f.other
	}
	return m.functions[places.Largest(values)].class
}

// Linear estimates a quantity by m + s (w·x + b), with mean m and standard deviation s of those that it was fitted to.
type Linear struct {
	fitted       Logistic
	mean, spread float64
}

var _ baseline.Regressor = (*Linear)(nil)

// Estimate is the quantity of a row.
func (m *Linear) Estimate(row []float64) float64 { return m.mean + m.spread*m.fitted.Decision(row)[0] }

// Parameters counts the weights that are not 0, and the intercept.
func (m *Linear) Parameters() int { return m.fitted.Parameters() }

// Parameters counts the weights that are not 0, and the intercepts.
func (m *Logistic) Parameters() int {
	count := len(m.functions)
	for _, f := range m.functions {
		count += len(f.weights)
	}
	return count
}
