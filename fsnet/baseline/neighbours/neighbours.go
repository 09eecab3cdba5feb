// Package neighbours holds [KNN], which predicts the class that most of a row's nearest training rows have.
//
// # Basics
//
//	judge, err := neighbours.KNN{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// [Rows] are the training rows that a fitted model keeps.
//
// # Caveats
//
// It uses every feature and selects nothing. Features should be of one scale. A prediction compares the row with all training rows.
package neighbours

import (
	"context"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// KNN predicts the class of most of the k training rows that are nearest (Fix, Hodges 1951), by ‖x − x′‖ over every feature: the first of
// several classes, and of rows that are equally near the first. These are the ways of scikit-learn's KNeighborsClassifier. It selects
// nothing; to have it on selected features fit it to [baseline.Data.Only] of them. Features should be of one scale. Of fewer than k rows
// all count.
type KNN struct {
	Neighbours int `set:"neighbours,1,1048576" default:"5"` // k
}

// Entry is that of knn.
func (KNN) Entry() baseline.Entry {
	return baseline.Entry{Name: "knn", Version: 1, About: "k nearest neighbours, on every feature", Predicts: true}
}

// Memory is that of the rows, which are kept.
func (KNN) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{{What: "rows, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 8)},
		{What: "distances", Bytes: baseline.Bytes(s.Rows, 3, 8)}}
}

// Fit keeps the rows. It uses every feature: o.K is 0.
func (m KNN) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "rows")
	if err != nil {
		return nil, err
	}
	kept := &Rows{neighbours: min(m.Neighbours, len(data.Rows)), classes: data.Classes, y: slices.Clone(data.Y)}
	for i, row := range data.Rows {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		kept.rows = append(kept.rows, slices.Clone(row))
		w.Report(i+1, len(data.Rows))
	}
	model := w.Filled(nil, nil)
	model.Predictor = kept
	return model, nil
}

// Rows are those that a row's class is asked of.
type Rows struct {
	rows       [][]float64
	y          []int
	neighbours int
	classes    int
}

var _ baseline.Predictor = (*Rows)(nil)

// Predict is the class that most of the nearest rows have.
func (m *Rows) Predict(row []float64) int {
	distances := make([]float64, len(m.rows))
	for i, other := range m.rows {
		for j, x := range other {
			distances[i] += (x - row[j]) * (x - row[j])
		}
	}
	votes := make([]int, m.classes)
	for _, i := range places.Rising(distances)[:m.neighbours] {
		votes[m.y[i]]++
	}
	return places.Largest(votes)
}

// Parameters counts the values of the rows, and their classes.
func (m *Rows) Parameters() int { return len(m.rows) * (len(m.rows[0]) + 1) }
