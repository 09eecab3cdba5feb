package comparators

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/internal/num"
)

// HSICLasso selects features that together determine the class nonlinearly
// (Yamada et al. 2014):
//
//	min_β ½ ‖L̄ − Σ_j β_j K̄_j‖² + λ Σ_j β_j,  β ≥ 0
//
// K̄_j is the Gaussian kernel exp(−(x_i − x_i′)²/2) of feature j divided by
// its standard deviation, centred and divided by its norm (n×n). L̄ is the
// delta kernel [y_i = y_i′]/n_y of the classes, or the Gaussian kernel of a
// quantity, centred and normed in the same way. Least angle regression
// lowers λ from where β = 0 until K features have entered, as in
// pyHSICLasso, and the results agree. Kernels and their products are
// computed on the device in 32 bits, with sums in 64 bits. The path is
// computed in 64 bits.
//
// The score is β_j. If the path ends early (nothing more lowers the error,
// or λ = 0 is reached), the features with the largest ⟨K̄_j, L̄⟩ fill up K,
// marked as padding.
type HSICLasso struct{}

// HSICBlockLasso is HSIC Lasso on blocks of B rows (Climente-González et al.
// 2019). Its kernels take n·B·M numbers instead of n². The rows are permuted
// M times and each time cut into ⌊n/B⌋ blocks, dropping the remaining rows.
// The kernel of a feature becomes the list of the kernels of its blocks,
// each centred and normed. If the rows form only one block, there is only
// one permutation, as in pyHSICLasso. Fewer than B rows form one block, and
// the result is that of [HSICLasso].
//
// The permutations are a function of the seed. They differ from those of
// pyHSICLasso.
type HSICBlockLasso struct {
	B            int `set:"b,2,1048576" default:"20"`        // rows of a block
	Permutations int `set:"permutations,1,1000" default:"3"` // M

	permutations [][]int // fixed permutations of the rows, for a test
}

// Entry describes hsic-lasso.
func (HSICLasso) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic-lasso", Version: 1, About: "kernel dependence on the class, non-negative lasso",
		Selects: true, Regression: true, Kernels: true, Square: true,
	}
}

// Entry describes hsic-lasso-block.
func (HSICBlockLasso) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic-lasso-block", Version: 1, About: "HSIC Lasso on blocks of rows",
		Selects: true, Regression: true, Kernels: true,
	}
}

// Fit selects K features for classes or a quantity.
func (m HSICLasso) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m HSICLasso) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	return fitHSICLasso(ctx, m, data, o, ks, [][]int{num.Indices(len(data.Rows))})
}

// Fit selects K features for classes or a quantity.
func (m HSICBlockLasso) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m HSICBlockLasso) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	n := len(data.Rows)
	m = baseline.WithDefaults(m)

	m.B = min(m.B, max(n, 1))
	if n < 2*m.B {
		m.Permutations = 1
	}

	if m.permutations == nil {
		for p := range m.Permutations {
			m.permutations = append(m.permutations, num.RNG(o.Seed, "hsic-lasso-block permutation", uint64(p)).Perm(n))
		}
	}

	var blocks [][]int
	for _, order := range m.permutations[:m.Permutations] {
		for ; len(order) >= m.B; order = order[m.B:] {
			blocks = append(blocks, order[:m.B])
		}
	}
	return fitHSICLasso(ctx, m, data, o, ks, blocks)
}

// fitHSICLasso implements the FitPath of both methods on these blocks of
// rows.
func fitHSICLasso(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, ks []int, blocks [][]int) ([]*baseline.Model, error) {
	o.K = ks[len(ks)-1]
	k, relevance, err := beginKernels(ctx, m, data, o, blocks, kernelMemory)
	if err != nil {
		return nil, err
	}
	defer k.close()

	k.Stage = "path"
	paths, err := nonNegativeLARS(relevance, ks, func(feature, entered int) ([]float64, error) {
		list, err := k.listOf(feature)
		if err != nil {
			return nil, err
		}
		defer device.Free(list)
		products, err := k.productsWith(ctx, list)
		k.Report(min(entered, o.K), o.K)
		return products, err
	})
	if err != nil {
		return nil, err
	}

	models := make([]*baseline.Model, len(ks))
	for i, selected := range paths {
		k.K = ks[i]
		models[i] = k.Filled(selected, relevance)
	}
	return models, nil
}

// nonNegativeLARS solves min_β ½‖y − Xβ‖² + λ Σ β, β ≥ 0. It starts from the λ
// at which β = 0 and ends when k features are in and another would enter, or
// when the path ends. ks must rise. For each k it returns the features with β >
// 0 at that point, by falling β.
//
// It does not need X. xty is Xᵀy. products(feature, entered) returns Xᵀx_j; it
// is called once for each feature that enters, with the number of active
// features including it. The correlation c_j = x_jᵀ(y − Xβ) of an active
// feature equals λ, and other correlations are lower. w = (X_AᵀX_A)⁻¹ 1 is the
// direction in which all active correlations fall equally, until another
// reaches them, a coefficient becomes 0, or they become 0. A column that copies
// or combines active columns never enters.
func nonNegativeLARS(xty []float64, ks []int, products func(feature, entered int) ([]float64, error)) (selected [][]baseline.Feature, err error) {
	p := &larsPath{xty: xty, c: slices.Clone(xty), gram: map[int][]float64{}, out: make([]bool, len(xty)), products: products}

	next := -1
	for j, c := range xty {
		if c > end && (next < 0 || c > xty[next]) {
			next = j
		}
	}
	for next >= 0 || len(p.active) > 0 {
		if next >= 0 {
			for len(selected) < len(ks) && len(p.active) == ks[len(selected)] {
				selected = append(selected, p.weighted())
			}
			if len(selected) == len(ks) {
				return selected, nil
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
	for len(selected) < len(ks) { // the path ended before k features were in
		selected = append(selected, p.weighted())
	}
	return selected, nil
}

const (
	end = 1e-9 // a correlation that counts as 0, as in pyHSICLasso
	// A column is a copy of the active ones if its correlation falls at
	// their rate, within this difference.
	aside = 1e-6
)

// larsPath is the state of nonNegativeLARS.
type larsPath struct {
	xty, c   []float64 // of all features
	active   []int
	beta     []float64         // of the active features
	gram     map[int][]float64 // Xᵀx_j of every feature that has been active
	out      []bool            // features that are active, or never will be
	products func(feature, entered int) ([]float64, error)
	factor   mat.Cholesky // of X_AᵀX_A
}

// weighted returns the active features with β > 0, by falling β. A feature
// that enters where the path ends has no weight.
func (p *larsPath) weighted() (list []baseline.Feature) {
	for i, j := range p.active {
		if p.beta[i] > 0 {
			list = append(list, baseline.Feature{Index: j, Score: p.beta[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b baseline.Feature) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// enter makes a feature active unless it depends on the active ones.
func (p *larsPath) enter(feature int) error {
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

// factorize factorises X_AᵀX_A. It reports whether the active columns are
// independent.
func (p *larsPath) factorize() bool {
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

// step moves to the next event. It returns the feature to enter, or −1 if a
// feature left. done is true at the end of the path.
func (p *larsPath) step() (next int, done bool) {
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
	// By default the step ends where the active correlations are 0.
	length, next, leaves := level, -1, -1
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

// columns returns Xᵀx_i of the active features.
func (p *larsPath) columns() [][]float64 {
	columns := make([][]float64, len(p.active))
	for a, i := range p.active {
		columns[a] = p.gram[i]
	}
	return columns
}
