package sparse

import (
	"context"
	"math"
	"slices"
)

// Scaled is a source whose columns have means and scales: what a training that takes few of its columns computes with.
type Scaled struct {
	source            Source
	kept              []int
	mean, scale, fill []float64
	columns           []int // of kept, of the view that is there for good, or nil
	narrow            *View
}

// NewScaled keeps some columns of a source, of each its mean, its scale and what a missing value is.
func NewScaled(s Source, kept []int, mean, scale, fill []float64) *Scaled {
	return &Scaled{source: s, kept: kept, mean: mean, scale: scale, fill: fill}
}

// View is some of the kept columns.
func (s *Scaled) View(columns []int) *View {
	if s.narrow != nil && slices.Equal(columns, s.columns) {
		return s.narrow
	}
	n := len(columns)
	index, mean, scale, fill := make([]int, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for at, c := range columns {
		index[at], mean[at], scale[at], fill[at] = s.kept[c], s.mean[c], s.scale[c], s.fill[c]
	}
	return NewView(s.source, index, mean, scale, fill)
}

// Narrow makes the view of some columns one that can be read without the others: see [View.Narrowed].
func (s *Scaled) Narrow(ctx context.Context, columns, rows []int, most int64, dir string) (view *View, missing int, err error) {
	wide := s.View(columns)
	for at, zero := range wide.zero {
		if math.IsInf(float64(zero), 0) {
			return nil, 0, &Beyond{Place{rows[0], wide.columns[at]}, -wide.mean[at] / wide.scale[at]}
		}
	}
	view, missing, err = wide.Narrowed(ctx, rows, most, dir)
	if err == nil {
		s.Close()
		s.columns, s.narrow = slices.Clone(columns), view
	}
	return view, missing, err
}

// Close gives back the disk that Narrow took.
func (s *Scaled) Close() {
	if s.narrow != nil {
		_ = s.narrow.Close()
		s.narrow = nil
	}
}

// Column is what some rows have in a kept column, as read and scaled.
func (s *Scaled) Column(ctx context.Context, rows []int, c int) (read, scaled []float32, err error) {
	source, at := s.source, s.kept[c]
	if i := slices.Index(s.columns, c); i >= 0 && s.narrow != nil {
		source, at = s.narrow.source, i
	}
	read, scaled = make([]float32, len(rows)), make([]float32, len(rows))
	if err = NewView(source, []int{at}, nil, nil, nil).Gather(ctx, rows, 1, read); err != nil {
		return nil, nil, err
	}
	one := NewView(NewMatrix(Rows{Start: []int{0}}, 1), []int{0}, s.mean[c:c+1], s.scale[c:c+1], s.fill[c:c+1])
	for i, x := range read {
		scaled[i] = one.value(0, x)
	}
	return read, scaled, nil
}
