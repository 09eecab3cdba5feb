package stepwise

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
)

// clipAt is the largest distance of a value from the mean of its column, in
// standard deviations.
const clipAt = 3.0

// ReadRows returns what the closed forms need of the training rows t, to be
// appended below Φ. If there are few rows, these are the clipped rows, n×d.
// Otherwise these are their moments G and B, (d+C)×d. If t cannot be read, it
// returns an error.
func ReadRows(t embedding.Table, y embedding.Target) ([]float32, error) {
	few, d := len(y.Y) < config.FewRows, t.Width()
	if sparse, ok := t.(embedding.SparseTable); ok && !few {
		return sparseMoments(sparse, y)
	}
	dense, ok := t.(embedding.Dense)
	if !ok {
		dense.X = make([]float32, len(y.Y)*d)
		if err := t.Each(func(i, from int, values []float32) { copy(dense.X[i*d+from:], values) }); err != nil {
			return nil, err
		}
	}
	if few {
		return clipColumns(dense.X, d, y), nil
	}
	return moments(dense.X, d, y), nil
}

// moments returns G = ZᵀZ/n, d×d, and B = TᵀZ/n, C×d. Z is x clipped at
// three standard deviations and standardised again. T are the weighted
// targets. If rows have weights, both are multiplied by √w.
func moments(x []float32, d int, y embedding.Target) []float32 {
	n, outputs := len(y.Y), y.Outputs()
	z := clipColumns(x, d, y)
	targets := make([]float32, n*outputs)
	for i, v := range targetsOf(y) {
		targets[i] = float32(v)
	}

	out := make([]float32, (d+outputs)*d)
	matrix := func(rows, columns int, data []float32) blas32.General {
		return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
	}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1/float32(n), matrix(n, d, z), matrix(n, d, z), 0, matrix(d, d, out[:d*d]))
	blas32.Gemm(blas.Trans, blas.NoTrans, 1/float32(n), matrix(n, outputs, targets), matrix(n, d, z), 0, matrix(outputs, d, out[d*d:]))
	return out
}

// clipColumns returns x, rows×d, with its columns standardised, clipped at
// [clipAt] and standardised again. If rows have weights, with mean 1, means
// and variances are weighted and rows multiplied by √w, so that products of
// columns are weighted, too.
func clipColumns(x []float32, d int, y embedding.Target) []float32 {
	z, n := make([]float32, len(x)), len(x)/d
	column := make([]float64, n)
	for j := range d {
		for i := range n {
			column[i] = float64(x[i*d+j])
		}
		c := clippingOf(column, y)
		for i := range n {
			z[i*d+j] = c.apply(x[i*d+j])
			if y.Weights != nil {
				z[i*d+j] = float32(math.Sqrt(y.Weights[i]) * float64(z[i*d+j]))
			}
		}
	}
	return z
}
