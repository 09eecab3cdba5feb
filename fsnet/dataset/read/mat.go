package read

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/fault"
)

// A file is a header of 128 bytes and then elements, each a tag of 8 bytes (type, size) and its data. A variable is an element
// of type matrix, or one of type compressed that inflates to it; its data are again elements: flags, dimensions, name, numbers.
//
// This source lists what a file holds; numbers.go and text.go decode it.

// Types of elements.
const (
	elementUTF8       = 16
	elementUTF16      = 17
	elementMatrix     = 14
	elementCompressed = 15
)

// maxDeflate is the most that deflate can gain, so a larger claim is false.
const maxDeflate = 1032

// matFile is what a MAT file holds.
type matFile struct{ Variables []matVariable }

// matVariable is a variable of a file, before its data are read.
type matVariable struct {
	Name string
	Dims []int // two at least

	class   matClass
	complex bool
	path    string
	order   binary.ByteOrder
	size    int    // bytes of the matrix element after its tag
	data    []byte // the element's data, or, if deflated, the zlib stream of the element with its tag
	deflate bool
	stored  *hdf5.Dataset // of version 7.3, instead of data
	empty   bool          // of version 7.3: stored are the dimensions
	body    int           // where in the element's data the numbers begin
}

func (v matVariable) String() string {
	dims := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		dims[i] = fmt.Sprint(d)
	}
	return fmt.Sprintf("%s (%s %s)", v.Name, strings.Join(dims, "×"), v.class)
}

// matClass is the class of a MATLAB array.
type matClass byte

const (
	matCell   matClass = 1
	matChar   matClass = 4
	matSparse matClass = 5
)

func (c matClass) numeric() bool { return c >= 6 && c <= 15 }

func (c matClass) String() string {
	names := [...]string{"unknown", "cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8", "int16", "uint16",
		"int32", "uint32", "int64", "uint64"}
	if int(c) < len(names) {
		return names[c]
	}
	return names[0]
}

// parseMAT lists the variables of a file; path names it in errors.
func parseMAT(path string, data []byte) (matFile, error) {
	var file matFile
	order, err := matByteOrder(path, data)
	if err != nil {
		return file, err
	}
	for at := 128; at < len(data); {
		if len(data)-at < 8 {
			return file, truncatedMAT(path, at, len(data), 8)
		}
		kind, size := order.Uint32(data[at:]), int(order.Uint32(data[at+4:]))
		at += 8
		if kind>>16 != 0 { // a small element: its data are in the tag
			continue
		}
		if size > len(data)-at {
			return file, truncatedMAT(path, at, len(data), size)
		}
		v := matVariable{path: path, order: order, data: data[at : at+size], size: size}
		switch kind {
		case elementMatrix:
			err = v.describe(bytes.NewReader(v.data))
		case elementCompressed:
			v.deflate = true
			err = v.describeDeflated()
		default: // nothing else belongs here; what is well-formed is passed over
			v.Name = ""
		}
		if err != nil {
			return file, damagedMAT(path, at-8, err)
		}
		if v.Name != "" {
			file.Variables = append(file.Variables, v)
		}
		if at += size; kind != elementCompressed { // only compressed elements are not padded
			at += -size & 7
		}
	}
	return file, nil
}

// beginsMAT says whether a file with this beginning is a MAT v5 file.
func beginsMAT(head []byte) bool {
	if len(head) < 128 {
		return false
	}
	_, err := matByteOrder("", head)
	return err == nil && bytes.HasPrefix(head, []byte("MATLAB 5"))
}

