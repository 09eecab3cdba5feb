package filter

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
)

// ReliefF ranks features by how they part a row from its nearest rows of other classes, and not from those of its own (Kononenko 1994;
// Robnik-Šikonja, Kononenko 2003). With H_i the k rows nearest to row i of its class y_i, M_ic those of class c, p_c the part of the rows
// that are of class c, and δ_j(i, l) = |x_ij − x_lj| / (max_j − min_j),
//
//	W_j = (1/n) Σ_i ( Σ_{c ≠ y_i} p_c/(1 − p_{y_i}) · mean_{l ∈ M_ic} δ_j(i, l) − mean_{l ∈ H_i} δ_j(i, l) )
//
// Near is what has the least Σ_j δ_j; of rows that are equally near the first ones count. Where a class has fewer than k rows all of them
// do. Unlike a test of one feature it sees what features say together, as long as few others drown the distances. W_j is between −1 and 1.
type ReliefF struct {
	Neighbours int `set:"neighbours,1,1048576" default:"10"` // k
}

// Entry is that of relieff.
func (ReliefF) Entry() baseline.Entry {
	return baseline.Entry{Name: "relieff", Version: 1, About: "what parts a row from its neighbours of other classes", Selects: true}
}

// Memory is that of the columns, of the distances of all pairs of rows, and of the neighbours.
func (m ReliefF) Memory(s baseline.Sizes) []baseline.Use {
	neighbours := min(baseline.Defaulted(m).Neighbours, s.Rows)
	return []baseline.Use{
		s.Transposed(),
		{What: "values as parts of their ranges, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 8)},
		{What: "distances of the rows", Bytes: baseline.Bytes(s.Rows, 3*s.Rows, 8)},
		{What: "neighbours of each row and class", Bytes: baseline.Bytes(s.Rows, s.Classes*neighbours, 16)},
	}
}

// neighbour is one of a row's, and what it counts: below 0 where it is of the row's class.
type neighbour struct {
	row    int
	weight float64
}

// Fit selects K features for classes.
func (m ReliefF) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "distances")
	if err != nil {
		return nil, err
	}
	order := w.Varying() // by contents, so that a distance is the same bits in whatever order columns come
	ranges := make([]float64, data.Width())
	parts := make([][]float64, len(data.Rows))
	for k, column := range w.Columns() {
		ranges[k] = slices.Max(column)/2 - slices.Min(column)/2 // half, which does not overflow
	}
	for i, row := range data.Rows {
		parts[i] = make([]float64, len(order))
		for k, j := range order {
			parts[i][k] = row[j] / 2 / ranges[j]
		}
	}
	n := len(data.Rows)
	neighbours := make([][]neighbour, n)
	if _, err := w.ForEach(ctx, n, 1, func(i int) float64 {
		neighbours[i] = m.neighbours(data, parts, i)
		return 0
	}); err != nil {
		return nil, err
	}
	w.Stage = "features"
	scores, err := w.ForEachColumn(ctx, func(j int) float64 {
		column, sum := w.Columns()[j], 0.0
		if ranges[j] == 0 {
			return 0
		}
		for i, near := range neighbours {
			for _, l := range near {
				sum += l.weight * math.Abs(column[i]/2/ranges[j]-column[l.row]/2/ranges[j])
			}
		}
		return sum / float64(n)
	})
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}

// neighbours are the nearest k of row i in each class.
func (m ReliefF) neighbours(data baseline.Data, parts [][]float64, i int) []neighbour {
	type distant struct {
		row      int
		distance float64
	}
	byClass := make([][]distant, data.Classes)
	for l, part := range parts {
		if l == i {
			continue
		}
		distance := 0.0
		for k, x := range part {
			distance += math.Abs(x - parts[i][k])
		}
		byClass[data.Y[l]] = append(byClass[data.Y[l]], distant{l, distance})
	}
	own, n := data.Y[i], float64(len(parts))
	var near []neighbour
	for c, rows := range byClass {
		if len(rows) == 0 {
			continue
		}
		weight := -1.0
		if c != own {
			weight = float64(len(rows)) / (n - 1 - float64(len(byClass[own])))
		}
		slices.SortFunc(rows, func(a, b distant) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row)) })
		rows = rows[:min(m.Neighbours, len(rows))]
		for _, r := range rows {
			near = append(near, neighbour{r.row, weight / float64(len(rows))})
		}
	}
	return near
}
