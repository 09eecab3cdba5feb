package method

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// mostTried is how many training rows a kernel's error is computed on.
const mostTried = 500

const kernelErrorRidge = 1.44 // divided by K: a tenth of what a batch of 48 rows has

// SuitsConditional reports whether a conditional prior suits data of many rows: whether the K features that a linear classifier adds one
// after the other have the smaller leave-one-out error, with an RBF kernel, than the K of the largest moderated F. They have where features
// add up, and have not where features work together. x are the training rows, rows×d row-major.
func SuitsConditional(x []float32, d int, y Target, k int) bool {
	z, outputs := clipped(x, d, nil), y.Outputs()
	targets := y.weighted(nil)
	ranked, _ := RankedOf(dense{x, d}.Each, d, y, nil) // it is in memory
	oneByOne, addedUp := ranked[:k], addedUp(z, d, targets, outputs, k)
	return kernelError(z, d, targets, outputs, addedUp) < kernelError(z, d, targets, outputs, oneByOne)
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

// addedUp lists K columns of z, rows×d, each the one that explains most of what the columns before it leave of the targets. What a chosen
// column explains is taken from all others (Gram and Schmidt).
func addedUp(z []float32, d int, targets []float64, classes, k int) []int {
	n := len(z) / d
	rest, left := slices.Clone(z), slices.Clone(targets)
	chosen := make([]int, 0, k)
	for range k {
		best, most := -1, -1.0
		gain, size := make([]float64, d), make([]float64, d)
		for c := range classes {
			product := make([]float64, d)
			for i := range n {
				t := left[i*classes+c]
				for j, v := range rest[i*d : (i+1)*d] {
					product[j] += t * float64(v)
				}
			}
			for j, v := range product {
				gain[j] += v * v
			}
		}
		for i := range n {
			for j, v := range rest[i*d : (i+1)*d] {
				size[j] += float64(v) * float64(v)
			}
		}
		for j := range d {
			if size[j] < leastVariance*float64(n) || slices.Contains(chosen, j) {
				continue
			}
			if g := gain[j] / (size[j] + conditionalRidge*float64(n)); g > most {
				best, most = j, g
			}
		}
		for j := 0; best < 0; j++ { // all that is left says what was chosen
			if !slices.Contains(chosen, j) {
				best = j
			}
		}
		chosen = append(chosen, best)
		take(rest, d, left, classes, best)
	}
	return chosen
}

// take removes from all columns, and from the targets, what column j of rest explains of them.
func take(rest []float32, d int, left []float64, classes, j int) {
	n := len(rest) / d
	column, size := make([]float64, n), 0.0
	for i := range n {
		column[i] = float64(rest[i*d+j])
		size += column[i] * column[i]
	}
	if size == 0 {
		return
	}
	shares := make([]float64, d)
	targets := make([]float64, classes)
	for i, v := range column {
		for l, x := range rest[i*d : (i+1)*d] {
			shares[l] += v * float64(x) / size
		}
		for c := range classes {
			targets[c] += v * left[i*classes+c] / size
		}
	}
	for i, v := range column {
		row := rest[i*d : (i+1)*d]
		for l := range row {
			row[l] -= float32(v * shares[l])
		}
		for c := range classes {
			left[i*classes+c] -= v * targets[c]
		}
	}
}

// kernelError is the [RidgeError] of an RBF kernel on columns of z, in plain float64, on mostTried rows at the most, evenly spread.
func kernelError(z []float32, d int, targets []float64, classes int, columns []int) float64 {
	n := len(z) / d
	rows := make([]int, min(n, mostTried))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	kernel := mat.NewSymDense(len(rows), nil)
	for a, i := range rows {
		for b, l := range rows[:a+1] {
			distance := 0.0
			for _, j := range columns {
				v := float64(z[i*d+j]) - float64(z[l*d+j])
				distance += v * v
			}
			v := math.Exp(-distance/float64(len(columns))) + 1
			if a == b {
				v += kernelErrorRidge / float64(len(columns))
			}
			kernel.SetSym(a, b, v)
		}
	}
	t := mat.NewDense(len(rows), classes, nil)
	for a, i := range rows {
		t.SetRow(a, targets[i*classes:(i+1)*classes])
	}
	var factor mat.Cholesky
	if !factor.Factorize(kernel) {
		return math.Inf(1) // not reached: the ridge makes it positive definite
	}
	var inverse mat.SymDense
	var fitted mat.Dense
	if factor.InverseTo(&inverse) != nil || factor.SolveTo(&fitted, t) != nil {
		return math.Inf(1)
	}
	sum := 0.0
	for a := range rows {
		for c := range classes {
			e := fitted.At(a, c) / inverse.At(a, a)
			sum += e * e
		}
	}
	return sum / float64(len(rows))
}
