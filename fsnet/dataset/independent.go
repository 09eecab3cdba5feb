package dataset

import (
	"slices"

	"fsnetlab/internal/num"
)

// mostOfUnit is the largest number of rows that the mean of a unit reads.
const mostOfUnit = 100

// Units divides rows into what tests count as one row: the rows of a class in
// a group. groups has the group of each row. classes has its class, or is nil
// for a quantity. Where rows belong together, a test of rows finds whatever
// tells the groups apart: with 600 cells of 24 donors and no difference
// between the classes, a quarter of all pairs of features.
//
// The two rows of a pair differ only by their signs. So if the rows are
// paired, Units takes one row of each pair, and from the next pair that of the
// next class.
//
// The units are in the order of their first rows.
func Units(groups, classes []int, paired bool) (units [][]int) {
	type key struct{ group, class int }
	place, ofGroup := map[key]int{}, map[int][]int{}
	var order []int // of groups
	for i, group := range groups {
		k := key{group: group}
		if classes != nil {
			k.class = classes[i]
		}
		u, seen := place[k]
		if !seen {
			u, place[k] = len(units), len(units)
			if units = append(units, nil); ofGroup[group] == nil {
				order = append(order, group)
			}
			ofGroup[group] = append(ofGroup[group], u)
		}
		units[u] = append(units[u], i)
	}
	if !paired {
		return units
	}

	var taken [][]int
	for i, group := range order {
		of := ofGroup[group]
		if classes != nil {
			slices.SortFunc(of, func(a, b int) int { return classes[units[a][0]] - classes[units[b][0]] })
		}
		taken = append(taken, units[of[i%len(of)]])
	}
	return taken
}

// SomeUnits returns at most this many of the units, and of each at most a
// hundred rows, both evenly spread.
func SomeUnits(units [][]int, most int) [][]int {
	some := pickRows(units, num.EvenlySpaced(len(units), most))
	for u, unit := range some {
		some[u] = pickRows(unit, num.EvenlySpaced(len(unit), mostOfUnit))
	}
	return some
}
