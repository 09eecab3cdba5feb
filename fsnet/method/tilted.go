package method

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/internal/places"
)

// Tilted is σ (log δ + T), K×d: log δ with what is known of the features beforehand, and the sharpness. T is −log of a feature's cost,
// −[Forbidden] where a selector must not choose it, and, for a selector that is fixed to a feature, 0 there and −Forbidden everywhere else.
// No T is nil.
func Tilted(logDelta, tilt, sharpness *graph.Node) *graph.Node {
	if tilt != nil {
		logDelta = graph.Add(logDelta, tilt)
	}
	return graph.Mul(logDelta, sharpness)
}

// Forbidden is so much that the probability of what it is taken from is 0 to the last bit, with any sharpness, noise and temperature. It is
// finite: where a block of columns has nothing else, infinities would cancel to no number.
const Forbidden = excluded

// UniqueArgmaxWithin is [UniqueArgmax] that chooses at most limit features of a group: groups holds that of each feature, from 1, 0 for
// none. Nil groups are none. Of what is left there must always be a feature to choose.
func UniqueArgmaxWithin(p []float32, k, d int, groups []float32, limit int) []int {
	if groups == nil {
		return UniqueArgmax(p, k, d)
	}
	chosen := slices.Repeat([]int{-1}, k)
	taken, used := map[int]bool{}, map[float32]int{}
	orders := make([][]int, k) // of each row's features, the largest first, as far as they have been looked for
	next := func(row int) int {
		for wanted := 4 * k; ; wanted *= 4 {
			for _, j := range orders[row] {
				if !taken[j] && (groups[j] == 0 || used[groups[j]] < limit) {
					return j
				}
			}
			if orders[row] != nil && len(orders[row]) >= d {
				return -1
			}
			orders[row] = largest(p[row*d:(row+1)*d], min(wanted, d))
		}
	}
	for range k {
		selector, feature := -1, -1
		for row := range k {
			if chosen[row] >= 0 {
				continue
			}
			if j := next(row); j >= 0 && (selector < 0 || p[row*d+j] > p[selector*d+feature]) {
				selector, feature = row, j
			}
		}
		chosen[selector] = feature
		taken[feature] = true
		used[groups[feature]]++
	}
	return chosen
}

// largest lists so many of a row, the largest first, ties to the lower column.
func largest(row []float32, count int) []int {
	if count < len(row) {
		return TopColumns(row, count)
	}
	return places.Falling(row)
}
