package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Class is the kind of values that a dataset or attribute holds.
type Class int

const (
	Other     Class = iota // not readable by this package
	Integer                // whole numbers, of 1, 2, 4 or 8 bytes
	Float                  // floating point numbers, of 2, 4 or 8 bytes
	Bool                   // false and true, as h5py enumerates them
	Enum                   // another enumeration: named numbers
	Text                   // texts of a fixed length
	AnyText                // texts of any length, stored in a heap
	Reference              // addresses of other objects
)

// Type describes the elements of an array.
type Type struct {
	Class  Class
	Size   int // stored bytes of an element
	Signed bool

	order   binary.ByteOrder
	padding byte             // padding of a Text: 0 and 1 end it with a zero byte, 2 fills it up with blanks
	name    string           // used in messages if Class is Other or Enum
	members map[int64]string // names of the numbers of an enumeration
}

// IsNumber reports whether elements are whole numbers, floating point numbers
// or truth values.
func (t Type) IsNumber() bool { return t.Class == Integer || t.Class == Float || t.Class == Bool }

// IsText reports whether elements are texts.
func (t Type) IsText() bool { return t.Class == Text || t.Class == AnyText }

// String names the type for messages: int32, text, or the kind of an unreadable
// type.
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

// parseType reads a datatype message. The type has class Other if it is intact
// but this package cannot read it.
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

// enumerate reads the n names of an enumeration and then their numbers. A name
// ends with a zero byte. In versions below 3 it is padded to a multiple of 8
// bytes.
func (t *Type) enumerate(c *cursor, version uint64, n int) error {
	names := make([]string, min(n, len(c.b)))
	for i := range names {
		end := bytes.IndexByte(c.b, 0)
		names[i] = string(c.next(end))
		if end++; version < 3 {
			end += -end & 7
		}
		c.skip(end - len(names[i]))
	}

	numbers := make([]int64, len(names))
	if t.Class == Integer {
		if b := c.next(n * t.Size); c.err == nil {
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

// text returns a text of fixed length without its padding.
func (t Type) text(b []byte) string {
	if t.padding == 2 {
		return strings.TrimRight(string(b), " ")
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// parseSpace reads the dimensions from a dataspace message. It returns nil for
// a single element, and one dimension of length 0 for an empty space.
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
