package comparators

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/num"
)

// ForwardRidge is plain forward selection. In each step it adds the feature
// with which a ridge classifier has the smallest leave-one-out error. That
// error has a closed form, so we don't have to fit a classifier for each row.
// With t_i the one-hot class of row i minus the shares of the classes, and v_c
// the variance of t_c over the rows, the error is
//
//	E = Σ_c ω_c (1/n) Σ_i e_ic² / Σ_c ω_c v_c      ω_c = (v_c + 0.001)^(−1/2)
//
// Predicting the shares for every row gives 1. Small classes weigh more than
// their share of the rows. A quantity has one column t_i, the quantity minus
// its mean. Columns are scaled to mean 0 and variance 1, cut at ±3, and scaled
// again. With z_i the chosen features of row i, e_ic depends on the kernel:
//
//	linear:  e = (t − ŷ) / (1 − h − 1/n)     ŷ = Z A     A = (ZᵀZ/n + γI)⁻¹ Zᵀt/n     h_i = z_i (ZᵀZ/n + γI)⁻¹ z_iᵀ/n
//	rbf:     e = G⁻¹t / diag G⁻¹             G_ii' = exp(−|z_i − z_i'|²/K) + 1 + λ [i = i']
//
// Both are exact: the first for a linear ridge with an unpenalised intercept
// (greedy RLS: Pahikkala, Airola, Salakoski, ICMLA 2010), the second for a
// kernel ridge (Rasmussen, Williams, Gaussian Processes for Machine Learning,
// 2006, 5.4.2).
//
// The linear form considers all columns, at n·C operations each per step. The
// rbf form takes n³. It considers the Pool columns with the largest
// [metric.ModeratedF] in at most Rows rows, drawn by the seed. It finds
// features that are informative only together, if one of them is at least a
// little informative alone. With the kernel "auto" both forms choose, and the
// set with the smaller rbf error, over at most 1000 rows, wins.
//
// The score of a feature is how much it lowered E, but at most the score of the
// previous feature. Columns that the chosen ones explain to 98 % are skipped.
// If no others remain, those with the largest F fill up K, marked as padding.
type ForwardRidge struct {
	Kernel  string  `set:"kernel,auto,linear,rbf"`        // "auto" (also ""), "linear" or "rbf"
	Penalty float64 `set:"penalty,1e-6,1e9" default:"30"` // γ n, of the linear form
	Lambda  float64 `set:"lambda,1e-6,1e9" default:"15"`  // λ K, of the rbf form
	// number of columns that the rbf form considers, at least K
	Pool int `set:"pool,1,1073741824" default:"150"`
	Rows int `set:"rows,2,20000" default:"300"` // number of rows that the rbf form considers
}

const (
	// A column needs this share of variance that the chosen columns do not
	// explain.
	leastOwn  = 0.02
	judgeRows = 1000 // number of rows on which the two forms are compared
)

// Entry describes forward-ridge.
func (ForwardRidge) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "forward-ridge", Version: 1, About: "one feature after the other, by the leave-one-out error of a ridge classifier",
		Selects: true, Regression: true,
	}
}

// Fit selects K features for classes or a quantity.
func (m ForwardRidge) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	w, err := baseline.Begin(m, data, o, "features")
	if err != nil {
		return nil, err
	}
	columns := scaledColumns(w.Columns())
	relevance := relevanceOf(columns, data)

	var chosen, other []baseline.Feature
	if m.Kernel != "rbf" {
		if chosen, err = m.linear(ctx, w, columns); err != nil {
			return nil, err
		}
	}
	if m.Kernel != "linear" {
		w.Stage = "features by kernel"
		if other, err = m.radial(ctx, w, columns, relevance); err != nil {
			return nil, err
		}
		if m.Kernel == "rbf" || m.rbfError(w, columns, other) < m.rbfError(w, columns, chosen) {
			chosen = other
		}
	}
	return w.Filled(chosen, relevance), nil
}

