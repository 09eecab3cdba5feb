package baseline

import (
	"slices"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Feature is a column that a method selected.
type Feature struct {
	Index   int     // column, from 0
	Score   float64 // the method's measure, finite; never rises with the rank
	Padding bool    // only fills up K: the method did not select it
}

// Predictor predicts classes.
type Predictor interface {
	// Predict returns the class of a row. The row has all d features, as in
	// the fitted data.
	Predict(row []float64) int
	// Parameters returns the number of parameters. metric.ModelKB converts
	// it to a size.
	Parameters() int
}

// Regressor estimates a quantity.
type Regressor interface {
	// Estimate returns the quantity of a row in the units of Data.Target.
	// The row has all d features, as in the fitted data.
	Estimate(row []float64) float64
	// Parameters returns the number of parameters.
	Parameters() int
}

// Model is the result of a fit. It does not change.
type Model struct {
	Method    string
	Features  int       // d
	Selected  []Feature // K features by rank; nil if the method uses every feature
	Predictor Predictor // nil if the method only selects, or was fitted to quantities
	Regressor Regressor // nil if the method only selects, or was fitted to classes
}

// Columns returns the indices of the selected features by rank. If the
// method uses every feature, it returns all d of them.
func (m *Model) Columns() []int {
	if m.Selected == nil {
		return num.Indices(m.Features)
	}
	columns := make([]int, len(m.Selected))
	for k, f := range m.Selected {
		columns[k] = f.Index
	}
	return columns
}

// Predict returns the class of every row. Rows must have all d features. The
// error is of kind Request if the method only selects, or was fitted to
// quantities.
func (m *Model) Predict(rows [][]float64) ([]int, error) {
	switch {
	case m.Regressor != nil:
		return nil, errs.New(errs.Request, "ask for estimates", "%s was fitted to quantities and does not know classes", m.Method)
	case m.Predictor == nil:
		return nil, errs.New(errs.Request, "fit an SVM to the features that it selected",
			"%s selects features and predicts nothing", m.Method)
	}
	return eachRow(m, rows, m.Predictor.Predict)
}

// Estimate returns the quantity of every row. Rows must have all d features.
// The error is of kind Request if the method only selects, or was fitted to
// classes.
func (m *Model) Estimate(rows [][]float64) ([]float64, error) {
	switch {
	case m.Predictor != nil:
		return nil, errs.New(errs.Request, "ask for predictions", "%s was fitted to classes and does not estimate quantities", m.Method)
	case m.Regressor == nil:
		return nil, errs.New(errs.Request, "fit another model to the features that it selected",
			"%s selects features and estimates nothing", m.Method)
	}
	return eachRow(m, rows, m.Regressor.Estimate)
}

// eachRow calls predict for every row. If a row has another width, a missing
// value or an infinity, it returns an error that names the first of these rows.
func eachRow[T any](m *Model, rows [][]float64, predict func(row []float64) T) ([]T, error) {
	values := make([]T, len(rows))
	for i, row := range rows {
		if len(row) != m.Features {
			return nil, errs.New(errs.Request, "give the columns that it was fitted to",
				"%s: row %d has %s, not %d", m.Method, i, phrase.Count(len(row), "value"), m.Features)
		}
		if j := slices.IndexFunc(row, func(x float64) bool { return !finite(x) }); j >= 0 {
			return nil, errs.New(errs.Request, "fill it in first", "%s: row %d, column %d is %v", m.Method, i, j, row[j])
		}
		values[i] = predict(row)
	}
	return values, nil
}

// Score returns the share of rows that are predicted correctly. For
// quantities it returns metric.R2 of the estimates. Every row must have its
// class or quantity.
func (m *Model) Score(data Data) (float64, error) {
	what, remedy, known := "class", "give every row its class", len(data.Y)
	if m.Regressor != nil {
		what, remedy, known = "quantity", "give every row its quantity", len(data.Target)
	}
	if len(data.Rows) != known || known == 0 {
		return 0, errs.New(errs.Request, remedy, "%s: %s and %s", m.Method, phrase.Count(len(data.Rows), "row"), phrase.Count(known, what))
	}
	if m.Regressor != nil {
		estimated, err := m.Estimate(data.Rows)
		if err != nil {
			return 0, err
		}
		return metric.R2(data.Target, estimated), nil
	}
	predicted, err := m.Predict(data.Rows)
	if err != nil {
		return 0, err
	}
	return metric.Accuracy(data.Y, predicted), nil
}
