package stepwise

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
)

// clipAt is the largest distance of a value from its column's mean, in standard deviations.
const clipAt = 3.0

// ReadRows returns what the closed forms read of the training rows t, to stand below Φ: of few rows
// the clipped rows, of many their moments G and B. Its error comes from reading t.
func ReadRows(t embedding.Table, y embedding.Target) ([]float32, error) {
	few := len(y.Y) < config.FewRows
	switch t := t.(type) {
	case embedding.Dense:
		if few {
			return clipColumns(t.X, t.D, y.Weights), nil
		}
		return moments(t.X, t.D, y), nil
	case embedding.SparseTable:
		if few {
			break
		}
		return sparseMoments(t, y)
	}
	x, d := make([]float32, len(y.Y)*t.Width()), t.Width()
	err := t.Each(func(i, from int, values []float32) { copy(x[i*d+from:], values) })
	if few {
		return clipColumns(x, d, y.Weights), err
	}
	return moments(x, d, y), err
}

// moments returns G = ZᵀZ/n, d×d, and B = TᵀZ/n, C×d. Z is x clipped at three standard deviations
// and standardised again; T are the weighted targets. If rows have weights, both are multiplied by
// √w.
func moments(x []float32, d int, y embedding.Target) []float32 {
	n, outputs := len(y.Y), y.Outputs()
	z := clipColumns(x, d, y.Weights)
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

// rowWeight returns the weight of row i, 1 if weights is nil.
func rowWeight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// clipColumns returns x, rows×d, with its columns standardised, clipped at [clipAt] and
// standardised again. If rows have weights, whose mean is 1, means and variances are weighted and
// rows multiplied by √w, so that products of columns are weighted too.
func clipColumns(x []float32, d int, weights []float64) []float32 {
	z, n := slices.Clone(x), len(x)/d
	standardise := func(j int) {
		mean, square := 0.0, 0.0
		for i := range n {
			mean += rowWeight(weights, i) * float64(z[i*d+j]) / float64(n)
		}
		for i := range n {
			square += rowWeight(weights, i) * (float64(z[i*d+j]) - mean) * (float64(z[i*d+j]) - mean) / float64(n)
		}
		scale := math.Sqrt(square)
		if scale == 0 {
			scale = 1
		}
		for i := range n {
			z[i*d+j] = float32((float64(z[i*d+j]) - mean) / scale)
		}
	}
	for j := range d {
		standardise(j)
		for i := range n {
			z[i*d+j] = min(max(z[i*d+j], -clipAt), clipAt)
		}
		standardise(j)
	}
	for i, w := range weights {
		for j := range d {
			z[i*d+j] = float32(math.Sqrt(w) * float64(z[i*d+j]))
		}
	}
	return z
}