// relevanceOf returns the relevance of each column on its own:
// metric.ModeratedF for classes, or metric.CorrelationF for a quantity.
func relevanceOf(columns [][]float64, data baseline.Data) []float64 {
	d, flat := len(columns), byRows(columns)
	if !data.Regression() {
		return metric.ModeratedF(flat, d, data.Y, data.Classes)
	}
	// Reading rows in memory cannot fail.
	f, _ := metric.CorrelationF(func(look func(i, from int, values []float64)) error {
		for i := range data.Target {
			look(i, 0, flat[i*d:(i+1)*d])
		}
		return nil
	}, d, data.Target, nil)
	return f
}

// rbfError returns the rbf error with the chosen columns. If no column is chosen,
// it is 1.
func (m ForwardRidge) rbfError(w *baseline.Work, columns [][]float64, chosen []baseline.Feature) float64 {
	if len(chosen) == 0 {
		return 1
	}
	which := make([]int, len(chosen))
	for k, f := range chosen {
		which[k] = f.Index
	}

	rows, t := drawnRows(w, judgeRows)
	r := newForwardRadial(rowsOf(columns, which, rows), t, len(which), m.Lambda)
	for _, x := range r.choice.columns {
		r.kernelWith(r.chosen, x)
	}
	return r.ridgeError(r.chosen)
}

// forwardTie is the largest relative difference between errors that count as
// equal.
const forwardTie = 1e-9

// forwardChoice holds the columns chosen so far.
type forwardChoice struct {
	columns [][]float64        // all columns, with mean 0
	taken   []baseline.Feature // chosen columns, by rank
	basis   [][]float64        // orthonormal basis of the span of the chosen columns
	barred  []bool             // by column: it was chosen, or the chosen ones explain it
	error   float64            // E with the chosen columns
}

func newForwardChoice(columns [][]float64) *forwardChoice {
	return &forwardChoice{columns: columns, barred: make([]bool, len(columns)), error: 1}
}

// chooseNext chooses the column with the smallest error among those that have a
// finite error and are not explained by the chosen ones. If several are equal,
// it chooses the first. If no column remains, it returns false.
func (c *forwardChoice) chooseNext(errors []float64) bool {
	for {
		best := -1
		for j, e := range errors {
			if !c.barred[j] && !math.IsInf(e, 1) && (best < 0 || e < errors[best]*(1-forwardTie)) {
				best = j
			}
		}
		if best < 0 {
			return false
		}

		c.barred[best] = true
		if !c.extendBasis(best) {
			continue
		}

		score := c.error - errors[best]
		if len(c.taken) > 0 {
			score = min(score, c.taken[len(c.taken)-1].Score)
		}
		c.taken = append(c.taken, baseline.Feature{Index: best, Score: score})
		c.error = errors[best]
		return true
	}
}

// extendBasis extends the basis by the part of a column that lies outside it. It
// returns false if that part holds less than leastOwn of the variance of the
// column.
func (c *forwardChoice) extendBasis(j int) bool {
	own := slices.Clone(c.columns[j])
	for _, q := range c.basis {
		floats.AddScaled(own, -floats.Dot(q, own), q)
	}

	length, whole := floats.Norm(own, 2), floats.Norm(c.columns[j], 2)
	if length == 0 || length < math.Sqrt(leastOwn)*whole {
		return false
	}
	floats.Scale(1/length, own)
	c.basis = append(c.basis, own)
	return true
}

const forwardClip = 3 // standard deviations; larger values are cut

// scaledColumns returns copies of the columns with mean 0 and variance 1,
// cut at ±forwardClip and scaled again. Constant columns become 0.
func scaledColumns(columns [][]float64) [][]float64 {
	out := make([][]float64, len(columns))
	for j, column := range columns {
		if baseline.Constant(column) {
			out[j] = make([]float64, len(column))
			continue
		}
		out[j] = slices.Clone(column)
		baseline.Standardize(out[j])
		for i, v := range out[j] {
			out[j][i] = min(max(v, -forwardClip), forwardClip)
		}
		baseline.Standardize(out[j])
	}
	return out
}

// rowsOf returns copies of some columns, each reduced to some rows.
func rowsOf(columns [][]float64, which, rows []int) [][]float64 {
	out := make([][]float64, len(which))
	for k, j := range which {
		out[k] = make([]float64, len(rows))
		for r, i := range rows {
			out[k][r] = columns[j][i]
		}
	}
	return out
}

