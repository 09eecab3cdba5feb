package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns Σ x/n of n values. It is 0 if there are no values.
func Mean(values []float64) float64 {
	mean := 0.0
	for _, x := range values {
		mean += x / float64(len(values))
	}
	return mean
}

// Deviation returns the standard deviation of values around their mean, √(Σ
// (x − mean)²/(n − 1)). It is 0 if there are fewer than two.
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

// Spread describes how a figure varies over R splits, replicas or seeds.
type Spread struct {
	Mean float64 `json:"mean"` // over all of them
	SD   float64 `json:"sd"`   // Standard deviation, divided by R − 1. It is 0 for a single value.
	Min  float64 `json:"min"`  // smallest value
	Max  float64 `json:"max"`  // largest value
	// lower end of the 95 % interval of the mean, mean ± t_{0.975, R−1} · SD
	// · √(1/R + n_test/n_train). The second term allows for splits that
	// share rows (C. Nadeau, Y. Bengio, Inference for the generalization
	// error, Machine Learning 52, 2003). It is left out for replicas, for a
	// single split, however many trainings share it, and if all values are
	// equal, because a point would not be an interval.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"` // upper end of that interval
}

// SpreadOf returns the spread of values. It is nil if there are no values.
// ratio is n_test/n_train, or 0 for values that share nothing. The result
// has no interval if ratio is NaN, or if all values are equal, because that
// says nothing about how far they may be from the mean. See [Spread.Share].
func SpreadOf(values []float64, ratio float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	n := float64(len(values))
	s := &Spread{Min: slices.Min(values), Max: slices.Max(values)}
	s.Mean = min(max(Mean(values), s.Min), s.Max) // the mean may leave the range by rounding
	s.SD = Deviation(values, s.Mean)
	if s.Min < s.Max && !math.IsNaN(ratio) {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * s.SD * math.Sqrt(1/n+ratio)
		s.Low, s.High = new(s.Mean-half), new(s.Mean+half)
	}
	return s
}

// Share sets the interval of a spread of shares that are all equal to
// Wilson's interval for n rows, or for n units if rows belong together. It
// does nothing if the spread is nil or its values differ.
func (s *Spread) Share(n float64) {
	if s == nil || s.Min < s.Max || n < 1 {
		return
	}
	low, high := WilsonInterval(s.Mean, n)
	s.Low, s.High = &low, &high
}

// Interval returns Low and High. ok is false if the spread has no interval.
func (s *Spread) Interval() (low, high float64, ok bool) {
	if s == nil || s.Low == nil || s.High == nil {
		return 0, 0, false
	}
	return *s.Low, *s.High, true
}
