package dataset

import (
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/parse"
)

// mostRanges is the most ranges: quarters.
const mostRanges = 4

// Ranges divides rows by quantiles of their n ≥ 1 values into at most four ranges of about as many rows: of is the range of each row,
// from 0 by rising value, names are what people read. Equal values share a range, so there are fewer where few values differ; each range
// has a row. Edge e of Q is the value below which ⌈e n/Q⌉ of the sorted values lie.
func Ranges(values []float64) (of []int, names []string) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	var edges []float64
	for e := 1; e < mostRanges; e++ {
		if edge := sorted[min((e*n+mostRanges-1)/mostRanges, n-1)]; edge > sorted[0] && (len(edges) == 0 || edge > edges[len(edges)-1]) {
			edges = append(edges, edge)
		}
	}
	of = make([]int, n)
	for i, v := range values {
		at, found := slices.BinarySearch(edges, v)
		if found { // an edge is the first value of its range
			at++
		}
		of[i] = at
	}
	for r := range len(edges) + 1 {
		switch {
		case len(edges) == 0:
			names = append(names, "all")
		case r == 0:
			names = append(names, "below "+parse.Spell(edges[0]))
		case r == len(edges):
			names = append(names, "from "+parse.Spell(edges[r-1]))
		default:
			names = append(names, "from "+parse.Spell(edges[r-1])+" to below "+parse.Spell(edges[r]))
		}
	}
	return of, names
}

// Unit is how a quantity is scaled for a network: (y − Mean)/Scale.
type Unit struct{ Mean, Scale float64 }

// UnitOf is the unit of rows with weights whose mean is 1, or nil for 1 each: their mean, and their standard deviation (divided by n), 1 where
// all are equal.
func UnitOf(values, weights []float64) Unit {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	var u Unit
	n, square := float64(len(values)), 0.0
	for i, v := range values {
		u.Mean += weight(i) * v / n
	}
	for i, v := range values {
		square += weight(i) * (v - u.Mean) * (v - u.Mean) / n
	}
	if u.Scale = math.Sqrt(square); u.Scale == 0 {
		u.Scale = 1
	}
	return u
}

// Scaled are values in the unit.
func (u Unit) Scaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - u.Mean) / u.Scale
	}
	return out
}

// Value is what a scaled one was.
func (u Unit) Value(scaled float64) float64 { return u.Mean + u.Scale*scaled }
