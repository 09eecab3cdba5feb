package hdf5

import (
	"fmt"
	"strconv"

	"fsnetlab/fsnet/dataset/parse"
)

// Words reads elements of any kind as texts: numbers exactly, one that is none as "", those of an enumeration by their names.
func (d *Dataset) Words(from, to int) ([]string, error) {
	switch {
	case d.Type.IsText():
		return d.Strings(from, to)
	case d.Type.Class == Float && d.Type.Size <= 4:
		return wordsOf(d, from, to, parse.Spell[float32])
	case d.Type.Class == Float:
		return wordsOf(d, from, to, parse.Spell[float64])
	case d.Type.members != nil:
		return wordsOf(d, from, to, func(x int64) string { return d.Type.members[x] }) // R has no name for a missing one
	case d.Type.Signed:
		return wordsOf(d, from, to, func(x int64) string { return strconv.FormatInt(x, 10) })
	}
	return wordsOf(d, from, to, func(x int64) string { return strconv.FormatUint(uint64(x), 10) })
}

func wordsOf[T Number](d *Dataset, from, to int, text func(T) string) ([]string, error) {
	values, err := numbers[T](d, from, to)
	texts := make([]string, len(values))
	for i, x := range values {
		texts[i] = text(x)
	}
	return texts, err
}

// Strings reads the texts of the rows from … to-1. They share memory with each other.
func (d *Dataset) Strings(from, to int) ([]string, error) {
	if !d.Type.IsText() {
		return nil, fmt.Errorf("%s holds %v, not text", d.path, d.Type)
	}
	b, err := d.raw(from, to)
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
	if d.Type.Size != 8+d.file.offset {
		return nil, fmt.Errorf("%s: its references to texts have %d bytes", d.path, d.Type.Size)
	}
	heap := &globalHeap{walk: d.file.walk(), collections: map[uint64]map[int]string{}}
	c := &cursor{b: b, offset: d.file.offset}
	for i := range texts {
		size, at, index := int(c.uint(4)), c.address(), int(c.uint(4))
		if size == 0 || at == 0 || at == undefined {
			continue // an empty text is nowhere
		}
		text, err := heap.object(at, index)
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

// globalHeap is where texts of any length are: in collections of many objects, each of which is read once.
type globalHeap struct {
	walk        *walk
	collections map[uint64]map[int]string
}

func (h *globalHeap) object(at uint64, index int) (string, error) {
	objects := h.collections[at]
	if objects == nil {
		var err error
		if objects, err = h.read(at); err != nil {
			return "", err
		}
		h.collections[at] = objects
	}
	text, ok := objects[index]
	if !ok {
		return "", fmt.Errorf("the heap at byte %d has no object %d", at, index)
	}
	return text, nil
}

// read lists the objects of a collection.
func (h *globalHeap) read(at uint64) (map[int]string, error) {
	length := h.walk.file.length
	head := 8 + length
	c, err := h.walk.block(at, head, "GCOL")
	if err != nil {
		return nil, err
	}
	c.skip(4)
	size := c.size()
	if size < head {
		return nil, fmt.Errorf("byte %d: a heap of %d bytes", at, size)
	}
	if c, err = h.walk.block(at+uint64(head), size-head, ""); err != nil {
		return nil, err
	}
	all := string(c.b) // the texts are parts of it
	objects := map[int]string{}
	for len(c.b) >= 8+length {
		index := int(c.uint(2))
		c.skip(6)
		n := c.size()
		if index == 0 { // what is free
			break
		}
		begin := len(all) - len(c.b)
		if c.take(n); c.err != nil {
			return nil, fmt.Errorf("byte %d: an object of %d bytes is longer than its heap", at, n)
		}
		objects[index] = all[begin : begin+n]
		c.take(min(-n&7, len(c.b)))
	}
	return objects, nil
}
