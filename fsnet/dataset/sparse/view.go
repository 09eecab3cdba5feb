package sparse

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"fsnetlab/internal/num"
)

// View is some columns of a source in an order of its own: value j of a row is
//
//	x'_j = (x_j − Mean_j)/Scale_j
//
// in 32 bits, computed in 64, where x_j is Fill_j if it is missing.
type View struct {
	source            Source
	place             []int32   // of each column of the source: its place here, or −1
	columns           []int     // of each place: its column of the source
	zero              []float32 // what 0 is here
	mean, scale, fill []float64 // nil: as read
}

// NewView shows some columns of a source. Nil means, scales and fills show values as they were read, missing ones as NaN.
func NewView(s Source, columns []int, mean, scale, fill []float64) *View {
	_, d := s.Shape()
	v := &View{source: s, place: make([]int32, d), columns: columns, zero: make([]float32, len(columns)), mean: mean, scale: scale, fill: fill}
	for j := range v.place {
		v.place[j] = -1
	}
	for at, j := range columns {
		v.place[j] = int32(at)
		v.zero[at] = v.value(int32(at), 0)
	}
	return v
}

// Turned returns the view with columns multiplied by their signs, 1 or −1; nil: the view itself. Closing either closes both.
func (v *View) Turned(signs []float32) *View {
	if signs == nil {
		return v
	}
	turned := *v
	turned.scale, turned.zero = slices.Clone(v.scale), make([]float32, len(v.zero))
	for at, sign := range signs {
		turned.scale[at] *= float64(sign)
		turned.zero[at] = turned.value(int32(at), 0)
	}
	return &turned
}

// Width is the number of columns.
func (v *View) Width() int { return len(v.columns) }

// Zero is what each column has in most rows.
func (v *View) Zero() []float32 { return v.zero }

// value is what x is at a place.
func (v *View) value(at int32, read float32) float32 {
	if v.mean == nil {
		return read
	}
	x := float64(read)
	if x != x {
		x = v.fill[at]
	}
	return float32((x-v.mean[at])/v.scale[at]) + 0 // in 64 bits: rounded before it is centred, a large mean would hide what varies
}

// Beyond is a value that scaling brings out of range.
type Beyond struct {
	Place         // its row and its column of the source
	Value float64 // scaled
}

func (b *Beyond) Error() string {
	return fmt.Sprintf("row %d, column %d: %.2g standard deviations from the mean", b.Row+1, b.Column, b.Value)
}

// Narrowed is the same view of rows of the source with no other columns, which is in memory, or on disk below dir where it takes more
// than most bytes. Its rows are those of the source: rows, which ascend, say which are kept; others become empty. The error is a
// *[Beyond] where a value cannot be scaled. missing counts the values that are filled. Close it.
func (v *View) Narrowed(ctx context.Context, rows []int, most int64, dir string) (narrow *View, missing int, err error) {
	n, _ := v.source.Shape()
	keep := newKeeper(n, v.Width(), most, dir)
	defer func() {
		if err != nil {
			keep.drop()
		}
	}()
	var row Rows
	err = blocks(ctx, v.source, rows, func(first int, block *Rows) error {
		for i := range block.Len() {
			row.Reset()
			columns, values := block.Row(i)
			for k, j := range columns {
				at := v.place[j]
				if at < 0 || values[k] == 0 {
					continue
				}
				if x := v.value(at, values[k]); math.IsInf(float64(x), 0) {
					return &Beyond{Place{rows[first+i], int(j)}, (float64(values[k]) - v.mean[at]) / v.scale[at]}
				}
				if values[k] != values[k] {
					missing++
				}
				row.Columns, row.Values = append(row.Columns, at), append(row.Values, values[k])
			}
			row.End()
			byColumn(&row)
			if err := keep.append(rows[first+i], row.Columns, row.Values); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	source, err := keep.source()
	if err != nil {
		return nil, 0, err
	}
	return NewView(source, num.Indices(v.Width()), v.mean, v.scale, v.fill), missing, nil
}

// Bytes is the memory that it takes, with that of its source.
func (v *View) Bytes() int64 {
	return v.source.Bytes() + 4*int64(len(v.place)) + 36*int64(len(v.columns))
}

// Close gives back the disk that its source takes; a source in memory takes none.
func (v *View) Close() error {
	if f, ok := v.source.(*File); ok {
		return f.Close()
	}
	return nil
}

// Each calls look with rows in their order, dense: row i of those given, and a stretch of its columns from one on. Goroutines of several
// processors look at one row, each at columns of its own: what look adds up for a column it adds up in the order of the rows. values are
// gone when look returns.
func (v *View) Each(ctx context.Context, rows []int, look func(i, from int, values []float32)) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), v.Width()/1024))
	stretches := make([][]float32, workers)
	bounds := make([]int, workers+1)
	for w := range workers {
		bounds[w+1] = (w + 1) * v.Width() / workers
		stretches[w] = append([]float32(nil), v.zero[bounds[w]:bounds[w+1]]...)
	}
	return blocks(ctx, v.source, rows, func(first int, block *Rows) error {
		var done sync.WaitGroup
		for w, values := range stretches {
			done.Go(func() {
				from, to := int32(bounds[w]), int32(bounds[w+1])
				for i := range block.Len() {
					columns, read := block.Row(i)
					for k, j := range columns {
						if at := v.place[j]; at >= from && at < to {
							values[at-from] = v.value(at, read[k])
						}
					}
					look(first+i, int(from), values)
					for _, j := range columns {
						if at := v.place[j]; at >= from && at < to {
							values[at-from] = v.zero[at]
						}
					}
				}
			})
		}
		done.Wait()
		return nil
	})
}

