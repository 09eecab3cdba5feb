package embedding

import "fsnetlab/fsnet/metric"

// Target holds the classes or quantities of n training rows.
type Target struct {
	Y        []int     // n, the class of each row, or the range of its quantity, from 0
	Classes  int       // number of classes, or of ranges of the quantity
	Quantity []float64 // n, with weighted mean 0 and variance 1. It is nil for classes.
	// Weights holds the weight of each row, in the loss and in closed forms,
	// with mean 1. Nil means equal weights.
	Weights []float64
}

// Weight returns the weight of row i.
func (t Target) Weight(i int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[i]
}

// Outputs returns the number of outputs of the network: one for each class, or
// one for a quantity. Closed forms have as many columns of targets.
func (t Target) Outputs() int {
	if t.Quantity != nil {
		return 1
	}
	return t.Classes
}

// F returns, for each of d features, how much it tells by itself about the
// target. It is the moderated F of classes (metric.WeightedF) or, for a
// quantity, the F of the correlation (metric.CorrelationF). F calls each twice
// to read the training rows, as in [Table].Each.
func (t Target) F(each func(look func(i, from int, values []float32)) error, d int) ([]float64, error) {
	if t.Quantity != nil {
		return metric.CorrelationF(each, d, t.Quantity, t.Weights)
	}
	return metric.WeightedF(each, d, t.Y, t.Weights, t.Classes)
}
