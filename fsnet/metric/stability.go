package metric

import (
	"fmt"
	"slices"
)

// Jaccard returns the share of features that two sets have in common,
// averaged over all pairs of sets:
//
//	J = 2/(R(R−1)) Σ_{i<j} |S_i ∩ S_j| / |S_i ∪ S_j|
//
// It is 1 if all sets are equal and 0 if no two of them intersect. Two empty
// sets are equal. It does not correct for agreement by chance, unlike
// [Nogueira]. The time grows with R².
func Jaccard(sets [][]int) float64 {
	sets = sortSets(sets, -1)
	if len(sets) < 2 {
		return 0
	}
	sum := 0.0
	for i := range sets {
		for j := range i {
			if both := common(sets[i], sets[j]); len(sets[i])+len(sets[j]) > 0 {
				sum += float64(both) / float64(len(sets[i])+len(sets[j])-both)
			} else {
				sum++
			}
		}
	}
	return sum / float64(len(sets)*(len(sets)-1)/2)
}

// Nogueira returns one minus the variance of a feature's selection between
// the sets, relative to the variance if as many of the d features were drawn
// at random:
//
//	Φ = 1 − (1/d Σ_f s_f²) / ((k̄/d)(1 − k̄/d))      s_f² = R/(R−1) p_f (1 − p_f)
//
// p_f is the share of the R sets that contain feature f, and k̄ the mean
// size of a set. It is 1 if all sets are equal, 0 on average for random
// sets, and at least −1/(R−1). Its authors call less than 0.4 poor and more
// than 0.75 excellent. If all sets are empty or contain all features, there
// is no choice, and it is 0.
//
// S. Nogueira, K. Sechidis, G. Brown, On the stability of feature selection
// algorithms, Journal of Machine Learning Research 18 (2018).
func Nogueira(sets [][]int, d int) float64 {
	sets = sortSets(sets, d)
	r := float64(len(sets))
	if len(sets) < 2 {
		return 0
	}
	total, variance := 0, 0.0
	for _, c := range occurrences(sets) {
		p := float64(c) / r
		variance += r / (r - 1) * p * (1 - p)
		total += c
	}
	share := float64(total) / r / float64(d)
	if total == 0 || total == len(sets)*d {
		return 0
	}
	return 1 - variance/float64(d)/(share*(1-share))
}

// sortSets returns copies of the sets in ascending order. It panics if a set
// contains a feature twice, or a feature outside 0…d−1. If d is −1, any
// feature is accepted.
func sortSets(sets [][]int, d int) [][]int {
	out := make([][]int, len(sets))
	for i, set := range sets {
		s := slices.Clone(set)
		slices.Sort(s)
		for j, f := range s {
			if f < 0 || d >= 0 && f >= d || j > 0 && f == s[j-1] {
				panic(fmt.Sprintf("metric: feature %d is twice in a set, or not one of %d", f, d))
			}
		}
		out[i] = s
	}
	return out
}

// common counts the features that two ascending sets have in common.
func common(a, b []int) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			i, j, n = i+1, j+1, n+1
		}
	}
	return n
}

// occurrences counts, for each feature in any set, the sets that contain it.
// The counts are in the order of the features, so that sums over them always
// have the same bits.
func occurrences(sets [][]int) []int {
	all := slices.Concat(sets...)
	slices.Sort(all)
	var counts []int
	for i, f := range all {
		if i == 0 || f != all[i-1] {
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return counts
}
