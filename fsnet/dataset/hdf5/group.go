package hdf5

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Members are the names in a group, in the order of the alphabet; an array has none.
func (o *Object) Members() ([]string, error) {
	links, err := o.members()
	return slices.Sorted(maps.Keys(links)), err
}

// Has says whether there is something of a name in a group.
func (o *Object) Has(name string) bool {
	links, err := o.members()
	_, ok := links[name]
	return err == nil && ok
}

// members reads the hard links of a group: where each name stands.
func (o *Object) members() (map[string]uint64, error) {
	if o.links != nil {
		return o.links, nil
	}
	links := map[string]uint64{}
	for i := range o.messages {
		var err error
		switch m := &o.messages[i]; m.kind {
		case messageSymbolTable:
			c := o.cursor(m)
			err = o.file.symbolTable(c.address(), c.address(), links)
		case messageLink:
			err = addLink(o.cursor(m), links)
		case messageLinkInfo:
			err = o.denseLinks(o.cursor(m), links)
		}
		if err != nil {
			return nil, o.wrong(err)
		}
	}
	o.links = links
	return links, nil
}

func add(links map[string]uint64, name string, address uint64) error {
	if _, twice := links[name]; twice {
		return fmt.Errorf("it has two members %q", name)
	}
	links[name] = address
	return nil
}

// addLink reads a link message; links that are not hard are passed over.
func addLink(c *cursor, links map[string]uint64) error {
	if version := c.uint(1); version != 1 {
		return fmt.Errorf("link message %d: %w", version, ErrUnsupported)
	}
	flags, kind := c.uint(1), uint64(0)
	if flags&8 != 0 {
		kind = c.uint(1)
	}
	if flags&4 != 0 {
		c.skip(8) // the order of creation
	}
	if flags&16 != 0 {
		c.skip(1) // the character set
	}
	name := string(c.take(clip(c.uint(1 << (flags & 3)))))
	if kind != 0 {
		return c.err
	}
	address := c.address()
	if c.err != nil {
		return fmt.Errorf("a link is damaged: %w", c.err)
	}
	return add(links, name, address)
}

// denseLinks reads the links of a large group of the newer kind: link messages in a heap, found through a B-tree by name.
func (o *Object) denseLinks(c *cursor, links map[string]uint64) error {
	c.skip(1)
	if c.uint(1)&1 != 0 {
		c.skip(8) // the largest order of creation
	}
	heap, tree := c.address(), c.address()
	if c.err != nil || heap == undefined {
		return c.err
	}
	return o.file.inHeap(heap, tree, 4, func(c *cursor) error { return addLink(c, links) })
}

// inHeap visits every object of a heap that a B-tree lists: its records hold the object's ID after some bytes.
func (f *File) inHeap(heap, tree uint64, before int, visit func(*cursor) error) error {
	h, err := f.fractalHeap(heap)
	if err != nil {
		return err
	}
	return f.btree2(tree, func(record *cursor, _ int) error {
		record.skip(before)
		object, err := h.object(record.take(h.idSize))
		if err != nil {
			return err
		}
		return visit(&cursor{b: object, offset: f.offset, length: f.length})
	})
}

// symbolTable reads the links of a group of the older kind: a B-tree of symbol nodes, with the names in a local heap.
func (f *File) symbolTable(tree, heap uint64, links map[string]uint64) error {
	w := f.walk()
	c, err := w.block(heap, 8+2*f.length+f.offset, "HEAP")
	if err != nil {
		return err
	}
	c.skip(4)
	size := c.size()
	c.skip(f.length)
	names, err := w.block(c.address(), size, "")
	if err != nil {
		return err
	}
	return w.btree1(tree, 0, f.length, -1, func(_ *cursor, node uint64) error {
		c, err := w.block(node, 8, "SNOD")
		if err != nil {
			return err
		}
		c.skip(2)
		n := int(c.uint(2))
		if c, err = w.block(node+8, n*(2*f.offset+24), ""); err != nil {
			return err
		}
		for range n {
			at, object, kind := c.uint(f.offset), c.address(), c.uint(4)
			c.skip(20)
			if at >= uint64(len(names.b)) {
				return fmt.Errorf("a name is beyond its heap of %d bytes", len(names.b))
			}
			name, _, _ := bytes.Cut(names.b[at:], []byte{0})
			if kind == 2 { // a soft link
				continue
			}
			if err := add(links, string(name), object); err != nil {
				return err
			}
		}
		return nil
	})
}

// btree1 visits the children of a version 1 B-tree: each with the key before it, which has so many bytes. level is what the node must
// have, -1 for the root.
func (w *walk) btree1(at uint64, kind, key, level int, visit func(key *cursor, child uint64) error) error {
	head := 8 + 2*w.file.offset
	c, err := w.block(at, head, "TREE")
	if err != nil {
		return err
	}
	if found := int(c.uint(1)); found != kind {
		return fmt.Errorf("byte %d: a B-tree of kind %d, expected kind %d", at, found, kind)
	}
	found, n := int(c.uint(1)), int(c.uint(2))
	if level >= 0 && found != level {
		return fmt.Errorf("byte %d: a B-tree node of level %d, expected level %d", at, found, level)
	}
	if c, err = w.block(at+uint64(head), n*(key+w.file.offset)+key, ""); err != nil {
		return err
	}
	for range n {
		before := &cursor{b: c.take(key), offset: w.file.offset, length: w.file.length}
		child := c.address()
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
