// Package ipss holds [IPSS], integrated path stability selection: it says of each feature how many false ones to expect among those that
// are at least as stable.
//
// # Basics
//
//	model, err := ipss.IPSS{FDR: 0.1}.Fit(ctx, train, baseline.Options{K: 10, Seed: 1})
//	columns := model.Columns() // by rank; padding where fewer are stable enough
//
// It divides the rows into halves many times and counts which features a base method selects of each half, at all penalties of a path. The
// base is [sparse.L1Logistic] or the importances of package forest.
//
// # Caveats
//
// The bounds hold on average over data like these, under the authors' assumptions; they are no certificate for one feature. Only a pool of
// the columns that depend most on the class is looked at. Halves of few rows may select nothing, and then all of K is padding.
package ipss

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// IPSS selects features by integrated path stability selection (Melikechi, Miller: Biometrika 2025; with importances: Melikechi, Dunson,
// Miller 2024). B times the rows are cut into two halves at random, and a base method selects features of each half at every λ of a grid
// from where it selects none. π_j(λ) is the share of the 2B halves that have feature j, and
//
//	score_j = ∫ h(π_j(λ)) μ(dλ),  h(x) = (2x − 1)^m for x > ½, else 0,  μ(dλ) ∝ λ^(−δ) dλ
//	efp_j = I / max(score_j, I/p),  I = ∫ bound(q(λ)) μ(dλ)
//
// q(λ) being how many features a half has on average. efp_j bounds the expected number of false features among those that score at least
// as much, and q_j = min over t ≥ efp_j of t/#{i: efp_i ≤ t} is the share of false ones that it comes to (its q-value). The base is
//
//	l1      the L1-penalised logistic regression of [sparse.L1Logistic] at 25 penalties: m = 2, δ by the features' correlations
//	forest  the importance by impurity of a random forest of 50 trees above 100 thresholds: m = 3, δ = 1.25
//
// Features with q_j ≤ FDR are selected, by rising efp_j; the score is −efp_j. Others fill up K, by their mean π_j and then by their
// dependence on the class, marked as padding. First the Pool features with the largest distance correlation with the class are kept
// (Székely et al. 2007); the others have efp_j = d.
//
// What the bound is worth: it holds if false features are selected by halves no oftener than if they were exchangeable (the papers'
// condition on the base), in expectation over data sets of these rows' kind. It does not know that Pool was chosen on the same rows, nor
// that a feature which is a copy of a true one is "true" to a person, and false to it only by definition. With few rows halves are tiny,
// and it is careful: often nothing is selected.
type IPSS struct {
	Base  string  `set:"base,l1,forest"` // "l1" (also "") or "forest"
	FDR   float64 `set:"fdr,1e-6,1" default:"0.1"`
	Pairs int     `set:"pairs,2,10000" default:"50"` // B
	Pool  int     `set:"pool,1,1048576" default:"200"`
}

const (
	cutoff     = 0.05 // of the integral I: where it is reached the grid ends
	penalties  = 25
	thresholds = 100
	trees      = 50
	tie        = 1e-9 // part of the dependence on the class that tells features apart which halves select equally often
	deepest    = 1e-3 // of the largest penalty: where the grid ends if no half of it has three quarters of the features
)

// Entry is that of ipss.
func (IPSS) Entry() baseline.Entry {
	return baseline.Entry{Name: "ipss", Version: 1, About: "integrated path stability selection, with expected false features", Selects: true}
}

// Memory is that of the columns, of what every half selects, and of the forests or lassos of a half.
func (m IPSS) Memory(s baseline.Sizes) []baseline.Use {
	m = baseline.Defaulted(m)
	pool := min(m.Pool, s.Features)
	return []baseline.Use{
		s.Transposed(),
		{What: "distances of the rows", Bytes: baseline.Bytes(s.Rows, 3*s.Rows, 8)},
		{What: "what the halves select", Bytes: baseline.Bytes(2*m.Pairs, pool, 8) + baseline.Bytes(thresholds, pool, 16)},
		{What: "the features of a half, and trees or weights",
			Bytes: baseline.Bytes(s.Rows, 2*pool+64*trees, 8) + baseline.Bytes(8*s.Classes, pool, 8)},
	}
}

