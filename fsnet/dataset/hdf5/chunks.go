package hdf5

import (
	"fmt"
	"math/bits"
)

// A chunk locates the stored elements of one block of an array.
type chunk struct {
	address uint64
	size    int
	mask    uint32 // has a bit for each filter that was not applied
}

// chunkCounts returns the number of chunks in each dimension.
func (d *Dataset) chunkCounts() []int {
	counts := make([]int, len(d.Dims))
	for i, n := range d.Dims {

		counts[i] = n / d.layout.chunk[i]
		if n%d.layout.chunk[i] > 0 {
			counts[i]++
		}
	}
	return counts
}

// chunkBytes returns the size of a chunk before it was filtered. Chunks at the
// edges of the array are stored in full.
func (d *Dataset) chunkBytes() (int, error) {
	n := uint64(d.Type.Size)
	for _, length := range d.layout.chunk {
		hi, lo := bits.Mul64(n, uint64(length))
		if n = lo; hi != 0 || n > 1<<40 {
			return 0, fmt.Errorf("its chunks of %v elements are too large", d.layout.chunk)
		}
	}
	return int(n), nil
}

// readIndex reads the B-tree of chunks, once. A key holds the stored size, the
// filter mask and the first element of a chunk. Chunks that were never written
// are absent.
func (d *Dataset) readIndex() error {
	if d.chunks != nil {
		return nil
	}
	chunks, counts := map[uint64]chunk{}, d.chunkCounts()

	if d.layout.address != undefined {
		err := d.file.walk().btree1(d.layout.address, 1, 8+8*(len(d.Dims)+1), -1, func(key *cursor, address uint64) error {
			c, number, beyond := chunk{address, int(key.uint(4)), uint32(key.uint(4))}, uint64(0), false
			for i, count := range counts {
				place := clipInt(key.uint(8)) / d.layout.chunk[i]
				beyond = beyond || place >= count
				number = number*uint64(count) + uint64(place)
			}
			if beyond || address == undefined { // left over from a larger array
				return nil
			}
			if _, twice := chunks[number]; twice {
				return fmt.Errorf("it has chunk %d twice", number)
			}
			chunks[number] = c
			return nil
		})
		if err != nil {
			return fmt.Errorf("its index of chunks: %w", err)
		}
	}

	d.chunks = chunks
	return nil
}

// Values of layout.kind.
const (
	compact = iota
	contiguous
	chunked
)

// layout locates the elements of an array.
type layout struct {
	kind    int
	data    []byte // the elements of a compact array
	address uint64 // address of the elements, or of the index of chunks
	chunk   []int  // chunk lengths, by dimension
}

// parseLayout reads a layout message. It returns [ErrUnsupported] for virtual
// arrays and for the chunk indexes of libver="latest".
func parseLayout(c *cursor) (layout, error) {
	var l layout
	version := c.uint(1)
	l.kind = int(c.uint(1))
	switch {
	case version < 3 || version > 5 || l.kind > chunked:
		return l, fmt.Errorf("data layout %d of class %d: %w", version, l.kind, ErrUnsupported)
	case l.kind == compact:
		l.data = c.next(int(c.uint(2)))
	case l.kind == contiguous:
		l.address = c.uint(8)
	case version > 3:
		return l, fmt.Errorf("chunks as libver='latest' writes them: %w", ErrUnsupported)
	default:
		l.chunk = make([]int, max(int(c.uint(1))-1, 0)) // the last length is the size of an element
		l.address = c.uint(8)
		for i := range l.chunk {
			l.chunk[i] = int(c.uint(4))
		}
	}

	if c.err != nil {
		return l, fmt.Errorf("its layout is damaged: %w", c.err)
	}
	for _, n := range l.chunk {
		if n < 1 {
			return l, fmt.Errorf("its chunks have impossible lengths %v", l.chunk)
		}
	}
	return l, nil
}
