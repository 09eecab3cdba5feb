package study

import (
	"cmp"
	"math"
	"slices"
)

// Estimate is a mean over held-out folds.
type Estimate struct {
	Mean float64 `json:"mean"` // over the folds
	// SE is the standard error of the mean over the n folds of a repeat, √(Σ (a_f − ā)² / (n (n − 1))); of several repeats the root of the
	// mean of its squares: other folds of the same rows are no new rows. It is 0 of one fold.
	SE float64 `json:"se"`
}

// estimate is nil of no values. They are by repeat.
func estimate(repeats [][]float64) *Estimate {
	var e Estimate
	all, counted := 0, 0
	squares := 0.0
	for _, values := range repeats {
		n, mean := float64(len(values)), 0.0
		for _, v := range values {
			mean += v / n
			e.Mean += v
			all++
		}
		if len(values) < 2 {
			continue
		}
		counted++
		for _, v := range values {
			squares += (v - mean) * (v - mean) / (n * (n - 1))
		}
	}
	if all == 0 {
		return nil
	}
	e.Mean /= float64(all)
	e.SE = math.Sqrt(squares / float64(max(counted, 1)))
	return &e
}

// Candidate is a combination that has been judged on all folds.
type Candidate struct {
	K int
	Estimate
}

// OneStandardError chooses among candidates in the order of preference (L. Breiman et al., Classification and regression trees, 1984): best
// has the highest mean, and chosen is the simplest of those whose mean is at least the best's less its standard error. Simplest is the
// smallest K, then the first of the list; so is the best among equals. Both are −1 of no candidates.
func OneStandardError(candidates []Candidate) (best, chosen int, threshold float64) {
	best, chosen = -1, -1
	simpler := func(a, b int) bool { return cmp.Compare(candidates[a].K, candidates[b].K) < 0 }
	const rounding = 1e-12 // of means
	for i, c := range candidates {
		if best < 0 || c.Mean > candidates[best].Mean+rounding || math.Abs(c.Mean-candidates[best].Mean) <= rounding && simpler(i, best) {
			best = i
		}
	}
	if best < 0 {
		return best, chosen, math.NaN()
	}
	threshold = candidates[best].Mean - candidates[best].SE
	for i, c := range candidates {
		if c.Mean >= threshold-rounding && (chosen < 0 || simpler(i, chosen)) {
			chosen = i
		}
	}
	return best, chosen, threshold
}

// pairedEstimate is the difference of two combinations over the folds that both have, a − b.
func pairedEstimate(a, b [][]float64) *Estimate {
	var differences [][]float64
	for r := range a {
		if len(a[r]) != len(b[r]) {
			return nil
		}
		values := slices.Clone(a[r])
		for f := range values {
			values[f] -= b[r][f]
		}
		differences = append(differences, values)
	}
	return estimate(differences)
}
