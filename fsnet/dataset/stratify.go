package dataset

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// byAppearance numbers classes from 0 in the order of their first rows, so that
// their names do not matter. It returns the class of each row and the number of
// rows of each class.
func byAppearance(y []int) (class, sizes []int) {
	number := map[int]int{}
	class = make([]int, len(y))
	for i, c := range y {
		k, seen := number[c]
		if !seen {
			k = len(sizes)
			number[c] = k
			sizes = append(sizes, 0)
		}
		class[i] = k
		sizes[k]++
	}
	return class, sizes
}

// limitRows keeps at most most rows of each class, and returns the rows that it
// keeps and the rest, both sorted. class holds the class of every row of the
// data set. perm(c, n) returns a permutation of the n rows of class c, whose
// first rows are kept.
func limitRows(most int, rows, class []int, classes int, perm func(c, rows int) []int) (kept, left []int) {
	members := make([][]int, classes)
	for _, row := range rows {
		members[class[row]] = append(members[class[row]], row)
	}

	for c, list := range members {
		if len(list) <= most {
			kept = append(kept, list...)
			continue
		}
		for place, at := range perm(c, len(list)) {
			if place < most {
				kept = append(kept, list[at])
			} else {
				left = append(left, list[at])
			}
		}
	}

	slices.Sort(kept)
	slices.Sort(left)
	return kept, left
}

// dealPart is a part that groups are dealt to.
type dealPart struct {
	Share float64 // fraction of the rows; the shares add up to 1
	Held  bool    // the part is held out: it needs a row, and the other parts need every class
}

// effort limits the number of exchanges to try.
const effort = 5_000_000

// HalveGroups divides groups of rows into two halves and returns the half of
// each group, 0 or 1. class and group have an entry for each row and are
// numbered from 0 without gaps. The halves are as similar as whole groups
// allow. ok is false if a half lacks a class.
func HalveGroups(class, group []int, random *rand.Rand) (half []int, ok bool) {
	return dealGroups(class, group, []dealPart{{0.5, true}, {0.5, true}}, true, random)
}

// dealGroups deals groups to parts and returns the part of each group. class
// and group have an entry for each row and are numbered from 0 without gaps. It
// shares out every class among the parts or, if stratified is false, the rows
// regardless of class. ok is false if a part that is held out is empty or
// leaves a class without rows.
//
// With n_c rows of class c, a_pc of them in part p of share s_p, it reduces
//
//	Σ_p Σ_c (a_pc − s_p n_c)² / n_c
//
// where all rows count as one class if they are not stratified. It starts from
// a random order and exchanges groups as long as that brings the parts closer
// to their shares. The result is a local optimum for moving one group or
// exchanging two. We don't look for the global optimum because it would be the
// same for every seed.
func dealGroups(class, group []int, parts []dealPart, stratified bool, random *rand.Rand) (part []int, ok bool) {
	d := newDealer(class, group, parts, stratified)
	order := random.Perm(len(d.groups))
	for _, g := range order {
		d.part[g] = d.nearest(d.groups[g])
		d.addRows(d.part[g], d.groups[g])
	}

	for p := range parts {
		d.faults += d.broken(p, nil)
	}
	for effort := effort; effort > 0 && d.improve(order, &effort); {
	}
	return d.part, d.faults == 0
}

// amount is a number of rows of a class that enter a part. It is negative if
// they leave.
type amount struct{ class, rows int }

// dealer holds a division of groups among parts while [dealGroups] improves it.
type dealer struct {
	parts   []dealPart
	stratum []int // by class
	strata  []int // rows of each stratum
	sizes   []int // rows of each class
	// rows of each group, by class
	groups [][]amount
	counts [][]int // rows of each part, by class
	inPart [][]int // rows of each part, by stratum
	part   []int   // by group
	faults int     // of all parts, see [dealer.broken]

	in, out []amount // of the exchange being tried
}

