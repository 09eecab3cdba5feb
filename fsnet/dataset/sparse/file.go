package sparse

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// A Kind is how numbers lie in a file: least byte first.
type Kind int

// The kinds of numbers.
const (
	Int8 Kind = iota
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
)

// Size is the number of bytes.
func (k Kind) Size() int { return [...]int{1, 1, 2, 2, 4, 4, 8, 8, 4, 8}[k] }

// number is one of them.
func (k Kind) number(b []byte) float64 {
	switch k {
	case Int8:
		return float64(int8(b[0]))
	case Uint8:
		return float64(b[0])
	case Int16:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case Uint16:
		return float64(binary.LittleEndian.Uint16(b))
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case Uint32:
		return float64(binary.LittleEndian.Uint32(b))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case Uint64:
		return float64(binary.LittleEndian.Uint64(b))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// Array is numbers of one kind that lie one after the other in a file.
type Array struct {
	In    io.ReaderAt
	At    int64 // the first byte
	Kind  Kind
	Count int
}

// bytes reads numbers from ≤ i < to.
func (a Array) bytes(from, to int, buffer []byte) ([]byte, error) {
	size := a.Kind.Size()
	buffer = slices.Grow(buffer[:0], (to-from)*size)[:(to-from)*size]
	n, err := a.In.ReadAt(buffer, a.At+int64(from)*int64(size))
	if n < len(buffer) {
		return nil, fmt.Errorf("it ends early: %w", err)
	}
	return buffer, nil
}

// File is a table on disk: of each row the place of its first value, then the columns and the values of all rows, one row after the other.
type File struct {
	start           []int
	width           int
	columns, values Array
	closer          io.Closer
	buffers         sync.Pool
}

// NewFile is a table whose rows lie in a file; closer, which may be nil, is closed with it. The error says which of the three does not
// fit the others. What the columns are finds [Scan] out.
func NewFile(start []int, width int, columns, values Array, closer io.Closer) (*File, error) {
	switch {
	case len(start) == 0 || start[0] != 0 || !slices.IsSorted(start):
		return nil, errors.New("the starts of its rows do not ascend from 0")
	case start[len(start)-1] != columns.Count || columns.Count != values.Count:
		return nil, fmt.Errorf("its rows end at %d, but it has %d columns and %d values", start[len(start)-1], columns.Count, values.Count)
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
		first, end := f.start[from], f.start[to]
		read, err := f.columns.bytes(first, end, *buffer)
		if err != nil {
			return fmt.Errorf("columns of row %d: %w", from+1, err)
		}
		into.Columns = appendColumns(into.Columns, read, f.columns.Kind)
		*buffer = read
		if read, err = f.values.bytes(first, end, read); err != nil {
			return fmt.Errorf("values of row %d: %w", from+1, err)
		}
		into.Values = appendValues(into.Values, read, f.values.Kind)
		*buffer = read
		base := into.Start[len(into.Start)-1] - first
		for i := from + 1; i <= to; i++ {
			into.Start = append(into.Start, base+f.start[i])
		}
		return nil
	})
}

func appendColumns(to []int32, read []byte, kind Kind) []int32 {
	size := kind.Size()
	to = slices.Grow(to, len(read)/size)
	if kind == Int32 {
		for ; len(read) >= 4; read = read[4:] {
			to = append(to, int32(binary.LittleEndian.Uint32(read)))
		}
		return to
	}
	for ; len(read) > 0; read = read[size:] {
		column := kind.number(read)
		if column < 0 || column > math.MaxInt32 {
			column = -1 // which is none
		}
		to = append(to, int32(column))
	}
	return to
}

func appendValues(to []float32, read []byte, kind Kind) []float32 {
	size := kind.Size()
	to = slices.Grow(to, len(read)/size)
	if kind == Float32 {
		for ; len(read) >= 4; read = read[4:] {
			to = append(to, math.Float32frombits(binary.LittleEndian.Uint32(read)))
		}
		return to
	}
	for ; len(read) > 0; read = read[size:] {
		to = append(to, float32(kind.number(read)))
	}
	return to
}
