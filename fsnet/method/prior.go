package method

import (
	"cmp"
	"math"
	"slices"

	"fsnetlab/fsnet/metric"
)

// priorOffset keeps the logarithm of an F of 0 finite.
const priorOffset = 0.1

// priorOf is what each feature says about the classes on its own: log(F + 0.1) of the moderated F over the training rows, centred and
// divided by its standard deviation over the features. Rows have weights, or nil.
func priorOf(t Table, y []int, weights []float64, classes int) ([]float64, error) {
	score, err := metric.WeightedF(t.Each, t.Width(), y, weights, classes)
	for j, f := range score {
		score[j] = math.Log(min(f, math.MaxFloat32) + priorOffset)
	}
	standardizeRows(score, t.Width())
	return score, err
}

// RankedOf is [Ranked] of rows that are read in two passes, with weights whose mean is 1, or nil: see [Table].Each, and
// metric.WeightedF.
func RankedOf(each func(look func(i, from int, values []float32)) error, d int, y []int, weights []float64, classes int) ([]int, error) {
	f, err := metric.WeightedF(each, d, y, weights, classes)
	return ranked(f), err
}

// Ranked lists all columns, those of the largest moderated F first.
func Ranked(x []float32, d int, y []int, classes int) []int {
	return ranked(metric.ModeratedF(x, d, y, classes))
}

// ranked lists the columns by falling score.
func ranked(f []float64) []int {
	columns := make([]int, len(f))
	for j := range columns {
		columns[j] = j
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
	return columns
}
