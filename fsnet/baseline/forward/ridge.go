// Package forward selects features one after the other, each for what it adds to those before it.
//
// # Nouns
//
//   - [Ridge] adds, each time, the feature with which a ridge classifier errs least on rows that it was not fitted to.
//   - [Order] is some columns in the order in which a linear [Ridge] takes them: which of K chosen features matter first.
//
// # Basics
//
//	model, err := forward.Ridge{}.Fit(ctx, train, baseline.Options{K: 10})
//	columns := model.Columns() // in the order in which they were taken
//
// The error has a closed form, in which each row is predicted from all the others, so no classifier is fitted twice. With Kernel "auto"
// Ridge has a linear and a Gaussian form to choose from. It takes classes and quantities.
//
// # Caveats
//
// The choice is greedy: a pair of features that only helps together may be missed. The Gaussian form looks at a pool of the most relevant
// columns and at some hundred rows, which are drawn by the seed.
package forward

import (
	"context"
	"runtime"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/metric"
)

// Ridge is plain forward selection: to the features chosen so far it adds the one with which the error of a ridge classifier is least,
// each row being predicted by the classifier of all the others. For that error no classifier is fitted twice: it has a closed form.
// With t_i the one-hot class of row i less the classes' shares, and v_c the variance of t_c over the rows, the error is
//
//	E = Σ_c ω_c (1/n) Σ_i e_ic² / Σ_c ω_c v_c      ω_c = (v_c + 0.001)^(−1/2)
//
// which is 1 for saying the shares of every row, and weighs small classes more than their rows do; a quantity is one column t_i, less its
// mean. Columns are scaled to mean 0 and
// variance 1, cut at ±3, and scaled again. With z_i the chosen features of row i, the kernel decides what e_ic is:
//
//	linear:  e = (t − ŷ) / (1 − h − 1/n)     ŷ = Z A     A = (ZᵀZ/n + γI)⁻¹ Zᵀt/n     h_i = z_i (ZᵀZ/n + γI)⁻¹ z_iᵀ/n
//	rbf:     e = G⁻¹t / diag G⁻¹             G_ii' = exp(−|z_i − z_i'|²/K) + 1 + λ [i = i']
//
// Both are exact: of a linear ridge with an intercept that is not penalised (greedy RLS: Pahikkala, Airola, Salakoski, ICMLA 2010), and
// of a kernel ridge (Rasmussen, Williams, Gaussian Processes for Machine Learning, 2006, 5.4.2). The linear form looks at all columns, n·C
// operations for each at each step. The other takes n³, and looks at the Pool columns of the largest [metric.ModeratedF] in at most Rows
// rows, which are drawn by the seed; it finds features that say something only together, if one of them says a little alone.
//
// With the kernel "auto" both choose, and of the two sets that with the smaller error of the rbf form is taken, over at most 1000 rows.
//
// The score of a feature is by how much it lowered E, at most the score of the one before. A column of which the chosen ones explain 98 %
// is passed over; where no other is left, those of the largest F fill up K, marked as padding.
type Ridge struct {
	Kernel  string  `set:"kernel,auto,linear,rbf"`          // "auto" (also ""), "linear" or "rbf"
	Penalty float64 `set:"penalty,1e-6,1e9" default:"30"`   // γ n, of the linear form
	Lambda  float64 `set:"lambda,1e-6,1e9" default:"15"`    // λ K, of the other
	Pool    int     `set:"pool,1,1073741824" default:"150"` // columns that the rbf form looks at, at least K
	Rows    int     `set:"rows,2,20000" default:"300"`      // rows that it looks at
}

const (
	leastOwn  = 0.02 // share of a column's variance that the chosen ones do not explain, to be chosen
	judgeRows = 1000 // on which the two forms are compared
)

// Entry is that of forward-ridge.
func (Ridge) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "forward-ridge", Version: 1, About: "one feature after the other, by the leave-one-out error of a ridge classifier",
		Selects: true, Regression: true,
	}
}

// Memory is that of the columns, scaled, as the steps change them, and by rows for F; and of two kernels for each processor.
func (m Ridge) Memory(s baseline.Sizes) []baseline.Use {
	m = baseline.Defaulted(m)
	uses := []baseline.Use{
		s.Transposed(),
		{What: "scaled columns, d×n, twice", Bytes: 2 * baseline.Bytes(s.Rows, s.Features, 8)},
	}
	if m.Kernel != "linear" {
		rows, judged := min(s.Rows, m.Rows), min(s.Rows, judgeRows)
		kernels := int64(runtime.GOMAXPROCS(0)+1)*baseline.Bytes(rows, rows, 8) + baseline.Bytes(judged, judged, 8)
		uses = append(uses, baseline.Use{What: "kernels, n²", Bytes: kernels})
	}
	return uses
}

// Fit selects K features for classes or a quantity.
func (m Ridge) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "features")
	if err != nil {
		return nil, err
	}
	columns := scaled(w.Columns())
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
		if m.Kernel == "rbf" || m.judge(w, columns, other) < m.judge(w, columns, chosen) {
			chosen = other
		}
	}
	return w.Filled(chosen, relevance), nil
}

// relevanceOf is what each column says alone.
func relevanceOf(columns [][]float64, data baseline.Data) []float64 {
	d, flat := len(columns), byRows(columns)
	if !data.Regression() {
		return metric.ModeratedF(flat, d, data.Y, data.Classes)
	}
	f, _ := metric.CorrelationF(func(look func(i, from int, values []float64)) error { // they are in memory
		for i := range data.Target {
			look(i, 0, flat[i*d:(i+1)*d])
		}
		return nil
	}, d, data.Target, nil)
	return f
}

// judge is the error of the form with a kernel with some columns.
func (m Ridge) judge(w *baseline.Work, columns [][]float64, chosen []baseline.Feature) float64 {
	which := make([]int, len(chosen))
	for k, f := range chosen {
		which[k] = f.Index
	}
	if len(which) == 0 {
		return 1
	}
	rows, t := drawn(w, judgeRows)
	r := newRadial(rowsOf(columns, which, rows), t, len(which), m.Lambda)
	for _, x := range r.choice.columns {
		r.times(r.chosen, x)
	}
	return r.ridge(r.chosen)
}
