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

// stepsBefore returns the number of steps between a point and the previous one.
// The first point gets the distance of the second one.
func (c Curve) stepsBefore(i int) float64 {
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
	return c.thin(c.StretchLength(points), 0, c.length()-1)
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

// Growing is a curve that grows at its end and is thinned as it does, however long it gets: all
// complete stretches to two values, and within the last, incomplete one shorter stretches. Its means
// include all points. What it costs to extend it does not depend on its length. The zero value is
// empty.
type Growing struct {
	Curve
	long int // length in steps of a stretch
}

// Extend replaces the points from a step on by more, in place, and thins the curve to about points
// values. It returns the number of points at the beginning that stayed as they were.
func (g *Growing) Extend(from int, more Curve, points int) (kept int) {
	since, n := 0, g.length()
	if n > 0 {
		since = min(g.Steps[n-1], from)
	}
	unchanged, _ := slices.BinarySearch(g.Steps[:n], from)
	end := max(g.stretchStart(since, max(g.long, 1))-1, 0) // the points from here on may change
	before := g.slice(end, n)
	before.Steps, before.Values = slices.Clone(before.Steps), slices.Clone(before.Values)
	g.replace(unchanged, more)
	if long := max(g.long, g.StretchLength(points)); long != g.long {
		g.long, since = long, 0
	}
	if g.long <= 1 {
		return unchanged
	}

	begin := max(g.stretchStart(since, g.long)-1, 0) // the last point that stays
	g.replace(begin, g.slice(begin, g.length()).thinStretches(g.long, since))
	if begin != end {
		return min(unchanged, begin)
	}

	// Most points at the end stay, too. Their means, computed again, differ
	// by rounding alone if the points are the same up to the next one.
	same := 0
	for same < len(before.Steps) && end+same < g.length() && before.Steps[same] == g.Steps[end+same] &&
		before.Values[same] == g.Values[end+same] {
		same++
	}
	return min(unchanged, end+max(same-2, 0))
}

// replace puts more in the place of the points from index begin on. more may not share memory with
// them.
func (c *Curve) replace(begin int, more Curve) {
	if more.Means != nil && len(c.Means) != len(c.Values) {
		c.Means = slices.Clone(c.Values)
	}
	if c.Means != nil {
		c.Means = append(c.Means[:begin], more.means()...)
	}
	c.Steps, c.Values = append(c.Steps[:begin], more.Steps...), append(c.Values[:begin], more.Values...)
}

// stretchStart returns the index of the first point of the stretch that a step lies in.
func (c Curve) stretchStart(step, long int) int {
	at, _ := slices.BinarySearch(c.Steps[:c.length()], (max(step, 1)-1)/long*long+1)
	return at
}

// thinStretches thins all complete stretches of a length in steps; within the last, incomplete one
// it thins shorter stretches. The stretches before the one of step since must have been thinned
// already. The result shares no memory with c, unless it is c.
func (c Curve) thinStretches(long, since int) Curve {
	n := c.length()
	if long <= 1 || n < 2 {
		return c
	}
	at := c.stretchStart(c.Steps[n-1], long)
	return c.slice(0, at).thin(long, min(c.stretchStart(since, long), at), at).with(c.slice(at, n).thinStretches(long/16, 0))
}

// thin thins the points between the first one and point end, in stretches of long steps. It keeps
// the points before begin and from end on. With long ≤ 1 it returns c.
func (c Curve) thin(long, begin, end int) Curve {
	begin = max(begin, 1)
	if long <= 1 || end < 2 || begin >= end {
		return c
	}

	stretch := func(i int) int { return (c.Steps[i] - 1) / long }
	means := c.means()
	out := Curve{Steps: slices.Clone(c.Steps[:begin]), Values: slices.Clone(c.Values[:begin]), Means: slices.Clone(means[:begin])}
	add := func(i int, mean float64) {
		out.Steps, out.Values, out.Means = append(out.Steps, c.Steps[i]), append(out.Values, c.Values[i]), append(out.Means, mean)
	}
	for from := begin; from < end; {
		to, low, high, sum, weight := from, from, from, 0.0, 0.0
		for ; to < end && stretch(to) == stretch(from); to++ {
			if c.Values[to] < c.Values[low] {
				low = to
			}
			if c.Values[to] > c.Values[high] {
				high = to
			}
			if mean := means[to]; !math.IsNaN(mean) && !math.IsInf(mean, 0) {
				sum, weight = sum+c.stepsBefore(to)*mean, weight+c.stepsBefore(to)
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
