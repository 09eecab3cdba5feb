package hdf5

import (
	"fmt"
	"math/bits"
)

// fractalHeap holds many small objects, such as the links of a group with many members. Their IDs are offsets into a space that is
// cut into direct blocks, each twice as large as those two rows before; indirect blocks say where they are.
type fractalHeap struct {
	walk      *walk
	idSize    int
	bits      int // of an offset
	lengths   int // bytes of an object's length
	width     int // blocks in a row
	start     int // bytes of a block in the first row
	maxDirect int // bytes of the largest direct block
	filtered  bool
	root      uint64
	rootRows  int // 0 where the root is a direct block
	blocks    map[uint64]*cursor
}

func (f *File) fractalHeap(at uint64) (*fractalHeap, error) {
	h := &fractalHeap{walk: f.walk(), blocks: map[uint64]*cursor{}}
	c, err := h.walk.block(at, 22+12*f.length+3*f.offset, "FRHP")
	if err != nil {
		return nil, err
	}
	c.skip(1)
	h.idSize = int(c.uint(2))
	h.filtered = c.uint(2) != 0
	c.skip(1)
	managed := int(c.uint(4))
	c.skip(10*f.length + 2*f.offset) // huge and tiny objects, free space, statistics
	h.width, h.start, h.maxDirect = int(c.uint(2)), c.size(), c.size()
	h.bits = int(c.uint(2))
	c.skip(2)
	h.root, h.rootRows = c.address(), int(c.uint(2))
	h.lengths = min((bits.Len(uint(h.maxDirect))+6)/8, enough(managed))
	power := func(n int) bool { return n > 0 && n&(n-1) == 0 && n <= 1<<32 }
	if c.err != nil || !power(h.width) || !power(h.start) || !power(h.maxDirect) || h.start > h.maxDirect || h.bits > 64 || h.rootRows > 128 {
		return nil, fmt.Errorf("byte %d: a heap of blocks from %d to %d bytes, %d in a row", at, h.start, h.maxDirect, h.width)
	}
	if h.filtered {
		return nil, fmt.Errorf("compressed heaps: %w", ErrUnsupported)
	}
	return h, nil
}

// object is the bytes of an object.
func (h *fractalHeap) object(id []byte) ([]byte, error) {
	c := &cursor{b: id}
	switch kind := c.uint(1); kind >> 4 & 3 {
	case 0:
		offset, size := c.uint((h.bits+7)/8), int(c.uint(h.lengths))
		if c.err != nil {
			return nil, fmt.Errorf("an ID of %d bytes in a heap: %w", len(id), c.err)
		}
		at, n, err := h.find(offset)
		if err != nil {
			return nil, err
		}
		if size > n {
			return nil, fmt.Errorf("an object of %d bytes in a block that has %d", size, n)
		}
		return h.walk.file.bytes(at, size)
	case 2:
		return c.take(int(kind&15) + 1), c.err
	}
	return nil, fmt.Errorf("names and attributes of more than 4 kB: %w", ErrUnsupported)
}

// blockSize is the bytes of a block in a row.
func (h *fractalHeap) blockSize(row int) uint64 {
	return uint64(h.start) << max(row-1, 0)
}

// find is where in the file an offset is, and how many bytes of its block follow.
func (h *fractalHeap) find(offset uint64) (at uint64, left int, err error) {
	if h.rootRows == 0 {
		if offset >= uint64(h.start) {
			return 0, 0, fmt.Errorf("offset %d is beyond the heap", offset)
		}
		return h.root + offset, h.start - int(offset), nil
	}
	node, rows := h.root, h.rootRows
	for range 16 {
		row, column, rest := h.place(offset)
		if row >= rows {
			break
		}
		direct := bits.Len(uint(h.maxDirect)) - bits.Len(uint(h.start)) + 2 // rows of direct blocks
		address, err := h.child(node, row*h.width+column)
		if err != nil {
			return 0, 0, err
		}
		if row < direct {
			return address + rest, int(h.blockSize(row) - rest), nil
		}
		rows = bits.Len64(h.blockSize(row)) - bits.Len(uint(h.start*h.width)) + 1
		node, offset = address, rest
	}
	return 0, 0, fmt.Errorf("offset %d is beyond the heap", offset)
}

// place is the row and column of the block that holds an offset, and how far into it that is.
func (h *fractalHeap) place(offset uint64) (row, column int, rest uint64) {
	first := uint64(h.start * h.width) // the bytes of row 0, and of row 1
	begin := uint64(0)
	if offset >= first {
		row = bits.Len64(offset / first)
		begin = first << (row - 1)
	}
	if row > 64 || h.blockSize(row) == 0 {
		return 1 << 30, 0, 0
	}
	return row, int((offset - begin) / h.blockSize(row)), (offset - begin) % h.blockSize(row)
}

// child is the address of a block, from the indirect block that names it.
func (h *fractalHeap) child(node uint64, index int) (uint64, error) {
	f := h.walk.file
	head := 5 + f.offset + (h.bits+7)/8
	if h.blocks[node] == nil {
		c, err := h.walk.block(node, head, "FHIB")
		if err != nil {
			return 0, err
		}
		h.blocks[node] = c
	}
	b, err := f.bytes(node+uint64(head+index*f.offset), f.offset)
	if err != nil {
		return 0, err
	}
	address := (&cursor{b: b, offset: f.offset}).address()
	if address == undefined {
		return 0, fmt.Errorf("an object of the heap is in no block")
	}
	return address, nil
}
