package hdf5

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"sync"

	"fsnetlab/internal/half"
)

// raw reads the bytes of the rows from … to-1.
func (d *Dataset) raw(from, to int) ([]byte, error) {
	if from < 0 || to < from || to > d.Rows() {
		return nil, fmt.Errorf("%s: rows %d to %d of %d", d.path, from, to, d.Rows())
	}
	row := d.Columns() * d.Type.Size
	n := (to - from) * row
	if most := max(d.file.size*MaxInflation, mostUnwritten); int64(n) > most { // what was never written takes no place in the file
		return nil, fmt.Errorf("%s: rows %d to %d are %d bytes, more than the %d that are read at once of a file of %d", d.path, from, to, n, most, d.file.size)
	}
	var b []byte
	var err error
	switch {
	case n == 0:
	case d.layout.kind == compact:
		if len(d.layout.data) < to*row {
			err = fmt.Errorf("it holds %d bytes and its dimensions need %d", len(d.layout.data), d.Rows()*row)
		} else {
			b = d.layout.data[from*row : to*row]
		}
	case d.layout.kind == contiguous && d.layout.address != undefined:
		b, err = d.file.bytes(d.layout.address+uint64(from*row), n)
	case d.layout.kind == contiguous:
		b, err = d.unwritten(n)
	default:
		b = make([]byte, n)
		err = d.fromChunks(b, from, to)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	return b, nil
}

// mostUnwritten is how many bytes are read at once of an array that claims more than its file could hold.
const mostUnwritten = 1 << 30

// unwritten are so many bytes of elements that were never written, which have the fill value.
func (d *Dataset) unwritten(n int) ([]byte, error) {
	if d.filled == nil {
		return make([]byte, n), nil
	}
	if len(d.filled) != d.Type.Size || n > mostUnwritten {
		return nil, fmt.Errorf("a fill value of %d bytes for elements of %d: %w", len(d.filled), d.Type.Size, ErrUnsupported)
	}
	return bytes.Repeat(d.filled, n/d.Type.Size), nil
}

// fromChunks fills b with rows. Chunks are decoded side by side; the last one is kept, since the next rows may be in it as well.
func (d *Dataset) fromChunks(b []byte, from, to int) error {
	if err := d.readIndex(); err != nil {
		return err
	}
	counts := d.grid()
	inner := 1 // chunks beside each other
	for _, n := range counts[1:] {
		inner *= n
	}
	first, end := from/d.layout.chunk[0]*inner, ((to-1)/d.layout.chunk[0]+1)*inner
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), end-first)
	failed := make([]error, workers)
	var kept []byte
	for k := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := first + k; i < end && failed[k] == nil; i += workers {
				content, err := d.fill(b, from, to, uint64(i), counts)
				if failed[k] = err; i == end-1 {
					kept = content
				}
			}
		}()
	}
	wait.Wait()
	d.kept, d.last = kept, uint64(end-1)
	return cmp.Or(failed...)
}

