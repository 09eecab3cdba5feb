package repair

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// Constants of the kernel ridge.
const (
	kernelMost  = 600 // Largest number of rows. If there are more, this many evenly spread ones are used.
	kernelRidge = 1.5
)

// kernelRows holds the rows that the kernel ridge uses, and their targets:
// one-hot classes, centred, or the ranks of a quantity.
type kernelRows struct {
	rows    []int
	targets *mat.Dense
}

// kernelRowsOf returns up to kernelMost of n training rows, evenly spread. It
// divides each column of targets by the fourth root of its variance. This gives
// small classes more weight than their share of the rows.
func kernelRowsOf(y embedding.Target, n int) kernelRows {
	k := kernelRows{rows: num.EvenlySpaced(n, kernelMost)}

	columns := targetColumns(y)
	k.targets = mat.NewDense(len(k.rows), len(columns), nil)
	for o, whole := range columns {
		column, mean := make([]float64, len(k.rows)), 0.0
		for at, i := range k.rows {
			column[at] = whole[i]
		}
		for _, v := range column {
			mean += v / float64(len(column))
		}
		square := 0.0
		for at := range column {
			column[at] -= mean
			square += column[at] * column[at] / float64(len(column))
		}
		for at, v := range column {
			k.targets.Set(at, o, v/math.Pow(square+1e-3, 0.25))
		}
	}
	return k
}

// leaveOneOutError returns the squared leave-one-out error of a kernel ridge
// on K features, summed over the rows of the kernel and the targets. The
// kernel is G = exp(−|z − z′|²/K) + 1 + γ δ, with the error (G⁻¹T)/diag G⁻¹.
// z are the standardised values, or the ranks if they are the reading of a
// feature. If G has no inverse, the error is +∞.
func (c *Contest) leaveOneOutError(features []int) float64 {
	n, k := len(c.kernel.rows), len(features)
	z := mat.NewDense(n, k, nil)
	column := make([]float64, c.n)
	for place, j := range features {
		for i := range column {
			column[i] = float64(c.x[i*c.d+j])
		}
		values := column
		if c.ranked[j] {
			values = ranks(column)
		}
		mean, square := 0.0, 0.0
		for _, i := range c.kernel.rows {
			mean += values[i] / float64(n)
		}
		for _, i := range c.kernel.rows {
			square += (values[i] - mean) * (values[i] - mean) / float64(n)
		}
		if square == 0 {
			continue
		}
		for row, i := range c.kernel.rows {
			z.Set(row, place, (values[i]-mean)/math.Sqrt(square))
		}
	}

	g := mat.NewSymDense(n, nil)
	for a := range n {
		for b := range a + 1 {
			distance := 0.0
			for l, v := range z.RawRowView(a) {
				distance += (v - z.At(b, l)) * (v - z.At(b, l))
			}
			g.SetSym(a, b, math.Exp(-distance/float64(k))+1)
		}
		g.SetSym(a, a, g.At(a, a)+kernelRidge)
	}

	var decomposed mat.Cholesky
	if !decomposed.Factorize(g) {
		return math.Inf(1)
	}
	var inverse mat.SymDense
	if decomposed.InverseTo(&inverse) != nil {
		return math.Inf(1)
	}

	var through mat.Dense
	through.Mul(&inverse, c.kernel.targets)

	sum := 0.0
	_, outputs := through.Dims()
	for i := range n {
		for o := range outputs {
			e := through.At(i, o) / inverse.At(i, i)
			sum += e * e
		}
	}
	return sum
}
