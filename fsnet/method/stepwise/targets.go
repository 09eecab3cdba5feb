package stepwise

import (
	"math"

	"fsnetlab/fsnet/method/embedding"
)

// classFloor is added to the variance of a class's targets before the root.
const classFloor = 1e-3

// targetsOf returns T, rows×[embedding.Target.Outputs]: of classes [classTargets], of a quantity
// its values, multiplied by √w if rows have weights.
func targetsOf(t embedding.Target) []float64 {
	if t.Quantity == nil {
		return classTargets(t.Y, t.Weights, t.Classes)
	}
	out := make([]float64, len(t.Quantity))
	for i, v := range t.Quantity {
		out[i] = math.Sqrt(rowWeight(t.Weights, i)) * v
	}
	return out
}

// classTargets returns T, rows×C: one-hot y minus its mean, with columns weighted by (Var T_c +
// 0.001)^(−¼) and all scaled so that their variances add up to 1. If rows have weights, whose mean
// is 1, means and variances are weighted, and T is multiplied by √w.
func classTargets(y []int, weights []float64, classes int) []float64 {
	n := float64(len(y))
	t, total := make([]float64, len(y)*classes), 0.0
	for c := range classes {
		share := 0.0
		for i, class := range y {
			if class == c {
				share += rowWeight(weights, i) / n
			}
		}
		weight := math.Pow(share*(1-share)+classFloor, -0.25)
		for i, class := range y {
			v := -share * weight
			if class == c {
				v += weight
			}
			v *= math.Sqrt(rowWeight(weights, i))
			t[i*classes+c] = v
			total += v * v / n
		}
	}
	for i := range t {
		t[i] /= math.Sqrt(total)
	}
	return t
}
