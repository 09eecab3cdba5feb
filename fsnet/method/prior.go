package method

import (
	"math"

	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/places"
)

// priorOffset keeps the logarithm of an F of 0 finite.
const priorOffset = 0.1

// priorOf is what each feature says about the target on its own: log(F + 0.1) of the moderated F over the training rows, of a quantity of
// the F of its correlation, centred and divided by its standard deviation over the features. Rows have weights, or nil.
func priorOf(t Table, y Target, weights []float64) ([]float64, error) {
	score, err := y.each(t.Each, t.Width(), weights)
	for j, f := range score {
		score[j] = math.Log(min(f, math.MaxFloat32) + priorOffset)
	}
	standardizeRows(score, t.Width())
	return score, err
}

// each is what every feature says on its own, of rows that are read in two passes: see [Table].Each.
func (t Target) each(each func(look func(i, from int, values []float32)) error, d int, weights []float64) ([]float64, error) {
	if t.Quantity != nil {
		return metric.CorrelationF(each, d, t.Quantity, weights)
	}
	return metric.WeightedF(each, d, t.Y, weights, t.Classes)
}

// RankedOf lists all columns, those of the largest F first (metric.WeightedF, of a quantity metric.CorrelationF), of rows that are read in
// two passes, with weights whose mean is 1, or nil: see [Table].Each.
func RankedOf(each func(look func(i, from int, values []float32)) error, d int, y Target, weights []float64) ([]int, error) {
	f, err := y.each(each, d, weights)
	return places.Falling(f), err
}
