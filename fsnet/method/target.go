package method

import "math"

// Target is what is known of n training rows: their classes, or quantities.
type Target struct {
	Y        []int     // n, the class of each row, or the range that its quantity lies in, from 0
	Classes  int       // or ranges
	Quantity []float64 // n, with the (weighted) mean 0 and variance 1; nil where rows have classes
}

// Of are classes.
func Of(y []int, classes int) Target { return Target{Y: y, Classes: classes} }

// Outputs is how many columns the targets of a closed form have, and the network's head: a class each, or one for a quantity.
func (t Target) Outputs() int {
	if t.Quantity != nil {
		return 1
	}
	return t.Classes
}

// weighted is T, rows×[Target.Outputs]: of classes one-hot y minus its mean, its columns weighted by (Var T_c + 0.001)^(−¼), and all so
// that their variances add up to 1; of a quantity itself. Where rows have weights, whose mean is 1, means and variances are weighted, and T
// is √w times that.
func (t Target) weighted(weights []float64) []float64 {
	if t.Quantity == nil {
		return weightedTargets(t.Y, weights, t.Classes)
	}
	out := make([]float64, len(t.Quantity))
	for i, v := range t.Quantity {
		out[i] = math.Sqrt(rowWeight(weights, i)) * v
	}
	return out
}

// weightedTargets is T, rows×C: one-hot y minus its mean, its columns weighted by (Var T_c + 0.001)^(−¼), and all so that their variances
// add up to 1. Where rows have weights, whose mean is 1, means and variances are weighted, and T is √w times that.
func weightedTargets(y []int, weights []float64, classes int) []float64 {
	n := float64(len(y))
	t, total := make([]float64, len(y)*classes), 0.0
	for c := range classes {
		share := 0.0
		for i, of := range y {
			if of == c {
				share += rowWeight(weights, i) / n
			}
		}
		weight := math.Pow(share*(1-share)+classFloor, -0.25)
		for i, of := range y {
			v := -share * weight
			if of == c {
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
