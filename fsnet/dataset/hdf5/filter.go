package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Filters by their registered numbers.
const (
	filterGzip     = 1
	filterShuffle  = 2
	filterFletcher = 3
	filterLZF      = 32000
	filterZstd     = 32015
)

// A filter is what was done to a chunk when it was written.
type filter struct {
	id    int
	width int // of an element, for shuffle
}

func (f filter) String() string {
	names := map[int]string{4: "szip", 5: "nbit", 6: "scale-offset", 32001: "blosc", 32004: "LZ4", 32008: "bitshuffle", 32026: "blosc2"}
	if name := names[f.id]; name != "" {
		return name
	}
	return fmt.Sprintf("number %d", f.id)
}

// parseFilters reads a filter pipeline message.
func parseFilters(c *cursor) ([]filter, error) {
	version, n := c.uint(1), int(c.uint(1))
	if version != 1 && version != 2 {
		return nil, fmt.Errorf("filter message %d: %w", version, ErrUnsupported)
	}
	if version == 1 {
		c.skip(6)
	}
	var filters []filter
	for range n {
		f, name := filter{id: int(c.uint(2))}, 0
		if version == 1 || f.id >= 256 {
			name = int(c.uint(2))
		}
		c.skip(2)
		values := int(c.uint(2))
		if version == 1 {
			name += -name & 7
		}
		c.skip(name)
		for i := range values {
			if v := int(c.uint(4)); i == 0 {
				f.width = v
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		switch f.id {
		case filterGzip, filterShuffle, filterFletcher, filterLZF, filterZstd:
		default:
			return nil, fmt.Errorf("the filter %v: %w", f, ErrUnsupported)
		}
		filters = append(filters, f)
	}
	if c.err != nil {
		return nil, fmt.Errorf("its filters are damaged: %w", c.err)
	}
	return filters, nil
}

// undo takes a filter off a chunk that without it has at most so many bytes.
func (f filter) undo(b []byte, most int) ([]byte, error) {
	switch f.id {
	case filterGzip:
		return inflate(b, most)
	case filterShuffle:
		return unshuffle(b, f.width), nil
	case filterFletcher:
		return checked(b)
	case filterZstd:
		return unzstd(b, most)
	}
	return unlzf(b, most)
}

// gain is the most bytes that a byte becomes where the filter is taken off.
func (f filter) gain() uint64 {
	switch f.id {
	case filterGzip:
		return MaxInflation
	case filterZstd:
		return 1 << 16 // a block of one byte that repeats is 4 bytes for 128 KiB
	case filterLZF:
		return 264
	}
	return 1
}

func unzstd(b []byte, most int) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(most, 8<<20))))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, make([]byte, 0, min(most, MaxInflation*len(b))))
}

// inflate reads a zlib stream, with its checksum.
func inflate(b []byte, most int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out := make([]byte, min(most, MaxInflation*len(b)+64))
	n, err := io.ReadFull(r, out)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && n > 0, errors.Is(err, io.EOF):
		// The stream is shorter than the chunk may be, or cut off, which one more read tells.
		if _, again := r.Read(out[n:]); !errors.Is(again, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		return out[:n], nil
	case err != nil:
		return nil, err
	}
	var rest [1]byte
	if n, err := r.Read(rest[:]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("it inflates to more than its %d bytes, or its checksum is wrong", len(out))
	}
	return out, nil
}

// unshuffle brings the bytes of each element together: they are stored as all first bytes, all second bytes, ….
func unshuffle(b []byte, width int) []byte {
	if width < 2 || len(b) < width {
		return b
	}
	n := len(b) / width
	out := make([]byte, len(b))
	copy(out[n*width:], b[n*width:])
	switch width {
	case 4:
		b0, b1, b2, b3 := b[:n], b[n:2*n], b[2*n:3*n], b[3*n:4*n]
		for i := range n {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(b0[i])|uint32(b1[i])<<8|uint32(b2[i])<<16|uint32(b3[i])<<24)
		}
	default:
		for j := range width {
			for i, v := range b[j*n : (j+1)*n] {
				out[i*width+j] = v
			}
		}
	}
	return out
}

// checked compares the Fletcher checksum behind a chunk and takes it off. The sums are over 16-bit words, the first byte on top.
func checked(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errors.New("its checksum is missing")
	}
	data, want := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	var one, two uint32
	for rest := data; len(rest) > 0; {
		part := rest[:min(len(rest), 2*360)] // so many words do not overflow
		rest = rest[len(part):]
		for ; len(part) > 1; part = part[2:] {
			one += uint32(part[0])<<8 | uint32(part[1])
			two += one
		}
		if len(part) == 1 {
			one += uint32(part[0]) << 8
			two += one
		}
		one, two = one&0xffff+one>>16, two&0xffff+two>>16
	}
	one, two = one&0xffff+one>>16, two&0xffff+two>>16
	if sum := two<<16 | one; sum != want {
		return nil, fmt.Errorf("its checksum is %08x, not %08x", sum, want)
	}
	return data, nil
}

// unlzf undoes LZF: a byte below 32 says that one more than so many bytes follow; any other is the length of a copy, less 2, in its
// upper three bits (7 is followed by what is to be added), and how far back it begins, less 1, in the other bits and the next byte.
func unlzf(b []byte, most int) ([]byte, error) {
	bad := errors.New("its LZF data are damaged")
	out := make([]byte, 0, min(most, 264*len(b)))
	for len(b) > 0 {
		head := int(b[0])
		b = b[1:]
		if head < 32 {
			if head+1 > len(b) || len(out)+head+1 > most {
				return nil, bad
			}
			out, b = append(out, b[:head+1]...), b[head+1:]
			continue
		}
		n := head >> 5
		if n == 7 {
			if len(b) == 0 {
				return nil, bad
			}
			n += int(b[0])
			b = b[1:]
		}
		if len(b) == 0 {
			return nil, bad
		}
		back := head&31<<8 + int(b[0]) + 1
		b = b[1:]
		if n += 2; back > len(out) || len(out)+n > most {
			return nil, bad
		}
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	return out, nil
}
