package hdf5

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
)

// Dataset is an array in a file, or the value of an attribute.
type Dataset struct {
	Type Type
	Dims []int // lengths of the dimensions; empty for a single element

	file    *container
	path    string
	layout  layout
	filters []filter
	fill    []byte           // value of elements that were never written; nil for zero
	chunks  map[uint64]chunk // by position in the grid; nil until readIndex has read them

	lastChunk   uint64 // number of the chunk decoded last
	lastContent []byte // elements of that chunk
}

// Dataset returns the array that the object is, or an error if it is a group.
// It reads no elements.
func (o *Object) Dataset() (*Dataset, error) {
	if !o.IsArray() {
		return nil, fmt.Errorf("%s is a group, not an array", o.path)
	}
	d := &Dataset{file: o.file, path: o.path}
	return d, o.withPath(d.describe(o))
}

// describe reads type, dimensions, filters, fill value and layout from the
// header of an object.
func (d *Dataset) describe(o *Object) error {
	space, kind := o.message(messageDataspace), o.message(messageDatatype)
	if space == nil || kind == nil {
		return errors.New("its header lacks type or dimensions")
	}
	if space.shared || kind.shared {
		return fmt.Errorf("types and dimensions that arrays share: %w", ErrUnsupported)
	}

	var err error
	if d.Dims, err = parseSpace(space.cursor()); err != nil {
		return err
	}
	if d.Type, err = parseType(kind.cursor()); err != nil {
		return err
	}
	if m := o.message(messageFilters); m != nil {
		if d.filters, err = parseFilters(m.cursor()); err != nil {
			return err
		}
	}
	if m := o.message(messageFill); m != nil {
		if err := d.readFill(m.cursor()); err != nil {
			return err
		}
	}
	if d.layout, err = parseLayout(o.message(messageLayout).cursor()); err != nil {
		return err
	}

	if d.layout.kind == chunked && (len(d.layout.chunk) != len(d.Dims) || len(d.Dims) == 0) {
		return fmt.Errorf("chunks of %d dimensions in an array of %d", len(d.layout.chunk), len(d.Dims))
	}
	return d.checkSize()
}

// checkSize rejects dimensions that claim more than 2⁶⁰ bytes: larger products
// could overflow. Whether the file is long enough is checked when data are
// read.
func (d *Dataset) checkSize() error {
	bytes := uint64(max(d.Type.Size, 1))
	for _, n := range d.Dims {
		var over uint64
		if over, bytes = bits.Mul64(bytes, uint64(n)); over != 0 || bytes > 1<<60 {
			return fmt.Errorf("it claims %v elements of %d bytes", d.Dims, d.Type.Size)
		}
	}
	return nil
}

// readFill reads the fill value. It leaves fill nil if the value is zero.
func (d *Dataset) readFill(c *cursor) error {
	size := 0
	switch version := c.uint(1); version {
	case 1, 2:
		c.skip(2)
		if c.uint(1) != 0 || version == 1 {
			size = int(c.uint(4))
		}
	case 3:
		if c.uint(1)&0x20 != 0 {
			size = int(c.uint(4))
		}
	default:
		return fmt.Errorf("fill value message %d: %w", version, ErrUnsupported)
	}
	if value := c.next(max(size, 0)); slices.Max(append([]byte{0}, value...)) > 0 {
		d.fill = slices.Clone(value)
	}
	return c.err
}

// Attribute returns the value of an attribute. The error is [fs.ErrNotExist] if
// the object lacks the attribute.
func (o *Object) Attribute(name string) (*Dataset, error) {
	var found *Dataset
	for i := range o.messages {
		var err error
		m := &o.messages[i]
		switch {
		case m.kind == messageAttribute && !m.shared:
			err = o.attribute(m.cursor(), name, &found)
		case m.kind == messageAttributes:
			c := m.cursor()
			c.skip(1)
			if c.uint(1)&1 != 0 {
				c.skip(2) // the largest creation order
			}
			heap, tree := c.uint(8), c.uint(8)
			if c.err != nil || heap == undefined {
				continue
			}
			err = o.file.inHeap(heap, tree, 0, func(c *cursor) error { return o.attribute(c, name, &found) })
		}
		if err != nil {
			return nil, o.withPath(fmt.Errorf("an attribute: %w", err))
		}
	}

	if found == nil {
		return nil, fmt.Errorf("%s, attribute %s: %w", o.path, name, fs.ErrNotExist)
	}
	return found, nil
}

// attribute reads an attribute message and sets found if the attribute has the
// given name.
func (o *Object) attribute(c *cursor, name string, found **Dataset) error {
	version, flags := c.uint(1), c.uint(1)
	pad := func(n int) int { return n }
	switch version {
	case 1:
		pad = func(n int) int { return n + -n&7 }
	case 2, 3:
	default:
		return fmt.Errorf("attribute message %d: %w", version, ErrUnsupported)
	}

	nameSize, typeSize, spaceSize := int(c.uint(2)), int(c.uint(2)), int(c.uint(2))
	if version == 3 {
		c.skip(1) // the character set
	}
	full := c.next(pad(nameSize))
	if c.err != nil {
		return c.err
	}
	if (Type{}).text(full) != name {
		return nil
	}
	if version > 1 && flags&3 != 0 {
		return fmt.Errorf("types and dimensions that attributes share: %w", ErrUnsupported)
	}

	part := func(n int) *cursor { return &cursor{b: c.next(pad(n))} }
	d := &Dataset{file: o.file, path: o.path + ", attribute " + name}
	var err error
	if d.Type, err = parseType(part(typeSize)); err != nil {
		return err
	}
	if d.Dims, err = parseSpace(part(spaceSize)); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	d.layout = layout{kind: compact, data: c.b}
	*found = d
	return d.checkSize()
}

// Path returns the path of the array in its file.
func (d *Dataset) Path() string { return d.path }

// Rows returns the length of the first dimension, or 1 for a single element.
func (d *Dataset) Rows() int {
	if len(d.Dims) == 0 {
		return 1
	}
	return d.Dims[0]
}

// Columns returns the number of elements in a row. It is 1 for an array of one
// dimension.
func (d *Dataset) Columns() int {
	n := 1
	for i := 1; i < len(d.Dims); i++ {
		n *= d.Dims[i]
	}
	return n
}

// ChunkRows returns how many rows are stored together. If you read a multiple
// of them at a time, no chunk is decoded twice.
func (d *Dataset) ChunkRows() int {
	if len(d.layout.chunk) == 0 {
		return 1
	}
	return d.layout.chunk[0]
}
