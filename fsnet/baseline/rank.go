package baseline

import (
	"cmp"
	"slices"
)

// best is the k columns of the highest scores, ties to the first column. Constant columns come last, as padding with score 0, or the
// last score where that is lower.
func best(scores []float64, columns [][]float64, k int) []Feature {
	order := make([]int, len(scores))
	still := make([]bool, len(scores))
	for j, column := range columns {
		order[j], still[j] = j, constant(column)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case still[a] != still[b] && still[b]:
			return -1
		case still[a] != still[b]:
			return 1
		case still[a]:
			return 0
		}
		return cmp.Compare(scores[b], scores[a])
	})
	selected := make([]Feature, k)
	for r, j := range order[:k] {
		selected[r] = Feature{Index: j, Score: scores[j]}
		if still[j] {
			selected[r] = Feature{Index: j, Padding: true}
			if r > 0 {
				selected[r].Score = min(0, selected[r-1].Score)
			}
		}
	}
	return selected
}

// padded fills selected up to k with the other columns: those of the highest relevance first, then constant ones. Padding has the score
// 0, or the last score where that is lower.
func padded(selected []Feature, relevance []float64, columns [][]float64, k int) []Feature {
	taken := make([]bool, len(columns))
	floor := 0.0
	for _, f := range selected {
		taken[f.Index] = true
		floor = min(floor, f.Score)
	}
	for _, f := range best(relevance, columns, len(columns)) {
		if len(selected) >= k {
			break
		}
		if !taken[f.Index] {
			selected = append(selected, Feature{Index: f.Index, Score: floor, Padding: true})
		}
	}
	return selected
}

func constant(column []float64) bool {
	for _, x := range column {
		if x != column[0] {
			return false
		}
	}
	return true
}

// byScore is the order of falling scores.
func byScore(a, b Feature) int { return cmp.Compare(b.Score, a.Score) }

// byScoreAndColumn is that, and columns in order where scores are equal.
func byScoreAndColumn(a, b Feature) int { return cmp.Or(byScore(a, b), cmp.Compare(a.Index, b.Index)) }

// compareFalling is the order of falling numbers.
func compareFalling(a, b float64) int { return cmp.Compare(b, a) }
