package hdf5

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrUnsupported is wrapped by errors about files that are whole, but use a part of the format that this package does not know.
var ErrUnsupported = errors.New("not supported by this reader")

// MaxInflation is the most that deflate can gain: an array that is all in the file and claims more than so many times its bytes is refused.
const MaxInflation = 1032

// Signature is what an HDF5 file begins with, at byte 0, 512, 1024, 2048, ….
const Signature = "\x89HDF\r\n\x1a\n"

// undefined is the address of what is not there.
const undefined = math.MaxUint64

// maxMetadata is the most that one walk through indexes may read.
const maxMetadata = 1 << 30

// File is an HDF5 file open for reading. Its reader must stay open as long as anything of the file is read.
type File struct {
	r      io.ReaderAt
	base   int64 // where the superblock is; addresses count from there
	size   int64 // bytes from there on
	offset int   // bytes of an address
	length int   // bytes of a length
	root   uint64
}

// Open reads the superblock of a file of so many bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	for base := int64(0); base+int64(len(Signature)) <= size; base = max(512, 2*base) {
		head := make([]byte, min(96, size-base))
		if _, err := r.ReadAt(head, base); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if string(head[:len(Signature)]) == Signature {
			f := &File{r: r, base: base, size: size - base}
			return f, f.superblock(head[len(Signature):])
		}
	}
	return nil, errors.New("it has no HDF5 signature")
}

func (f *File) superblock(head []byte) error {
	c := &cursor{b: head}
	version := c.uint(1)
	switch version {
	case 0, 1:
		c.skip(4)
		f.offset, f.length = int(c.uint(1)), int(c.uint(1))
		c.skip(1 + 4 + 4)
		if version == 1 {
			c.skip(4)
		}
	case 2, 3:
		f.offset, f.length = int(c.uint(1)), int(c.uint(1))
		c.skip(1)
	default:
		return fmt.Errorf("superblock %d: %w", version, ErrUnsupported)
	}
	if f.offset != 4 && f.offset != 8 || f.length != 4 && f.length != 8 {
		return fmt.Errorf("addresses of %d bytes and lengths of %d: %w", f.offset, f.length, ErrUnsupported)
	}
	c.offset, c.length = f.offset, f.length
	c.skip(2 * f.offset) // the base address, and the free space or the extension
	end := c.address()
	c.skip(f.offset) // the driver in version 0 and 1; the root in 2 and 3, read below
	if version < 2 {
		c.skip(f.offset) // the name of the root
		f.root = c.address()
	} else if c.err == nil {
		again := &cursor{b: head[3+1+3*f.offset:], offset: f.offset, length: f.length}
		f.root = again.address()
		c.err = again.err
	}
	if c.err != nil {
		return fmt.Errorf("the superblock is truncated: %w", c.err)
	}
	// The end counts from the base, or from the beginning of the file where there is something before the base: either will do.
	if end != undefined && (end > math.MaxInt64 || int64(end) > f.base+f.size) {
		return fmt.Errorf("it is truncated: it promises %d bytes and has %d", end, f.base+f.size)
	}
	return nil
}

// walk follows addresses through a file, each once, and reads no more than the file has.
type walk struct {
	file *File
	seen map[uint64]bool
	left int64
}

func (f *File) walk() *walk {
	return &walk{file: f, seen: map[uint64]bool{}, left: min(2*f.size+4096, maxMetadata)}
}

// block reads n bytes of metadata, which must begin with the signature.
func (w *walk) block(at uint64, n int, signature string) (*cursor, error) {
	if w.seen[at] {
		return nil, fmt.Errorf("byte %d is pointed to twice", at)
	}
	w.seen[at] = true
	b, err := w.file.bytes(at, n)
	if err != nil {
		return nil, err
	}
	if w.left -= int64(n); w.left < 0 {
		return nil, fmt.Errorf("byte %d: its index is longer than the file", at)
	}
	c := &cursor{b: b, offset: w.file.offset, length: w.file.length}
	if string(c.take(len(signature))) != signature {
		return nil, fmt.Errorf("byte %d: no %s is there", at, signature)
	}
	return c, nil
}

func (f *File) bytes(at uint64, n int) ([]byte, error) {
	if at > uint64(f.size) || n < 0 || int64(n) > f.size-int64(at) {
		return nil, fmt.Errorf("it is truncated or damaged: %d bytes at byte %d are beyond its end", n, at)
	}
	b := make([]byte, n)
	_, err := f.r.ReadAt(b, f.base+int64(at))
	if errors.Is(err, io.EOF) && n > 0 {
		// A reader may say EOF with the last byte; one that does so before has lost some of the file since it was opened.
		if m, again := f.r.ReadAt(b[n-1:], f.base+int64(at)+int64(n)-1); m == 1 && (again == nil || errors.Is(again, io.EOF)) {
			err = nil
		}
	}
	return b, err
}

// cursor reads numbers from metadata, little end first. After the end it gives zeros, and err says so.
type cursor struct {
	b              []byte
	offset, length int // bytes of an address and of a length
	err            error
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.b, c.err = nil, io.ErrUnexpectedEOF
	}
	if c.err != nil {
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n int) { c.take(n) }

func (c *cursor) uint(n int) uint64 {
	var v uint64
	for i, b := range c.take(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func (c *cursor) address() uint64 {
	v := c.uint(c.offset)
	if c.offset == 4 && v == math.MaxUint32 {
		return undefined
	}
	return v
}

// size is a length, as a number that fits an int; what does not is larger than any file.
func (c *cursor) size() int { return clip(c.uint(c.length)) }

func clip(v uint64) int { return int(min(v, math.MaxInt64)) }
