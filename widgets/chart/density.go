package chart

import (
	"math"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// density is a curve over an axis whose area is 1; nil of too few values.
type density []float64

// densityPoints are those of a curve.
const densityPoints = 48

// narrowestCurve is the least bandwidth, as a share of what all values reach over: else one class with hardly any spread would flatten the
// others.
const narrowestCurve = 0.04

// densityOf is the mean of normal curves around sorted values. Their width is Silverman's, 0.9 min(s, IQR/1.34) n^(-1/5), with the least
// bandwidth as its lower limit.
func densityOf(sorted []float64, a spec.Axis, spread float64) density {
	n := float64(len(sorted))
	if n < fewest {
		return nil
	}
	mean, square := 0.0, 0.0
	for _, v := range sorted {
		mean += v / n
	}
	for _, v := range sorted {
		square += (v - mean) * (v - mean) / (n - 1)
	}
	width := math.Sqrt(square)
	if iqr := (session.Quantile(sorted, 0.75) - session.Quantile(sorted, 0.25)) / 1.34; iqr > 0 {
		width = min(width, iqr)
	}
	width = max(0.9*width*math.Pow(n, -0.2), narrowestCurve*spread)
	curve := make(density, densityPoints)
	for i := range curve {
		x := a.Low + (a.High-a.Low)*float64(i)/(densityPoints-1)
		for _, v := range sorted {
			z := (x - v) / width
			curve[i] += math.Exp(-z*z/2) / (n * width * math.Sqrt(2*math.Pi))
		}
	}
	return curve
}

// highest is the largest value of a curve.
func (d density) highest() (most float64) {
	for _, v := range d {
		most = max(most, v)
	}
	return most
}

// scaled is the curve as shares of the highest of those that it stands beside.
func (d density) scaled(most float64) density {
	if d == nil {
		return nil
	}
	list := make(density, len(d))
	for i, v := range d {
		list[i] = v / most
	}
	return list
}
