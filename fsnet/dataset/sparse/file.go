package sparse

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
)

// File is a table on disk. One file holds the columns of all values and another
// one the values, row after row, in 32 bits, little-endian. start locates the
// first value of each row, so it has one element more than there are rows.
type File struct {
	start           []int
	width           int
	columns, values io.ReaderAt
	closer          io.Closer
	buffers         sync.Pool
}

// NewFile returns a table with its rows in two files: columns as int32, values
// as float32. Closing the table closes closer, unless that is nil. NewFile does
// not look at the columns: use [Scan] to check them.
func NewFile(start []int, width int, columns, values io.ReaderAt, closer io.Closer) (*File, error) {
	switch {
	case len(start) == 0 || start[0] != 0 || !slices.IsSorted(start):
		return nil, errors.New("the starts of its rows do not ascend from 0")
	case width < 0 || width > math.MaxInt32:
		return nil, fmt.Errorf("%d columns", width)
	}
	return &File{start: start, width: width, columns: columns, values: values, closer: closer}, nil
}

// Shape returns the number of rows and of columns.
func (f *File) Shape() (rows, columns int) { return len(f.start) - 1, f.width }

// Bytes returns the memory that the table takes, 8 bytes a row. The values stay
// on disk.
func (f *File) Bytes() int64 { return 8 * int64(len(f.start)) }

// Close closes the closer that was given to [NewFile], if any.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Read reads rows. It reads consecutive rows in one call.
func (f *File) Read(ctx context.Context, rows []int, into *Rows) error {
	into.Reset()
	buffer, _ := f.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer f.buffers.Put(buffer)
	return eachStretch(rows, func(from, to int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		first, n := f.start[from], f.start[to]-f.start[from]
		*buffer = slices.Grow((*buffer)[:0], 4*n)[:4*n]
		for i, in := range []io.ReaderAt{f.columns, f.values} {
			if read, err := in.ReadAt(*buffer, 4*int64(first)); read < 4*n {
				return fmt.Errorf("row %d: it ends early: %w", from+1, err)
			}
			for b := *buffer; len(b) > 0; b = b[4:] {
				if bits := binary.LittleEndian.Uint32(b); i == 0 {
					into.Columns = append(into.Columns, int32(bits))
				} else {
					into.Values = append(into.Values, math.Float32frombits(bits))
				}
			}
		}
		base := into.Start[len(into.Start)-1] - first
		for i := from + 1; i <= to; i++ {
			into.Start = append(into.Start, base+f.start[i])
		}
		return nil
	})
}

// spool collects rows in memory. Once they exceed most bytes, it moves all of
// them to disk.
type spool struct {
	n, width int
	most     int64 // limit of the rows in memory, in bytes
	// for temporary files
	dir     string
	rows    Rows
	files   []*os.File // columns and values; unlinked, so closing them frees the disk
	writers []*bufio.Writer
	// values so far
	count int
}

// newSpool returns an empty spool for n rows of width columns.
func newSpool(n, width int, most int64, dir string) *spool {
	s := &spool{n: n, width: width, most: most, dir: dir}
	s.rows.Reset()
	return s
}

// append adds a row. Row numbers must ascend, and the rows left out are empty.
func (s *spool) append(row int, columns []int32, values []float32) error {
	for len(s.rows.Start) <= row {
		s.rows.Start = append(s.rows.Start, s.count)
	}

	s.count += len(columns)
	if s.files == nil {
		s.rows.Append(columns, values)
		if 8*int64(s.count) <= s.most {
			return nil
		}
		return s.spill()
	}
	s.rows.Start = append(s.rows.Start, s.count)
	return s.write(columns, values)
}

// spill moves the rows from memory to disk.
func (s *spool) spill() error {
	for range 2 {
		file, err := os.CreateTemp(s.dir, "fsnet-rows-*")
		if err != nil {
			return err
		}
		s.files, s.writers = append(s.files, file), append(s.writers, bufio.NewWriterSize(file, 1<<18))
		if err := os.Remove(file.Name()); err != nil {
			return err
		}
	}
	columns, values := s.rows.Columns, s.rows.Values
	s.rows.Columns, s.rows.Values = nil, nil
	return s.write(columns, values)
}

// write appends a row to the files.
func (s *spool) write(columns []int32, values []float32) error {
	var word [4]byte
	for i, j := range columns {
		binary.LittleEndian.PutUint32(word[:], uint32(j))
		if _, err := s.writers[0].Write(word[:]); err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(word[:], math.Float32bits(values[i]))
		if _, err := s.writers[1].Write(word[:]); err != nil {
			return err
		}
	}
	return nil
}

// source returns the collected rows, followed by empty ones up to n rows. The
// source owns the files.
func (s *spool) source() (Source, error) {
	for len(s.rows.Start) <= s.n {
		s.rows.Start = append(s.rows.Start, s.count)
	}
	if s.files == nil {
		return NewMatrix(s.rows, s.width), nil
	}
	for _, w := range s.writers {
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	return NewFile(s.rows.Start, s.width, s.files[0], s.files[1], closers(s.files))
}

// closeFiles closes the files, which also frees their disk space.
func (s *spool) closeFiles() { _ = closers(s.files).Close() }

type closers []*os.File

// Close closes all files, even if one fails, and joins the errors.
func (c closers) Close() error {
	var failures []error
	for _, file := range c {
		failures = append(failures, file.Close())
	}
	return errors.Join(failures...)
}

// Stretches is a table that a function reads in stretches of consecutive rows.
// It never calls the function twice at once.
type Stretches struct {
	start []int64
	width int
	read  func(from, to int) (Rows, error)
	lock  sync.Mutex
}

// NewStretches returns a table of width columns. start locates the first value
// of each row and the end of the last row. read returns rows from ≤ i < to.
func NewStretches(start []int64, width int, read func(from, to int) (Rows, error)) *Stretches {
	return &Stretches{start: start, width: width, read: read}
}

// Shape returns the number of rows and of columns.
func (s *Stretches) Shape() (rows, columns int) { return len(s.start) - 1, s.width }

// Bytes returns the memory that the table takes, 8 bytes a row.
func (s *Stretches) Bytes() int64 { return 8 * int64(len(s.start)) }

// Read reads rows. It reads rows that lie close together in one call, along
// with the rows between them, so that a compressed chunk is unpacked only once.
func (s *Stretches) Read(ctx context.Context, rows []int, into *Rows) error {
	// between limits the values that are read and dropped, most the values of
	// one call.
	const between, most = 1 << 16, 1 << 22
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
