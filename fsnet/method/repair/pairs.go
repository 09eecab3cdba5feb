package repair

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/internal/num"
)

// Bounds of pairs in a contest.
const (
	pairError  = 0.995 // largest share of the kernel ridge's error that may remain after a pair moves in
	startError = 0.98  // the same for a pair that selectors are put on before the first step
	mostPairs  = 50    // number of pairs that challenge, the clearest ones
)

// SettlePairs runs the contest as [Contest.Settle] does, and then lets pairs
// challenge. If a pair was taken in, single features challenge once more.
func (c *Contest) SettlePairs(chosen []int) (settled []int, exchanges []Exchange) {
	settled, exchanges = c.Settle(chosen)
	if c.n-len(chosen)-c.outputs() < contestFree {
		return settled, exchanges
	}
	taken := false
	if exchanges, taken = c.takePairs(settled, exchanges); !taken {
		return settled, exchanges
	}
	settled, later := c.Settle(settled)
	for _, e := range later {
		exchanges = noteAs(exchanges, swap{e.Selector, e.From, e.To}, e.Share, 1+e.ErrorChange, false)
	}
	return settled, exchanges
}

// noteAs adds a swap to the exchanges as addExchange does, and records whether it
// belongs to a pair.
func noteAs(list []Exchange, made swap, share, ratio float64, pair bool) []Exchange {
	list = addExchange(list, made, share, ratio)
	for i := range list {
		if list[i].Selector == made.selector {
			list[i].Pair = pair
		}
	}
	return list
}

// takePairs lets pairs challenge the settled choice, the most significant
// first. A pair needs two selectors, or one if its partner is already chosen.
// It takes those with the features that matter least, and keeps them if the
// kernel ridge's error falls to 99.5 % or less. takePairs changes settled in
// place, adds to the exchanges, and reports whether it took in a pair.
func (c *Contest) takePairs(settled []int, exchanges []Exchange) (list []Exchange, taken bool) {
	var missed []int
	before := 0.0
	for _, p := range c.known.Pairs[:min(len(c.known.Pairs), mostPairs)] {
		absent := slices.DeleteFunc([]int{p.I, p.J}, func(j int) bool { return slices.Contains(settled, j) })
		if len(absent) == 0 {
			continue
		}
		if missed == nil {
			missed, before = c.leastMissed(settled), c.leaveOneOutError(settled)
		}
		trial, ok := c.placed(settled, missed, absent, p)
		if !ok {
			continue
		}

		after := c.leaveOneOutError(trial)
		if after > pairError*before {
			continue
		}

		for k, j := range trial {
			if settled[k] != j {
				exchanges = noteAs(exchanges, swap{k, settled[k], j}, p.Share, after/before, true)
			}
		}
		copy(settled, trial)
		missed, taken = nil, true
	}
	return exchanges, taken
}

// leastMissed orders the selectors by the kernel ridge's error without their
// feature, the smallest first.
func (c *Contest) leastMissed(settled []int) []int {
	errors := make([]float64, len(settled))
	for k := range settled {
		if len(settled) > 1 {
			errors[k] = c.leaveOneOutError(slices.Delete(slices.Clone(settled), k, k+1))
		}
	}
	order := num.Indices(len(settled))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(errors[a], errors[b]) })
	return order
}

// placed returns a copy of settled with the absent features of a pair in place
// of others. It tries the selectors in places in order, and skips those that
// have a feature of the pair or must not choose the new one. If there are too
// few, it returns false.
func (c *Contest) placed(settled, places, absent []int, p pairs.Pair) ([]int, bool) {
	trial := slices.Clone(settled)
	for _, j := range absent {
		at := slices.IndexFunc(places, func(k int) bool { return trial[k] != p.I && trial[k] != p.J && c.known.allows(trial, k, j) })
		if at < 0 {
			return nil, false
		}
		trial[places[at]] = j
	}
	return trial, true
}

// Lead returns, for each selector, the feature that it is held on from the
// first step on, or −1. It holds selectors on both features of a pair if
// neither is significant by itself. strength measures how much each feature
// tells by itself. A pair is taken if it lowers the kernel ridge's error by 2
// %, when it replaces the weakest two among the features with the largest
// strength. If no pair does, Lead returns nil.
//
// With the pair held, the network can learn from it. It cannot find the pair
// itself: blends of many features pull selectors away from a pair, however
// strongly they start on it.
func (c *Contest) Lead(selectors int, strength []float64) []int {
	var only []pairs.Pair
	for _, p := range c.known.Pairs {
		if p.OnlyTogether() {
			only = append(only, p)
		}
	}
	if only = pairs.Disjoint(only); len(only) == 0 || selectors < 2 {
		return nil
	}

	start := c.strongest(selectors, strength)
	if start == nil {
		return nil
	}

	lead, led := slices.Repeat([]int{-1}, selectors), false
	places := num.Indices(selectors)
	slices.Reverse(places) // The weakest first.
	before := c.leaveOneOutError(start)
	for _, p := range only[:min(len(only), selectors)] {
		absent := slices.DeleteFunc([]int{p.I, p.J}, func(j int) bool { return slices.Contains(start, j) })
		trial, ok := c.placed(start, places, absent, p)
		if !ok {
			continue
		}
		after := before
		if len(absent) > 0 {
			if after = c.leaveOneOutError(trial); after > startError*before {
				continue
			}
		}
		start, before, led = trial, after, true
		places = slices.DeleteFunc(places, func(k int) bool { return start[k] == p.I || start[k] == p.J })
		for k, j := range start {
			if j == p.I || j == p.J {
				lead[k] = j
			}
		}
	}
	if !led {
		return nil
	}
	return lead
}

// strongest returns the strongest features that the selectors may choose, one for
// each. If there are too few, it returns nil.
func (c *Contest) strongest(selectors int, strength []float64) []int {
	start := slices.Repeat([]int{-1}, selectors)
	order := num.ArgsortDescending(strength)
	for k := range start {
		at := slices.IndexFunc(order, func(j int) bool { return !slices.Contains(start, j) && c.known.allows(start, k, j) })
		if at < 0 {
			return nil
		}
		start[k] = order[at]
	}
	return start
}
