package method

import (
	"slices"

	"fsnetlab/internal/num"
)

// UniqueArgmax chooses K different features from P, K×d row-major. It takes the
// largest entry, then the largest outside its row and column, and so on K
// times. This is Algorithm 1 of the paper, except that the paper sets the row
// and column to 0 instead of excluding them. If entries are equal, the lowest
// selector comes first, then the lowest feature. The result holds the feature
// of each selector. d must be at least K.
func UniqueArgmax(p []float32, k, d int) []int {
	// At most k−1 columns are excluded, so only the k best of each row can
	// be chosen.
	best := make([][]int, k)
	for row := range best {
		best[row] = num.TopK(p[row*d:(row+1)*d], k)
	}

	chosen := slices.Repeat([]int{-1}, k)
	taken := map[int]bool{}
	for range k {
		selector, feature := -1, -1
		for row := range k {
			if chosen[row] >= 0 {
				continue
			}
			for len(best[row]) > 0 && taken[best[row][0]] {
				best[row] = best[row][1:]
			}
			candidate := best[row][0]
			if selector < 0 || p[row*d+candidate] > p[selector*d+feature] {
				selector, feature = row, candidate
			}
		}
		chosen[selector] = feature
		taken[feature] = true
	}
	return chosen
}
