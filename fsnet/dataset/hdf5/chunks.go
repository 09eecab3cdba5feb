package hdf5

import (
	"errors"
	"fmt"
	"math/bits"
)

// A chunk is where some of an array's elements are stored.
type chunk struct {
	address uint64
	size    int
	mask    uint32 // a bit for each filter that was left out
}

// grid is how many chunks an array has in each dimension.
func (d *Dataset) grid() []int {
	counts := make([]int, len(d.Dims))
	for i, n := range d.Dims {
		counts[i] = n / d.layout.chunk[i]
		if n%d.layout.chunk[i] > 0 {
			counts[i]++
		}
	}
	return counts
}

// chunkBytes is the bytes of a chunk without filters; all chunks are whole, those at the edges too.
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

// readIndex finds the chunks.
func (d *Dataset) readIndex() error {
	if d.chunks != nil {
		return nil
	}
	size, err := d.chunkBytes()
	if err != nil {
		return err
	}
	d.chunks = map[uint64]chunk{}
	if d.layout.address == undefined {
		return nil
	}
	switch d.layout.index {
	case indexTree1:
		err = d.indexTree1()
	case indexSingle:
		if !d.layout.single {
			d.layout.stored = size
		}
		err = d.found(make([]int, len(d.Dims)), chunk{d.layout.address, d.layout.stored, d.layout.mask})
	case indexImplicit:
		err = d.indexImplicit(size)
	case indexFixed:
		err = d.indexFixed(size)
	case indexExtensible:
		err = d.indexExtensible(size)
	case indexTree2:
		err = d.indexTree2(size)
	}
	if err != nil {
		d.chunks = nil
		return fmt.Errorf("its index of chunks: %w", err)
	}
	return nil
}

// found takes a chunk up by its place in the grid; one beyond the array is left from when the array was larger.
func (d *Dataset) found(place []int, c chunk) error {
	at, counts := uint64(0), d.grid()
	for i, p := range place {
		if p < 0 || p >= counts[i] {
			return nil
		}
		at = at*uint64(counts[i]) + uint64(p)
	}
	if c.address == undefined {
		return nil
	}
	if _, twice := d.chunks[at]; twice {
		return fmt.Errorf("it has chunk %v twice", place)
	}
	d.chunks[at] = c
	return nil
}

// indexTree1 reads the B-tree of the older kind: its keys hold stored size, mask, and the first element of each chunk.
func (d *Dataset) indexTree1() error {
	rank := len(d.Dims)
	return d.file.walk().btree1(d.layout.address, 1, 8+8*(rank+1), -1, func(key *cursor, address uint64) error {
		size, mask := int(key.uint(4)), uint32(key.uint(4))
		place := make([]int, rank)
		for i := range place {
			place[i] = clip(key.uint(8)) / d.layout.chunk[i]
		}
		return d.found(place, chunk{address, size, mask})
	})
}

// indexTree2 reads the B-tree of the newer kind, whose records hold the place in the grid.
func (d *Dataset) indexTree2(size int) error {
	rank := len(d.Dims)
	return d.file.btree2(d.layout.address, func(record *cursor, bytes int) error {
		c := chunk{address: record.address(), size: size}
		if width := bytes - d.file.offset - 8*rank - 4; width > 0 {
			c.size, c.mask = clip(record.uint(min(width, 8))), uint32(record.uint(4))
		}
		place := make([]int, rank)
		for i := range place {
			place[i] = clip(record.uint(8))
		}
		return d.found(place, c)
	})
}

// indexImplicit is none: chunks without filters follow each other.
func (d *Dataset) indexImplicit(size int) error {
	order, counts, n := d.numbering()
	if size == 0 || int64(n) > d.file.size/int64(size) {
		return fmt.Errorf("it claims %d chunks of %d bytes, more than the file holds", n, size)
	}
	for i := range n {
		if err := d.found(place(i, order, counts), chunk{address: d.layout.address + uint64(i)*uint64(size), size: size}); err != nil {
			return err
		}
	}
	return nil
}

