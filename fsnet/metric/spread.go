package metric

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// Spread is the mean of values, how they scatter around it, and the interval in which the mean lies with 95 %, where it is known.
type Spread struct {
	Mean float64  `json:"mean"`
	SD   float64  `json:"sd"`            // divided by n − 1; 0 of one value
	Low  *float64 `json:"low,omitempty"` // of the interval
	High *float64 `json:"high,omitempty"`
}

// SpreadOf is the spread of n values of splits whose test and training rows have the ratio n_test/n_train, with the interval
//
//	mean ± t_{0.975, n−1} SD √(1/n + ratio)
//
// which the ratio widens since splits share rows (C. Nadeau and Y. Bengio, Machine Learning 52, 2003); 0 is for independent values. There is
// no interval of fewer than two values, or where the ratio is NaN.
func SpreadOf(values []float64, ratio float64) Spread {
	mean, n := Mean(values), float64(len(values))
	s := Spread{Mean: mean, SD: Deviation(values, mean)}
	if n > 1 && !math.IsNaN(ratio) {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * s.SD * math.Sqrt(1/n+ratio)
		s.Low, s.High = new(mean-half), new(mean+half)
	}
	return s
}
