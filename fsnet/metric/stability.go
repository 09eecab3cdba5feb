package metric

import (
	"fmt"
	"math"
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

// Kuncheva returns how much more two sets of k of d features have in common
// than two random sets would, averaged over all pairs:
//
//	I = 2/(R(R−1)) Σ_{i<j} (r_ij − k²/d) / (k − k²/d)      r_ij = |S_i ∩ S_j|
//
// It is 1 if all sets are equal, 0 on average for random sets, and at least
// −1/(R−1). If k is 0 or d, there is no choice, and it is 0. It equals
// [Nogueira], but panics if sets have different sizes.
//
// L. Kuncheva, A stability index for feature selection, Artificial
// Intelligence and Applications 2007.
func Kuncheva(sets [][]int, d int) float64 {
	for _, s := range sets {
		mustMatch(len(s), len(sets[0]))
	}
	return Nogueira(sets, d)
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

// NogueiraInterval returns the 95 % interval of [Nogueira] that its authors
// give, Φ ± 1.96 √v, for sets that were chosen independently of one another:
//
//	v = 4/R² Σ_i (Φ_i − Φ̄)²
//	Φ_i = [ 1/d Σ_{f ∈ S_i} p_f − k_i k̄/d² + Φ/2 (2 k_i k̄/d² − k_i/d − k̄/d + 1) ] / ((k̄/d)(1 − k̄/d))
//
// k_i is the size of set i. If sets are chosen from samples that share rows,
// they depend on one another, and the interval is too narrow.
func NogueiraInterval(sets [][]int, d int) (low, high float64) {
	phi, r, n := Nogueira(sets, d), float64(len(sets)), float64(d)
	counts, total := map[int]int{}, 0
	for _, s := range sets {
		for _, f := range s {
			counts[f]++
		}
		total += len(s)
	}
	if len(sets) < 2 || total == 0 || total == len(sets)*d {
		return phi, phi
	}

	k := float64(total) / r
	parts, average := make([]float64, len(sets)), 0.0
	for i, s := range sets {
		shared, own := 0.0, float64(len(s))
		for _, f := range s {
			shared += float64(counts[f]) / r / n
		}
		parts[i] = (shared - own*k/n/n + phi/2*(2*own*k/n/n-own/n-k/n+1)) / (k / n * (1 - k/n))
		average += parts[i] / r
	}

	v := 0.0
	for _, x := range parts {
		v += 4 / (r * r) * (x - average) * (x - average)
	}
	return phi - 1.96*math.Sqrt(v), phi + 1.96*math.Sqrt(v)
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
