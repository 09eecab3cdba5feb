package fsnet

import (
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/count"
)

// Regression reports whether the model was trained on a quantity, which [Model.Estimate] says, rather than on classes.
func (m *Model) Regression() bool { return m.Settings.Regression() }

// Estimate is the quantity of every row, in the units of the label. Rows have all d columns, as read. The error is of kind Request where
// the model was trained on classes.
func (m *Model) Estimate(rows [][]float64) ([]float64, error) {
	return said(m, true, rows, m.asTrained, m.quantity)
}

// EstimateNamed is [Model.Estimate] of rows with other columns, as [Model.PredictNamed] has them.
func (m *Model) EstimateNamed(names []string, rows [][]float64) ([]float64, error) {
	return said(m, true, rows, m.named(names), m.quantity)
}

func (m *Model) quantity(scores []float64) float64 { return m.unit.Value(scores[0]) }

// R2 is the share of the variance of the rows' quantities y that the estimates explain: metric.R2.
func (m *Model) R2(rows [][]float64, y []float64) (float64, error) {
	if len(rows) != len(y) || len(y) == 0 {
		return 0, fault.New(fault.Request, "give every row its quantity", "%s and %s", count.Of(len(rows), "row"), count.Of(len(y), "quantity"))
	}
	estimated, err := m.Estimate(rows)
	if err != nil {
		return 0, err
	}
	return metric.R2(y, estimated), nil
}

// asked refuses to say quantities where the label is classes, and classes where it is a quantity.
func (m *Model) asked(quantity bool) error {
	switch {
	case quantity && !m.Regression():
		return fault.New(fault.Request, "ask for predictions: Predict", "the model was trained on classes and does not estimate quantities")
	case !quantity && m.Regression():
		return fault.New(fault.Request, "ask for estimates: Estimate, EstimateNamed, R2",
			"the model was trained on a quantity and does not know classes")
	}
	return nil
}
