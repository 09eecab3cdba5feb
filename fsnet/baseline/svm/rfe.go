package svm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
)

// RFE is recursive feature elimination (Guyon, Weston, Barnhill, Vapnik 2002): a linear support vector machine is fitted to the features
// that are left, one for each pair of classes, those with the least Σ w_j² over the pairs are taken away, and so on until none is left.
// Who is taken away last is first. For a pair, with y_i = ±1 and w = Σ_i α_i y_i x_i,
//
//	min_α ½ ‖w‖² − Σ_i α_i,  0 ≤ α_i ≤ C,  Σ_i y_i α_i = 0
//
// The score is Σ w_j² when the feature was taken away; where it would rise from one rank to the next it stays. Features should be of one
// scale.
type RFE struct {
	C    float64 `set:"c,1e-9,1e9" default:"1"`
	Step float64 `set:"step,1e-9,0.9" default:"0.1"` // part of the features left that a round takes away; at least one
}

// Entry is that of svm-rfe.
func (RFE) Entry() baseline.Entry {
	return baseline.Entry{Name: "svm-rfe", Version: 1, About: "a linear support vector machine's least weights taken away", Selects: true}
}

// Memory is that of the columns and of the products of all pairs of rows.
func (RFE) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "products of the rows, n²", Bytes: 2 * baseline.Bytes(s.Rows, s.Rows, 8)},
		{What: "weights", Bytes: baseline.Bytes(s.Features, 6, 8)},
	}
}

// Fit selects K features for classes.
func (m RFE) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "elimination")
	if err != nil {
		return nil, err
	}
	left := w.Varying()
	total := len(left)
	ranked := make([]baseline.Feature, 0, total) // the first that was taken away first
	products, whole := productsOf(len(data.Rows)), 0
	for len(left) > 0 {
		if 2*len(left) <= whole || whole == 0 { // afresh now and then, so that what rounding leaves of those taken away stays small
			products, whole = productsOf(len(data.Rows)), len(left)
			if err := products.add(ctx, w, left, 1); err != nil {
				return nil, err
			}
		}
		weights, err := m.weights(ctx, w, products.rows, left)
		if err != nil {
			return nil, err
		}
		round := make([]baseline.Feature, len(left))
		for k, j := range left {
			round[k] = baseline.Feature{Index: j, Score: weights[k]}
		}
		slices.SortFunc(round, baseline.ByScore)
		slices.Reverse(round) // the least first; of equal ones the last column
		count := max(1, int(m.Step*float64(len(left))))
		ranked = append(ranked, round[:count]...)
		for k, f := range round {
			left[k] = f.Index
		}
		gone := left[:count]
		left = left[count:]
		if err := products.add(ctx, w, gone, -1); err != nil {
			return nil, err
		}
		w.Report(len(ranked), total)
	}
	slices.Reverse(ranked)
	for r := 1; r < len(ranked); r++ {
		ranked[r].Score = min(ranked[r].Score, ranked[r-1].Score)
	}
	return w.Filled(ranked[:min(o.K, total)], nil), nil
}

// products are x_i·x_k of all pairs of rows over some columns.
type products struct{ rows [][]float64 }

func productsOf(n int) products {
	p, flat := products{make([][]float64, n)}, make([]float64, n*n)
	for i := range p.rows {
		p.rows[i] = flat[i*n : (i+1)*n]
	}
	return p
}

// add adds columns, or takes them away where sign is −1.
func (p products) add(ctx context.Context, w *baseline.Work, columns []int, sign float64) error {
	_, err := w.Quiet().ForEach(ctx, len(p.rows), 16, func(i int) float64 {
		for _, j := range columns {
			column := w.Columns()[j]
			floats.AddScaled(p.rows[i], sign*column[i], column)
		}
		return 0
	})
	return err
}

// weights are Σ w_j² over the pairs of classes, for some columns.
func (m RFE) weights(ctx context.Context, w *baseline.Work, kernel [][]float64, columns []int) ([]float64, error) {
	squares := make([]float64, len(columns))
	members := membersOf(w.Data)
	solver := SVM{C: m.C, Tolerance: 1e-6}
	for a, b := range pairsOf(members) {
		alpha, _, err := solver.solve(ctx, w, kernel, members[a], members[b])
		if err != nil {
			return nil, err
		}
		for k, j := range columns {
			weight := floats.Dot(alpha, w.Columns()[j])
			squares[k] += weight * weight
		}
	}
	return squares, nil
}
