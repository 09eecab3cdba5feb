package forward

import (
	"math"

	"fsnetlab/fsnet/baseline"
)

// target is what is predicted of n rows, in numbers for each of some classes: those that have rows, or of two the first alone, since what
// is missed of the one is missed of the other.
type target struct {
	classes int
	t       []float64 // n×classes: one-hot, less the mean
	weights []float64 // ω_c / Σ_c ω_c v_c
}

// targetOf is that of some rows.
func targetOf(data baseline.Data, rows []int) target {
	if data.Regression() {
		return targetOfQuantity(data.Target, rows)
	}
	y := make([]int, len(rows))
	for r, i := range rows {
		y[r] = data.Y[i]
	}
	return targetOfClasses(y, data.Classes)
}

func targetOfQuantity(values []float64, rows []int) target {
	mean, variance, n := 0.0, 0.0, float64(len(rows))
	for _, i := range rows {
		mean += values[i] / n
	}
	whole := target{classes: 1}
	for _, i := range rows {
		t := values[i] - mean
		whole.t = append(whole.t, t)
		variance += t * t / n
	}
	if variance == 0 { // rows that are drawn may be all of one
		variance = 1
	}
	whole.weights = []float64{1 / variance}
	return whole
}

func targetOfClasses(y []int, classes int) target {
	n := float64(len(y))
	shares := make([]float64, classes)
	for _, c := range y {
		shares[c] += 1 / n
	}
	var counted []int
	for c, share := range shares {
		if share > 0 {
			counted = append(counted, c)
		}
	}
	if len(counted) == 2 {
		counted = counted[:1]
	}
	whole := target{classes: len(counted)}
	total := 0.0
	for _, c := range counted {
		variance := shares[c] * (1 - shares[c])
		whole.weights = append(whole.weights, 1/math.Sqrt(variance+1e-3))
		total += variance / math.Sqrt(variance+1e-3)
	}
	for k := range whole.weights {
		whole.weights[k] /= max(total, 1e-9) // rows that are drawn may be of one class
	}
	for _, of := range y {
		for _, c := range counted {
			t := -shares[c]
			if of == c {
				t++
			}
			whole.t = append(whole.t, t)
		}
	}
	return whole
}

// of is E, where e holds what is missed, n×classes.
func (t target) of(e []float64) float64 {
	sum := 0.0
	for i := 0; i < len(e); i += t.classes {
		for c, weight := range t.weights {
			sum += weight * e[i+c] * e[i+c]
		}
	}
	return sum / float64(len(e)/t.classes)
}
