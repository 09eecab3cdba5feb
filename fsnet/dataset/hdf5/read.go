package hdf5

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

// rowBytes returns the elements of rows from ≤ i < to in bytes, with the
// filters undone. The bytes may belong to d, so the caller must not change
// them.
func (d *Dataset) rowBytes(from, to int) ([]byte, error) {
	if from < 0 || to < from || to > d.Rows() {
		return nil, fmt.Errorf("%s: rows %d to %d of %d", d.path, from, to, d.Rows())
	}
	row := d.Columns() * d.Type.Size
	n := (to - from) * row
	// elements that were never written take no space in the file
	if most := max(d.file.size*MaxInflation, mostUnwritten); int64(n) > most {
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
		b, err = d.file.readBytes(d.layout.address+uint64(from*row), n)
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

// mostUnwritten limits one read of an array that claims more bytes than its
// file can hold.
const mostUnwritten = 1 << 30

// unwritten returns n bytes of elements that were never written: the fill value
// repeated, or zeros if the array has no fill value.
func (d *Dataset) unwritten(n int) ([]byte, error) {
	if d.fill == nil {
		return make([]byte, n), nil
	}
	if len(d.fill) != d.Type.Size {
		return nil, fmt.Errorf("a fill value of %d bytes for elements of %d: %w", len(d.fill), d.Type.Size, ErrUnsupported)
	}
	return bytes.Repeat(d.fill, n/d.Type.Size), nil
}

// fromChunks copies rows from ≤ i < to to b. b must be all zeros. fromChunks
// decodes chunks concurrently. It caches the last chunk because the next rows
// may begin there.
func (d *Dataset) fromChunks(b []byte, from, to int) error {
	if err := d.readIndex(); err != nil {
		return err
	}
	counts := d.chunkCounts()
	inner := 1 // number of chunks side by side
	for _, n := range counts[1:] {
		inner *= n
	}
	first, end := from/d.layout.chunk[0]*inner, ((to-1)/d.layout.chunk[0]+1)*inner

	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), end-first)
	failed := make([]error, workers)
	var last []byte
	for k := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := first + k; i < end && failed[k] == nil; i += workers {
				content, err := d.copyRows(b, from, to, uint64(i), counts)
				if failed[k] = err; i == end-1 {
					last = content
				}
			}
		}()
	}
	wait.Wait()
	d.lastContent, d.lastChunk = last, uint64(end-1)
	return cmp.Or(failed...)
}

