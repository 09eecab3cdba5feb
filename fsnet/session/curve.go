package session

import (
	"math"
	"slices"
)

// slice are the points i to j-1, to which nothing can be appended in place.
func (c Curve) slice(i, j int) Curve {
	part := Curve{Steps: c.Steps[i:j:j], Values: c.Values[i:j:j]}
	if len(c.Means) >= j {
		part.Means = c.Means[i:j:j]
	}
	return part
}

// length is how many points there are.
func (c Curve) length() int { return min(len(c.Steps), len(c.Values)) }

// until are the points before a step.
func (c Curve) until(step int) Curve {
	at, _ := slices.BinarySearch(c.Steps, step)
	return c.slice(0, min(at, c.length()))
}

// After are the points after a step, and the one before them, from which a line to them begins; none where there is none after it.
func (c Curve) After(step int) Curve {
	n := c.length()
	at, _ := slices.BinarySearch(c.Steps[:n], step+1)
	if at == n {
		return Curve{}
	}
	return c.slice(max(at-1, 0), n)
}

func (c Curve) with(more Curve) Curve {
	joined := Curve{Steps: append(c.Steps, more.Steps...), Values: append(c.Values, more.Values...)}
	if c.Means != nil || more.Means != nil {
		joined.Means = append(c.means(), more.means()...)
	}
	return joined
}

// means are what the points stand for.
func (c Curve) means() []float64 {
	if len(c.Means) == len(c.Values) {
		return slices.Clip(c.Means)
	}
	return slices.Clip(c.Values)
}

// since is how many steps lie between a point and the one before it. The first has none, and is taken to lie as far from its past as the
// second from it.
func (c Curve) since(i int) float64 {
	if c.length() < 2 {
		return 1
	}
	i = max(i, 1)
	return float64(c.Steps[i] - c.Steps[i-1])
}

// Thin keeps at most points values, 4 or more, else all: the smallest and the largest of each of points/2 − 1 stretches, so that no
// extreme is lost, and the first and last. The mean of a stretch goes with the values that are left of it.
func (c Curve) Thin(points int) Curve {
	n := c.length()
	if n <= points || points < 4 {
		return c
	}
	var out Curve
	add := func(i int, mean float64) {
		if last := len(out.Steps) - 1; last < 0 || out.Steps[last] < c.Steps[i] {
			out.Steps, out.Values, out.Means = append(out.Steps, c.Steps[i]), append(out.Values, c.Values[i]), append(out.Means, mean)
		}
	}
	means := c.means()
	add(0, means[0])
	stretches := points/2 - 1
	for s := range stretches {
		from, to := 1+s*(n-2)/stretches, 1+(s+1)*(n-2)/stretches
		low, high, sum, weight := from, from, 0.0, 0.0
		for i := from; i < to; i++ {
			if c.Values[i] < c.Values[low] {
				low = i
			}
			if c.Values[i] > c.Values[high] {
				high = i
			}
			if mean := means[i]; !math.IsNaN(mean) && !math.IsInf(mean, 0) {
				sum, weight = sum+c.since(i)*mean, weight+c.since(i)
			}
		}
		mean := c.Values[low]
		if weight > 0 {
			mean = sum / weight
		}
		add(min(low, high), mean)
		add(max(low, high), mean)
	}
	add(n-1, means[n-1])
	return out
}
