package forest

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// share is what a tree owes to a feature.
type share struct {
	feature int32
	value   float64
}

// draw is how often each row is drawn, of n times, with replacement.
func (t *table) draw(random *rand.Rand) []int64 {
	weights := make([]int64, len(t.y))
	for range weights {
		weights[random.IntN(len(weights))]++
	}
	return weights
}

// gains are the sums of the gains of each feature's splits, as parts of all, by feature; none of a tree without any gain.
func (t *table) gains(of tree) []share {
	var shares []share
	total := 0.0
	for _, n := range of {
		if n.feature >= 0 {
			shares = append(shares, share{n.feature, n.gain})
			total += n.gain
		}
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(a.feature, b.feature) })
	var sums []share
	for _, s := range shares {
		if total > 0 {
			s.value /= total
		}
		if last := len(sums) - 1; last >= 0 && sums[last].feature == s.feature {
			sums[last].value += s.value
		} else {
			sums = append(sums, s)
		}
	}
	return sums
}

// permuted is, for each feature of a tree, by how much the share of rows outside that it classifies rightly falls when the feature's values
// change places among them. None where no row is outside.
func (t *table) permuted(of tree, columns [][]float64, weights []int64, random *rand.Rand) []share {
	questions := t.questions(of, columns)
	var outside []int
	for i, weight := range weights {
		if weight == 0 {
			outside = append(outside, i)
		}
	}
	right := func(changed int, places []int) (count float64) {
		for k, i := range outside {
			class := leaf(questions, func(column int32) float64 {
				if int(column) == changed {
					return columns[column][outside[places[k]]]
				}
				return columns[column][i]
			})
			if int(class) == t.y[i] {
				count++
			}
		}
		return count
	}
	shares := t.gains(of)
	before := right(-1, nil)
	for s := range shares {
		shares[s].value = 0
		if len(outside) > 0 {
			changed := right(t.order[shares[s].feature], random.Perm(len(outside)))
			shares[s].value = (before - changed) / float64(len(outside))
		}
	}
	return shares
}
