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

// File is a table on disk. start locates the first value of each row; two files hold the columns
// and the values of all rows, row after row, in 32 bits, little-endian.
type File struct {
	start           []int
	width           int
	columns, values io.ReaderAt
	closer          io.Closer
	buffers         sync.Pool
}

// NewFile returns a table whose rows lie in files: columns as int32, values as float32. closer,
// which may be nil, is closed with it. [Scan] checks the columns.
func NewFile(start []int, width int, columns, values io.ReaderAt, closer io.Closer) (*File, error) {
	switch {
	case len(start) == 0 || start[0] != 0 || !slices.IsSorted(start):
		return nil, errors.New("the starts of its rows do not ascend from 0")
	case width < 0 || width > math.MaxInt32:
		return nil, fmt.Errorf("%d columns", width)
	}
	return &File{start: start, width: width, columns: columns, values: values, closer: closer}, nil
}

// Shape returns the numbers of rows and columns.
func (f *File) Shape() (rows, columns int) { return len(f.start) - 1, f.width }

// Bytes returns the memory that the table takes, the place of each row; the values stay on disk.
func (f *File) Bytes() int64 { return 8 * int64(len(f.start)) }

// Close closes what the caller of [NewFile] gave to be closed with the table; without that it does
// nothing.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Read reads rows. Consecutive rows are read at once.
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

// spool collects rows in memory, and moves all of them to disk once they exceed most bytes.
type spool struct {
	n, width int
	most     int64 // bytes in memory
	dir      string
	rows     Rows
	files    []*os.File // of columns and values; unlinked, so closing them frees the disk
	writers  []*bufio.Writer
	count    int
}

func newSpool(n, width int, most int64, dir string) *spool {
	s := &spool{n: n, width: width, most: most, dir: dir}
	s.rows.Reset()
	return s
}

// append adds a row, which must come after the previous one. Rows between the two are empty.
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

// source returns the collected rows, followed by empty ones up to n. It owns the files from then
// on.
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

func (s *spool) drop() { _ = closers(s.files).Close() }

type closers []*os.File

// Close closes all files, also after one has failed, and joins the errors.
func (c closers) Close() error {
	var failures []error
	for _, file := range c {
		failures = append(failures, file.Close())
	}
	return errors.Join(failures...)
}

// Stretches is a table that a function reads, in stretches of consecutive rows, one goroutine at a
// time.
type Stretches struct {
	start []int64
	width int
	read  func(from, to int) (Rows, error)
	lock  sync.Mutex
}

// NewStretches returns a table of width columns; start locates the values of each row, and the end
// of the last. read returns rows from ≤ i < to.
func NewStretches(start []int64, width int, read func(from, to int) (Rows, error)) *Stretches {
	return &Stretches{start: start, width: width, read: read}
}

// Shape returns the numbers of rows and columns.
func (s *Stretches) Shape() (rows, columns int) { return len(s.start) - 1, s.width }

// Bytes returns the memory that the table takes.
func (s *Stretches) Bytes() int64 { return 8 * int64(len(s.start)) }

// Read reads rows. Rows close together are read at once, with the rows between them, so that a
// compressed chunk is unpacked once.
func (s *Stretches) Read(ctx context.Context, rows []int, into *Rows) error {
	const between, most = 1 << 16, 1 << 22 // values read in vain at most, values of a stretch at most
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