// matByteOrder checks the first 128 bytes.
func matByteOrder(path string, data []byte) (binary.ByteOrder, error) {
	const hdf5 = "\x89HDF\r\n\x1a\n"
	if bytes.HasPrefix(data, []byte(hdf5)) || bytes.HasPrefix(data, []byte("MATLAB 7.3")) {
		return nil, fault.New(fault.Request, "copy or download it again",
			"%s begins like a MATLAB 7.3 file, but no HDF5 follows: it is truncated or damaged", path)
	}
	notMAT := fault.New(fault.Request, "check how it was made or copied; MATLAB writes such files with save(file, 'X', 'Y', '-v7')",
		"%s (%d bytes) is not a MAT v5 file", path, len(data))
	if len(data) < 128 {
		return nil, notMAT
	}
	switch string(data[126:128]) {
	case "IM":
		return binary.LittleEndian, nil
	case "MI":
		return binary.BigEndian, nil
	}
	return nil, notMAT
}

// describeDeflated is describe for a compressed element.
func (v *matVariable) describeDeflated() error {
	inflated, err := zlib.NewReader(bytes.NewReader(v.data))
	if err != nil {
		return err
	}
	var tag [8]byte
	if _, err := io.ReadFull(inflated, tag[:]); err != nil {
		return err
	}
	if v.order.Uint32(tag[:]) != elementMatrix {
		return nil
	}
	v.size = int(v.order.Uint32(tag[4:]))
	if v.size > maxDeflate*len(v.data) {
		return fmt.Errorf("%d bytes cannot inflate to %d", len(v.data), v.size)
	}
	return v.describe(inflated)
}

// describe reads flags, dimensions and name from the start of a matrix's data.
func (v *matVariable) describe(r io.Reader) error {
	in := &matReader{r: r, order: v.order, left: v.size}
	flags, _, err := in.small(8)
	if err != nil {
		return err
	}
	if len(flags) != 8 {
		return errors.New("its array flags are not 8 bytes")
	}
	word := v.order.Uint32(flags)
	v.class, v.complex = matClass(word&0xff), word&0x0800 != 0
	dims, _, err := in.small(4 * 32)
	if err != nil {
		return err
	}
	if len(dims) < 8 || len(dims)%4 != 0 {
		return errors.New("its dimensions are not two or more numbers")
	}
	for ; len(dims) > 0; dims = dims[4:] {
		v.Dims = append(v.Dims, int(v.order.Uint32(dims)))
	}
	name, _, err := in.small(1 << 10)
	if err != nil {
		return err
	}
	v.Name, v.body = strings.TrimRight(string(name), "\x00"), v.size-in.left
	return nil
}

// matReader reads elements of a few bytes.
type matReader struct {
	r     io.Reader
	order binary.ByteOrder
	left  int // bytes of the surrounding element
}

// small reads an element of at most limit bytes, and its padding.
func (m *matReader) small(limit int) (data []byte, kind uint32, err error) {
	var tag [8]byte
	if err := m.fill(tag[:]); err != nil {
		return nil, 0, err
	}
	kind = m.order.Uint32(tag[:])
	if size := kind >> 16; size != 0 {
		if size > 4 {
			return nil, 0, fmt.Errorf("a small element claims to have %d bytes", size)
		}
		return bytes.Clone(tag[4 : 4+size]), kind & 0xffff, nil
	}
	size := int(m.order.Uint32(tag[4:]))
	if size > limit {
		return nil, 0, fmt.Errorf("an element of %d bytes where at most %d fit", size, limit)
	}
	data = make([]byte, size)
	if err := m.fill(data); err != nil {
		return nil, 0, err
	}
	return data, kind, m.fill(make([]byte, min(-size&7, m.left)))
}

func (m *matReader) fill(p []byte) error {
	if len(p) > m.left {
		return io.ErrUnexpectedEOF
	}
	m.left -= len(p)
	_, err := io.ReadFull(m.r, p)
	return err
}

func truncatedMAT(path string, at, have, need int) error {
	return fault.New(fault.Request, "copy or download it again", "%s is truncated: at byte %d it promises %d more, %d are there", path, at,
		need, have-at)
}

func damagedMAT(path string, at int, err error) error {
	return fault.Wrap(err, fault.Request, "copy or download it again", "%s is damaged in the variable at byte %d", path, at)
}
