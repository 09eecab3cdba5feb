package forward

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// radial is a kernel ridge on the chosen columns, and what each further one would make of it.
type radial struct {
	n, k    int
	lambda  float64
	target  target
	choice  *choice
	chosen  []float64 // n×n: exp(−|z_i − z_i'|²/K) of the chosen ones, above the diagonal
	scratch sync.Pool // of n×n
}

func newRadial(columns [][]float64, t target, k int, lambda float64) *radial {
	n := len(columns[0])
	r := &radial{n: n, k: k, lambda: lambda / float64(k), target: t, choice: newChoice(columns), chosen: make([]float64, n*n)}
	for i := range r.chosen {
		r.chosen[i] = 1
	}
	r.scratch.New = func() any { return make([]float64, n*n) }
	return r
}

// times is the kernel of the chosen columns, of which a further one is among them.
func (r *radial) times(kernel []float64, x []float64) {
	for i, a := range x {
		for l := i + 1; l < r.n; l++ {
			difference := a - x[l]
			kernel[i*r.n+l] = r.chosen[i*r.n+l] * math.Exp(-difference*difference/float64(r.k))
		}
	}
}

// error is E with a column added to the chosen ones.
func (r *radial) error(j int) float64 {
	if r.choice.barred[j] {
		return math.Inf(1)
	}
	kernel := r.scratch.Get().([]float64)
	defer r.scratch.Put(kernel) //nolint:staticcheck // a slice's header is nothing beside its n² numbers
	r.times(kernel, r.choice.columns[j])
	return r.ridge(kernel)
}

// ridge is E of the ridge with a kernel, which is overwritten.
func (r *radial) ridge(kernel []float64) float64 {
	n, classes := r.n, r.target.classes
	for i := range n {
		kernel[i*n+i] = 2 + r.lambda
		for l := i + 1; l < n; l++ {
			kernel[i*n+l]++
		}
	}
	var lib lapack.Implementation
	if !lib.Dpotrf(blas.Upper, n, kernel, n) || !lib.Dtrtri(blas.Upper, blas.NonUnit, n, kernel, n) {
		return math.Inf(1) // G is singular for no λ > 0 but by rounding
	}
	// In place of G is now U⁻¹, with G⁻¹ = U⁻¹U⁻ᵀ.
	half, e := make([]float64, n*classes), make([]float64, n*classes) // half: U⁻ᵀT
	for i := range n {
		for l := i; l < n; l++ {
			floats.AddScaled(half[l*classes:(l+1)*classes], kernel[i*n+l], r.target.t[i*classes:(i+1)*classes])
		}
	}
	for i := range n {
		row, own := kernel[i*n+i:(i+1)*n], e[i*classes:(i+1)*classes]
		for l, u := range row {
			floats.AddScaled(own, u, half[(i+l)*classes:(i+l+1)*classes])
		}
		floats.Scale(1/floats.Dot(row, row), own)
	}
	return r.target.of(e)
}

// radial chooses by the form with a kernel, from the pool of the columns that say most on their own.
func (m Ridge) radial(ctx context.Context, w *baseline.Work, columns [][]float64, relevance []float64) ([]baseline.Feature, error) {
	pool := places.Falling(relevance)
	pool = pool[:min(len(pool), max(m.Pool, w.K))]
	slices.Sort(pool) // so that ties go to the first column
	rows, t := drawn(w, m.Rows)
	r := newRadial(rowsOf(columns, pool, rows), t, w.K, m.Lambda)
	for len(r.choice.taken) < w.K {
		errors, err := w.Quiet().ForEach(ctx, len(pool), 1, r.error)
		if err != nil {
			return nil, err
		}
		if !r.choice.next(errors) {
			break
		}
		r.times(r.chosen, r.choice.columns[r.choice.taken[len(r.choice.taken)-1].Index])
		w.Report(len(r.choice.taken), w.K)
	}
	chosen := r.choice.taken
	for i := range chosen {
		chosen[i].Index = pool[chosen[i].Index]
	}
	return chosen, nil
}

// drawn are some rows, all where there are no more, and what is predicted of them.
func drawn(w *baseline.Work, most int) ([]int, target) {
	rows := places.All(len(w.Data.Rows))
	if len(rows) > most {
		rows = rng.New(w.Seed, "forward-ridge rows", uint64(most)).Perm(len(rows))[:most]
		slices.Sort(rows)
	}
	return rows, targetOf(w.Data, rows)
}
