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

// Source provides the rows of a table. Several goroutines may read it at once.
type Source interface {
	// Shape returns the number of rows and of columns.
	Shape() (rows, columns int)
	// Read replaces the content of into with the given rows. The rows must
	// ascend.
	Read(ctx context.Context, rows []int, into *Rows) error
	// Bytes returns the memory that the source takes as long as it exists.
	Bytes() int64
}

var (
	_ Source = (*Matrix)(nil)
	_ Source = (*File)(nil)
	_ Source = (*Part)(nil)
	_ Source = (*Wide)(nil)
	_ Source = (*Stretches)(nil)
)

// Matrix is a table in memory.
type Matrix struct {
	rows  Rows
	width int
}

// NewMatrix returns a table with the given rows and number of columns. It takes
// ownership of rows and does not check them: use [Scan].
func NewMatrix(rows Rows, columns int) *Matrix { return &Matrix{rows, columns} }

// Shape returns the number of rows and of columns.
func (m *Matrix) Shape() (rows, columns int) { return m.rows.Len(), m.width }

// Bytes returns the memory that the table takes.
func (m *Matrix) Bytes() int64 { return m.rows.bytes() }

// Read copies rows.
func (m *Matrix) Read(ctx context.Context, rows []int, into *Rows) error {
	into.Reset()
	for _, i := range rows {
		into.Append(m.rows.Row(i))
	}
	return ctx.Err()
}

// BlockValues is roughly the number of values in one read: enough to be worth
// the call, few enough to stay in the processor's cache.
const BlockValues = 1 << 19

// blocks reads rows in order, block by block, and calls look for each block. It
// prefetches the next block meanwhile, so look must not keep the current one.
// first is the index in rows of the block's first row. blocks stops at the
// first error of look.
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
		size := 64 // rows; the first block shows how many values a row has
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
			for range ready { // waits for the reader
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

// Rows hold rows as they are stored. Row i has Values[Start[i]:Start[i+1]] in
// the corresponding Columns. Columns ascend. All its other values are 0.
type Rows struct {
	Start   []int
	Columns []int32
	Values  []float32
}

// Len returns the number of rows read.
func (r *Rows) Len() int { return max(len(r.Start)-1, 0) }

// Row returns the columns of a row and their values.
func (r *Rows) Row(i int) ([]int32, []float32) {
	from, to := r.Start[i], r.Start[i+1]
	return r.Columns[from:to:to], r.Values[from:to:to]
}

// Reset removes all rows but keeps their memory for reuse.
func (r *Rows) Reset() {
	r.Start, r.Columns, r.Values = append(r.Start[:0], 0), r.Columns[:0], r.Values[:0]
}

// Append adds a row. Its columns must ascend.
func (r *Rows) Append(columns []int32, values []float32) {
	r.Columns, r.Values = append(r.Columns, columns...), append(r.Values, values...)
	r.End()
}

// End completes a row after its columns and values were appended directly.
func (r *Rows) End() { r.Start = append(r.Start, len(r.Values)) }

// bytes returns the memory that the rows take.
func (r *Rows) bytes() int64 {
	return 8*int64(cap(r.Start)) + 4*int64(cap(r.Columns)) + 4*int64(cap(r.Values))
}

// ascending returns the distinct rows in ascending order. asked(i) returns the
// positions in rows of the i-th of them.
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

// byColumn sorts the values of r by column. r must be a single row.
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

// eachStretch calls read for each stretch from ≤ i < to of consecutive row
// numbers: they are adjacent on disk. It stops at the first error of read.
func eachStretch(rows []int, read func(from, to int) error) error {
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

// Collect builds a table in memory from values in any order. It calls each
// twice, once to count the values and once to store them, and both calls must
// visit the same values. Values in the same place are added up in the order of
// the visits.
func Collect(rows, columns int, each func(visit func(row, column int, value float32)) error) (*Matrix, error) {
	start := make([]int, rows+1)
	if err := each(func(row, _ int, _ float32) { start[row+1]++ }); err != nil {
		return nil, err
	}
	for i := range rows {
		start[i+1] += start[i]
	}
	table := Rows{start, make([]int32, start[rows]), make([]float32, start[rows])}

	next, more := slices.Clone(start[:rows]), false
	err := each(func(row, column int, value float32) {
		if next[row] == start[row+1] {
			more = true
			return
		}
		table.Columns[next[row]], table.Values[next[row]] = int32(column), value
		next[row]++
	})
	if err == nil && (more || !slices.Equal(next, start[1:])) {
		err = errors.New("it changed while it was being read")
	}
	table.SumDuplicates()
	return NewMatrix(table, columns), err
}

// SumDuplicates sorts each row by column and adds up values that share a place.
func (r *Rows) SumDuplicates() {
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
