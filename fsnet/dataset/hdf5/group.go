package hdf5

import (
	"bytes"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// Members returns the sorted names of the members of a group. An array has no
// members.
func (o *Object) Members() ([]string, error) {
	links, err := o.members()
	return slices.Sorted(maps.Keys(links)), err
}

// Has reports whether a group can be read and has a member called name.
func (o *Object) Has(name string) bool {
	links, err := o.members()
	_, ok := links[name]
	return err == nil && ok
}

// members returns the addresses of the hard links of a group, by name. It reads
// them once. The map is empty for an array.
func (o *Object) members() (map[string]uint64, error) {
	if o.links != nil {
		return o.links, nil
	}
	links := map[string]uint64{}
	for i := range o.messages {
		var err error
		switch m := &o.messages[i]; m.kind {
		case messageSymbolTable:
			c := m.cursor()
			err = o.file.symbolTable(c.uint(8), c.uint(8), links)
		case messageLink:
			err = addLink(m.cursor(), links)
		case messageLinkInfo:
			err = o.denseLinks(m.cursor(), links)
		}
		if err != nil {
			return nil, o.withPath(err)
		}
	}
	o.links = links
	return links, nil
}

// addLink reads a link message. It ignores links that are not hard.
func addLink(c *cursor, links map[string]uint64) error {
	if version := c.uint(1); version != 1 {
		return fmt.Errorf("link message %d: %w", version, ErrUnsupported)
	}
	flags, kind := c.uint(1), uint64(0)
	if flags&8 != 0 {
		kind = c.uint(1)
	}
	if flags&4 != 0 {
		c.skip(8) // the creation order
	}
	if flags&16 != 0 {
		c.skip(1) // the character set
	}
	name := string(c.next(clipInt(c.uint(1 << (flags & 3)))))
	if kind != 0 {
		return c.err
	}

	address := c.uint(8)
	if c.err != nil {
		return fmt.Errorf("a link is damaged: %w", c.err)
	}
	links[name] = address
	return nil
}

// denseLinks reads the links of a large new-style group: they are link messages
// in a heap, indexed by a B-tree.
func (o *Object) denseLinks(c *cursor, links map[string]uint64) error {
	c.skip(1)
	if c.uint(1)&1 != 0 {
		c.skip(8) // the largest creation order
	}
	heap, tree := c.uint(8), c.uint(8)
	if c.err != nil || heap == undefined {
		return c.err
	}
	return o.file.inHeap(heap, tree, 4, func(c *cursor) error { return addLink(c, links) })
}

// inHeap visits every heap object that a B-tree lists. In each record of the
// tree, before bytes precede the ID of the object.
func (f *container) inHeap(heap, tree uint64, before int, visit func(*cursor) error) error {
	h, err := f.fractalHeap(heap)
	if err != nil {
		return err
	}
	return f.btree2(tree, func(record *cursor) error {
		record.skip(before)
		object, err := h.object(record.next(h.idSize))
		if err != nil {
			return err
		}
		return visit(&cursor{b: object})
	})
}

// symbolTable reads the links of an old-style group: a B-tree of symbol nodes,
// with the names in a local heap.
func (f *container) symbolTable(tree, heap uint64, links map[string]uint64) error {
	w := f.walk()
	c, err := w.readBlock(heap, 8+3*addressBytes, "HEAP")
	if err != nil {
		return err
	}
	c.skip(4)
	size := c.size()
	c.skip(addressBytes)
	names, err := w.readBlock(c.uint(8), size, "")
	if err != nil {
		return err
	}

	return w.btree1(tree, 0, addressBytes, -1, func(_ *cursor, node uint64) error {
		c, err := w.readBlock(node, 8, "SNOD")
		if err != nil {
			return err
		}
		c.skip(2)
		n := int(c.uint(2))
		if c, err = w.readBlock(node+8, n*(2*addressBytes+24), ""); err != nil {
			return err
		}

		for range n {
			link, object, kind := c.uint(addressBytes), c.uint(8), c.uint(4)
			c.skip(20)
			if link >= uint64(len(names.b)) {
				return fmt.Errorf("a name is beyond its heap of %d bytes", len(names.b))
			}
			name, _, _ := bytes.Cut(names.b[link:], []byte{0})
			if kind != 2 { // not a soft link
				links[string(name)] = object
			}
		}
		return nil
	})
}

// btree1 visits the children of the leaves of a version 1 B-tree, along with
// the key of key bytes that precedes each. kind is 0 for symbol nodes and 1 for
// chunks. level is the expected level of the node, or -1 if any will do.
func (w *walk) btree1(address uint64, kind, key, level int, visit func(key *cursor, child uint64) error) error {
	head := 8 + 2*addressBytes
	c, err := w.readBlock(address, head, "TREE")
	if err != nil {
		return err
	}
	if found := int(c.uint(1)); found != kind {
		return fmt.Errorf("byte %d: a B-tree of kind %d, expected kind %d", address, found, kind)
	}
	found, n := int(c.uint(1)), int(c.uint(2))
	if level >= 0 && found != level {
		return fmt.Errorf("byte %d: a B-tree node of level %d, expected level %d", address, found, level)
	}
	if c, err = w.readBlock(address+uint64(head), n*(key+addressBytes)+key, ""); err != nil {
		return err
	}

	for range n {
		before := &cursor{b: c.next(key)}
		child := c.uint(8)
		if found > 0 {
			err = w.btree1(child, kind, key, found-1, visit)
		} else {
			err = visit(before, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tree2 is a version 2 B-tree. Every node holds records. Nodes above the leaves
// also have children, and these lie between the records.
type tree2 struct {
	walk *walk
	// type of the records
	kind   int
	record int // bytes of a record
	// counts[l] is the width, in bytes, of the field that counts all records
	// below a node of level l. counts[0] is the width of the field that counts
	// the records in a node.
	counts []int
	visit  func(record *cursor) error
}

// btree2 visits every record of a version 2 B-tree.
func (f *container) btree2(address uint64, visit func(record *cursor) error) error {
	t := &tree2{walk: f.walk(), visit: visit}
	c, err := t.walk.readBlock(address, 18+2*addressBytes, "BTHD")
	if err != nil {
		return err
	}
	c.skip(1)
	t.kind = int(c.uint(1))
	node := int(c.uint(4))
	t.record = int(c.uint(2))
	depth := int(c.uint(2))
	c.skip(2)
	root, n := c.uint(8), int(c.uint(2))
	if root == undefined || n == 0 {
		return nil
	}

	if t.record == 0 || depth > 16 || node < 10+t.record {
		return fmt.Errorf("byte %d: a B-tree of depth %d with records of %d bytes in nodes of %d", address, depth, t.record, node)
	}
	// The width of a count depends on how many records fit.
	most := (node - 10) / t.record
	total := most
	t.counts = []int{byteWidth(most)}
	for range depth {
		pointer := addressBytes + t.counts[0]
		if len(t.counts) > 1 {
			pointer += t.counts[len(t.counts)-1]
		}
		most = max((node-10-pointer)/(t.record+pointer), 0)
		if hi, lo := bits.Mul64(uint64(most+1), uint64(total)); hi != 0 || lo > 1<<62 {
			return fmt.Errorf("byte %d: a B-tree with too many records", address)
		}
		total = (most+1)*total + most
		t.counts = append(t.counts, byteWidth(total))
	}

	return t.visitNode(root, n, depth)
}

// byteWidth returns how many bytes hold the numbers from 0 to limit.
func byteWidth(limit int) int { return max(bits.Len(uint(limit))-1, 0)/8 + 1 }

// visitNode visits the n records of a node and then those of its children. The
// level of a leaf is 0.
func (t *tree2) visitNode(address uint64, n, level int) error {
	signature, pointer := "BTLF", 0
	if level > 0 {
		signature, pointer = "BTIN", addressBytes+t.counts[0]
		if level > 1 {
			pointer += t.counts[level-1]
		}
	}
	size := 6 + n*t.record
	if level > 0 {
		size += (n + 1) * pointer
	}
	c, err := t.walk.readBlock(address, size, signature)
	if err != nil {
		return err
	}

	c.skip(1)
	if kind := int(c.uint(1)); kind != t.kind {
		return fmt.Errorf("byte %d: a B-tree node of kind %d, expected kind %d", address, kind, t.kind)
	}
	for range n {
		record := &cursor{b: c.next(t.record)}
		if err := t.visit(record); err != nil {
			return err
		}
		if record.err != nil {
			return fmt.Errorf("byte %d: a record of %d bytes is too short", address, t.record)
		}
	}

	if level == 0 {
		return c.err
	}
	for range n + 1 {
		child, records := c.uint(8), int(c.uint(t.counts[0]))
		if level > 1 {
			c.skip(t.counts[level-1])
		}
		if err := t.visitNode(child, records, level-1); err != nil {
			return err
		}
	}
	return c.err
}

// fractalHeap holds many small objects, such as the links of a large group. The
// ID of an object is an offset into an address space that consists of direct
// blocks, found through indirect blocks. A block is twice as large as a block
// of the previous row, except that rows 0 and 1 have blocks of one size.
type fractalHeap struct {
	walk      *walk
	idSize    int
	bits      int // bits of an offset
	lengths   int // bytes that hold the length of an object
	width     int // blocks in a row
	start     int // bytes of a block in row 0
	maxDirect int // bytes of the largest direct block
	root      uint64
	rootRows  int // 0 if the root is a direct block
}

// fractalHeap reads the header of a heap and checks its sizes. It returns
// [ErrUnsupported] if the heap is compressed.
func (f *container) fractalHeap(address uint64) (*fractalHeap, error) {
	h := &fractalHeap{walk: f.walk()}
	c, err := h.walk.readBlock(address, 22+15*addressBytes, "FRHP")
	if err != nil {
		return nil, err
	}
	c.skip(1)
	h.idSize = int(c.uint(2))
	filtered := c.uint(2) != 0
	c.skip(1)
	managed := int(c.uint(4))
	c.skip(12 * addressBytes) // huge and tiny objects, free space, statistics
	h.width, h.start, h.maxDirect = int(c.uint(2)), c.size(), c.size()
	h.bits = int(c.uint(2))
	c.skip(2)
	h.root, h.rootRows = c.uint(8), int(c.uint(2))
	h.lengths = min((bits.Len(uint(h.maxDirect))+6)/8, byteWidth(managed))

	power := func(n int) bool { return n > 0 && n&(n-1) == 0 && n <= 1<<32 }
	if c.err != nil || !power(h.width) || !power(h.start) || !power(h.maxDirect) || h.start > h.maxDirect || h.bits > 64 || h.rootRows > 128 {
		return nil, fmt.Errorf("byte %d: a heap of blocks from %d to %d bytes, %d in a row", address, h.start, h.maxDirect, h.width)
	}

	if filtered {
		return nil, fmt.Errorf("compressed heaps: %w", ErrUnsupported)
	}
	return h, nil
}

// object returns the object with an ID. The ID locates a managed object or
// contains a tiny one. A huge object lies outside the heap. It is
// [ErrUnsupported].
func (h *fractalHeap) object(id []byte) ([]byte, error) {
	c := &cursor{b: id}
	switch kind := c.uint(1); kind >> 4 & 3 {
	case 0:
		offset, size := c.uint((h.bits+7)/8), int(c.uint(h.lengths))
		if c.err != nil {
			return nil, fmt.Errorf("an ID of %d bytes in a heap: %w", len(id), c.err)
		}
		address, n, err := h.find(offset)
		if err != nil {
			return nil, err
		}
		if size > n {
			return nil, fmt.Errorf("an object of %d bytes in a block that has %d", size, n)
		}
		return h.walk.file.readBytes(address, size)
	case 2:
		return c.next(int(kind&15) + 1), c.err
	}
	return nil, fmt.Errorf("names and attributes of more than 4 kB: %w", ErrUnsupported)
}

// blockSize returns the size in bytes of a block in a row of the heap's table.
func (h *fractalHeap) blockSize(row int) uint64 { return uint64(h.start) << max(row-1, 0) }

// find returns the address of an offset and the number of bytes from there to
// the end of its block.
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
		direct := bits.Len(uint(h.maxDirect)) - bits.Len(uint(h.start)) + 2 // number of rows of direct blocks

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

// place returns the row and column of the block that contains an offset, and
// the offset within the block. If no block can, row is larger than any heap
// has.
func (h *fractalHeap) place(offset uint64) (row, column int, rest uint64) {
	first := uint64(h.start * h.width) // bytes of row 0, and of row 1
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

// child reads the address of a block from the indirect block that lists it. It
// returns an error if the block was never written.
func (h *fractalHeap) child(node uint64, index int) (uint64, error) {
	b, err := h.walk.file.readBytes(node+uint64(5+addressBytes+(h.bits+7)/8+index*addressBytes), addressBytes)
	if err != nil {
		return 0, err
	}
	address := (&cursor{b: b}).uint(addressBytes)
	if address == undefined {
		return 0, fmt.Errorf("an object of the heap is in no block")
	}
	return address, nil
}
