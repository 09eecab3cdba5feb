package metric

import (
	"math"
	"slices"
)

// R2 is the coefficient of determination of estimated quantities, the share of their variance that is explained:
//
//	1 − Σ_i (t_i − t̂_i)² / Σ_i (t_i − t̄)²
//
// It is 1 where all are right, 0 for saying the mean of all, and below 0 for worse than that. Of quantities that are all equal it is
// 1 where all are right, else 0, as in scikit-learn.
func R2(truth, estimated []float64) float64 {
	mustMatch(len(truth), len(estimated))
	mean := Mean(truth)
	missed, varied := 0.0, 0.0
	for i, t := range truth {
		missed += (t - estimated[i]) * (t - estimated[i])
		varied += (t - mean) * (t - mean)
	}
	if !slices.ContainsFunc(truth, func(t float64) bool { return t != truth[0] }) { // their mean may differ from them by rounding
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

// RMSE is the root of the mean squared error of estimated quantities, √(1/n Σ_i (t_i − t̂_i)²), in their unit; 0 of none.
func RMSE(truth, estimated []float64) float64 {
	mustMatch(len(truth), len(estimated))
	mean := 0.0
	for i, t := range truth {
		mean += (t - estimated[i]) * (t - estimated[i]) / float64(len(truth))
	}
	return math.Sqrt(mean)
}

// ModelKB is the size of a model of so many numbers, of 32 bits each, in units of 1000 bytes.
func ModelKB(parameters int) float64 { return float64(parameters) * 4 / 1000 }
