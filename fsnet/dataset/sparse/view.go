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

// View is a selection of columns of a source, in any order. Value j of a row is
//
//	x'_j = (x_j − Mean_j)/Scale_j
//
// where Fill_j replaces a missing x_j. It is computed in 64 bits and rounded to
// 32.
type View struct {
	source            Source
	place             []int32   // for each column of the source: its place in the view, or −1
	columns           []int     // for each place in the view: its column of the source
	zero              []float32 // what a stored 0 becomes, for each place in the view
	mean, scale, fill []float64 // by place; nil if values are shown as read
}

// NewView returns a view of columns of a source. If mean, scale and fill are
// nil, the view shows values as read, missing ones as NaN.
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

// WithSigns returns a scaled view with its columns multiplied by signs, 1 or
// −1. It returns the view itself if signs is nil. Both share a source, so
// closing either closes both.
func (v *View) WithSigns(signs []float32) *View {
	if signs == nil {
		return v
	}
	out := *v
	out.scale, out.zero = slices.Clone(v.scale), make([]float32, len(v.zero))
	for at, sign := range signs {
		out.scale[at] *= float64(sign)
		out.zero[at] = out.value(int32(at), 0)
	}
	return &out
}

// Width returns the number of columns.
func (v *View) Width() int { return len(v.columns) }

// Zero returns what a 0 of the source becomes, by column. The caller must not
// change it.
func (v *View) Zero() []float32 { return v.zero }

// value returns what a value of the source becomes at a place of the view:
// filled if it is missing, then centred and scaled. A view without means
// returns it unchanged.
func (v *View) value(place int32, read float32) float32 {
	if v.mean == nil {
		return read
	}
	x := float64(read)
	if x != x {
		x = v.fill[place]
	}
	// Rounding before centring would lose small differences between large
	// values, so all of this is in 64 bits.
	return float32((x-v.mean[place])/v.scale[place]) + 0
}

// RangeError reports a value that exceeds the range of float32 once it is
// scaled.
type RangeError struct {
	Place         // in the source
	Value float64 // after scaling
}

func (b *RangeError) Error() string {
	return fmt.Sprintf("row %d, column %d: %.2g standard deviations from the mean", b.Row+1, b.Column, b.Value)
}

// Narrow copies the columns of the view to a new source, in memory, or on disk
// in dir if they take more than most bytes. It copies only the given rows, and
// these must ascend. Row numbers stay the same, and the other rows become
// empty.
//
// missing counts the values that will be filled. Narrow returns a *[RangeError]
// if a value cannot be scaled. The caller must close narrow.
func (v *View) Narrow(ctx context.Context, rows []int, most int64, dir string) (narrow *View, missing int, err error) {
	for at, zero := range v.zero {
		if math.IsInf(float64(zero), 0) {
			return nil, 0, &RangeError{Place{rows[0], v.columns[at]}, -v.mean[at] / v.scale[at]}
		}
	}

	n, _ := v.source.Shape()
	copied := newSpool(n, v.Width(), most, dir)
	defer func() {
		if err != nil {
			copied.closeFiles()
		}
	}()

	var row Rows
	err = blocks(ctx, v.source, rows, func(first int, block *Rows) error {
		for i := range block.Len() {
			row.Reset()
			columns, values := block.Row(i)
			for k, j := range columns {
				place := v.place[j]
				if place < 0 || values[k] == 0 {
					continue
				}
				if x := v.value(place, values[k]); math.IsInf(float64(x), 0) {
					return &RangeError{Place{rows[first+i], int(j)}, (float64(values[k]) - v.mean[place]) / v.scale[place]}
				}
				if values[k] != values[k] {
					missing++
				}
				row.Columns, row.Values = append(row.Columns, place), append(row.Values, values[k])
			}
			row.End()
			byColumn(&row)
			if err := copied.append(rows[first+i], row.Columns, row.Values); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}

	source, err := copied.source()
	if err != nil {
		return nil, 0, err
	}
	return NewView(source, num.Indices(v.Width()), v.mean, v.scale, v.fill), missing, nil
}

// Bytes returns the memory of the view and its source.
func (v *View) Bytes() int64 {
	return v.source.Bytes() + 4*int64(len(v.place)) + 36*int64(len(v.columns))
}

// Close frees the disk space of the source, if it takes any.
func (v *View) Close() error {
	if f, ok := v.source.(*File); ok {
		return f.Close()
	}
	return nil
}

// Each calls look with rows in order, made dense. i is the index in rows, and
// values holds the columns from on. Goroutines split each row between them by
// columns, so a sum over a column is always added in the order of the rows.
// values is valid until look returns.
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

// Gather writes rows to into, a matrix of len(rows)×width. Rows may come in any
// order and more than once. Columns of into beyond those of the view keep their
// values.
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

	if m, ok := v.source.(*Matrix); ok { // fast: training steps wait for it
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

// Stored calls look with rows in order, as they are stored: the places of the
// nonzero values in the view, and what the view makes of them.
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

// Column returns one column of the view in the given rows, in any order: as
// read, and as the view shows it.
func (v *View) Column(ctx context.Context, rows []int, place int) (read, shown []float32, err error) {
	read, shown = make([]float32, len(rows)), make([]float32, len(rows))
	if err = NewView(v.source, v.columns[place:place+1], nil, nil, nil).Gather(ctx, rows, 1, read); err != nil {
		return nil, nil, err
	}
	for i, x := range read {
		shown[i] = v.value(int32(place), x)
	}
	return read, shown, nil
}

// ColumnValues is the number of values that EachColumn holds at once.
const ColumnValues = 1 << 25

// EachColumn calls look with the columns in order. column holds the values in
// rows and is valid until look returns. The rows must ascend. If all columns
// together exceed [ColumnValues] (128 MB), EachColumn reads the rows several
// times.
func (v *View) EachColumn(ctx context.Context, rows []int, look func(j int, column []float64)) error {
	n := len(rows)
	width := max(1, min(v.Width(), ColumnValues/max(n, 1)))
	part, column := make([]float32, width*n), make([]float64, n)

	for from := 0; from < v.Width(); from += width {
		to := min(from+width, v.Width())
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

// Each calls look with rows in order, made dense: values holds the columns from
// on of row i. It may call look for different columns concurrently.
type Each func(look func(i, from int, values []float32)) error

// Moments are statistics of each column over some rows. Missing values are left
// out.
type Moments struct {
	Mean, Std []float64 // Std divides by the number of rows, as if missing values equalled the mean
	// the column has two different values
	Varies []bool
}

// MomentsOf computes the moments of rows × width values. It calls each twice.
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
