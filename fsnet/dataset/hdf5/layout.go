package hdf5

import "fmt"

// Kinds of layouts.
const (
	compact = iota
	contiguous
	chunked
)

// How chunks are found.
const (
	indexTree1 = iota
	indexSingle
	indexImplicit
	indexFixed
	indexExtensible
	indexTree2
)

// layout says where the elements are.
type layout struct {
	kind    int
	data    []byte // compact
	address uint64 // of the elements, or of the index of chunks
	chunk   []int  // the lengths of a chunk, without that of an element
	index   int
	stored  int    // bytes of a single filtered chunk
	mask    uint32 // of a single filtered chunk
	single  bool   // a single chunk that is filtered
}

func parseLayout(c *cursor) (layout, error) {
	var l layout
	version := c.uint(1)
	if version < 3 || version > 5 {
		return l, fmt.Errorf("data layout %d: %w", version, ErrUnsupported)
	}
	l.kind = int(c.uint(1))
	switch {
	case l.kind == compact:
		l.data = c.take(int(c.uint(2)))
	case l.kind == contiguous:
		l.address = c.address()
	case l.kind == chunked && version == 3:
		rank := int(c.uint(1))
		l.address = c.address()
		l.lengths(c, rank, 4)
	case l.kind == chunked:
		flags := c.uint(1)
		rank, width := int(c.uint(1)), int(c.uint(1))
		l.lengths(c, rank, width)
		switch l.index = int(c.uint(1)); l.index {
		case indexSingle:
			if l.single = flags&2 != 0; l.single {
				l.stored, l.mask = c.size(), uint32(c.uint(4))
			}
		case indexFixed:
			c.skip(1) // the index itself says it again
		case indexExtensible:
			c.skip(5)
		case indexTree2:
			c.skip(6)
		case indexImplicit:
		default:
			return l, fmt.Errorf("chunk index %d: %w", l.index, ErrUnsupported)
		}
		l.address = c.address()
	default:
		return l, fmt.Errorf("data layout %d of class %d: %w", version, l.kind, ErrUnsupported)
	}
	if c.err != nil {
		return l, fmt.Errorf("its layout is damaged: %w", c.err)
	}
	for _, n := range l.chunk {
		if n < 1 || n > 1<<40 {
			return l, fmt.Errorf("its chunks have impossible lengths %v", l.chunk)
		}
	}
	return l, nil
}

// lengths reads those of a chunk, each of so many bytes; the last is that of an element.
func (l *layout) lengths(c *cursor, rank, width int) {
	l.chunk = []int{}
	for range rank - 1 {
		l.chunk = append(l.chunk, clip(c.uint(min(width, 8))))
	}
	c.skip(min(width, 8))
}