// copyRows copies the rows from ≤ i < to of one chunk to b. It returns the
// decoded chunk, or nil if the chunk is all zeros.
func (d *Dataset) copyRows(b []byte, from, to int, number uint64, counts []int) ([]byte, error) {
	content := d.lastContent
	if content == nil || d.lastChunk != number {
		c, there := d.chunks[number]
		var err error
		switch {
		case there:
			content, err = d.decode(c)
		case d.fill == nil:
			return nil, nil // b already holds zeros
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

// copyChunk copies the rows first ≤ i < end of the array from a chunk, working
// inwards from dimension dim. origin is the position in the array of the first
// element of the chunk.
func (d *Dataset) copyChunk(to, chunk []byte, dim int, origin []int, first, end int) {
	size, stored := d.Type.Size, d.Type.Size // bytes of one step in this dimension, in to and in the chunk
	for i := dim + 1; i < len(d.Dims); i++ {
		size *= d.Dims[i]
		stored *= d.layout.chunk[i]
	}

	begin, stop := origin[dim], min(origin[dim]+d.layout.chunk[dim], d.Dims[dim])
	shift := 0
	if dim == 0 {
		begin, stop, shift = max(begin, first), min(stop, end), first
	}

	if begin >= stop {
		return
	}

	if dim == len(d.Dims)-1 {
		copy(to[(begin-shift)*size:(stop-shift)*size], chunk[(begin-origin[dim])*stored:])
		return
	}

	for i := begin; i < stop; i++ {
		d.copyChunk(to[(i-shift)*size:(i-shift+1)*size], chunk[(i-origin[dim])*stored:], dim+1, origin, first, end)
	}
}

// decode reads a chunk and undoes its filters, the last filter first. It
// returns an error if the result does not have the size of a chunk.
func (d *Dataset) decode(c chunk) ([]byte, error) {
	want, err := d.chunkBytes()
	if err != nil {
		return nil, err
	}
	b, err := d.file.readBytes(c.address, c.size)
	if err != nil {
		return nil, err
	}

	for i := len(d.filters) - 1; i >= 0; i-- {
		if c.mask>>i&1 == 1 {
			continue
		}
		if b, err = d.filters[i].reverse(b, want+4*len(d.filters)); err != nil { // may still contain checksums
			return nil, err
		}
	}

	if len(b) != want {
		return nil, fmt.Errorf("it has %d bytes, not %d", len(b), want)
	}
	return b, nil
}

// References returns the objects that the elements refer to, in order. A null
// reference is an error that wraps [fs.ErrNotExist].
func (d *Dataset) References() ([]*Object, error) {
	if d.Type.Class != Reference || d.Type.Size != addressBytes {
		return nil, fmt.Errorf("%s holds %v, not references", d.path, d.Type)
	}
	b, err := d.rowBytes(0, d.Rows())
	if err != nil {
		return nil, err
	}

	objects := make([]*Object, len(b)/d.Type.Size)
	c := &cursor{b: b}
	for i := range objects {
		address := c.uint(8)
		if address == 0 || address == undefined {
			return nil, fmt.Errorf("%s: reference %d: %w", d.path, i+1, fs.ErrNotExist)
		}
		if objects[i], err = d.file.readObject(address, fmt.Sprintf("%s, element %d", d.path, i+1)); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// Number is a type that elements can be converted to.
type Number interface{ ~int64 | ~float32 | ~float64 }

// Read returns the numbers of rows from ≤ i < to, row by row. If T cannot hold
// a number exactly, it is rounded. Whole numbers are cut to 64 bits.
func Read[T Number](d *Dataset, from, to int) ([]T, error) {
	if !d.Type.IsNumber() {
		return nil, fmt.Errorf("%s holds %v, not numbers", d.path, d.Type)
	}
	return readNumbers[T](d, from, to)
}

// readNumbers is [Read] for numbers and enumerations.
func readNumbers[T Number](d *Dataset, from, to int) ([]T, error) {
	if !d.Type.IsNumber() && d.Type.Class != Enum {
		return nil, fmt.Errorf("%s holds %v, neither numbers nor text", d.path, d.Type)
	}
	b, err := d.rowBytes(from, to)
	if err != nil {
		return nil, err
	}
	numbers := make([]T, len(b)/d.Type.Size)
	convert(d.Type, numbers, b)
	return numbers, nil
}

// convert decodes the elements of b to to. They must be numbers or an
// enumeration.
func convert[T Number](t Type, to []T, b []byte) {
	number := decoder[T](t)
	for i := range to {
		to[i] = number(b[i*t.Size:])
	}
}

// decoder returns a function that decodes the element at the beginning of its
// argument.
func decoder[T Number](t Type) func(b []byte) T {
	order := t.order
	switch {
	case t.Class == Float && t.Size == 2:
		return func(b []byte) T { return T(num.FromHalf(order.Uint16(b))) }
	case t.Class == Float && t.Size == 4:
		return func(b []byte) T { return T(math.Float32frombits(order.Uint32(b))) }
	case t.Class == Float:
		return func(b []byte) T { return T(math.Float64frombits(order.Uint64(b))) }
	case t.Size == 1 && t.Signed:
		return func(b []byte) T { return T(int8(b[0])) }
	case t.Size == 1:
		return func(b []byte) T { return T(b[0]) }
	case t.Size == 2 && t.Signed:
		return func(b []byte) T { return T(int16(order.Uint16(b))) }
	case t.Size == 2:
		return func(b []byte) T { return T(order.Uint16(b)) }
	case t.Size == 4 && t.Signed:
		return func(b []byte) T { return T(int32(order.Uint32(b))) }
	case t.Size == 4:
		return func(b []byte) T { return T(order.Uint32(b)) }
	case t.Signed:
		return func(b []byte) T { return T(int64(order.Uint64(b))) }
	}
	return func(b []byte) T { return T(order.Uint64(b)) }
}

// Texts returns the elements of rows from ≤ i < to as texts. Numbers take their
// shortest exact form, NaN becomes "", and members of an enumeration are
// replaced by their names.
func (d *Dataset) Texts(from, to int) ([]string, error) {
	switch {
	case d.Type.IsText():
		return d.Strings(from, to)
	case d.Type.Class == Float && d.Type.Size <= 4:
		return spell(d, from, to, parse.Spell[float32])
	case d.Type.Class == Float:
		return spell(d, from, to, parse.Spell[float64])
	case d.Type.members != nil:
		// R has no name for a missing value, so it becomes "".
		return spell(d, from, to, func(x int64) string { return d.Type.members[x] })
	case d.Type.Signed:
		return spell(d, from, to, func(x int64) string { return strconv.FormatInt(x, 10) })
	}
	return spell(d, from, to, func(x int64) string { return strconv.FormatUint(uint64(x), 10) })
}

// spell reads rows as numbers and converts each with text.
func spell[T Number](d *Dataset, from, to int, text func(T) string) ([]string, error) {
	values, err := readNumbers[T](d, from, to)
	texts := make([]string, len(values))
	for i, x := range values {
		texts[i] = text(x)
	}
	return texts, err
}

// Strings returns the texts of rows from ≤ i < to. The texts share memory. It
// returns an error if the elements are not text; use [Dataset.Texts] for any
// type.
func (d *Dataset) Strings(from, to int) ([]string, error) {
	if !d.Type.IsText() {
		return nil, fmt.Errorf("%s holds %v, not text", d.path, d.Type)
	}
	b, err := d.rowBytes(from, to)
	if err != nil {
		return nil, err
	}
	texts := make([]string, (to-from)*d.Columns())
	if d.Type.Class == Text {
		for i := range texts {
			texts[i] = d.Type.text(b[i*d.Type.Size : (i+1)*d.Type.Size])
		}
		return texts, nil
	}

	if d.Type.Size != 8+addressBytes {
		return nil, fmt.Errorf("%s: its references to texts have %d bytes", d.path, d.Type.Size)
	}

	heap := &globalHeap{walk: d.file.walk(), collections: map[uint64]map[int]string{}}
	c := &cursor{b: b}
	for i := range texts {
		size, address, index := int(c.uint(4)), c.uint(8), int(c.uint(4))
		if size == 0 || address == 0 || address == undefined {
			continue // an empty text is not stored
		}
		text, err := heap.object(address, index)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
		if size > len(text) {
			return nil, fmt.Errorf("%s: text %d has %d bytes, but its place in the heap has %d", d.path, i+1, size, len(text))
		}
		texts[i] = text[:size]
	}
	return texts, nil
}

// globalHeap reads texts of any length. They lie in collections of many
// objects, and each collection is read once.
type globalHeap struct {
	walk        *walk
	collections map[uint64]map[int]string
}

// object returns an object, given the address of its collection and its index
// there.
func (h *globalHeap) object(address uint64, index int) (string, error) {
	objects := h.collections[address]
	if objects == nil {
		var err error
		if objects, err = h.read(address); err != nil {
			return "", err
		}
		h.collections[address] = objects
	}
	text, ok := objects[index]
	if !ok {
		return "", fmt.Errorf("the heap at byte %d has no object %d", address, index)
	}
	return text, nil
}

// read returns the objects of a collection.
func (h *globalHeap) read(address uint64) (map[int]string, error) {
	const head = 8 + addressBytes
	c, err := h.walk.readBlock(address, head, "GCOL")
	if err != nil {
		return nil, err
	}
	c.skip(4)
	size := c.size()
	if size < head {
		return nil, fmt.Errorf("byte %d: a heap of %d bytes", address, size)
	}
	if c, err = h.walk.readBlock(address+uint64(head), size-head, ""); err != nil {
		return nil, err
	}

	heap := string(c.b) // objects are substrings of it
	objects := map[int]string{}
	for len(c.b) >= head {
		index := int(c.uint(2))
		c.skip(6)
		n := c.size()
		if index == 0 { // free space
			break
		}
		begin := len(heap) - len(c.b)
		if c.next(n); c.err != nil {
			return nil, fmt.Errorf("byte %d: an object of %d bytes is longer than its heap", address, n)
		}
		objects[index] = heap[begin : begin+n]
		c.next(min(-n&7, len(c.b)))
	}
	return objects, nil
}

// Registered numbers of filters.
const (
	filterGzip     = 1
	filterShuffle  = 2
	filterFletcher = 3
	filterLZF      = 32000
	filterZstd     = 32015
)

// filter is a transformation that was applied to a chunk when it was written.
type filter struct {
	id    int
	width int // bytes of an element, for shuffle
}

// String names a filter for the error that this package cannot undo it.
func (f filter) String() string {
	names := map[int]string{4: "szip", 5: "nbit", 6: "scale-offset", 32001: "blosc", 32004: "LZ4", 32008: "bitshuffle", 32026: "blosc2"}
	if name := names[f.id]; name != "" {
		return name
	}
	return fmt.Sprintf("number %d", f.id)
}

// parseFilters returns the filters of a chunk in the order in which they were
// applied. It returns [ErrUnsupported] for a filter that [filter.undo] does not
// know.
func parseFilters(c *cursor) ([]filter, error) {
	version, n := c.uint(1), int(c.uint(1))
	if version != 1 && version != 2 {
		return nil, fmt.Errorf("filter message %d: %w", version, ErrUnsupported)
	}
	if version == 1 {
		c.skip(6)
	}

	var filters []filter
	for range n {
		f, name := filter{id: int(c.uint(2))}, 0
		if version == 1 || f.id >= 256 {
			name = int(c.uint(2))
		}
		c.skip(2)
		values := int(c.uint(2))
		if version == 1 {
			name += -name & 7
		}
		c.skip(name)
		for i := range values {
			if v := int(c.uint(4)); i == 0 {
				f.width = v
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}

		switch f.id {
		case filterGzip, filterShuffle, filterFletcher, filterLZF, filterZstd:
		default:
			return nil, fmt.Errorf("the filter %v: %w", f, ErrUnsupported)
		}
		filters = append(filters, f)
	}

	if c.err != nil {
		return nil, fmt.Errorf("its filters are damaged: %w", c.err)
	}
	return filters, nil
}

// reverse reverses a filter. most bounds the decompressed bytes, so that a
// damaged chunk cannot exhaust memory. [Dataset.decode] checks the exact
// length.
func (f filter) reverse(b []byte, most int) ([]byte, error) {
	switch f.id {
	case filterGzip:
		return inflate(b, most)
	case filterShuffle:
		return unshuffle(b, f.width), nil
	case filterFletcher:
		return checkFletcher(b)
	case filterZstd:
		return unzstd(b, most)
	}
	return decompressLZF(b, most)
}

// unzstd decompresses zstd. It rejects a result of more than most bytes, or of
// more than 8 MiB if most is less.
func unzstd(b []byte, most int) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(most, 8<<20))))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, make([]byte, 0, min(most, MaxInflation*len(b))))
}

// inflate decompresses a zlib stream and verifies its checksum. It stops after
// most+1 bytes, so that the caller sees that there are too many.
func inflate(b []byte, most int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(min(most, MaxInflation*len(b)) + bytes.MinRead)
	_, err = out.ReadFrom(io.LimitReader(r, int64(most)+1))
	return out.Bytes(), err
}

// unshuffle puts the bytes of each element together again. They are stored as
// all first bytes, then all second bytes, and so on.
func unshuffle(b []byte, width int) []byte {
	if width < 2 || len(b) < width {
		return b
	}
	n := len(b) / width
	out := make([]byte, len(b))
	copy(out[n*width:], b[n*width:])
	switch width {
	case 4:
		b0, b1, b2, b3 := b[:n], b[n:2*n], b[2*n:3*n], b[3*n:4*n]
		for i := range n {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(b0[i])|uint32(b1[i])<<8|uint32(b2[i])<<16|uint32(b3[i])<<24)
		}
	default:
		for j := range width {
			for i, v := range b[j*n : (j+1)*n] {
				out[i*width+j] = v
			}
		}
	}
	return out
}

