package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Class is what kind of elements an array has.
type Class int

const (
	Other     Class = iota // nothing that can be read
	Integer                // whole numbers, of which [Type.Signed] may be below 0
	Float                  // floating point numbers of 2, 4 or 8 bytes
	Bool                   // the enumeration by which h5py writes false and true
	Enum                   // any other: numbers that have names
	Text                   // texts of one length
	AnyText                // texts of any length, in a heap
	Reference              // places of other objects
)

// Type is the type of an array's elements.
type Type struct {
	Class  Class
	Size   int // bytes of an element as stored
	Signed bool

	order   binary.ByteOrder
	padding byte             // of texts of one length: 0 and 1 end them by a zero, 2 by blanks
	name    string           // for people, where the class is Other or Enum
	members map[int64]string // names of the numbers of an enumeration
}

// IsNumber says whether elements are whole or floating point numbers.
func (t Type) IsNumber() bool { return t.Class == Integer || t.Class == Float || t.Class == Bool }

// IsText says whether elements are texts.
func (t Type) IsText() bool { return t.Class == Text || t.Class == AnyText }

// String describes the type in words.
func (t Type) String() string {
	switch t.Class {
	case Integer:
		if t.Signed {
			return fmt.Sprintf("int%d", 8*t.Size)
		}
		return fmt.Sprintf("uint%d", 8*t.Size)
	case Float:
		return fmt.Sprintf("float%d", 8*t.Size)
	case Bool:
		return "true and false"
	case Text, AnyText:
		return "text"
	case Reference:
		return "references"
	}
	return t.name
}

func parseType(c *cursor) (Type, error) {
	head, flags, t := c.uint(1), c.uint(3), Type{order: binary.LittleEndian}
	t.Size = int(c.uint(4))
	if flags&1 != 0 {
		t.order = binary.BigEndian
	}
	switch class := head & 15; class {
	case 0:
		offset, precision := int(c.uint(2)), int(c.uint(2))
		if t.Signed = flags&8 != 0; offset == 0 && precision == 8*t.Size && (t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8) {
			t.Class = Integer
		}
		t.name = fmt.Sprintf("whole numbers of %d bits", precision)
	case 1:
		c.skip(4)
		c.skip(1)
		exponent := int(c.uint(1))
		if flags&0x40 == 0 && (t.Size == 2 && exponent == 5 || t.Size == 4 && exponent == 8 || t.Size == 8 && exponent == 11) {
			t.Class = Float
		}
		t.name = fmt.Sprintf("floating point numbers of %d bytes", t.Size)
	case 3:
		t.Class, t.padding = Text, byte(flags&15)
	case 7:
		if t.name = "references to regions"; flags&15 == 0 {
			t.Class = Reference
		}
	case 8:
		base, err := parseType(c)
		if err != nil {
			return t, err
		}
		t = base
		return t, t.enumerate(c, head>>4, int(flags&0xffff))
	case 9:
		if t.name = "lists"; flags&15 == 1 {
			t.Class = AnyText
		}
	case 6:
		t.name = "records"
	default:
		t.name = fmt.Sprintf("type %d", class)
	}
	if c.err != nil {
		return t, fmt.Errorf("its type is damaged: %w", c.err)
	}
	if t.Size == 0 && t.Class != Other && t.Class != Text {
		return t, fmt.Errorf("its type is damaged: elements of no bytes")
	}
	return t, nil
}

// enumerate reads the names of n numbers, each up to a zero and in versions below 3 filled up to 8 bytes, and then the numbers.
func (t *Type) enumerate(c *cursor, version uint64, n int) error {
	names := make([]string, min(n, len(c.b)))
	for i := range names {
		end := bytes.IndexByte(c.b, 0)
		names[i] = string(c.take(end))
		if end++; version < 3 {
			end += -end & 7
		}
		c.skip(end - len(names[i]))
	}
	numbers := make([]int64, len(names))
	if t.Class == Integer {
		if b := c.take(n * t.Size); c.err == nil {
			convert(*t, numbers, b)
		}
	}
	if c.err != nil || t.Class != Integer {
		return fmt.Errorf("its enumeration is damaged")
	}
	t.Class, t.name, t.members = Enum, "an enumeration", map[int64]string{}
	for i, x := range numbers {
		t.members[x] = names[i]
	}
	if n == 2 && t.Size == 1 && t.members[0] == "FALSE" && t.members[1] == "TRUE" {
		t.Class, t.members = Bool, map[int64]string{0: "False", 1: "True"}
	}
	return nil
}

// text cuts a text of one length off its padding.
func (t Type) text(b []byte) string {
	if t.padding == 2 {
		return strings.TrimRight(string(b), " ")
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// parseSpace reads a dataspace message: the lengths of the dimensions. A single element has none; an empty space has no element: a dimension
// of length 0.
func parseSpace(c *cursor) (dims []int, err error) {
	version, rank := c.uint(1), int(c.uint(1))
	c.skip(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		if c.uint(1) == 2 {
			return []int{0}, c.err
		}
	default:
		return nil, fmt.Errorf("dataspace %d: %w", version, ErrUnsupported)
	}
	for range rank {
		dims = append(dims, c.size())
	}
	if c.err != nil || rank > 32 {
		return nil, fmt.Errorf("its dimensions are damaged")
	}
	return dims, nil
}
