package stepwise

import (
	"math"

	"fsnetlab/fsnet/method/embedding"
)

// classFloor is added to the variance of the targets of a class before taking
// the root, so that rare classes do not get too much weight.
const classFloor = 1e-3

// targetsOf returns T, rows×[embedding.Target.Outputs]. For classes it is
// [classTargets], for a quantity its values, multiplied by √w if rows have
// weights.
func targetsOf(t embedding.Target) []float64 {
	if t.Quantity == nil {
		return classTargets(t)
	}
	out := make([]float64, len(t.Quantity))
	for i, v := range t.Quantity {
		out[i] = math.Sqrt(t.Weight(i)) * v
	}
	return out
}

// classTargets returns T, rows×C: one-hot y minus its mean, with columns
// weighted by (Var T_c + 0.001)^(−¼) and all scaled so that their variances
// add up to 1. If rows have weights, with mean 1, means and variances are
// weighted, and T is multiplied by √w.
func classTargets(t embedding.Target) []float64 {
	n, classes := float64(len(t.Y)), t.Classes
	out, total := make([]float64, len(t.Y)*classes), 0.0
	for c := range classes {
		share := 0.0
		for i, class := range t.Y {
			if class == c {
				share += t.Weight(i) / n
			}
		}
		weight := math.Pow(share*(1-share)+classFloor, -0.25)
		for i, class := range t.Y {
			v := -share * weight
			if class == c {
				v += weight
			}
			v *= math.Sqrt(t.Weight(i))
			out[i*classes+c] = v
			total += v * v / n
		}
	}
	for i := range out {
		out[i] /= math.Sqrt(total)
	}
	return out
}
