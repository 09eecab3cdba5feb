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

// File is a table on disk: of each row the place of its first value, and in two files the columns and the values of all rows, one row after
// the other, in 32 bits with the least byte first.
type File struct {
	start           []int
	width           int
	columns, values io.ReaderAt
	closer          io.Closer
	buffers         sync.Pool
}

// NewFile is a table whose rows lie in files: columns as int32, values as float32; closer, which may be nil, is closed with it. What the
// columns are finds [Scan] out.
func NewFile(start []int, width int, columns, values io.ReaderAt, closer io.Closer) (*File, error) {
	switch {
	case len(start) == 0 || start[0] != 0 || !slices.IsSorted(start):
		return nil, errors.New("the starts of its rows do not ascend from 0")
	case width < 0 || width > math.MaxInt32:
		return nil, fmt.Errorf("%d columns", width)
	}
	return &File{start: start, width: width, columns: columns, values: values, closer: closer}, nil
}

// Shape is the number of rows and of columns.
func (f *File) Shape() (rows, columns int) { return len(f.start) - 1, f.width }

// Bytes is the memory that it takes.
func (f *File) Bytes() int64 { return 8 * int64(len(f.start)) }

// Close closes the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Read reads rows; those that follow one another at once.
func (f *File) Read(ctx context.Context, rows []int, into *Rows) error {
	into.Reset()
	buffer, _ := f.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer f.buffers.Put(buffer)
	return runs(rows, func(from, to int) error {
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

// keeper takes rows in: in memory, and where they become too many, all of them on disk.
type keeper struct {
	n, width int
	most     int64 // bytes in memory
	dir      string
	rows     Rows
	files    []*os.File // of the columns and the values, without names: they are gone when they are closed
	writers  []*bufio.Writer
	count    int
}

func newKeeper(n, width int, most int64, dir string) *keeper {
	k := &keeper{n: n, width: width, most: most, dir: dir}
	k.rows.Reset()
	return k
}

// append adds a row; rows between it and the last one are empty.
func (k *keeper) append(row int, columns []int32, values []float32) error {
	for len(k.rows.Start) <= row {
		k.rows.Start = append(k.rows.Start, k.count)
	}
	k.count += len(columns)
	if k.files == nil {
		k.rows.Append(columns, values)
		if 8*int64(k.count) <= k.most {
			return nil
		}
		return k.spill()
	}
	k.rows.Start = append(k.rows.Start, k.count)
	return k.write(columns, values)
}

// spill moves what is in memory to disk.
func (k *keeper) spill() error {
	for range 2 {
		file, err := os.CreateTemp(k.dir, "fsnet-rows-*")
		if err != nil {
			return err
		}
		k.files, k.writers = append(k.files, file), append(k.writers, bufio.NewWriterSize(file, 1<<18))
		if err := os.Remove(file.Name()); err != nil {
			return err
		}
	}
	columns, values := k.rows.Columns, k.rows.Values
	k.rows.Columns, k.rows.Values = nil, nil
	return k.write(columns, values)
}

func (k *keeper) write(columns []int32, values []float32) error {
	var word [4]byte
	for i, j := range columns {
		binary.LittleEndian.PutUint32(word[:], uint32(j))
		if _, err := k.writers[0].Write(word[:]); err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(word[:], math.Float32bits(values[i]))
		if _, err := k.writers[1].Write(word[:]); err != nil {
			return err
		}
	}
	return nil
}

// source is all that was kept.
func (k *keeper) source() (Source, error) {
	for len(k.rows.Start) <= k.n {
		k.rows.Start = append(k.rows.Start, k.count)
	}
	if k.files == nil {
		return NewMatrix(k.rows, k.width), nil
	}
	for _, w := range k.writers {
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	return NewFile(k.rows.Start, k.width, k.files[0], k.files[1], closers(k.files))
}

func (k *keeper) drop() { _ = closers(k.files).Close() }

type closers []*os.File

func (c closers) Close() error {
	var all []error
	for _, file := range c {
		all = append(all, file.Close())
	}
	return errors.Join(all...)
}

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
