package sparse

import (
	"context"

	"fsnetlab/fsnet/fault"
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
		return fault.Wrap(ctx.Err(), fault.Interrupted, "", "reading the rows was stopped")
	}
	return nil
}
