package method

import (
	"cmp"
	"math"
	"slices"

	"fsnetlab/fsnet/metric"
)

// priorOffset keeps the logarithm of an F of 0 finite.
const priorOffset = 0.1

// Prior is what each feature says about the classes on its own: log(F + 0.1) of the moderated F over the training rows, centred and
// divided by its standard deviation over the features. x is rows×d row-major.
func Prior(x []float32, d int, y []int, classes int) []float64 {
	score := metric.ModeratedF(x, d, y, classes)
	for j, f := range score {
		score[j] = math.Log(min(f, math.MaxFloat32) + priorOffset)
	}
	standardizeRows(score, d)
	return score
}

// Screen lists the given number of columns with the largest moderated F over the training rows, ascending; all of them where there are no
// more. x is rows×d row-major.
func Screen(count int, x []float32, d int, y []int, classes int) []int {
	columns := Ranked(x, d, y, classes)[:min(count, d)]
	slices.Sort(columns)
	return columns
}

// Ranked lists all columns, those of the largest moderated F first.
func Ranked(x []float32, d int, y []int, classes int) []int {
	f := metric.ModeratedF(x, d, y, classes)
	columns := make([]int, d)
	for j := range columns {
		columns[j] = j
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
	return columns
}
