package sparse

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
)

// Source gives the rows of a table. Several goroutines may read from one.
type Source interface {
	// Shape is the number of rows and of columns.
	Shape() (rows, columns int)
	// Read replaces what is in into by the given rows, which ascend.
	Read(ctx context.Context, rows []int, into *Rows) error
	// Bytes is the memory that the source holds as long as it is there.
	Bytes() int64
}

var (
	_ Source = (*Matrix)(nil)
	_ Source = (*File)(nil)
	_ Source = (*Part)(nil)
)

// Matrix is a table in memory.
type Matrix struct {
	rows  Rows
	width int
}

// NewMatrix takes rows of so many columns, which are its own from then on. [Scan] finds out whether they are whole.
func NewMatrix(rows Rows, columns int) *Matrix { return &Matrix{rows, columns} }

// Shape is the number of rows and of columns.
func (m *Matrix) Shape() (rows, columns int) { return m.rows.Len(), m.width }

// Bytes is the memory that it takes.
func (m *Matrix) Bytes() int64 { return m.rows.bytes() }

// Read copies rows.
func (m *Matrix) Read(ctx context.Context, rows []int, into *Rows) error {
	into.Reset()
	for _, i := range rows {
		into.Append(m.rows.Row(i))
	}
	return ctx.Err()
}

// BlockValues is about how many values are read at once: enough that a read is worth its while, few enough to stay near the processor.
const BlockValues = 1 << 19

// blocks reads rows in their order, some at a time, the next ones while look has the present ones. first counts the rows before a block.
func blocks(ctx context.Context, s Source, rows []int, look func(first int, block *Rows) error) error {
	type read struct {
		first int
		rows  *Rows
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, free := make(chan read), make(chan *Rows, 2)
	free <- &Rows{}
	free <- &Rows{}
	go func() {
		defer close(ready)
		size := 64 // rows; the first block says how much is in one
		for first := 0; first < len(rows); {
			var into *Rows
			select {
			case into = <-free:
			case <-ctx.Done():
				return
			}
			part := rows[first:min(first+size, len(rows))]
			err := s.Read(ctx, part, into)
			select {
			case ready <- read{first, into, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			first += len(part)
			size = min(max(BlockValues*len(part)/max(len(into.Values), 1), 16), 1<<14)
		}
	}()
	for r := range ready {
		if r.err == nil {
			r.err = look(r.first, r.rows)
		}
		if r.err != nil {
			cancel()
			for range ready { // until the reader has ended
			}
			return r.err
		}
		free <- r.rows
	}
	if ctx.Err() != nil {
		return errs.Wrap(ctx.Err(), errs.Interrupted, "", "reading the rows was stopped")
	}
	return nil
}

// Rows are rows as they are stored. Row i has Values[Start[i]:Start[i+1]] in the columns of that name, which ascend; its other values are
// 0.
type Rows struct {
	Start   []int
	Columns []int32
	Values  []float32
}

// Len is the number of rows.
func (r *Rows) Len() int { return max(len(r.Start)-1, 0) }

// Row is the columns of a row and their values.
func (r *Rows) Row(i int) ([]int32, []float32) {
	from, to := r.Start[i], r.Start[i+1]
	return r.Columns[from:to:to], r.Values[from:to:to]
}

// At is one value.
func (r *Rows) At(row int, column int32) float32 {
	columns, values := r.Row(row)
	if at, there := slices.BinarySearch(columns, column); there {
		return values[at]
	}
	return 0
}

// Reset leaves no rows, and the memory for some.
func (r *Rows) Reset() {
	r.Start, r.Columns, r.Values = append(r.Start[:0], 0), r.Columns[:0], r.Values[:0]
}

// Append adds a row.
func (r *Rows) Append(columns []int32, values []float32) {
	r.Columns, r.Values = append(r.Columns, columns...), append(r.Values, values...)
	r.End()
}

// End ends a row whose columns and values were appended one by one.
func (r *Rows) End() { r.Start = append(r.Start, len(r.Values)) }

// bytes is the memory that they take.
func (r *Rows) bytes() int64 {
	return 8*int64(cap(r.Start)) + 4*int64(cap(r.Columns)) + 4*int64(cap(r.Values))
}

// ascending is the different rows among those given, and where each of them is asked for.
func ascending(rows []int) (sorted []int, asked func(i int) []int) {
	order := num.Indices(len(rows))
	if !slices.IsSorted(rows) {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	}
	start := []int{}
	for at, i := range order {
		if at == 0 || rows[i] != rows[order[at-1]] {
			sorted, start = append(sorted, rows[i]), append(start, at)
		}
	}
	start = append(start, len(order))
	return sorted, func(i int) []int { return order[start[i]:start[i+1]] }
}

// byColumn puts the only row of r in the order of its columns.
func byColumn(r *Rows) {
	if !slices.IsSorted(r.Columns) {
		sort.Sort((*oneRow)(r))
	}
}

type oneRow Rows

func (r *oneRow) Len() int           { return len(r.Columns) }
func (r *oneRow) Less(a, b int) bool { return r.Columns[a] < r.Columns[b] }
func (r *oneRow) Swap(a, b int) {
	r.Columns[a], r.Columns[b] = r.Columns[b], r.Columns[a]
	r.Values[a], r.Values[b] = r.Values[b], r.Values[a]
}

// runs calls read with stretches of rows that follow one another, which lie together on disk.
func runs(rows []int, read func(from, to int) error) error {
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end] == rows[end-1]+1 {
			end++
		}
		if err := read(rows[i], rows[end-1]+1); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// Collect makes a table in memory of values in any order. each is called twice, to count them and to take them, and visits the same
// values both times. Values in the same place are added up in their order.
func Collect(rows, columns int, each func(visit func(row, column int, value float32)) error) (*Matrix, error) {
	start := make([]int, rows+1)
	if err := each(func(row, _ int, _ float32) { start[row+1]++ }); err != nil {
		return nil, err
	}
	for i := range rows {
		start[i+1] += start[i]
	}
	all := Rows{start, make([]int32, start[rows]), make([]float32, start[rows])}
	at, more := slices.Clone(start[:rows]), false
	err := each(func(row, column int, value float32) {
		if at[row] == start[row+1] {
			more = true
			return
		}
		all.Columns[at[row]], all.Values[at[row]] = int32(column), value
		at[row]++
	})
	if err == nil && (more || !slices.Equal(at, start[1:])) {
		err = errors.New("it changed while it was being read")
	}
	all.Settle()
	return NewMatrix(all, columns), err
}

// Settle puts the columns of each row in order, and adds up what is in the same place.
func (r *Rows) Settle() {
	into := 0
	for i := range r.Len() {
		from, to := r.Start[i], r.Start[i+1]
		row := oneRow{Columns: r.Columns[from:to], Values: r.Values[from:to]}
		if !slices.IsSorted(row.Columns) {
			sort.Stable(&row)
		}
		r.Start[i] = into
		for k, column := range row.Columns {
			if into > r.Start[i] && r.Columns[into-1] == column {
				r.Values[into-1] += row.Values[k]
				continue
			}
			r.Columns[into], r.Values[into] = column, row.Values[k]
			into++
		}
	}
	r.Start[r.Len()] = into
	r.Columns, r.Values = r.Columns[:into], r.Values[:into]
}
