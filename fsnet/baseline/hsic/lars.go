package hsic

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
)

// nonNegativeLARS follows min_β ½‖y − Xβ‖² + λ Σ β, β ≥ 0, from the λ at which β = 0 down to where k features are in and one more would
// enter, or to where the path ends, and returns the features with β > 0 by falling β.
//
// It needs no X: xty is Xᵀy, and products gives Xᵀx_j of a feature that enters, which it is told of once, and how many are in with it.
// An active feature's correlation c_j = x_jᵀ(y − Xβ) is λ, that of others is lower; w = (X_AᵀX_A)⁻¹ 1 is the direction in which all
// active correlations fall alike, until another reaches them, a coefficient becomes 0, or they do. A feature whose column is a copy of
// an active one, or a combination of them, never enters.
func nonNegativeLARS(xty []float64, k int, products func(feature, entered int) ([]float64, error)) ([]baseline.Feature, error) {
	p := &path{xty: xty, c: slices.Clone(xty), gram: map[int][]float64{}, out: make([]bool, len(xty)), products: products}
	next := -1
	for j, c := range xty {
		if c > end && (next < 0 || c > xty[next]) {
			next = j
		}
	}
	for next >= 0 || len(p.active) > 0 {
		if next >= 0 {
			if len(p.active) == k {
				break
			}
			if err := p.enter(next); err != nil {
				return nil, err
			}
		}
		if len(p.active) == 0 || p.c[p.active[0]] < end {
			break
		}
		var done bool
		if next, done = p.step(); done {
			break
		}
	}
	var selected []baseline.Feature
	for i, j := range p.active {
		if p.beta[i] > 0 { // one that enters where the path ends has none
			selected = append(selected, baseline.Feature{Index: j, Score: p.beta[i]})
		}
	}
	slices.SortStableFunc(selected, func(a, b baseline.Feature) int { return cmp.Compare(b.Score, a.Score) })
	return selected, nil
}

const (
	end   = 1e-9 // a correlation that is none, as in pyHSICLasso
	aside = 1e-6 // how much slower the correlation of a column must fall than the active ones' for it to be no copy of them
)

type path struct {
	xty, c   []float64 // of all features
	active   []int
	beta     []float64         // of the active ones
	gram     map[int][]float64 // Xᵀx_j of every feature that was active
	out      []bool            // features that are active, or never will be
	products func(feature, entered int) ([]float64, error)
	factor   mat.Cholesky // of X_AᵀX_A
}

// enter makes a feature active unless it depends on those that are.
func (p *path) enter(feature int) error {
	if p.gram[feature] == nil {
		column, err := p.products(feature, len(p.active)+1)
		if err != nil {
			return err
		}
		p.gram[feature] = column
	}
	p.out[feature] = true
	p.active = append(p.active, feature)
	p.beta = append(p.beta, 0)
	if !p.factorize() {
		p.active = p.active[:len(p.active)-1]
		p.beta = p.beta[:len(p.beta)-1]
		p.factorize()
	}
	return nil
}

// factorize reports whether the active columns are independent.
func (p *path) factorize() bool {
	if len(p.active) == 0 {
		return true
	}
	g := mat.NewSymDense(len(p.active), nil)
	for a, i := range p.active {
		for b, j := range p.active[:a+1] {
			g.SetSym(a, b, p.gram[j][i])
		}
	}
	return p.factor.Factorize(g) && p.factor.Cond() < 1e12
}

// step goes on to the next event. It returns the feature that is to enter, or -1 where one left; done at the end of the path.
func (p *path) step() (next int, done bool) {
	ones := mat.NewVecDense(len(p.active), nil)
	for a := range p.active {
		ones.SetVec(a, 1)
	}
	w := mat.NewVecDense(len(p.active), nil)
	if err := p.factor.SolveVecTo(w, ones); err != nil {
		return -1, true
	}
	columns, direction := p.columns(), w.RawVector().Data
	level := p.c[p.active[0]]
	length, next, leaves := level, -1, -1 // until the active correlations are 0
	for j, c := range p.c {
		if p.out[j] {
			continue
		}
		slope := 0.0
		for a, column := range columns {
			slope += column[j] * direction[a]
		}
		if 1-slope < aside {
			continue
		}
		if until := (level - c) / (1 - slope); until > end && until < length {
			length, next = until, j
		}
	}
	for a, beta := range p.beta {
		if until := -beta / w.AtVec(a); until > end && until < length {
			length, next, leaves = until, -1, a
		}
	}
	for a := range p.beta {
		p.beta[a] += length * w.AtVec(a)
	}
	if leaves >= 0 {
		p.out[p.active[leaves]] = false
		p.active = slices.Delete(p.active, leaves, leaves+1)
		p.beta = slices.Delete(p.beta, leaves, leaves+1)
		if !p.factorize() {
			return -1, true
		}
	}
	columns = p.columns()
	for j := range p.c {
		p.c[j] = p.xty[j]
		for a, column := range columns {
			p.c[j] -= column[j] * p.beta[a]
		}
	}
	return next, next < 0 && leaves < 0 || math.IsNaN(level)
}

// columns are Xᵀx_i of the active features.
func (p *path) columns() [][]float64 {
	columns := make([][]float64, len(p.active))
	for a, i := range p.active {
		columns[a] = p.gram[i]
	}
	return columns
}