// Gather makes rows dense, in any order and as often as they are named: into is rows×width, and what lies beyond the columns stays.
func (v *View) Gather(ctx context.Context, rows []int, width int, into []float32) error {
	fill := func(at int, columns []int32, read []float32) {
		row := into[at*width : at*width+v.Width()]
		copy(row, v.zero)
		for k, j := range columns {
			if p := v.place[j]; p >= 0 {
				row[p] = v.value(p, read[k])
			}
		}
	}
	if m, ok := v.source.(*Matrix); ok { // nothing is to be read: steps wait for this
		for at, i := range rows {
			columns, read := m.rows.Row(i)
			fill(at, columns, read)
		}
		return ctx.Err()
	}
	sorted, order := ascending(rows)
	return blocks(ctx, v.source, sorted, func(first int, block *Rows) error {
		for i := range block.Len() {
			columns, read := block.Row(i)
			for _, at := range order(first + i) {
				fill(at, columns, read)
			}
		}
		return nil
	})
}

// Stored calls look with rows in their order as they are stored: the places of the values that are not 0, and what they are here.
func (v *View) Stored(ctx context.Context, rows []int, look func(i int, places []int32, values []float32)) error {
	var row Rows
	return blocks(ctx, v.source, rows, func(first int, block *Rows) error {
		for i := range block.Len() {
			row.Reset()
			columns, read := block.Row(i)
			for k, j := range columns {
				if at := v.place[j]; at >= 0 {
					row.Columns, row.Values = append(row.Columns, at), append(row.Values, v.value(at, read[k]))
				}
			}
			look(first+i, row.Columns, row.Values)
		}
		return nil
	})
}

// ColumnValues is how many values EachColumn holds at once.
const ColumnValues = 1 << 25

// EachColumn calls look with the columns, one after the other: what rows, which ascend, have in it. Where all do not fit into 128 MB the
// rows are read more than once.
func (v *View) EachColumn(ctx context.Context, rows []int, look func(j int, column []float64)) error {
	n := len(rows)
	at := max(1, min(v.Width(), ColumnValues/max(n, 1)))
	part, column := make([]float32, at*n), make([]float64, n)
	for from := 0; from < v.Width(); from += at {
		to := min(from+at, v.Width())
		for j := from; j < to; j++ {
			values := part[(j-from)*n : (j-from+1)*n]
			for i := range values {
				values[i] = v.zero[j]
			}
		}
		err := v.Stored(ctx, rows, func(i int, places []int32, values []float32) {
			for k, j := range places {
				if int(j) >= from && int(j) < to {
					part[(int(j)-from)*n+i] = values[k]
				}
			}
		})
		if err != nil {
			return err
		}
		for j := from; j < to; j++ {
			for i, x := range part[(j-from)*n : (j-from+1)*n] {
				column[i] = float64(x)
			}
			look(j, column)
		}
	}
	return nil
}

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

// Each calls look with rows in their order, dense: row i of those meant, and a stretch of its columns from one on.
type Each func(look func(i, from int, values []float32)) error

// Moments are what some rows say about each column. Missing values have no part in them.
type Moments struct {
	Mean, Std []float64 // the standard deviation divides by the number of rows: a missing value lies on the mean
	Varies    []bool
}

// MomentsOf looks twice at so many rows of so many columns.
func MomentsOf(each Each, rows, width int) (Moments, error) {
	m := Moments{make([]float64, width), make([]float64, width), make([]bool, width)}
	n, first, seen := make([]int, width), make([]float32, width), make([]bool, width)
	err := each(func(_, from int, values []float32) {
		sum, n := m.Mean[from:from+len(values)], n[from:from+len(values)]
		for j, x := range values {
			if x == x {
				n[j]++
				sum[j] += float64(x)
			}
		}
	})
	if err != nil {
		return m, err
	}
	for j := range m.Mean {
		m.Mean[j] /= float64(max(n[j], 1))
	}
	err = each(func(_, from int, values []float32) {
		mean, square := m.Mean[from:from+len(values)], m.Std[from:from+len(values)]
		varies, first, seen := m.Varies[from:from+len(values)], first[from:from+len(values)], seen[from:from+len(values)]
		for j, x := range values {
			if x != x {
				continue
			}
			if !seen[j] {
				first[j], seen[j] = x, true
			}
			varies[j] = varies[j] || x != first[j]
			deviation := float64(x) - mean[j]
			square[j] += deviation * deviation
		}
	})
	for j, square := range m.Std {
		m.Std[j] = math.Sqrt(square / float64(rows))
	}
	return m, err
}
