package hdf5

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrUnsupported is wrapped by errors about intact files that use a part of the
// format this package does not read.
var ErrUnsupported = errors.New("not supported by this reader")

// MaxInflation is the largest compression ratio of deflate. A read of more than
// MaxInflation times the bytes of the file is rejected.
const MaxInflation = 1032

// Signature is the beginning of an HDF5 file. It stands at byte 0, 512, 1024,
// 2048, ….
const Signature = "\x89HDF\r\n\x1a\n"

// undefined is the address that stands for no address.
const undefined = math.MaxUint64

// addressBytes is the size of an address and of a length.
const addressBytes = 8

// container is an open HDF5 file.
type container struct {
	r    io.ReaderAt
	base int64 // position of the superblock; addresses count from it
	size int64 // number of bytes from base to the end
	// address of the root group
	root uint64
}

// Open reads the superblock of a file of size bytes and returns the root group.
// It looks for [Signature] at byte 0, 512, 1024 and every further power of two.
// The caller must keep the reader open while it reads from the file.
func Open(r io.ReaderAt, size int64) (*Object, error) {
	for base := int64(0); base+int64(len(Signature)) <= size; base = max(512, 2*base) {
		head := make([]byte, min(96, size-base))
		if _, err := r.ReadAt(head, base); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if string(head[:len(Signature)]) == Signature {
			f := &container{r: r, base: base, size: size - base}
			if err := f.superblock(head[len(Signature):]); err != nil {
				return nil, err
			}
			return f.readObject(f.root, "/")
		}
	}
	return nil, errors.New("it has no HDF5 signature")
}

// superblock reads the address of the root group from the bytes after the
// signature. It rejects a file that is shorter than the superblock says.
func (f *container) superblock(head []byte) error {
	c := &cursor{b: head}
	version := c.uint(1)
	if version > 3 {
		return fmt.Errorf("superblock %d: %w", version, ErrUnsupported)
	}
	if version < 2 {
		c.skip(4)
	}
	if addresses, lengths := c.uint(1), c.uint(1); c.err == nil && (addresses != 8 || lengths != 8) {
		return fmt.Errorf("addresses of %d bytes and lengths of %d: %w", addresses, lengths, ErrUnsupported)
	}
	c.skip([]int{1 + 4 + 4, 1 + 4 + 4 + 4, 1, 1}[version])
	c.skip(2 * 8) // the base address, and the free space or the extension
	end := c.uint(8)
	// the base address, and the free space or the extension
	if version < 2 {
		c.skip(2 * 8) // the driver, and the name of the root
		// the driver, and the name of the root
	}
	f.root = c.uint(8)

	if c.err != nil {
		return fmt.Errorf("the superblock is truncated: %w", c.err)
	}
	// Writers count the end from the base or from the beginning of the file;
	// either passes.
	// Some writers count the end from the base and some from the beginning of
	// the file. We accept both.
	if end != undefined && (end > math.MaxInt64 || int64(end) > f.base+f.size) {
		return fmt.Errorf("it is truncated: it promises %d bytes and has %d", end, f.base+f.size)
	}
	return nil
}

// walk follows addresses through a file. Visiting an address twice is an error:
// otherwise a damaged file could lead us in circles.
type walk struct {
	file *container
	seen map[uint64]bool
}

func (f *container) walk() *walk { return &walk{f, map[uint64]bool{}} }

// readBlock reads n bytes of metadata at an address and checks that they begin
// with signature. The returned cursor stands after the signature.
func (w *walk) readBlock(address uint64, n int, signature string) (*cursor, error) {
	if w.seen[address] {
		return nil, fmt.Errorf("byte %d is pointed to twice", address)
	}
	w.seen[address] = true
	b, err := w.file.readBytes(address, n)
	if err != nil {
		return nil, err
	}

	c := &cursor{b: b}
	if string(c.next(len(signature))) != signature {
		return nil, fmt.Errorf("byte %d: no %s is there", address, signature)
	}
	return c, nil
}

// readBytes reads n bytes at an address, counted from the superblock. It
// returns an error if they extend beyond the end of the file.
func (f *container) readBytes(address uint64, n int) ([]byte, error) {
	if address > uint64(f.size) || n < 0 || int64(n) > f.size-int64(address) {
		return nil, fmt.Errorf("it is truncated or damaged: %d bytes at byte %d are beyond its end", n, address)
	}
	b := make([]byte, n)
	if m, err := f.r.ReadAt(b, f.base+int64(address)); m < n {
		return nil, err
	}
	return b, nil
}

// cursor reads little-endian numbers from metadata. Past the end it sets err
// and returns zeros.
type cursor struct {
	b   []byte
	err error
}

// next returns the next n bytes, or nil past the end.
func (c *cursor) next(n int) []byte {
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

func (c *cursor) skip(n int) { c.next(n) }

// uint reads a number of n bytes, at most 8.
func (c *cursor) uint(n int) uint64 {
	var v uint64
	for i, b := range c.next(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// size reads a length, clipped to an int. A clipped length is larger than any
// file.
func (c *cursor) size() int { return clipInt(c.uint(8)) }

// clipInt returns v, or the largest int if v is larger.
func clipInt(v uint64) int { return int(min(v, math.MaxInt64)) }
