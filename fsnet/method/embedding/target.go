package embedding

import "fsnetlab/fsnet/metric"

// Target is what is known of n training rows: their classes, or quantities.
type Target struct {
	Y        []int     // n, the class of each row, or the range that its quantity lies in, from 0
	Classes  int       // or ranges
	Quantity []float64 // n, with the (weighted) mean 0 and variance 1; nil where rows have classes
	Weights  []float64 // n, what each row weighs in the loss and in closed forms, with the mean 1; nil: all the same
}

// OfClasses is a target of classes.
func OfClasses(y []int, classes int) Target { return Target{Y: y, Classes: classes} }

// Outputs is how many columns the targets of a closed form have, and the network's head: a class each, or one for a quantity.
func (t Target) Outputs() int {
	if t.Quantity != nil {
		return 1
	}
	return t.Classes
}

// F is what every feature says of the target on its own, d numbers: the moderated F of classes (metric.WeightedF), of a quantity the F of
// its correlation (metric.CorrelationF). each reads the training rows as [Table].Each does, twice.
func (t Target) F(each func(look func(i, from int, values []float32)) error, d int) ([]float64, error) {
	if t.Quantity != nil {
		return metric.CorrelationF(each, d, t.Quantity, t.Weights)
	}
	return metric.WeightedF(each, d, t.Y, t.Weights, t.Classes)
}
