package deep

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
)

// knockoffs draws second-order knockoffs (Candès, Fan, Janson, Lv 2018) of
// rows. It treats rows as drawn from a normal distribution with mean 0 and
// covariance Σ with ones on its diagonal. The knockoffs x̃ are such that (x,
// x̃) has
//
//	mean 0, covariance (Σ, Σ − sI; Σ − sI, Σ),  s = min(1, 2 λ_min(Σ))
//
// (equicorrelated): x̃ = x (I − sΣ⁻¹) + z C^{1/2}, C = 2sI − s²Σ⁻¹, z ~ N(0,
// I). With Σ = V Λ Vᵀ both matrices have the form V f(Λ) Vᵀ.
type knockoffs struct {
	s           float64
	mean, noise *mat.Dense // p×p, both symmetric: I − sΣ⁻¹ and C^{1/2}
}

// leastShrunk is the smallest share of the identity in Σ. It makes Σ
// invertible even if columns repeat one another.
const leastShrunk = 1e-3

// newKnockoffs returns the knockoffs for a covariance. ok is false if its
// eigenvalues cannot be found, or are not all above 0.
func newKnockoffs(sigma *mat.SymDense) (k knockoffs, ok bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(sigma, true) {
		return k, false
	}

	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	k.s = min(1, 2*values[0]) // values are ascending
	of := func(f func(lambda float64) float64) *mat.Dense {
		scaled := mat.DenseCopyOf(&vectors)
		scaled.Apply(func(_, j int, v float64) float64 { return v * f(values[j]) }, scaled)
		product := new(mat.Dense)
		product.Mul(scaled, vectors.T())
		return product
	}

	k.mean = of(func(lambda float64) float64 { return 1 - k.s/lambda })
	k.noise = of(func(lambda float64) float64 { return math.Sqrt(max(0, 2*k.s-k.s*k.s/lambda)) })
	return k, k.s > 0
}

// draw draws the knockoffs of rows, n×p.
func (k knockoffs) draw(x *mat.Dense, random *rand.Rand) *mat.Dense {
	n, p := x.Dims()
	z := mat.NewDense(n, p, nil)
	z.Apply(func(int, int, float64) float64 { return random.NormFloat64() }, z)

	var mean, noise mat.Dense
	mean.Mul(x, k.mean)
	noise.Mul(z, k.noise)
	mean.Add(&mean, &noise)
	return &mean
}

// standardizedColumns returns the columns with mean 0 and variance 1
// (divided by n), as n×p.
func standardizedColumns(columns [][]float64) *mat.Dense {
	x := mat.NewDense(len(columns[0]), len(columns), nil)
	for j, column := range columns {
		scaled := slices.Clone(column)
		baseline.Standardize(scaled)
		x.SetCol(j, scaled)
	}
	return x
}

// shrunkCovariance returns the covariance of standardised rows as Ledoit and
// Wolf (2004) estimate it for few rows: S = xᵀx/n, shrunk towards the
// identity,
//
//	Σ = (1 − δ) S + δ I,  δ = min(1, mean over i of ‖x_i x_iᵀ − S‖² / n / ‖S − I‖²)
//
// with Frobenius norms. δ is at least leastShrunk.
func shrunkCovariance(x *mat.Dense) (sigma *mat.SymDense, delta float64) {
	n, p := x.Dims()
	sigma = mat.NewSymDense(p, nil)
	sigma.SymOuterK(1/float64(n), x.T())
	// Σ_i ‖x_i x_iᵀ − S‖² = Σ_i ‖x_i‖⁴ − n ‖S‖²
	fourth, size, distance := 0.0, 0.0, 0.0
	for i := range n {
		square := 0.0
		for _, v := range x.RawRowView(i) {
			square += v * v
		}
		fourth += square * square
	}

	for a := range p {
		for b := range p {
			v := sigma.At(a, b)
			size += v * v
			if a == b {
				v--
			}
			distance += v * v
		}
	}

	delta = 1.0
	if distance > 0 {
		delta = min(1, max(leastShrunk, (fourth/float64(n)-size)/float64(n)/distance))
	}

	for a := range p {
		for b := a; b < p; b++ {
			v := (1 - delta) * sigma.At(a, b)
			if a == b {
				v += delta
			}
			sigma.SetSym(a, b, v)
		}
	}
	return sigma, delta
}

// knockoffThreshold returns the threshold of knockoff+ for a false discovery
// rate q: the smallest t with (1 + #{w ≤ −t}) ≤ q #{w ≥ t}. It returns +Inf
// if nothing can be selected.
func knockoffThreshold(w []float64, q float64) float64 {
	var sizes []float64
	for _, v := range w {
		if v != 0 {
			sizes = append(sizes, math.Abs(v))
		}
	}
	slices.Sort(sizes)
	for _, t := range sizes {
		above, below := 0, 1
		for _, v := range w {
			if v >= t {
				above++
			}
			if v <= -t {
				below++
			}
		}
		if float64(below) <= q*float64(above) {
			return t
		}
	}
	return math.Inf(1)
}
