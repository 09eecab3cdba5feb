package session

import (
	"math"
	"slices"
)

// slice returns the points i to j−1. Their capacities are limited, so that
// appending copies.
func (c Curve) slice(i, j int) Curve {
	part := Curve{Steps: c.Steps[i:j:j], Values: c.Values[i:j:j]}
	if len(c.Means) >= j {
		part.Means = c.Means[i:j:j]
	}
	return part
}

// length returns the number of points.
func (c Curve) length() int { return min(len(c.Steps), len(c.Values)) }

// truncate returns c with only the points before a step.
func (c Curve) truncate(step int) Curve {
	at, _ := slices.BinarySearch(c.Steps, step)
	return c.slice(0, min(at, c.length()))
}

// After returns the points after a step, preceded by the point where the
// line to them begins. It is empty if there are no points after the step.
func (c Curve) After(step int) Curve {
	n := c.length()
	at, _ := slices.BinarySearch(c.Steps[:n], step+1)
	if at == n {
		return Curve{}
	}
	return c.slice(max(at-1, 0), n)
}

// with returns the points of c followed by more. c must come from slice, so
// that appending copies. If either curve has means, the result has them.
func (c Curve) with(more Curve) Curve {
	joined := Curve{Steps: append(c.Steps, more.Steps...), Values: append(c.Values, more.Values...)}
	if c.Means != nil || more.Means != nil {
		joined.Means = append(c.means(), more.means()...)
	}
	return joined
}

// means returns the mean that each point stands for. It is the value of the
// point unless the curve is thinned.
func (c Curve) means() []float64 {
	if len(c.Means) == len(c.Values) {
		return slices.Clip(c.Means)
	}
	return slices.Clip(c.Values)
}

// since returns the number of steps between a point and the previous one.
// The first point gets the distance of the second one.
func (c Curve) since(i int) float64 {
	if c.length() < 2 {
		return 1
	}
	i = max(i, 1)
	return float64(c.Steps[i] - c.Steps[i-1])
}

// Thin reduces a curve to at most points values, if points is 4 or more. It
// keeps the first and last point and the smallest and largest value of each
// stretch of equally many steps, so that no extreme is lost. Means holds the
// mean of the stretch. Stretches begin at step 1, and their length is a
// power of two. So thinning a growing curve repeatedly keeps the same points
// as thinning it once.
func (c Curve) Thin(points int) Curve {
	return c.thin(c.StretchLength(points), c.length()-1)
}

// StretchLength returns the length in steps of a stretch for [Curve.Thin],
// which keeps two values of each. It is 1 if Thin keeps all values.
func (c Curve) StretchLength(points int) int {
	n, long := c.length(), 1
	if n <= points || points < 4 {
		return long
	}
	for (c.Steps[n-1]-1)/long-(c.Steps[0]-1)/long >= points/2-1 {
		long *= 2
	}
	return long
}

// ThinStretches thins all complete stretches of a length in steps. The last
// stretch is incomplete, and there it thins shorter stretches. So a growing
// curve is thinned evenly, however long it gets, and its means include all
// points.
func (c Curve) ThinStretches(long int) Curve {
	n := c.length()
	if long <= 1 || n < 2 {
		return c
	}
	begin := (c.Steps[n-1]-1)/long*long + 1 // first step of the last stretch
	at, _ := slices.BinarySearch(c.Steps[:n], begin)
	return c.slice(0, at).thin(long, at).with(c.slice(at, n).ThinStretches(long / 16))
}

// thin thins the points between the first one and point end, in stretches of
// long steps. It keeps the points from end on. With long ≤ 1 it returns c.
func (c Curve) thin(long, end int) Curve {
	if long <= 1 || end < 2 {
		return c
	}

	stretch := func(i int) int { return (c.Steps[i] - 1) / long }
	var out Curve
	add := func(i int, mean float64) {
		out.Steps, out.Values, out.Means = append(out.Steps, c.Steps[i]), append(out.Values, c.Values[i]), append(out.Means, mean)
	}
	means := c.means()
	add(0, means[0])
	for from := 1; from < end; {
		to, low, high, sum, weight := from, from, from, 0.0, 0.0
		for ; to < end && stretch(to) == stretch(from); to++ {
			if c.Values[to] < c.Values[low] {
				low = to
			}
			if c.Values[to] > c.Values[high] {
				high = to
			}
			if mean := means[to]; !math.IsNaN(mean) && !math.IsInf(mean, 0) {
				sum, weight = sum+c.since(to)*mean, weight+c.since(to)
			}
		}

		mean := c.Values[low]
		if weight > 0 {
			mean = sum / weight
		}

		add(min(low, high), mean)
		if low != high {
			add(max(low, high), mean)
		}
		from = to
	}

	for i := end; i < c.length(); i++ {
		add(i, means[i])
	}
	return out
}