// byRows returns the columns as n×d, row-major.
func byRows(columns [][]float64) []float64 {
	d := len(columns)
	flat := make([]float64, d*len(columns[0]))
	for j, column := range columns {
		for i, v := range column {
			flat[i*d+j] = v
		}
	}
	return flat
}

// forwardLinear is a ridge on the chosen columns. It also knows how each
// further column would change the ridge. With H = Z (ZᵀZ/n + γI)⁻¹ Zᵀ/n for
// the chosen columns, a further column x leaves the part u = (I − H) x, and
// with s = xᵀu/n + γ
//
//	H′ = H + u uᵀ/(n s)      T − Ŷ′ = (T − Ŷ) − u (xᵀ(T − Ŷ)/n)/s
//
// So the error with a column takes n·classes operations, and updating its u
// and products takes n more for each chosen column.
type forwardLinear struct {
	n        float64
	target   forwardTarget
	choice   *forwardChoice
	left     [][]float64 // by column: u
	s        []float64   // by column: s
	pull     []float64   // d×classes: xᵀ(T − Ŷ)/n
	residual []float64   // n×classes: T − Ŷ
	open     []float64   // by row: 1 − h − 1/n

	last    int         // the column chosen last; −1 if there is none yet
	between []float64   // its uᵀu/(n s) with each earlier one
	crossed [][]float64 // by chosen column: its uᵀx/n for every x
}

// newForwardLinear returns a ridge with the penalty gamma. No column is
// chosen yet.
func newForwardLinear(columns [][]float64, t forwardTarget, gamma float64) *forwardLinear {
	n := len(columns[0])
	l := &forwardLinear{
		n: float64(n), target: t, choice: newForwardChoice(columns), left: make([][]float64, len(columns)), s: make([]float64, len(columns)),
		pull: make([]float64, len(columns)*t.classes), residual: slices.Clone(t.t), open: make([]float64, n), last: -1,
	}
	for j, x := range columns {
		l.left[j] = slices.Clone(x)
		l.s[j] = floats.Dot(x, x)/l.n + gamma
		for i, v := range x {
			floats.AddScaled(l.pulls(j), v/l.n, t.t[i*t.classes:(i+1)*t.classes])
		}
	}
	for i := range l.open {
		l.open[i] = 1 - 1/l.n
	}
	return l
}

// pulls returns the residual correlations of column j, one for each target.
func (l *forwardLinear) pulls(j int) []float64 {
	return l.pull[j*l.target.classes : (j+1)*l.target.classes]
}

// error returns E with a column added. The caller must call it once for
// every column after each choice.
func (l *forwardLinear) error(j int) float64 {
	if l.choice.barred[j] {
		return math.Inf(1)
	}
	if l.last >= 0 {
		l.follow(j)
	}
	const least = 1e-9 // keeps the denominator above rounding
	classes, weights, pull, scale := l.target.classes, l.target.weights, l.pulls(j), 1/l.s[j]
	sum := 0.0
	for i, u := range l.left[j] {
		step, squares := u*scale, 0.0
		for c, r := range l.residual[i*classes : (i+1)*classes] {
			e := r - step*pull[c]
			squares += weights[c] * e * e
		}
		open := max(l.open[i]-u*step/l.n, least)
		sum += squares / (open * open)
	}
	return sum / l.n
}

// follow updates a column for the one chosen last.
func (l *forwardLinear) follow(j int) {
	p, s, u := l.left[l.last], l.s[l.last], l.left[j]
	crossed := floats.Dot(p, u) / l.n
	for k, b := range l.between {
		crossed += b * l.crossed[k][j]
	}

	l.crossed[len(l.crossed)-1][j] = crossed
	floats.AddScaled(u, -crossed/s, p)
	floats.AddScaled(l.pulls(j), -crossed/s, l.pulls(l.last))
	l.s[j] -= crossed * crossed / s
}

