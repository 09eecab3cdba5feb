package forest

import (
	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// Trees are the trees of a fitted forest.
type Trees struct {
	trees   [][]question
	classes int
}

// question sends a row left where its value in a column is not above the threshold. A leaf, whose column is −1, has a class.
type question struct {
	column, left, right, class int32
	threshold                  float64
}

var _ baseline.Predictor = (*Trees)(nil)

// questions asks of the values what a tree asks of their ranks: thresholds lie half way between the rows that a split parts.
func (t *table) questions(of tree, columns [][]float64) []question {
	list := make([]question, len(of))
	for k, n := range of {
		q := question{column: -1, left: n.left, right: n.right, class: n.class}
		if n.feature >= 0 {
			q.column = int32(t.order[n.feature])
			below, above := columns[q.column][n.below], columns[q.column][n.above]
			if q.threshold = below/2 + above/2; q.threshold >= above || q.threshold < below { // rounding
				q.threshold = below
			}
		}
		list[k] = q
	}
	return list
}

// leaf is the class of the leaf that a row comes to.
func leaf(questions []question, value func(column int32) float64) int32 {
	q := questions[0]
	for q.column >= 0 {
		if value(q.column) <= q.threshold {
			q = questions[q.left]
		} else {
			q = questions[q.right]
		}
	}
	return q.class
}

// Predict is the class for which most trees vote, the first of several.
func (m *Trees) Predict(row []float64) int {
	votes := make([]int, m.classes)
	for _, questions := range m.trees {
		votes[leaf(questions, func(column int32) float64 { return row[column] })]++
	}
	return places.Largest(votes)
}

// Parameters counts a column and a threshold for each split, and the class of each leaf.
func (m *Trees) Parameters() int {
	count := 0
	for _, tree := range m.trees {
		for _, q := range tree {
			if count++; q.column >= 0 {
				count++
			}
		}
	}
	return count
}