// newDealer counts the rows of each group by class. The parts are still empty:
// put adds groups to them.
func newDealer(class, group []int, parts []dealPart, stratified bool) *dealer {
	classes := 1 + slices.Max(class)
	d := &dealer{
		parts: parts, stratum: make([]int, classes), strata: make([]int, classes), sizes: make([]int, classes),
		groups: make([][]amount, 1+slices.Max(group)), counts: make([][]int, len(parts)), inPart: make([][]int, len(parts)),
	}

	d.part = make([]int, len(d.groups))
	for p := range parts {
		d.counts[p], d.inPart[p] = make([]int, classes), make([]int, classes)
	}

	for c := range classes {
		if stratified {
			d.stratum[c] = c
		}
	}

	for i, g := range group {
		c := class[i]
		d.sizes[c]++
		d.strata[d.stratum[c]]++
		index, found := slices.BinarySearchFunc(d.groups[g], c, func(a amount, c int) int { return cmp.Compare(a.class, c) })
		if !found {
			d.groups[g] = slices.Insert(d.groups[g], index, amount{class: c})
		}
		d.groups[g][index].rows++
	}
	return d
}

// addRows adds rows to the counts of part p.
func (d *dealer) addRows(p int, rows []amount) {
	for _, a := range rows {
		d.counts[p][a.class] += a.rows
		d.inPart[p][d.stratum[a.class]] += a.rows
	}
}

// nearest returns the part with the counts that come closest to its share if
// rows are added to it.
func (d *dealer) nearest(rows []amount) int {
	best, least := 0, 0.0
	for p := range d.parts {
		if cost := d.addedCost(p, rows); p == 0 || cost < least {
			best, least = p, cost
		}
	}
	return best
}

// addedCost returns how much the deviation of part p from its share grows if rows
// are added to it.
func (d *dealer) addedCost(p int, rows []amount) float64 {
	cost, share := 0.0, d.parts[p].Share
	for i := 0; i < len(rows); {
		stratum, more := d.stratum[rows[i].class], 0
		for ; i < len(rows) && d.stratum[rows[i].class] == stratum; i++ {
			more += rows[i].rows
		}
		n, a, m := float64(d.strata[stratum]), float64(d.inPart[p][stratum]), float64(more)
		cost += m * (2*(a-share*n) + m) / n
	}
	return cost
}

// broken returns the number of classes that would have all their rows in part p
// if more were added to it. It adds one if p would be empty. If p is not held
// out, it returns 0.
func (d *dealer) broken(p int, more []amount) int {
	if !d.parts[p].Held {
		return 0
	}
	broken, rows := 0, 0
	for c, n := range d.counts[p] {
		if len(more) > 0 && more[0].class == c {
			n, more = n+more[0].rows, more[1:]
		}
		if rows += n; n == d.sizes[c] {
			broken++
		}
	}

	if rows == 0 {
		broken++
	}
	return broken
}

// improve tries to move each group and to exchange each pair of groups. It
// keeps the changes that help and reports whether there were any. It stops when
// effort is used up.
func (d *dealer) improve(order []int, effort *int) bool {
	better := false
	for i, g := range order {
		for q := range d.parts {
			better = d.exchange(g, -1, q) || better
			*effort--
		}
		for _, h := range order[:i] {
			if *effort--; *effort < 0 {
				return better
			}
			better = d.exchange(g, h, d.part[h]) || better
		}
	}
	return better
}

// exchange moves group g to part q and, unless h is −1, group h to the part of
// g, if that helps. It reports whether it did.
func (d *dealer) exchange(g, h, q int) bool {
	p := d.part[g]
	if p == q {
		return false
	}

	var back []amount
	if h >= 0 {
		back = d.groups[h]
	}
	d.in = difference(d.in[:0], d.groups[g], back)
	d.out = difference(d.out[:0], back, d.groups[g])

	const rounding = 1e-9
	cost := d.addedCost(q, d.in) + d.addedCost(p, d.out)
	if d.faults == 0 && cost > -rounding {
		return false
	}

	broken := d.broken(q, d.in) + d.broken(p, d.out) - d.broken(q, nil) - d.broken(p, nil)
	if broken > 0 || broken == 0 && cost > -rounding {
		return false
	}

	d.faults += broken
	d.addRows(q, d.in)
	d.addRows(p, d.out)
	d.part[g] = q
	if h >= 0 {
		d.part[h] = p
	}
	return true
}

// difference appends a − b to the list to and returns it. Both must be sorted
// by class.
func difference(to, a, b []amount) []amount {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].class < b[0].class:
			to, a = append(to, a[0]), a[1:]
		case len(a) == 0 || b[0].class < a[0].class:
			to, b = append(to, amount{b[0].class, -b[0].rows}), b[1:]
		default:
			to, a, b = append(to, amount{a[0].class, a[0].rows - b[0].rows}), a[1:], b[1:]
		}
	}
	return to
}
