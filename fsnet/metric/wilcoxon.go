package metric

import (
	"math"

	"fsnetlab/internal/num"
)

// Wilcoxon returns the two-sided p value of Wilcoxon's signed-rank test: the
// probability that pairs differ at least this lopsidedly if neither side is
// better. a[i] and b[i] are a pair. Pairs without a difference are left out,
// and equal differences share their mean rank.
//
//	W = Σ_{a_i > b_i} rank |a_i − b_i|      p = min(1, 2 min(P(W' ≤ W), P(W' ≥ W)))
//
// W' has the distribution over all 2ⁿ choices of signs for these ranks. It
// is exact for up to 200 differences, with or without ties. For more it is
// the normal distribution with the same mean and variance. p is 1 if no pair
// differs. Differences count as equal if they differ only by rounding.
//
// F. Wilcoxon, Individual comparisons by ranking methods, Biometrics
// Bulletin 1 (1945).
func Wilcoxon(a, b []float64) float64 {
	mustMatch(len(a), len(b))
	var differences, sizes []float64
	for i := range a {
		if d := a[i] - b[i]; math.Abs(d) > sameDifference {
			differences, sizes = append(differences, d), append(sizes, math.Abs(d))
		}
	}
	if len(differences) == 0 {
		return 1
	}

	ranks := doubleRanks(sizes)
	w := 0
	for i, d := range differences {
		if d > 0 {
			w += ranks[i]
		}
	}

	if len(differences) > mostExact {
		return normalTails(ranks, w)
	}
	return exactTails(ranks, w)
}

const (
	sameDifference = 1e-12 // scores such as accuracies differ by far more
	mostExact      = 200   // number of differences; the exact sums take n³ additions
)

// doubleRanks returns twice the ranks of values, where the smallest has rank
// 1. Ties share their mean rank, so twice a rank is always a whole number.
func doubleRanks(values []float64) []int {
	order, ranks := num.Argsort(values), make([]int, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]]-values[order[from]] <= sameDifference {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to // ranks from+1 … to
		}
		from = to
	}
	return ranks
}

// exactTails returns p for w, the sum of the ranks of one side, by counting
// the choices of signs for each sum. The time is the number of ranks times
// their sum.
func exactTails(ranks []int, w int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}

	share := make([]float64, total+1) // share of the choices with this sum
	share[0] = 1
	reached := 0
	for _, r := range ranks {
		reached += r
		for s := reached; s >= 0; s-- {
			without := 0.0
			if s >= r {
				without = share[s-r]
			}
			share[s] = (share[s] + without) / 2
		}
	}

	below, above := 0.0, 0.0
	for s, p := range share {
		if s <= w {
			below += p
		}
		if s >= w {
			above += p
		}
	}
	return min(1, 2*min(below, above))
}

// normalTails approximates exactTails for many ranks.
func normalTails(ranks []int, w int) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range ranks {
		mean += float64(r) / 2
		variance += float64(r) * float64(r) / 4
	}
	return math.Erfc(math.Abs(float64(w)-mean) / math.Sqrt(2*variance))
}
