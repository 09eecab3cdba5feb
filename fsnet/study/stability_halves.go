package study

import (
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/rng"
)

// Halves draws complementary pairs of stratified half-samples of rows 0 to n−1 with classes y: the halves of pair p are the elements 2p and
// 2p + 1, and each has max(1, ⌊n_c/2⌋) rows of every class c. So all are of one size; of a class with an odd number of rows one sits out,
// another one in each pair; and the row of a class that has only one is in both halves.
//
// Rows are listed class by class, in no order. The halves are a function of y, pairs and seed.
func Halves(y []int, pairs int, seed int64) [][]int {
	var members [][]int
	for row, c := range y {
		for len(members) <= c {
			members = append(members, nil)
		}
		members[c] = append(members[c], row)
	}
	halves := make([][]int, 2*pairs)
	for p := range pairs {
		a, b := &halves[2*p], &halves[2*p+1]
		for c, rows := range members {
			n := len(rows)
			order := rng.New(seed, "half-samples", uint64(p), uint64(c)).Perm(n)
			for k := range max(min(n, 1), n/2) {
				*a = append(*a, rows[order[k]])
				*b = append(*b, rows[order[min(k+n/2, n-1)]])
			}
		}
	}
	return halves
}

// GroupHalves is [Halves] where rows belong together, group[i] being the group of row i: a group is whole in one half of a pair, no row
// sits out, and the halves are as alike as whole groups allow ([dataset.HalveGroups]). ok is false where some pair leaves a half without a class.
func GroupHalves(y, group []int, pairs int, seed int64) (halves [][]int, ok bool) {
	halves, ok = make([][]int, 2*pairs), true
	for p := range pairs {
		half, fits := dataset.HalveGroups(y, group, rng.New(seed, "half-samples of groups", uint64(p)))
		ok = ok && fits
		for row, g := range group {
			to := &halves[2*p+half[g]]
			*to = append(*to, row)
		}
	}
	return halves, ok
}
