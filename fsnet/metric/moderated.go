package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// ModeratedF scores each of the d columns of x (n×d, row-major) by how far
// the class means are apart. Its F statistic shrinks the variance of each
// column towards that of the others, so that a column that happens to vary
// little in a few rows does not come first.
//
//	F_j = Σ_c n_c (x̄_jc − x̄_j)² / (C − 1) / ṽ_j      ṽ_j = (d₀ s₀² + f v_j) / (d₀ + f)
//	v_j = Σ_c Σ_{i ∈ c} (x_ij − x̄_jc)² / f           f = max(1, n − C)
//
// C is the number of classes that have rows. d₀ and s₀² make v_j/s₀² follow
// the F distribution with f and d₀ degrees of freedom. They come from the
// moments of log v_j: with e_j = log v_j − ψ(f/2) + log(f/2),
//
//	ψ′(d₀/2) = max(Var e − ψ′(f/2), 0.001)          log s₀² = ē + ψ(d₀/2) − log(d₀/2)
//
// Columns should share one scale, because each lends its variance to the
// others. For columns scaled to variance 1 it ranks them as F does, since
// both then depend only on the variance between the classes, but its largest
// values are closer together. A v_j below 1e-5 of the median counts as that
// much in the moments. A constant column has F = 0 and is left out of the
// moments. If all rows are of one class, every column has F = 0. If no class
// has two rows, all v_j are 0 and F ranks columns by the variance of their
// rows.
//
// It is eBayes of limma: G. Smyth, Linear models and empirical Bayes methods
// for assessing differential expression in microarray experiments,
// Statistical Applications in Genetics and Molecular Biology 3 (2004).
func ModeratedF[F float32 | float64](x []F, d int, y []int, classes int) []float64 {
	mustMatch(len(x), len(y)*d)
	f, _ := WeightedF(rowsOf(x, d, len(y)), d, y, nil, classes) // rows in memory can be read without an error
	return f
}

// rowsOf returns a function that calls look with each of the n rows of x.
func rowsOf[F float32 | float64](x []F, d, n int) func(look func(i, from int, values []F)) error {
	return func(look func(i, from int, values []F)) error {
		for i := range n {
			look(i, 0, x[i*d:(i+1)*d])
		}
		return nil
	}
}

// WeightedF is [ModeratedF] of rows that are read in two passes. In each
// pass, each must call look with row i, for every row in order, either whole
// or in stretches of columns that begin at from. Calls for different
// stretches may run concurrently. WeightedF returns the error of each.
//
// weights must be positive with mean 1. They count in means, n_c and sums of
// squares, but degrees of freedom count rows. If weights is nil, every row
// has weight 1.
func WeightedF[F float32 | float64](each func(look func(i, from int, values []F)) error, d int, y []int, weights []float64,
	classes int) ([]float64, error) {
	n := len(y)
	between, within, present, err := spreads(each, d, y, weights, classes)
	if present < 2 || err != nil {
		return make([]float64, d), err
	}

	freedom := float64(max(1, n-present))
	var varying []int
	var variances []float64
	for j := range d {
		if between[j]+within[j] > 0 {
			varying, variances = append(varying, j), append(variances, within[j]/freedom)
		}
	}

	scores := make([]float64, d)
	for k, v := range moderate(variances, freedom) {
		scores[varying[k]] = between[varying[k]] / float64(present-1) / v
	}
	return scores, nil
}

// spreads returns the sums of squares of each column between its classes and
// within them, and the number of classes that have rows. The sums of a
// constant column are 0.
func spreads[F float32 | float64](each func(look func(i, from int, values []F)) error, d int, y []int,
	weights []float64, classes int) (between, within []float64, present int, err error) {
	means, sizes := make([]float64, classes*d), make([]float64, classes)
	firsts, constants := make([]F, d), make([]bool, d)
	for j := range constants {
		constants[j] = true
	}

	weight := weigher(weights)
	for i, c := range y {
		sizes[c] += weight(i)
	}
	err = each(func(i, from int, row []F) {
		to := from + len(row)
		mean, first, constant := means[y[i]*d+from:y[i]*d+to], firsts[from:to], constants[from:to]
		if i == 0 {
			copy(first, row)
		}
		w := weight(i)
		for j, v := range row {
			mean[j] += w * float64(v)
			constant[j] = constant[j] && v == first[j]
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}

	whole := make([]float64, d)
	for c, size := range sizes {
		if size == 0 {
			continue
		}
		present++
		for j := range whole {
			whole[j] += means[c*d+j] / float64(len(y))
			means[c*d+j] /= size
		}
	}

	between, within = make([]float64, d), make([]float64, d)
	for c, size := range sizes {
		for j := range d {
			if size > 0 && !constants[j] { // the means of a constant column differ by rounding
				between[j] += size * (means[c*d+j] - whole[j]) * (means[c*d+j] - whole[j])
			}
		}
	}

	err = each(func(i, from int, row []F) {
		to := from + len(row)
		mean, within, constant := means[y[i]*d+from:y[i]*d+to], within[from:to], constants[from:to]
		w := weight(i)
		for j, v := range row {
			if !constant[j] {
				within[j] += w * (float64(v) - mean[j]) * (float64(v) - mean[j])
			}
		}
	})
	return between, within, present, err
}

// moderate shrinks variances, each with the given degrees of freedom,
// towards their common value. Every result is above 0.
func moderate(variances []float64, freedom float64) []float64 {
	const leastPart = 1e-5 // share of the median
	if len(variances) == 0 {
		return nil
	}

	ordered := slices.Sorted(slices.Values(variances))
	floor := leastPart * (ordered[(len(ordered)-1)/2] + ordered[len(ordered)/2]) / 2
	if floor == 0 {
		floor = leastPart // most variances are 0: any small floor will do
	}

	offset := math.Log(freedom/2) - mathext.Digamma(freedom/2)
	mean, spread := 0.0, 0.0
	logs := make([]float64, len(variances))
	for j, v := range variances {
		logs[j] = math.Log(max(v, floor)) + offset
		mean += logs[j] / float64(len(logs))
	}

	for _, e := range logs {
		spread += (e - mean) * (e - mean) / float64(len(logs))
	}

	half := inverseTrigamma(max(spread-trigamma(freedom/2), 1e-3)) // d₀/2
	prior := math.Exp(mean + mathext.Digamma(half) - math.Log(half))

	shrunken := make([]float64, len(variances))
	for j, v := range variances {
		shrunken[j] = (2*half*prior + freedom*v) / (2*half + freedom)
	}
	return shrunken
}

// trigamma returns ψ′(x), x > 0.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns the x > 0 with ψ′(x) = y. 1/ψ′ is convex, nearly
// straight, and above x − ½, so Newton's steps on it approach x from above
// and never pass it.
func inverseTrigamma(y float64) float64 {
	x := 0.5 + 1/y
	for range 50 {
		t := trigamma(x)
		step := t * (1 - t/y) / (-2 * mathext.Zeta(3, x)) // ψ″(x) = −2 ζ(3, x)
		x += step
		if math.Abs(step) <= 1e-14*x {
			break
		}
	}
	return x
}

// weigher returns a function that returns the weight of each row. If weights
// is nil, all are 1.
func weigher(weights []float64) func(row int) float64 {
	if weights == nil {
		return func(int) float64 { return 1 }
	}
	return func(row int) float64 { return weights[row] }
}
