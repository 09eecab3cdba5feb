package comparators

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/num"
)

// KernelRidge is kernel ridge regression on every feature, with a Gaussian
// kernel. For n training rows x_i and quantities t_i with mean t̄
//
//	t̂(x) = t̄ + Σ_i a_i k(x, x_i)      (G + αI) a = t − t̄      G_ii' = k(x_i, x_i') = exp(−|x_i − x_i'|²/d)
//
// α is chosen from 0.01, 0.03, 0.1, 0.3, 1, 3 and 10 by the smallest
// leave-one-out error Σ_i (a_i/((G + αI)⁻¹)_ii)² on at most 1000 training
// rows, evenly spaced. Features should have variance 1. There are no
// settings. Classes are rejected.
type KernelRidge struct{}

// chosenOn is the number of rows that are used to choose α.
const chosenOn = 1000

// Entry describes kernel-ridge.
func (KernelRidge) Entry() baseline.Entry {
	return baseline.Entry{Name: "kernel-ridge", Version: 1, About: "kernel ridge regression, on every feature", Predicts: true,
		Regression: true, Square: true}
}

// Fit learns quantities. o.K must be 0. It rejects classes.
func (m KernelRidge) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(m, data, o, "kernel")
	if err != nil {
		return nil, err
	}
	if !data.Regression() {
		return nil, w.Refusal("give quantities", "it estimates quantities, not classes")
	}

	e := &kernelEstimator{mean: floats.Sum(data.Target) / float64(len(data.Target))}
	for _, row := range data.Rows {
		e.rows = append(e.rows, slices.Clone(row))
	}
	t := slices.Clone(data.Target)
	floats.AddConst(-e.mean, t)

	some := num.Indices(min(len(t), chosenOn))
	var x [][]float64
	var of []float64
	for i := range some {
		at := i * len(t) / len(some)
		x, of = append(x, e.rows[at]), append(of, t[at])
	}

	least, best := math.Inf(1), 1.0
	for _, alpha := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10} {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		if missed := leaveOneOut(x, of, alpha); missed < least {
			least, best = missed, alpha
		}
	}

	factor := ridgeFactor(e.rows, best)
	var a mat.VecDense
	if err := factor.SolveVecTo(&a, mat.NewVecDense(len(t), t)); err != nil {
		return nil, w.Refusal("leave rows out that repeat others", "its kernel is singular: %v", err)
	}

	e.weights = a.RawVector().Data
	model := w.Filled(nil, nil)
	model.Regressor = e
	return model, nil
}

// leaveOneOut returns the sum of squared leave-one-out errors with the
// penalty alpha. It returns +Inf if rounding makes the kernel singular.
func leaveOneOut(x [][]float64, t []float64, alpha float64) float64 {
	factor := ridgeFactor(x, alpha)
	var inverse mat.SymDense
	var a mat.VecDense
	if factor.InverseTo(&inverse) != nil || factor.SolveVecTo(&a, mat.NewVecDense(len(t), slices.Clone(t))) != nil {
		return math.Inf(1)
	}

	sum := 0.0
	for i := range t {
		missed := a.AtVec(i) / inverse.At(i, i)
		sum += missed * missed
	}
	return sum
}

// ridgeFactor returns the Cholesky factor of G + αI.
func ridgeFactor(x [][]float64, alpha float64) *mat.Cholesky {
	g := mat.NewSymDense(len(x), nil)
	for i := range x {
		for j := range i + 1 {
			g.SetSym(i, j, gaussianKernel(x[i], x[j]))
		}
		g.SetSym(i, i, 1+alpha)
	}
	var factor mat.Cholesky
	factor.Factorize(g) // α makes it positive definite
	return &factor
}

// gaussianKernel returns exp(−|x − y|²/d).
func gaussianKernel(x, y []float64) float64 {
	distance := 0.0
	for j, v := range x {
		distance += (v - y[j]) * (v - y[j])
	}
	return math.Exp(-distance / float64(len(x)))
}

// kernelEstimator estimates a quantity from the kernels of a row with each
// training row.
type kernelEstimator struct {
	rows    [][]float64
	weights []float64
	mean    float64
}

var _ baseline.Regressor = (*kernelEstimator)(nil)

// Estimate returns t̂ of a row.
func (e *kernelEstimator) Estimate(row []float64) float64 {
	sum := e.mean
	for i, x := range e.rows {
		sum += e.weights[i] * gaussianKernel(row, x)
	}
	return sum
}

// Parameters counts the values of the rows, their weights and the mean.
func (e *kernelEstimator) Parameters() int { return len(e.rows)*(len(e.rows[0])+1) + 1 }
