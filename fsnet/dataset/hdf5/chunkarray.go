package hdf5

import (
	"fmt"
	"math/bits"
)

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
