package metric

import "math"

// Mean is Σ x/n of n values, and 0 of none.
func Mean(values []float64) float64 {
	mean := 0.0
	for _, x := range values {
		mean += x / float64(len(values))
	}
	return mean
}

// Deviation is the standard deviation of values around their mean, √(Σ (x − mean)²/(n − 1)), and 0 of fewer than two.
func Deviation(values []float64, mean float64) float64 {
	if len(values) < 2 {
		return 0
	}
	variance := 0.0
	for _, x := range values {
		variance += (x - mean) * (x - mean) / float64(len(values)-1)
	}
	return math.Sqrt(variance)
}
