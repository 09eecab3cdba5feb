package num

import (
	"cmp"
	"slices"
)

// Indices returns 0…n−1: every position of a list, row of a table, or column.
func Indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// EvenlySpaced returns at most most of the positions 0…n−1, evenly spread. If n
// is not more than most, it returns all of them.
func EvenlySpaced(n, most int) []int {
	some := make([]int, min(n, most))
	for i := range some {
		some[i] = i * n / len(some)
	}
	return some
}

// Argsort returns the positions of the values in ascending order.
func Argsort[E cmp.Ordered](values []E) []int {
	order := Indices(len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// ArgsortDescending returns the positions of the values in descending order.
func ArgsortDescending[E cmp.Ordered](values []E) []int {
	order := Indices(len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Argmax returns the position of the largest value, or of the first of them if
// several are equal. If there are no values, it returns 0. NaN is never larger
// than another value, and if the first value is NaN, no value is larger.
func Argmax[E cmp.Ordered](values []E) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// TopK returns the positions of the k largest values in descending order, or
// all positions if there are fewer. Equal values keep their order.
func TopK(row []float32, k int) []int {
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
