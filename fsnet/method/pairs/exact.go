package pairs

import (
	"math"
	"slices"

	"fsnetlab/fsnet/nn"
)

// testExact tests a pair of columns of z in 64 bits. It returns the kind that is
// more significant. If neither kind is significant after correction for all
// pairs, it returns false.
func (t *table) testExact(i, j int) (Pair, bool) {
	zi, zj := nn.Widen(t.column(i)), nn.Widen(t.column(j))
	g := t.dot(zi, zj)
	if math.Abs(g) >= copies {
		return Pair{}, false
	}
	product, si, sj := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	for k := range zi {
		product[k], si[k], sj[k] = zi[k]*zj[k], zi[k]*zi[k], zj[k]*zj[k]
	}
	p := Pair{I: t.order[i], J: t.order[j]}

	one, other := t.newRest(), t.newRest()
	one.add(zi, leastRest)
	other.add(zj, leastRest)
	li, lj := one.lambda(), other.lambda()
	p.Alone = [2]float64{1 - li, 1 - lj}
	alone := t.n - 1 - t.q
	for k, share := range p.Alone {
		p.AloneP[k] = min(1, t.survival(share, alone)*float64(len(t.order)))
	}
	one.add(zj, leastRest)
	best := false
	note := func(kind Kind, share float64, f int) {
		share = min(max(share, 0), 1-1e-15)
		if gain := gain(share, f); !best || gain > p.Gain {
			p.Kind, p.Share, p.Gain, best = kind, share, gain, true
			p.F = t.statistic(share, f)
			p.P = min(1, t.survival(share, f)*float64(t.pairs()))
		}
	}
	if both := one.lambda(); both < li*lj {
		note(Together, 1-both/min(li, lj), t.degreesOfFreedom())
	}

	share := one.shareOf(product)
	one.add(si, leastOwn)
	one.add(sj, leastOwn)
	if one.shareOf(product) > ownProduct*share {
		note(Product, share, t.degreesOfFreedom())
	}
	if p.I > p.J {
		p.I, p.J = p.J, p.I
		slices.Reverse(p.Alone[:])
		slices.Reverse(p.AloneP[:])
	}
	return p, best && p.P < Level
}

// rest computes how much of the targets some columns leave unexplained. It
// holds the columns as an orthonormal basis, and their products with the
// targets.
type rest struct {
	t     *table
	basis [][]float64
	cross [][]float64 // q numbers for each column of basis
}

// newRest returns a rest with an empty basis, so all of the targets remain.
func (t *table) newRest() *rest { return &rest{t: t} }

// add centres a column and adds it to the basis. If the basis leaves less than
// the share least of its variance, add returns false and does not change the
// basis.
func (r *rest) add(column []float64, least float64) bool {
	own := slices.Clone(column)
	mean := 0.0
	for i, v := range own {
		mean += r.t.weights[i] * v
	}
	mean /= float64(r.t.n)
	for i := range own {
		own[i] -= mean
	}
	whole := r.t.dot(own, own)
	for range 2 { // Repeat it to remove what rounding left.
		for _, other := range r.basis {
			along := r.t.dot(own, other)
			for i := range own {
				own[i] -= along * other[i]
			}
		}
	}
	size := r.t.dot(own, own)
	if whole == 0 || size < least*whole {
		return false
	}
	cross := make([]float64, r.t.q)
	for i := range own {
		own[i] /= math.Sqrt(size)
	}
	for o, target := range r.t.targets {
		cross[o] = r.t.dot(own, target)
	}
	r.basis, r.cross = append(r.basis, own), append(r.cross, cross)
	return true
}

// shareOf returns ρ² of a column, given the basis, without changing the basis.
// If the column is almost a copy of the basis, it returns 0.
func (r *rest) shareOf(column []float64) float64 {
	before, size := r.lambda(), len(r.basis)
	if !r.add(column, leastOwn) {
		return 0
	}
	share := 1 - r.lambda()/before
	r.basis, r.cross = r.basis[:size], r.cross[:size]
	return share
}

// lambda returns the determinant of the covariance of the targets that the
// basis does not explain. It is det(I − CCᵀ) with the products C, by Gaussian
// elimination.
func (r *rest) lambda() float64 {
	size := len(r.cross)
	m := make([][]float64, size)
	for a := range m {
		m[a] = make([]float64, size)
		for b := range m[a] {
			for o, v := range r.cross[a] {
				m[a][b] -= v * r.cross[b][o]
			}
		}
		m[a][a]++
	}

	determinant := 1.0
	for a := range m {
		pivot := max(m[a][a], 1e-15)
		determinant *= pivot
		for b := a + 1; b < size; b++ {
			factor := m[b][a] / pivot
			for c := a; c < size; c++ {
				m[b][c] -= factor * m[a][c]
			}
		}
	}
	return determinant
}
