package metric

import (
	"math"
	"slices"
)

// R2 returns the coefficient of determination of estimated quantities, the
// share of their variance that the estimates explain:
//
//	1 − Σ_i (t_i − t̂_i)² / Σ_i (t_i − t̄)²
//
// It is 1 if all estimates are right, 0 if each is the mean, and negative if
// they are worse than that. If all quantities are equal, it is 1 if all
// estimates are right and 0 otherwise, as in scikit-learn.
func R2(truth, estimated []float64) float64 {
	mustMatch(len(truth), len(estimated))
	mean := Mean(truth)
	missed, varied := 0.0, 0.0
	for i, t := range truth {
		missed += (t - estimated[i]) * (t - estimated[i])
		varied += (t - mean) * (t - mean)
	}
	// Rounding could move the mean of equal quantities away from them.
	if !slices.ContainsFunc(truth, func(t float64) bool { return t != truth[0] }) {
		varied = 0
	}
	switch {
	case len(truth) == 0 || varied == 0 && missed > 0:
		return 0
	case varied == 0:
		return 1
	}
	return 1 - missed/varied
}

// RMSE returns the root mean squared error of estimated quantities, √(1/n
// Σ_i (t_i − t̂_i)²), in their unit. It is 0 if there are no quantities.
func RMSE(truth, estimated []float64) float64 {
	mustMatch(len(truth), len(estimated))
	mean := 0.0
	for i, t := range truth {
		mean += (t - estimated[i]) * (t - estimated[i]) / float64(len(truth))
	}
	return math.Sqrt(mean)
}

// ModelKB returns the size of a model with this many 32-bit parameters, in
// units of 1000 bytes.
func ModelKB(parameters int) float64 { return float64(parameters) * 4 / 1000 }
