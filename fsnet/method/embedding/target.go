package embedding

import "fsnetlab/fsnet/metric"

// Target holds the classes or quantities of n training rows.
type Target struct {
	Y        []int     // n, the class of each row, or the range of its quantity, from 0
	Classes  int       // number of classes, or of ranges of the quantity
	Quantity []float64 // n, with weighted mean 0 and variance 1. It is nil for classes.
	// n, weights of the rows in the loss and in closed forms, with mean 1.
	// Nil means equal weights.
	Weights []float64
}

// Weight returns the weight of row i.
func (t Target) Weight(i int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[i]
}

// Outputs returns the number of outputs of the network, and of columns of
// the targets in a closed form: one for each class, or one for a quantity.
func (t Target) Outputs() int {
	if t.Quantity != nil {
		return 1
	}
	return t.Classes
}

// F returns how much every single feature tells about the target, d numbers:
// the moderated F of classes (metric.WeightedF), or the F of the correlation
// with a quantity (metric.CorrelationF). each reads the training rows like
// [Table].Each. F calls it twice.
func (t Target) F(each func(look func(i, from int, values []float32)) error, d int) ([]float64, error) {
	if t.Quantity != nil {
		return metric.CorrelationF(each, d, t.Quantity, t.Weights)
	}
	return metric.WeightedF(each, d, t.Y, t.Weights, t.Classes)
}
