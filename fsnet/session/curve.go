package session

import (
	"math"
	"slices"
)

// slice returns the points i to j−1. It limits their capacities, so you can
// append to the result without changing c.
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

// After returns the points after a step, preceded by the point before them,
// where the line to them starts. If there are no points after the step, it is
// empty.
func (c Curve) After(step int) Curve {
	n := c.length()
	at, _ := slices.BinarySearch(c.Steps[:n], step+1)
	if at == n {
		return Curve{}
	}
	return c.slice(max(at-1, 0), n)
}

// with returns the points of c followed by those of more. If either curve has
// means, the result has them. c must come from slice, because with appends to
// it.
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

// stepsBefore returns the number of steps between point i and the previous one.
// For the first point it returns the distance between the first two.
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

// Growing is a curve that grows at its end and stays thinned. Complete
// stretches are thinned to two values, and the last, incomplete one is thinned
// in shorter stretches. The means include all points. The cost of extending it
// does not depend on its length. The zero value is empty.
type Growing struct {
	Curve
	long int // length in steps of a stretch
}

// finer is how many shorter stretches divide the last, incomplete one.
const finer = 16

// Extend replaces the points from a step on by those of more, in place, and
// thins the curve to about points values. It returns the number of leading
// points that it did not change.
func (g *Growing) Extend(from int, more Curve, points int) (unchanged int) {
	since, n := 0, g.length()
	if n > 0 {
		since = min(g.Steps[n-1], from)
	}
	unchanged, _ = slices.BinarySearch(g.Steps[:n], from)
	g.replace(unchanged, more)
	if g.length() == 0 {
		return unchanged
	}

	if long := max(g.long, g.StretchLength(points)); long != g.long {
		g.long, since = long, 0
	}

	// Of the stretches with new points, only the longest that is complete
	// now is thinned. Shorter ones are in it or follow it.
	last, start := g.Steps[g.length()-1], 0
	for long := g.long; long > 1; long /= finer {
		if (since-1)/long == (last-1)/long && since > 0 {
			start = g.stretchStart(last, long) // shorter stretches begin here
			continue
		}
		begin := max(g.stretchStart(since, long)-1, start) // the last point that stays
		g.replace(begin, g.slice(begin, g.length()).thinStretches(long, since))
		return min(unchanged, begin)
	}
	return unchanged
}

// replace replaces the points from index at on by those of more. more must not
// share memory with c.
func (c *Curve) replace(begin int, more Curve) {
	if more.Means != nil && len(c.Means) != len(c.Values) {
		c.Means = slices.Clone(c.Values)
	}
	if c.Means != nil {
		c.Means = append(c.Means[:begin], more.means()...)
	}
	c.Steps, c.Values = append(c.Steps[:begin], more.Steps...), append(c.Values[:begin], more.Values...)
}

// stretchStart returns the index of the first point in the stretch of step,
// where a stretch has long steps.
func (c Curve) stretchStart(step, long int) int {
	at, _ := slices.BinarySearch(c.Steps[:c.length()], (max(step, 1)-1)/long*long+1)
	return at
}

// thinStretches thins all complete stretches of long steps. Within the last,
// incomplete one it thins shorter stretches. The stretches before that of step
// since must already be thinned. If there is nothing to thin, it returns c;
// otherwise the result shares no memory with c.
func (c Curve) thinStretches(long, since int) Curve {
	n := c.length()
	if long <= 1 || n < 2 {
		return c
	}
	at := c.stretchStart(c.Steps[n-1], long)
	return c.slice(0, at).thin(long, min(c.stretchStart(since, long), at), at).with(c.slice(at, n).thinStretches(long/finer, 0))
}

// thin thins the points from begin to end − 1, in stretches of long steps. It
// never changes the first point. If long is at most 1, it returns c.
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