// numbering is how a chunk's number tells its place: the dimension without end first, then the others in order, each with as many
// chunks as it may grow to; and how many chunks there are in all where no dimension is without end, at most 1<<62.
func (d *Dataset) numbering() (order, counts []int, n int) {
	for _, endless := range []bool{true, false} {
		for i, most := range d.most {
			if (most < 0) == endless {
				order = append(order, i)
				counts = append(counts, max(most-1, -1)/d.layout.chunk[i]+1)
			}
		}
	}
	n = 1
	for _, count := range counts {
		if hi, lo := bits.Mul64(uint64(n), uint64(max(count, 1))); hi != 0 || lo > 1<<62 {
			return order, counts, 1 << 62
		}
		n *= max(count, 1)
	}
	return order, counts, n
}

// place is that of a numbered chunk.
func place(number int, order, counts []int) []int {
	at := make([]int, len(order))
	for i := len(order) - 1; i > 0; i-- {
		n := max(counts[i], 1)
		at[order[i]] = number % n
		number /= n
	}
	if len(order) > 0 {
		at[order[0]] = number
	}
	return at
}

// An element of an array of chunks is an address, and for filtered chunks the stored size and the mask.
func (d *Dataset) element(c *cursor, bytes, size int, filtered bool) chunk {
	one := chunk{address: c.address(), size: size}
	if filtered {
		one.size, one.mask = clip(c.uint(max(min(bytes-d.file.offset-4, 8), 0))), uint32(c.uint(4))
	}
	return one
}

