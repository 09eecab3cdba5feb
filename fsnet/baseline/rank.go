package baseline

import (
	"cmp"
	"slices"
)

// Constant reports whether all numbers of a column are one.
func Constant(column []float64) bool {
	return !slices.ContainsFunc(column, func(x float64) bool { return x != column[0] })
}

// Varying are the columns that are not constant, by their contents: what is drawn by position in this order follows a column wherever it
// stands in the data.
func (w *Work) Varying() []int {
	var order []int
	for j, column := range w.Columns() {
		if !Constant(column) {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(w.columns[a], w.columns[b]) })
	return order
}

// ByScore is the order of falling scores, and of columns where scores are equal.
func ByScore(a, b Feature) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

// byScore is every column by falling score, ties to the first column. Constant ones come last.
func (w *Work) byScore(scores []float64) (order []int, varying int) {
	var constant []int
	for j, column := range w.Columns() {
		if Constant(column) {
			constant = append(constant, j)
		} else {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return append(order, constant...), len(order)
}

// Top is the k columns of the highest scores, ties to the first column; fewer where fewer vary.
func (w *Work) Top(scores []float64, k int) []Feature {
	order, varying := w.byScore(scores)
	selected := make([]Feature, min(k, varying))
	for r := range selected {
		selected[r] = Feature{Index: order[r], Score: scores[order[r]]}
	}
	return selected
}

// Ranked is the model of the K columns of the highest scores.
func (w *Work) Ranked(scores []float64) *Model { return w.Filled(w.Top(scores, w.K), scores) }

// Filled is the model of the features that were selected. The other columns fill it up to K: those of the highest relevance first, which is
// the same for all where it is nil, then constant ones. They have the score 0, or the last score where that is lower.
func (w *Work) Filled(selected []Feature, relevance []float64) *Model {
	m := &Model{Method: w.Name, Features: w.Data.Width()}
	if w.K == 0 {
		return m
	}
	if relevance == nil {
		relevance = make([]float64, m.Features)
	}
	taken := make([]bool, m.Features)
	floor := 0.0
	for _, f := range selected {
		taken[f.Index] = true
		floor = min(floor, f.Score)
	}
	order, _ := w.byScore(relevance)
	for _, j := range order {
		if len(selected) < w.K && !taken[j] {
			selected = append(selected, Feature{Index: j, Score: floor, Padding: true})
		}
	}
	m.Selected = selected
	return m
}
