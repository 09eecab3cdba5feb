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
	kind   int
	shared bool // the body is stored elsewhere
	body   []byte
}

// Object is a group or an array of a file.
type Object struct {
	file     *container
	path     string // for messages
	messages []message
	links    map[string]uint64 // of a group, nil until they are read
}

// Object returns the object at a path below a group. The error is [fs.ErrNotExist] if there is
// none.
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
		if o, err = o.file.at(address, strings.TrimRight(o.path, "/")+"/"+name); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Array returns the array at a path below a group.
func (o *Object) Array(path string) (*Dataset, error) {
	at, err := o.Object(path)
	if err != nil {
		return nil, err
	}
	return at.Dataset()
}

// Path returns the path of the object in its file.
func (o *Object) Path() string { return o.path }

// FileSize returns the length of the object's file in bytes.
func (o *Object) FileSize() int64 { return o.file.base + o.file.size }

// IsArray reports whether the object is an array, not a group.
func (o *Object) IsArray() bool { return o.message(messageLayout) != nil }

func (o *Object) message(kind int) *message {
	for i := range o.messages {
		if o.messages[i].kind == kind {
			return &o.messages[i]
		}
	}
	return nil
}

func (o *Object) cursor(m *message) *cursor {
	return &cursor{b: m.body}
}

// withPath adds the object's path to an error.
func (o *Object) withPath(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", o.path, err)
}

func (f *container) at(address uint64, path string) (*Object, error) {
	o := &Object{file: f, path: path}
	return o, o.withPath(o.read(address))
}

// A span is a section of an object header.
type span struct {
	at   uint64
	size int
}

func (o *Object) read(address uint64) error {
	w := o.file.walk()
	start, err := w.block(address, 4, "")
	if err != nil {
		return err
	}
	if string(start.b) == "OHDR" {
		return o.readVersion2(w, address+4)
	}
	if start.uint(1) != 1 {
		return fmt.Errorf("byte %d: no object header is there", address)
	}
	c, err := w.block(address+4, 12, "")
	if err != nil {
		return err
	}
	c.skip(4) // references
	spans := []span{{address + 16, int(c.uint(4))}}
	for len(spans) > 0 {
		c, err := w.block(spans[0].at, spans[0].size, "")
		if err != nil {
			return err
		}
		spans = spans[1:]
		if spans, err = o.addMessages(c, 2, 8, spans); err != nil {
			return err
		}
	}
	return nil
}

func (o *Object) readVersion2(w *walk, at uint64) error {
	c, err := w.block(at, 2, "\x02")
	if err != nil {
		return err
	}
	flags := c.uint(1)
	at += 2
	if flags&0x20 != 0 {
		at += 16 // four times
	}
	if flags&0x10 != 0 {
		at += 4 // when attributes move to a heap
	}
	width := 1 << (flags & 3)
	if c, err = w.block(at, width, ""); err != nil {
		return err
	}
	spans := []span{{at + uint64(width), clip(c.uint(width))}}
	for first := true; len(spans) > 0; first = false {
		signature := "OCHK"
		if first {
			signature = ""
		}
		size := spans[0].size
		if !first {
			size -= 4 // its checksum
		}
		c, err := w.block(spans[0].at, size, signature)
		if err != nil {
			return err
		}
		spans = spans[1:]
		head := 4
		if flags&4 != 0 {
			head = 6 // with the order of creation
		}
		if spans, err = o.addMessages(c, 1, head, spans); err != nil {
			return err
		}
	}
	return nil
}

// addMessages reads the messages of a block. Each begins with head bytes: its kind in kindBytes
// bytes, its size, flags, and more.
func (o *Object) addMessages(c *cursor, kindBytes, head int, spans []span) ([]span, error) {
	for len(c.b) >= head {
		kind, size, flags := int(c.uint(kindBytes)), int(c.uint(2)), c.uint(1)
		c.skip(head - kindBytes - 3)
		spans = o.addMessage(message{kind, flags&2 != 0, c.take(size)}, spans)
	}
	if c.err != nil {
		return nil, fmt.Errorf("its header is damaged: %w", c.err)
	}
	return spans, nil
}

// addMessage stores a message. A continuation message adds a span instead.
func (o *Object) addMessage(m message, spans []span) []span {
	if m.kind == messageContinuation {
		c := o.cursor(&m)
		return append(spans, span{c.uint(8), c.size()})
	}
	o.messages = append(o.messages, m)
	return spans
}