// Fit selects K features for classes.
func (m IPSS) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "distances")
	if err != nil {
		return nil, err
	}
	pool, relevance, err := m.pool(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(pool) == 0 {
		return w.Filled(nil, nil), nil
	}
	w.Stage = "halves"
	var p *path
	if m.Base == "forest" {
		p, err = m.forestPath(ctx, w, pool)
	} else {
		p, err = m.lassoPath(ctx, w, pool)
	}
	if err != nil {
		return nil, err
	}
	efp := widened(p.efp(), pool, len(w.Varying()), data.Width())
	for j := range relevance {
		relevance[j] *= tie
	}
	for at, j := range pool {
		for _, share := range p.shares {
			relevance[j] += share[at] / float64(len(p.shares))
		}
	}
	var selected []baseline.Feature
	for j, q := range qValues(efp) {
		if q <= m.FDR {
			selected = append(selected, baseline.Feature{Index: j, Score: -efp[j]})
		}
	}
	slices.SortFunc(selected, func(a, b baseline.Feature) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(relevance[b.Index], relevance[a.Index]), cmp.Compare(a.Index, b.Index))
	})
	return w.Filled(selected[:min(o.K, len(selected))], relevance), nil
}

// pool is the columns that vary with the largest distance correlation with the class, in an order that does not depend on where they stand,
// and that correlation of every column.
func (m IPSS) pool(ctx context.Context, w *baseline.Work) (pool []int, dependences []float64, err error) {
	order := w.Varying()
	centre := centred(len(w.Data.Y), func(i, k int) float64 {
		if w.Data.Y[i] == w.Data.Y[k] {
			return 0
		}
		return 1
	})
	scores, err := w.ForEach(ctx, len(order), 16, func(f int) float64 { return dependence(w.Columns()[order[f]], centre) })
	if err != nil {
		return nil, nil, err
	}
	dependences = make([]float64, w.Data.Width())
	for f, j := range order {
		dependences[j] = scores[f]
	}
	if len(order) <= m.Pool {
		return order, dependences, nil
	}
	best := places.Falling(scores)[:m.Pool]
	slices.Sort(best)
	for at, f := range best {
		best[at] = order[f]
	}
	return best, dependences, nil
}

// dependence is the squared distance correlation of a column with what has these centred distances: mean(A·B)/√(mean(A²) mean(B²)).
func dependence(column []float64, b []float64) float64 {
	a := centred(len(column), func(i, k int) float64 { return math.Abs(column[i] - column[k]) })
	var ab, aa, bb float64
	for e := range a {
		ab, aa, bb = ab+a[e]*b[e], aa+a[e]*a[e], bb+b[e]*b[e]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// centred is distances less the means of row and column, and plus that of all: n×n.
func centred(n int, distance func(i, k int) float64) []float64 {
	list, means, all := make([]float64, n*n), make([]float64, n), 0.0
	for i := range n {
		for k := range n {
			list[i*n+k] = distance(i, k)
			means[i] += list[i*n+k] / float64(n)
		}
		all += means[i] / float64(n)
	}
	for e := range list {
		list[e] += all - means[e/n] - means[e%n]
	}
	return list
}

// halves are the two halves of the rows of the b-th pair, reduced to some columns. One may lack a class, and then selects nothing.
func halves(w *baseline.Work, pool []int, b int) [2]*baseline.Work {
	rows := rng.New(w.Seed, "ipss halves", uint64(b)).Perm(len(w.Data.Y))
	var two [2]*baseline.Work
	size := len(rows) / 2
	for half := range two {
		part := baseline.Data{Classes: w.Data.Classes}
		for _, i := range rows[half*size : (half+1)*size] {
			row := make([]float64, len(pool))
			for at, j := range pool {
				row[at] = w.Data.Rows[i][j]
			}
			part.Rows, part.Y = append(part.Rows, row), append(part.Y, w.Data.Y[i])
		}
		two[half] = &baseline.Work{Entry: w.Entry, Options: w.Options, Data: part}
		two[half].Progress = nil
	}
	return two
}

// widened is what features of the pool have, as all columns have it: those outside it, and those of it that nothing speaks for, as many
// false ones as features vary.
func widened(efp []float64, pool []int, varying, d int) []float64 {
	all := make([]float64, d)
	for j := range all {
		all[j] = float64(varying)
	}
	for at, j := range pool {
		if varying == len(pool) || efp[at] < float64(len(pool)-1) {
			all[j] = efp[at]
		}
	}
	return all
}
