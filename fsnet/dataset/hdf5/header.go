package hdf5

import (
	"fmt"
	"io/fs"
	"strings"
)

// Types of messages in an object header.
const (
	messageDataspace    = 0x01
	messageLinkInfo     = 0x02
	messageDatatype     = 0x03
	messageFill         = 0x05
	messageLink         = 0x06
	messageLayout       = 0x08
	messageFilters      = 0x0b
	messageAttribute    = 0x0c
	messageContinuation = 0x10
	messageSymbolTable  = 0x11
	messageAttributes   = 0x15
)

type message struct {
	// the body is stored elsewhere
	kind   int
	shared bool // the body is stored elsewhere
	body   []byte
}

func (m *message) cursor() *cursor { return &cursor{b: m.body} }

// Object is a group or an array in a file.
type Object struct {
	file     *container
	path     string // used in messages
	messages []message
	links    map[string]uint64 // hard links of a group; nil until they are read
}

// Object returns the object at a path below a group. The error is
// [fs.ErrNotExist] if the object does not exist.
func (o *Object) Object(path string) (*Object, error) {
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		links, err := o.members()
		if err != nil {
			return nil, err
		}
		address, ok := links[name]
		if !ok {
			return nil, fmt.Errorf("%s: %w", strings.TrimRight(o.path, "/")+"/"+name, fs.ErrNotExist)
		}
		if o, err = o.file.readObject(address, strings.TrimRight(o.path, "/")+"/"+name); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Array returns the array at a path below a group. The error is
// [fs.ErrNotExist] if there is nothing at that path, and another error if there
// is a group.
func (o *Object) Array(path string) (*Dataset, error) {
	at, err := o.Object(path)
	if err != nil {
		return nil, err
	}
	return at.Dataset()
}

// Path returns the path of the object in its file.
func (o *Object) Path() string { return o.path }

// FileSize returns the length of the file in bytes.
func (o *Object) FileSize() int64 { return o.file.base + o.file.size }

// IsArray reports whether the object is an array rather than a group.
func (o *Object) IsArray() bool { return o.message(messageLayout) != nil }

// message returns the first message of this kind, or nil.
func (o *Object) message(kind int) *message {
	for i := range o.messages {
		if o.messages[i].kind == kind {
			return &o.messages[i]
		}
	}
	return nil
}

// withPath adds the path of the object to an error. It returns nil for nil.
func (o *Object) withPath(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", o.path, err)
}

// readObject reads the object at an address. path is only used in messages.
func (f *container) readObject(address uint64, path string) (*Object, error) {
	o := &Object{file: f, path: path}
	return o, o.withPath(o.read(address))
}

// span is a section of an object header.
type span struct {
	at   uint64
	size int
}

// read reads the messages of the object header at an address.
func (o *Object) read(address uint64) error {
	w := o.file.walk()
	start, err := w.readBlock(address, 4, "")
	if err != nil {
		return err
	}

	if string(start.b) == "OHDR" {
		return o.readVersion2(w, address+4)
	}
	if start.uint(1) != 1 {
		return fmt.Errorf("byte %d: no object header is there", address)
	}

	c, err := w.readBlock(address+4, 12, "")
	if err != nil {
		return err
	}
	c.skip(4) // the reference count
	return o.readMessages(w, span{address + 16, int(c.uint(4))}, 2, 8, "")
}

// readVersion2 reads a header of version 2. address is the address after its
// signature.
func (o *Object) readVersion2(w *walk, address uint64) error {
	c, err := w.readBlock(address, 2, "\x02")
	if err != nil {
		return err
	}
	flags := c.uint(1)
	address += 2
	if flags&0x20 != 0 {
		address += 16 // four time stamps
	}
	if flags&0x10 != 0 {
		address += 4 // the limits at which attributes move to a heap
	}

	width := 1 << (flags & 3)
	if c, err = w.readBlock(address, width, ""); err != nil {
		return err
	}

	head := 4
	if flags&4 != 0 {
		head = 6 // with the creation order
	}
	return o.readMessages(w, span{address + uint64(width), clipInt(c.uint(width))}, 1, head, "OCHK")
}

// readMessages stores the messages of the first section of a header and of its
// continuations.
//
// Each message begins with head bytes: its kind in kindBytes bytes, its size in
// two, its flags in one, and padding. A continuation begins with signature. If
// signature is not empty, the continuation also ends with a checksum of the
// same length.
func (o *Object) readMessages(w *walk, first span, kindBytes, head int, signature string) error {
	spans, begin := []span{first}, ""
	for i := 0; i < len(spans); i++ {
		c, err := w.readBlock(spans[i].at, spans[i].size-len(begin), begin)
		if err != nil {
			return err
		}

		for begin = signature; len(c.b) >= head; {
			m := message{kind: int(c.uint(kindBytes))}
			size := int(c.uint(2))
			m.shared = c.uint(1)&2 != 0
			c.skip(head - kindBytes - 3)
			if m.body = c.next(size); m.kind == messageContinuation {
				more := m.cursor()
				spans = append(spans, span{more.uint(8), more.size()})
			} else {
				o.messages = append(o.messages, m)
			}
		}

		if c.err != nil {
			return fmt.Errorf("its header is damaged: %w", c.err)
		}
	}
	return nil
}
