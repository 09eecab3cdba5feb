package hdf5

import (
	"fmt"
	"math/bits"
)

// tree2 is a version 2 B-tree: every node has records, and those above the leaves children between them.
type tree2 struct {
	walk   *walk
	kind   int
	record int   // bytes of one
	counts []int // bytes of the number of records at and below a node, by its level; the leaves' is that of a single node everywhere
	visit  func(record *cursor, size int) error
}

// btree2 visits every record of a version 2 B-tree.
func (f *File) btree2(at uint64, visit func(record *cursor, size int) error) error {
	t := &tree2{walk: f.walk(), visit: visit}
	c, err := t.walk.block(at, 18+f.offset+f.length, "BTHD")
	if err != nil {
		return err
	}
	c.skip(1)
	t.kind = int(c.uint(1))
	node := int(c.uint(4))
	t.record = int(c.uint(2))
	depth := int(c.uint(2))
	c.skip(2)
	root, n := c.address(), int(c.uint(2))
	if root == undefined || n == 0 {
		return nil
	}
	if t.record == 0 || depth > 16 || node < 10+t.record {
		return fmt.Errorf("byte %d: a B-tree of depth %d with records of %d bytes in nodes of %d", at, depth, t.record, node)
	}
	// How many bytes a count takes follows from how many records fit.
	most := (node - 10) / t.record
	total := most
	t.counts = []int{enough(most)}
	for range depth {
		pointer := f.offset + t.counts[0]
		if len(t.counts) > 1 {
			pointer += t.counts[len(t.counts)-1]
		}
		most = max((node-10-pointer)/(t.record+pointer), 0)
		if hi, lo := bits.Mul64(uint64(most+1), uint64(total)); hi != 0 || lo > 1<<62 {
			return fmt.Errorf("byte %d: a B-tree with too many records", at)
		}
		total = (most+1)*total + most
		t.counts = append(t.counts, enough(total))
	}
	return t.node(root, n, depth)
}

// enough is how many bytes hold the numbers up to a limit.
func enough(limit int) int { return max(bits.Len(uint(limit))-1, 0)/8 + 1 }

func (t *tree2) node(at uint64, n, level int) error {
	signature, pointer := "BTLF", 0
	if level > 0 {
		signature, pointer = "BTIN", t.walk.file.offset+t.counts[0]
		if level > 1 {
			pointer += t.counts[level-1]
		}
	}
	size := 6 + n*t.record
	if level > 0 {
		size += (n + 1) * pointer
	}
	c, err := t.walk.block(at, size, signature)
	if err != nil {
		return err
	}
	c.skip(1)
	if kind := int(c.uint(1)); kind != t.kind {
		return fmt.Errorf("byte %d: a B-tree node of kind %d, expected kind %d", at, kind, t.kind)
	}
	for range n {
		record := &cursor{b: c.take(t.record), offset: c.offset, length: c.length}
		if err := t.visit(record, t.record); err != nil {
			return err
		}
		if record.err != nil {
			return fmt.Errorf("byte %d: a record of %d bytes is too short", at, t.record)
		}
	}
	if level == 0 {
		return c.err
	}
	for range n + 1 {
		child, records := c.address(), int(c.uint(t.counts[0]))
		if level > 1 {
			c.skip(t.counts[level-1])
		}
		if err := t.node(child, records, level-1); err != nil {
			return err
		}
	}
	return c.err
}
