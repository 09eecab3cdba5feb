package method

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"fsnetlab/internal/num"
)

// Algorithm 1, word for word: K times the largest entry of P, whose row and column are then ruled out. The order in which it picks is that
// of the picked probabilities, falling, equal ones by selector - which is how a selection is ranked, and what nested selections take the
// first of.
func TestPicksComeByFallingProbability(t *testing.T) {
	r := num.RNG(5, "order of the picks")
	for range 300 {
		k := 1 + r.IntN(6)
		d := k + r.IntN(8)
		p := make([]float32, k*d)
		for i := range p {
			p[i] = float32(r.IntN(6)) / 5 // with ties
		}
		left := slices.Clone(p)
		var picked []int // selectors
		features := make([]int, k)
		for range k {
			best := 0
			for i, v := range left {
				if v > left[best] {
					best = i
				}
			}
			selector, feature := best/d, best%d
			picked, features[selector] = append(picked, selector), feature
			for i := range left {
				if i/d == selector || i%d == feature {
					left[i] = float32(math.Inf(-1))
				}
			}
		}
		chosen := UniqueArgmax(p, k, d)
		if !slices.Equal(chosen, features) {
			t.Fatalf("%v of %v, by the algorithm %v", chosen, p, features)
		}
		order := make([]int, k)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b*d+chosen[b]], p[a*d+chosen[a]]) })
		if !slices.Equal(order, picked) {
			t.Fatalf("by probability %v, picked %v, of %v", order, picked, p)
		}
	}
}
