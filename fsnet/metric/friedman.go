package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanRanks returns the mean rank of each of k methods over N rows of
// scores, N×k. The largest score of a row has rank 1, and equal scores share
// their mean rank. Scores that differ only by rounding count as equal.
func MeanRanks(scores [][]float64) []float64 {
	if len(scores) == 0 {
		return nil
	}
	mean := make([]float64, len(scores[0]))
	for _, row := range scores {
		mustMatch(len(row), len(mean))
		for j, r := range fallingRanks(row) {
			mean[j] += r
		}
	}
	for j := range mean {
		mean[j] /= float64(len(scores))
	}
	return mean
}

// fallingRanks returns the ranks of the scores of a row, 1 for the largest.
// Equal scores share their mean rank.
func fallingRanks(row []float64) []float64 {
	ranks := make([]float64, len(row))
	for j, score := range row {
		ranks[j] = -score
	}
	for j, twice := range doubleRanks(ranks) {
		ranks[j] = float64(twice) / 2
	}
	return ranks
}

// Friedman returns the p value of Friedman's test: the probability that the
// mean ranks of k methods over N rows of scores, N×k, differ at least this
// much if no method is better than another. R_j is the sum of the ranks of a
// method, t the size of each group of equal scores in a row, and
//
//	χ² = (12/(N k (k+1)) Σ_j R_j² − 3 N (k+1)) / (1 − Σ (t³ − t)/(N k (k² − 1)))
//
// has nearly the χ² distribution with k − 1 degrees of freedom if N is above
// about 10 (M. Friedman, Journal of the American Statistical Association 32,
// 1937). p is 1 if all scores of all rows are equal, or if there are fewer
// than two methods.
func Friedman(scores [][]float64) float64 {
	if len(scores) == 0 || len(scores[0]) < 2 {
		return 1
	}
	n, k := float64(len(scores)), float64(len(scores[0]))

	squares := 0.0
	for _, r := range MeanRanks(scores) {
		squares += r * r * n * n
	}

	ties := 0.0
	for _, row := range scores {
		ranks := fallingRanks(row)
		slices.Sort(ranks)
		for from := 0; from < len(ranks); {
			to := from + 1
			for to < len(ranks) && ranks[to] == ranks[from] {
				to++
			}
			t := float64(to - from)
			ties += t*t*t - t
			from = to
		}
	}

	correction := 1 - ties/(n*k*(k*k-1))
	if correction <= 1e-12 {
		return 1
	}

	statistic := (12/(n*k*(k+1))*squares - 3*n*(k+1)) / correction
	return distuv.ChiSquared{K: k - 1}.Survival(max(statistic, 0))
}

// CriticalDifference returns the smallest difference of mean ranks, of k
// methods over n rows, at which Nemenyi's test distinguishes two methods at
// the level 0.05,
//
//	q √(k (k+1)/(6 n))
//
// where q is the 95 % quantile of the studentised range of k means, divided
// by √2 (P. Nemenyi 1963; J. Demšar, Journal of Machine Learning Research 7,
// 2006). It is NaN if n is 0 or k is not between 2 and 40.
func CriticalDifference(k, n int) float64 {
	q := []float64{
		1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544,
		3.569, 3.593, 3.616, 3.637, 3.658, 3.678, 3.696, 3.714, 3.732, 3.749, 3.765, 3.780, 3.795, 3.810, 3.824, 3.837, 3.850, 3.863,
		3.876, 3.888,
	}
	if k < 2 || k-2 >= len(q) || n < 1 {
		return math.NaN()
	}
	return q[k-2] * math.Sqrt(float64(k*(k+1))/(6*float64(n)))
}