// indexFixed reads a fixed array, an element a chunk, in pages where there are many.
func (d *Dataset) indexFixed(size int) error {
	w := d.file.walk()
	c, err := w.block(d.layout.address, 12+d.file.length+d.file.offset, "FAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	filtered, bytes, page := c.uint(1) == 1, int(c.uint(1)), 1<<min(c.uint(1), 62)
	n, at := c.size(), c.address()
	if at == undefined {
		return nil
	}
	if bytes < d.file.offset || int64(n) > d.file.size/int64(bytes) {
		return fmt.Errorf("it claims %d chunks, more than the file holds", n)
	}
	order, counts, _ := d.numbering()
	head, pages := 6+d.file.offset, 0
	if n > page {
		pages = (n + page - 1) / page
	}
	begin := at + uint64(head)
	bitmap, err := w.block(at, head+(pages+7)/8, "FADB")
	if err != nil {
		return err
	}
	bitmap.skip(head - 4)
	if pages > 0 {
		begin += uint64((pages+7)/8 + 4)
	} else {
		page = n
	}
	for first := 0; first < n; first += page {
		count := min(page, n-first)
		there := true
		if pages > 0 {
			k := first / page
			there = bitmap.b[k/8]>>(7-k%8)&1 == 1
		}
		if there {
			if err := d.elements(w, begin, first, count, bytes, size, filtered, order, counts); err != nil {
				return err
			}
		}
		begin += uint64(page*bytes + 4)
	}
	return nil
}

// elements takes up the chunks of numbers from first on.
func (d *Dataset) elements(w *walk, at uint64, first, n, bytes, size int, filtered bool, order, counts []int) error {
	c, err := w.block(at, n*bytes, "")
	if err != nil {
		return err
	}
	for i := range n {
		one := &cursor{b: c.take(bytes), offset: c.offset}
		if err := d.found(place(first+i, order, counts), d.element(one, bytes, size, filtered)); err != nil {
			return err
		}
		if one.err != nil {
			return errors.New("its elements are too short")
		}
	}
	return nil
}

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

// extensible is an extensible array: an index of chunks along a dimension without end. Its first elements are in the index block,
// the next ones in data blocks that the index block names, and the others in data blocks that secondary blocks name. Data blocks
// belong to super blocks: super block s has 2^⌊s/2⌋ data blocks of 2^⌈s/2⌉ times the least number of elements.
type extensible struct {
	d             *Dataset
	walk          *walk
	filtered      bool
	bytes, size   int // of an element, and of a chunk without filters
	offset        int // bytes of a number of an element
	page          int // elements of a page of a large data block
	least         int // elements of the smallest data block
	order, counts []int
	next          int // the number of the next element
}

func (d *Dataset) indexExtensible(size int) error {
	x := &extensible{d: d, walk: d.file.walk(), size: size}
	c, err := x.walk.block(d.layout.address, 12+6*d.file.length+d.file.offset, "EAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	x.filtered, x.bytes = c.uint(1) == 1, int(c.uint(1))
	most, inIndex := int(c.uint(1)), int(c.uint(1))
	x.least = int(c.uint(1))
	pointers, pageBits := int(c.uint(1)), c.uint(1)
	c.skip(6 * d.file.length)
	at := c.address()
	if x.least == 0 || x.least&(x.least-1) != 0 || pointers == 0 || pointers&(pointers-1) != 0 || most > 62 || pageBits > 40 ||
		x.bytes < d.file.offset {
		return fmt.Errorf("an extensible array of %d bits with data blocks of %d", most, x.least)
	}
	if at == undefined {
		return nil
	}
	x.page, x.offset = 1<<pageBits, (most+7)/8
	x.order, x.counts, _ = d.numbering()
	supers := 1 + most - (bits.Len(uint(x.least)) - 1)
	inBlock := 2 * (bits.Len(uint(pointers)) - 1) // super blocks whose data blocks the index block names
	head := 6 + d.file.offset
	addresses := 2*(pointers-1) + max(supers-inBlock, 0)
	c, err = x.walk.block(at, head+inIndex*x.bytes+addresses*d.file.offset, "EAIB")
	if err != nil {
		return err
	}
	if err := d.elements(d.file.walk(), at+uint64(head), 0, inIndex, x.bytes, size, x.filtered, x.order, x.counts); err != nil {
		return err
	}
	c.skip(head - 4 + inIndex*x.bytes)
	x.next = inIndex
	for s := range max(supers, inBlock) {
		blocks, elements := 1<<(s/2), x.least<<((s+1)/2)
		switch {
		case s < inBlock:
			err = x.blocks(c, blocks, elements)
		default:
			err = x.secondary(c.address(), blocks, elements)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// secondary reads a secondary block: which pages of its data blocks are there, and where the data blocks are.
func (x *extensible) secondary(at uint64, blocks, elements int) error {
	if at == undefined {
		x.next += blocks * elements
		return nil
	}
	pages := 0
	if elements > x.page {
		pages = (elements/x.page + 7) / 8 * blocks
	}
	c, err := x.walk.block(at, 6+x.d.file.offset+x.offset+pages+blocks*x.d.file.offset, "EASB")
	if err != nil {
		return err
	}
	c.skip(2 + x.d.file.offset + x.offset + pages)
	return x.blocks(c, blocks, elements)
}

// blocks reads data blocks, whose addresses follow.
func (x *extensible) blocks(c *cursor, blocks, elements int) error {
	for range blocks {
		at := c.address()
		if c.err != nil {
			return c.err
		}
		if at == undefined {
			x.next += elements
			continue
		}
		head := 6 + x.d.file.offset + x.offset
		if _, err := x.walk.block(at, head, "EADB"); err != nil {
			return err
		}
		at += uint64(head)
		page := elements
		if elements > x.page {
			at, page = at+4, x.page // its checksum
		}
		for first := 0; first < elements; first += page {
			if err := x.pageAt(at, page); err != nil {
				return err
			}
			at += uint64(page*x.bytes + 4)
		}
	}
	return nil
}

// pageAt reads elements. Those of a page that was never written are zero, which is no address of a chunk: the superblock is there.
func (x *extensible) pageAt(at uint64, n int) error {
	c, err := x.walk.block(at, n*x.bytes, "")
	if err != nil {
		return err
	}
	for range n {
		one := x.d.element(&cursor{b: c.take(x.bytes), offset: c.offset}, x.bytes, x.size, x.filtered)
		if one.address == 0 {
			one.address = undefined
		}
		if err := x.d.found(place(x.next, x.order, x.counts), one); err != nil {
			return err
		}
		x.next++
	}
	return nil
}
