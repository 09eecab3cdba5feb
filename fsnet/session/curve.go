package session

import "slices"

// until are the points before a step.
func (c Curve) until(step int) Curve {
	at, _ := slices.BinarySearch(c.Steps, step)
	at = min(at, len(c.Values))
	return Curve{Steps: c.Steps[:at:at], Values: c.Values[:at:at]}
}

func (c Curve) with(more Curve) Curve {
	return Curve{Steps: append(c.Steps, more.Steps...), Values: append(c.Values, more.Values...)}
}

// Thin keeps at most points values, 4 or more, else all: the smallest and the largest of each of points/2 − 1 stretches, so that no
// extreme is lost, and the first and last.
func (c Curve) Thin(points int) Curve {
	n := min(len(c.Steps), len(c.Values))
	if n <= points || points < 4 {
		return c
	}
	var out Curve
	add := func(i int) {
		if last := len(out.Steps) - 1; last < 0 || out.Steps[last] < c.Steps[i] {
			out.Steps, out.Values = append(out.Steps, c.Steps[i]), append(out.Values, c.Values[i])
		}
	}
	add(0)
	stretches := points/2 - 1
	for s := range stretches {
		from, to := 1+s*(n-2)/stretches, 1+(s+1)*(n-2)/stretches
		low, high := from, from
		for i := from; i < to; i++ {
			if c.Values[i] < c.Values[low] {
				low = i
			}
			if c.Values[i] > c.Values[high] {
				high = i
			}
		}
		add(min(low, high))
		add(max(low, high))
	}
	add(n - 1)
	return out
}
