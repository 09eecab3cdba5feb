package repair

import (
	"slices"

	"fsnetlab/internal/num"
)

// UniqueArgmax is Algorithm 1, the unique argmax of P (k×d), with at most limit
// features of a group. It returns the feature of each selector. groups holds
// the group of each feature from 1, or 0. If no feature is left to choose,
// UniqueArgmax panics. The caller must make sure that this cannot happen.
func UniqueArgmax(p []float32, k, d int, groups []float32, limit int) []int {
	chosen := slices.Repeat([]int{-1}, k)
	taken, used := map[int]bool{}, map[float32]int{}
	orders := make([][]int, k) // For each row, its features, the largest first, as far as searched.
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
			orders[row] = num.TopK(p[row*d:(row+1)*d], wanted)
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
