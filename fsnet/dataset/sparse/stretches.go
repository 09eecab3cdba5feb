package sparse

import (
	"context"
	"sync"
)

// Stretches is a table somewhere else that gives rows which follow one another, one goroutine at a time.
type Stretches struct {
	start []int64
	width int
	read  func(from, to int) (Rows, error)
	lock  sync.Mutex
}

var _ Source = (*Stretches)(nil)

// NewStretches is a table of so many columns; start says of each row where its values begin, and where the last one ends. read gives the
// rows from ≤ i < to.
func NewStretches(start []int64, width int, read func(from, to int) (Rows, error)) *Stretches {
	return &Stretches{start: start, width: width, read: read}
}

// Shape is the number of rows and of columns.
func (s *Stretches) Shape() (rows, columns int) { return len(s.start) - 1, s.width }

// Bytes is the memory that it takes.
func (s *Stretches) Bytes() int64 { return 8 * int64(len(s.start)) }

// Read reads rows. Those that lie near each other are read at once, with what lies between them: where numbers are packed, a chunk of them
// is unpacked once.
func (s *Stretches) Read(ctx context.Context, rows []int, into *Rows) error {
	const between, most = 1 << 16, 1 << 22 // values: those that are read in vain, and all of a stretch
	into.Reset()
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := 1
		for end < len(rows) && s.start[rows[end]]-s.start[rows[end-1]+1] <= between && s.start[rows[end]+1]-s.start[rows[0]] <= most {
			end++
		}
		s.lock.Lock()
		block, err := s.read(rows[0], rows[end-1]+1)
		s.lock.Unlock()
		if err != nil {
			return err
		}
		for _, row := range rows[:end] {
			into.Append(block.Row(row - rows[0]))
		}
		rows = rows[end:]
	}
	return nil
}