// checkFletcher verifies the Fletcher checksum after the data of a chunk and
// removes it. The checksum is computed from 16-bit words whose first byte is
// the more significant one.
func checkFletcher(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errors.New("its checksum is missing")
	}
	data, want := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])

	var one, two uint32
	for rest := data; len(rest) > 0; {
		part := rest[:min(len(rest), 2*360)] // few enough words that the sums cannot overflow
		rest = rest[len(part):]
		for ; len(part) > 1; part = part[2:] {
			one += uint32(part[0])<<8 | uint32(part[1])
			two += one
		}
		if len(part) == 1 {
			one += uint32(part[0]) << 8
			two += one
		}
		one, two = one&0xffff+one>>16, two&0xffff+two>>16
	}

	one, two = one&0xffff+one>>16, two&0xffff+two>>16
	if sum := two<<16 | one; sum != want {
		return nil, fmt.Errorf("its checksum is %08x, not %08x", sum, want)
	}
	return data, nil
}

// decompressLZF decompresses LZF. A byte below 32 precedes that many literal
// bytes plus one. Any other byte starts a copy. Its upper three bits hold the
// length less 2 (if they are 7, the next byte is added), and its lower bits and
// the next byte hold the distance less 1.
func decompressLZF(b []byte, most int) ([]byte, error) {
	bad := errors.New("its LZF data are damaged")
	out := make([]byte, 0, min(most, 264*len(b)))
	for len(b) > 0 {
		head := int(b[0])
		b = b[1:]
		if head < 32 {
			if head+1 > len(b) || len(out)+head+1 > most {
				return nil, bad
			}
			out, b = append(out, b[:head+1]...), b[head+1:]
			continue
		}

		n := head >> 5
		if n == 7 {
			if len(b) == 0 {
				return nil, bad
			}
			n += int(b[0])
			b = b[1:]
		}
		if len(b) == 0 {
			return nil, bad
		}

		back := head&31<<8 + int(b[0]) + 1
		b = b[1:]
		if n += 2; back > len(out) || len(out)+n > most {
			return nil, bad
		}
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	return out, nil
}