// fill copies what is wanted of one chunk, and returns all of it.
func (d *Dataset) fill(b []byte, from, to int, number uint64, counts []int) ([]byte, error) {
	content := d.kept
	if content == nil || d.last != number {
		c, there := d.chunks[number]
		var err error
		switch {
		case there:
			content, err = d.decode(c)
		case d.filled == nil:
			return nil, nil // b is zero there
		default:
			var size int
			if size, err = d.chunkBytes(); err == nil {
				content, err = d.unwritten(size)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("chunk %d: %w", number, err)
		}
	}
	at := make([]int, len(counts))
	rest := number
	for i := len(counts) - 1; i >= 0; i-- {
		at[i] = int(rest%uint64(counts[i])) * d.layout.chunk[i]
		rest /= uint64(counts[i])
	}
	d.copyChunk(b, content, 0, at, from, to)
	return content, nil
}

// copyChunk copies the part of a chunk in a dimension and those below it. at is the chunk's first element; first and end
// are the rows that are wanted.
func (d *Dataset) copyChunk(to, chunk []byte, dim int, at []int, first, end int) {
	size, stored := d.Type.Size, d.Type.Size // of a step in this dimension, in b and in the chunk
	for i := dim + 1; i < len(d.Dims); i++ {
		size *= d.Dims[i]
		stored *= d.layout.chunk[i]
	}
	begin, stop := at[dim], min(at[dim]+d.layout.chunk[dim], d.Dims[dim])
	shift := 0
	if dim == 0 {
		begin, stop, shift = max(begin, first), min(stop, end), first
	}
	if begin >= stop {
		return
	}
	if dim == len(d.Dims)-1 {
		copy(to[(begin-shift)*size:(stop-shift)*size], chunk[(begin-at[dim])*stored:])
		return
	}
	for i := begin; i < stop; i++ {
		d.copyChunk(to[(i-shift)*size:(i-shift+1)*size], chunk[(i-at[dim])*stored:], dim+1, at, first, end)
	}
}

// decode reads a chunk and takes its filters off, the last one first.
func (d *Dataset) decode(c chunk) ([]byte, error) {
	want, err := d.chunkBytes()
	if err != nil {
		return nil, err
	}
	if uint64(want) > d.gain(c)*(uint64(c.size)+1) {
		return nil, fmt.Errorf("%d bytes cannot hold %d", c.size, want)
	}
	b, err := d.file.bytes(c.address, c.size)
	if err != nil {
		return nil, err
	}
	for i := len(d.filters) - 1; i >= 0; i-- {
		if c.mask>>i&1 == 1 {
			continue
		}
		if b, err = d.filters[i].undo(b, want+4*len(d.filters)); err != nil { // a checksum may be inside
			return nil, err
		}
	}
	if len(b) != want {
		return nil, fmt.Errorf("it has %d bytes, not %d", len(b), want)
	}
	return b, nil
}

// gain is the most that a stored byte of a chunk can become.
func (d *Dataset) gain(c chunk) uint64 {
	gain := uint64(1)
	for i, f := range d.filters {
		if c.mask>>i&1 == 0 {
			gain = min(gain*f.gain(), 1<<32)
		}
	}
	return gain
}

// References are the objects that the elements refer to.
func (d *Dataset) References() ([]*Object, error) {
	if d.Type.Class != Reference || d.Type.Size != d.file.offset {
		return nil, fmt.Errorf("%s holds %v, not references", d.path, d.Type)
	}
	b, err := d.raw(0, d.Rows())
	if err != nil {
		return nil, err
	}
	objects := make([]*Object, len(b)/d.Type.Size)
	c := &cursor{b: b, offset: d.file.offset}
	for i := range objects {
		at := c.address()
		if at == 0 || at == undefined {
			return nil, fmt.Errorf("%s: reference %d: %w", d.path, i+1, fs.ErrNotExist)
		}
		if objects[i], err = d.file.at(at, fmt.Sprintf("%s, element %d", d.path, i+1)); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// A Number is what elements can be read as.
type Number interface{ ~int64 | ~float32 | ~float64 }

// Read reads the numbers of the rows from … to-1, row by row. What T cannot hold is rounded, and whole numbers are cut to 64 bits.
func Read[T Number](d *Dataset, from, to int) ([]T, error) {
	if !d.Type.IsNumber() {
		return nil, fmt.Errorf("%s holds %v, not numbers", d.path, d.Type)
	}
	return numbers[T](d, from, to)
}

// numbers is Read of an enumeration, too.
func numbers[T Number](d *Dataset, from, to int) ([]T, error) {
	if !d.Type.IsNumber() && d.Type.Class != Enum {
		return nil, fmt.Errorf("%s holds %v, neither numbers nor text", d.path, d.Type)
	}
	b, err := d.raw(from, to)
	if err != nil {
		return nil, err
	}
	numbers := make([]T, len(b)/d.Type.Size)
	convert(d.Type, numbers, b)
	return numbers, nil
}

// convert reads numbers from their bytes.
func convert[T Number](t Type, to []T, b []byte) {
	order := t.order
	switch {
	case t.Class == Float && t.Size == 2:
		for i := range to {
			to[i] = T(half.Value(order.Uint16(b[2*i:])))
		}
	case t.Class == Float && t.Size == 4:
		for i := range to {
			to[i] = T(math.Float32frombits(order.Uint32(b[4*i:])))
		}
	case t.Class == Float:
		for i := range to {
			to[i] = T(math.Float64frombits(order.Uint64(b[8*i:])))
		}
	case t.Size == 1 && t.Signed:
		for i := range to {
			to[i] = T(int8(b[i]))
		}
	case t.Size == 1:
		for i := range to {
			to[i] = T(b[i])
		}
	case t.Size == 2 && t.Signed:
		for i := range to {
			to[i] = T(int16(order.Uint16(b[2*i:])))
		}
	case t.Size == 2:
		for i := range to {
			to[i] = T(order.Uint16(b[2*i:]))
		}
	case t.Size == 4 && t.Signed:
		for i := range to {
			to[i] = T(int32(order.Uint32(b[4*i:])))
		}
	case t.Size == 4:
		for i := range to {
			to[i] = T(order.Uint32(b[4*i:]))
		}
	case t.Signed:
		for i := range to {
			to[i] = T(int64(order.Uint64(b[8*i:])))
		}
	default:
		for i := range to {
			to[i] = T(order.Uint64(b[8*i:]))
		}
	}
}
