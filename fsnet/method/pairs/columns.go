package pairs

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"fsnetlab/fsnet/method/embedding"
)

// clipAt is the largest distance of a value from the mean of its column, in
// standard deviations.
const clipAt = 3.0

// table holds the columns that vary, ready for the tests.
type table struct {
	n, q int
	// z holds the columns that vary, n numbers each, with weighted mean 0 and
	// variance 1. The first nonzero value of each is positive.
	z       []float32
	order   []int       // the column of the caller for each column of z, sorted by content
	targets [][]float64 // q, orthonormal: the weighted mean of t_a t_b is 1 if a = b, and 0 otherwise
	weights []float64   // n, with mean 1
	rooted  bool        // whether rows have different weights
}

// newTable standardises the columns and computes the targets.
func newTable(x []float32, d int, y embedding.Target) *table {
	n := len(y.Y)
	t := &table{n: n, weights: make([]float64, n), rooted: y.Weights != nil}
	for i := range t.weights {
		t.weights[i] = y.Weight(i)
	}
	columns, column := make([][]float32, d), make([]float64, n)
	for j := range d {
		for i := range column {
			column[i] = float64(x[i*d+j])
		}
		if !t.standardise(column) {
			continue
		}
		columns[j] = make([]float32, n)
		sign := 1.0
		if first := slices.IndexFunc(column, func(v float64) bool { return v != 0 }); column[first] < 0 {
			sign = -1
		}
		for i, v := range column {
			columns[j][i] = float32(sign * v)
		}
		t.order = append(t.order, j)
	}

	slices.SortStableFunc(t.order, func(a, b int) int { return slices.Compare(columns[a], columns[b]) })
	t.z = make([]float32, 0, len(t.order)*n)
	t.targets = t.targetsOf(y, t.pairs())
	t.q = len(t.targets)
	for _, j := range t.order {
		t.z = append(t.z, columns[j]...)
	}
	return t
}

// pairs returns the number of pairs of columns.
func (t *table) pairs() int { return len(t.order) * (len(t.order) - 1) / 2 }

// standardise gives a column weighted mean 0 and variance 1, clips it at three
// standard deviations and standardises it again. If the column is constant, it
// returns false.
func (t *table) standardise(column []float64) bool {
	if !t.scale(column) {
		return false
	}
	for i, v := range column {
		column[i] = min(max(v, -clipAt), clipAt)
	}
	return t.scale(column)
}

// scale gives a column weighted mean 0 and variance 1. If the column is
// constant, it returns false. The arithmetic is the same for a column and its
// negative.
func (t *table) scale(column []float64) bool {
	mean, most, square := 0.0, 0.0, 0.0
	for i, v := range column {
		mean += t.weights[i] * v
		most = max(most, math.Abs(v))
	}

	mean /= float64(t.n)
	for i := range column {
		column[i] -= mean
		square += t.weights[i] * column[i] * column[i]
	}

	deviation := math.Sqrt(square / float64(t.n))
	if deviation <= 1e-6*most {
		return false
	}
	for i := range column {
		column[i] /= deviation
	}
	return true
}

// targetsOf returns orthonormal targets for a test of this many pairs: the
// quantity, standardised and clipped, or a basis of the testable classes.
func (t *table) targetsOf(y embedding.Target, pairs int) (basis [][]float64) {
	if y.Quantity != nil {
		quantity := slices.Clone(y.Quantity)
		if !t.standardise(quantity) {
			return nil
		}
		return [][]float64{quantity}
	}
	for _, c := range testable(y.Y, t.weights, pairs) {
		column := make([]float64, t.n)
		for i, own := range y.Y {
			if own == c {
				column[i] = 1
			}
		}

		t.scale(column)
		for range 2 { // Repeat it to remove what rounding left.
			for _, other := range basis {
				along := t.dot(column, other)
				for i := range column {
					column[i] -= along * other[i]
				}
			}
		}
		if t.scale(column) {
			basis = append(basis, column)
		}
	}
	return basis
}

// testable returns the classes that a test of this many pairs can distinguish
// from the others, in the order of their first rows. A class of m among n rows
// is one of C(n, m) possible sets of rows. If there are only a few such sets,
// the product of some pair is large in exactly the rows of the class, even with
// random labels: among 10⁷ pairs one always matches 3 of 25 rows. So a class is
// testable if there are at least as many sets as pairs divided by the level. If
// all classes are testable, the last one follows from the others and is left
// out.
func testable(y []int, weights []float64, pairs int) []int {
	sizes, n := map[int]int{}, 0
	var all, some []int
	for i, c := range y {
		if weights[i] == 0 {
			continue
		}
		if sizes[c] == 0 {
			all = append(all, c)
		}
		sizes[c]++
		n++
	}

	for _, c := range all {
		if combin.LogGeneralizedBinomial(float64(n), float64(sizes[c])) >= math.Log(float64(pairs)/Level) {
			some = append(some, c)
		}
	}
	if len(some) == len(all) {
		return some[:max(0, len(some)-1)]
	}
	return some
}

// dot returns the weighted mean of the product of two columns.
func (t *table) dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += t.weights[i] * v * b[i]
	}
	return sum / float64(t.n)
}

// column returns a column of z.
func (t *table) column(at int) []float32 { return t.z[at*t.n : (at+1)*t.n] }