// add adds a column to the ridge. chosen are the columns added before.
func (l *forwardLinear) add(j int, chosen []baseline.Feature) {
	u, s, classes := l.left[j], l.s[j], l.target.classes
	for i, v := range u {
		floats.AddScaled(l.residual[i*classes:(i+1)*classes], -v/s, l.pulls(j))
		l.open[i] -= v * v / (l.n * s)
	}

	l.between = l.between[:0]
	for _, before := range chosen {
		l.between = append(l.between, floats.Dot(u, l.left[before.Index])/(l.n*l.s[before.Index]))
	}
	l.crossed = append(l.crossed, make([]float64, len(l.left)))
	l.last = j
}

// linear returns up to K features, by rank, that the linear form chooses.
func (m ForwardRidge) linear(ctx context.Context, w *baseline.Work, columns [][]float64) ([]baseline.Feature, error) {
	l := newForwardLinear(columns, targetOf(w.Data, num.Indices(len(w.Data.Rows))), m.Penalty/float64(len(w.Data.Rows)))
	c := l.choice
	for len(c.taken) < w.K {
		errors, err := w.Quiet().Map(ctx, len(columns), 64, l.error)
		if err != nil {
			return nil, err
		}
		before := c.taken
		if !c.chooseNext(errors) {
			break
		}
		l.add(c.taken[len(before)].Index, before)
		w.Report(len(c.taken), w.K)
	}
	return c.taken, nil
}

// forwardRadial is a kernel ridge on the chosen columns. It can evaluate how
// each further column would change the ridge.
type forwardRadial struct {
	n, k    int
	lambda  float64
	target  forwardTarget
	choice  *forwardChoice
	chosen  []float64 // n×n, above the diagonal: exp(−|z_i − z_i'|²/K) of the chosen columns
	scratch sync.Pool // n×n buffers
}

// newForwardRadial returns a kernel ridge for k columns with the penalty
// lambda. No column is chosen yet.
func newForwardRadial(columns [][]float64, t forwardTarget, k int, lambda float64) *forwardRadial {
	n := len(columns[0])
	r := &forwardRadial{n: n, k: k, lambda: lambda / float64(k), target: t, choice: newForwardChoice(columns), chosen: make([]float64, n*n)}
	for i := range r.chosen {
		r.chosen[i] = 1
	}
	r.scratch.New = func() any { return make([]float64, n*n) }
	return r
}

// kernelWith computes the kernel of the chosen columns and x into kernel, above
// the diagonal.
func (r *forwardRadial) kernelWith(kernel []float64, x []float64) {
	for i, a := range x {
		for l := i + 1; l < r.n; l++ {
			difference := a - x[l]
			kernel[i*r.n+l] = r.chosen[i*r.n+l] * math.Exp(-difference*difference/float64(r.k))
		}
	}
}

// error returns E with a column added to the chosen ones.
func (r *forwardRadial) error(j int) float64 {
	if r.choice.barred[j] {
		return math.Inf(1)
	}
	kernel := r.scratch.Get().([]float64)
	defer r.scratch.Put(kernel) //nolint:staticcheck // a slice's header is small beside its n² numbers
	r.kernelWith(kernel, r.choice.columns[j])
	return r.ridgeError(kernel)
}

// ridgeError returns E of the ridge with a kernel. It overwrites the kernel.
func (r *forwardRadial) ridgeError(kernel []float64) float64 {
	n, classes := r.n, r.target.classes
	for i := range n {
		kernel[i*n+i] = 2 + r.lambda
		for l := i + 1; l < n; l++ {
			kernel[i*n+l]++
		}
	}

	var lib lapack.Implementation
	if !lib.Dpotrf(blas.Upper, n, kernel, n) || !lib.Dtrtri(blas.Upper, blas.NonUnit, n, kernel, n) {
		return math.Inf(1) // G is singular only by rounding, since λ > 0
	}
	// kernel now holds U⁻¹, with G⁻¹ = U⁻¹U⁻ᵀ.
	half, e := make([]float64, n*classes), make([]float64, n*classes) // half is U⁻ᵀT
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
	return r.target.meanError(e)
}

