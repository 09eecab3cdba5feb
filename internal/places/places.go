// Package places sorts where things are instead of the things: a place is an index, 0…n−1.
//
// [All] is every place in turn. [Rising] and [Falling] are the places of a list's values by their size, for values that have companions
// in other lists; equal values stay in their order, and NaN counts as the least. [Largest] is the first place alone.
package places

import (
	"cmp"
	"slices"
)

// All is 0…n−1: every place of a list, row of a table, or column.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Rising is the places of the values, the least value's first.
func Rising[E cmp.Ordered](values []E) []int {
	order := All(len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// Falling is the places of the values, the largest value's first.
func Falling[E cmp.Ordered](values []E) []int {
	order := All(len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Largest is the place of the largest value, the first of several. NaN is larger than nothing and smaller than nothing.
func Largest[E cmp.Ordered](values []E) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// Top is the places of the k largest values, or of all, the largest first, ties in their order.
func Top(row []float32, k int) []int {
	k = min(k, len(row))
	top := make([]int, 0, k+1)
	for j, v := range row {
		if len(top) == k && !(v > row[top[k-1]]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(i int, v float32) int {
			if row[i] >= v {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, j)
		if len(top) > k {
			top = top[:k]
		}
	}
	return top
}