// radial returns up to K features, by rank, that the rbf form chooses from a
// pool of the columns that are most relevant on their own.
func (m ForwardRidge) radial(ctx context.Context, w *baseline.Work, columns [][]float64, relevance []float64) ([]baseline.Feature, error) {
	pool := num.ArgsortDescending(relevance)
	pool = pool[:min(len(pool), max(m.Pool, w.K))]
	slices.Sort(pool) // so that ties go to the first column

	rows, t := drawnRows(w, m.Rows)
	r := newForwardRadial(rowsOf(columns, pool, rows), t, w.K, m.Lambda)
	for len(r.choice.taken) < w.K {
		errors, err := w.Quiet().Map(ctx, len(pool), 1, r.error)
		if err != nil {
			return nil, err
		}
		if !r.choice.chooseNext(errors) {
			break
		}
		r.kernelWith(r.chosen, r.choice.columns[r.choice.taken[len(r.choice.taken)-1].Index])
		w.Report(len(r.choice.taken), w.K)
	}

	chosen := r.choice.taken
	for i := range chosen {
		chosen[i].Index = pool[chosen[i].Index]
	}
	return chosen, nil
}

// drawnRows returns at most most rows, drawn by the seed, in ascending
// order, and their target.
func drawnRows(w *baseline.Work, most int) ([]int, forwardTarget) {
	rows := num.Indices(len(w.Data.Rows))
	if len(rows) > most {
		rows = num.RNG(w.Seed, "forward-ridge rows", uint64(most)).Perm(len(rows))[:most]
		slices.Sort(rows)
	}
	return rows, targetOf(w.Data, rows)
}

// forwardTarget holds the target of n rows: a quantity, or a number for each
// class that has rows. If there are two classes, only the first counts,
// since the errors of both are equal.
type forwardTarget struct {
	classes int
	t       []float64 // n×classes: one-hot, minus the mean
	weights []float64 // ω_c / Σ_c ω_c v_c
}

// targetOf returns the target of some rows.
func targetOf(data baseline.Data, rows []int) forwardTarget {
	n := float64(len(rows))
	if data.Regression() {
		mean, variance := 0.0, 0.0
		for _, i := range rows {
			mean += data.Target[i] / n
		}
		target := forwardTarget{classes: 1}
		for _, i := range rows {
			t := data.Target[i] - mean
			target.t = append(target.t, t)
			variance += t * t / n
		}
		if variance == 0 { // the drawn rows may all have the same quantity
			variance = 1
		}
		target.weights = []float64{1 / variance}
		return target
	}

	shares := make([]float64, data.Classes)
	for _, i := range rows {
		shares[data.Y[i]] += 1 / n
	}

	var counted []int
	for c, share := range shares {
		if share > 0 {
			counted = append(counted, c)
		}
	}
	if len(counted) == 2 {
		counted = counted[:1]
	}

	target := forwardTarget{classes: len(counted)}
	total := 0.0
	for _, c := range counted {
		variance := shares[c] * (1 - shares[c])
		target.weights = append(target.weights, 1/math.Sqrt(variance+1e-3))
		total += variance / math.Sqrt(variance+1e-3)
	}

	for k := range target.weights {
		target.weights[k] /= max(total, 1e-9) // the drawn rows may all be of one class
	}

	for _, i := range rows {
		for _, c := range counted {
			t := -shares[c]
			if data.Y[i] == c {
				t++
			}
			target.t = append(target.t, t)
		}
	}
	return target
}

// meanError returns E for the errors e, n×classes.
func (t forwardTarget) meanError(e []float64) float64 {
	sum := 0.0
	for i := 0; i < len(e); i += t.classes {
		for c, weight := range t.weights {
			sum += weight * e[i+c] * e[i+c]
		}
	}
	return sum / float64(len(e)/t.classes)
}

// ForwardOrder returns columns of the data in the order in which linear
// [ForwardRidge] chooses among them. Each column adds most to those before
// it.
func ForwardOrder(ctx context.Context, data baseline.Data, columns []int) ([]int, error) {
	model, err := ForwardRidge{Kernel: "linear"}.Fit(ctx, data.Only(columns), baseline.Options{K: len(columns)})
	if err != nil {
		return nil, err
	}
	order := make([]int, len(columns))
	for i, c := range model.Columns() {
		order[i] = columns[c]
	}
	return order, nil
}
