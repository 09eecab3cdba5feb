package read

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
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
		return nil, errs.New(errs.Request, "copy or download it again",
			"%s begins like a MATLAB 7.3 file, but no HDF5 follows: it is truncated or damaged", path)
	}
	notMAT := errs.New(errs.Request, "check how it was made or copied; MATLAB writes such files with save(file, 'X', 'Y', '-v7')",
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
	return errs.New(errs.Request, "copy or download it again", "%s is truncated: at byte %d it promises %d more, %d are there", path, at,
		need, have-at)
}

func damagedMAT(path string, at int, err error) error {
	return errs.Wrap(err, errs.Request, "copy or download it again", "%s is damaged in the variable at byte %d", path, at)
}

func (v *matVariable) element() ([]byte, error) {
	if !v.deflate {
		return v.data, nil
	}
	inflated, err := zlib.NewReader(bytes.NewReader(v.data))
	if err != nil {
		return nil, v.damaged(err)
	}
	data := make([]byte, 8+v.size) // bounded by maxInflation
	if _, err := io.ReadFull(inflated, data); err != nil {
		return nil, v.damaged(err)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(inflated, 8)); err != nil { // reads the checksum
		return nil, v.damaged(err)
	}
	return data[8:], nil
}

// count is the product of the dimensions; ok says that as many numbers can be in the element, none of them being smaller than a byte.
func (v *matVariable) count() (n int, ok bool) {
	n = 1
	for _, d := range v.Dims {
		if d > 0 && n > v.size/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// matNumbers are those of a variable, column by column as stored: how many, each of them, and each as the text that it is exactly.
type matNumbers struct {
	n    int
	at   func(int) float64
	text func(int) string
}

// decode reads a numeric variable. Numbers are stored in the smallest type that holds them all, whatever the class.
func (v *matVariable) decode() (list matNumbers, err error) {
	if v.stored != nil {
		return v.decode73()
	}
	need, ok := v.count()
	if !ok {
		return list, v.damaged(fmt.Errorf("%d bytes cannot hold its dimensions %v", v.size, v.Dims))
	}
	element, err := v.element()
	if err != nil {
		return list, err
	}
	if v.body+8 > len(element) {
		return list, v.damaged(io.ErrUnexpectedEOF)
	}
	tag := element[v.body:]
	kind, size, data := v.order.Uint32(tag), int(v.order.Uint32(tag[4:])), tag[8:]
	if kind>>16 != 0 { // a small element: its data are in the tag
		kind, size, data = kind&0xffff, int(kind>>16), tag[4:8]
	}
	if size > len(data) {
		return list, v.damaged(fmt.Errorf("it promises %d bytes of numbers and has %d", size, len(data)))
	}
	switch kind {
	case 1:
		list = matWhole(size, func(i int) int8 { return int8(data[i]) })
	case 2:
		list = matWhole(size, func(i int) uint8 { return data[i] })
	case 3:
		list = matWhole(size/2, func(i int) int16 { return int16(v.order.Uint16(data[2*i:])) })
	case 4:
		list = matWhole(size/2, func(i int) uint16 { return v.order.Uint16(data[2*i:]) })
	case 5:
		list = matWhole(size/4, func(i int) int32 { return int32(v.order.Uint32(data[4*i:])) })
	case 6:
		list = matWhole(size/4, func(i int) uint32 { return v.order.Uint32(data[4*i:]) })
	case 7:
		list = matFloats(size/4, func(i int) float32 { return math.Float32frombits(v.order.Uint32(data[4*i:])) })
	case 9:
		list = matFloats(size/8, func(i int) float64 { return math.Float64frombits(v.order.Uint64(data[8*i:])) })
	case 12:
		list = matWhole(size/8, func(i int) int64 { return int64(v.order.Uint64(data[8*i:])) })
	case 13:
		list = matWhole(size/8, func(i int) uint64 { return v.order.Uint64(data[8*i:]) })
	default:
		return list, v.damaged(fmt.Errorf("its numbers are stored as type %d", kind))
	}
	if list.n != need {
		return matNumbers{}, v.damaged(fmt.Errorf("its dimensions %v need %d numbers, but it holds %d", v.Dims, need, list.n))
	}
	return list, nil
}

func matFloats[T float32 | float64](n int, at func(int) T) matNumbers {
	return matNumbers{n, func(i int) float64 { return float64(at(i)) }, func(i int) string { return parse.Spell(at(i)) }}
}

func matWhole[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](n int, at func(int) T) matNumbers {
	return matNumbers{n, func(i int) float64 { return float64(at(i)) }, func(i int) string { return fmt.Sprint(at(i)) }}
}

// CheckMatrix refuses everything but a real, full matrix of numbers.
func (v *matVariable) CheckMatrix() error {
	switch {
	case v.complex:
		return errs.New(errs.Request, "save its real part", "%s: variable %s is complex", v.path, v.Name)
	case v.class == matSparse:
		return errs.New(errs.Request, "save full("+v.Name+")", "%s: variable %s is sparse", v.path, v.Name)
	case !v.class.numeric():
		return errs.New(errs.Request, "save a matrix of numbers", "%s: variable %s is of class %s, not numbers", v.path, v.Name, v.class)
	case len(v.Dims) != 2:
		return errs.New(errs.Request, "save a matrix of samples × features", "%s: variable %s has %d dimensions", v.path, v.Name, len(v.Dims))
	}
	return nil
}

// Matrix is a matrix in 32 bits, row by row, and what became of its columns. MATLAB stores columns.
func (v *matVariable) Matrix() ([]float32, Rounding, error) {
	list, err := v.decode()
	if err != nil {
		return nil, nil, err
	}
	rows, columns := v.Dims[0], v.Dims[1]
	x, rounded := make([]float32, rows*columns), make(Rounding, min(columns, list.n))
	for j := range columns {
		for i := range rows {
			x[i*columns+j] = rounded.Round(j, list.at(j*rows+i))
		}
	}
	return x, rounded, nil
}

// spelled is Texts of numbers, which must be a vector.
func (v *matVariable) spelled() ([]string, error) {
	if err := v.CheckMatrix(); err != nil {
		return nil, err
	}
	if v.Dims[0] != 1 && v.Dims[1] != 1 {
		return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: variable %s is %d×%d, not a vector", v.path, v.Name, v.Dims[0], v.Dims[1])
	}
	list, err := v.decode()
	texts := make([]string, list.n)
	for i := range texts {
		texts[i] = list.text(i)
	}
	return texts, err
}

func (v *matVariable) damaged(err error) error {
	return errs.Wrap(err, errs.Request, "copy or download it again", "%s: variable %s is damaged", v.path, v.Name)
}

// IsText reports whether a variable is a cell array or a char matrix.
func (v *matVariable) IsText() bool { return v.class == matChar || v.class == matCell }

// Texts reads a cell array of text (one text a cell), a char matrix (one text a row, with the blanks that fill it), or a vector of numbers,
// as they are exactly; one that is none is "".
func (v *matVariable) Texts() ([]string, error) {
	if !v.IsText() {
		return v.spelled()
	}
	if v.stored != nil {
		return v.texts73()
	}
	element, err := v.element()
	if err != nil {
		return nil, err
	}
	content := element[min(v.body, len(element)):]
	if v.class == matChar {
		rows, err := v.charRows(content)
		if err != nil {
			return nil, v.damaged(err)
		}
		return rows, nil
	}
	count, ok := v.count()
	if !ok || count > len(content)/8 { // a cell is an element: its tag alone has 8 bytes
		return nil, v.damaged(fmt.Errorf("%d bytes cannot hold %v cells", len(content), v.Dims))
	}
	texts := make([]string, count)
	for i := range texts {
		if len(content) < 8 {
			return nil, v.damaged(fmt.Errorf("cell %d of %d is missing", i+1, count))
		}
		kind, size := v.order.Uint32(content), int(v.order.Uint32(content[4:]))
		if content = content[8:]; kind != elementMatrix || size > len(content) {
			return nil, v.damaged(fmt.Errorf("cell %d of %d is incomplete", i+1, count))
		}
		one := matVariable{order: v.order, size: size, data: content[:size]}
		content = content[min(size+(-size&7), len(content)):]
		if size == 0 { // how an empty cell is written
			continue
		}
		if err := one.describe(bytes.NewReader(one.data)); err != nil {
			return nil, v.damaged(fmt.Errorf("cell %d: %w", i+1, err))
		}
		if one.class != matChar {
			return nil, v.notText(i, one.class)
		}
		rows, err := one.charRows(one.data[min(one.body, len(one.data)):])
		if err != nil {
			return nil, v.damaged(fmt.Errorf("cell %d: %w", i+1, err))
		}
		if texts[i], err = v.oneText(i, rows); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (v *matVariable) notText(cell int, c matClass) error {
	return errs.New(errs.Request, "save a cell array of text", "%s: cell %d of variable %s is of class %s, not text",
		v.path, cell+1, v.Name, c)
}

// oneText is the text of a cell, which may have no row or one.
func (v *matVariable) oneText(cell int, rows []string) (string, error) {
	if len(rows) > 1 {
		return "", errs.New(errs.Request, "save one text per cell", "%s: cell %d of variable %s holds %d rows of text",
			v.path, cell+1, v.Name, len(rows))
	}
	return strings.Join(rows, ""), nil
}

// charRows decodes the characters of a char array, stored column by column.
func (v *matVariable) charRows(content []byte) ([]string, error) {
	if len(v.Dims) != 2 {
		return nil, fmt.Errorf("text of %d dimensions", len(v.Dims))
	}
	if len(content) == 0 { // an empty text may leave its data out
		return make([]string, min(v.Dims[0], 1)), nil
	}
	in := &matReader{r: bytes.NewReader(content), order: v.order, left: len(content)}
	data, kind, err := in.small(len(content))
	if err != nil {
		return nil, err
	}
	var letters []rune
	switch kind {
	case elementUTF8, 1, 2: // also int8 and uint8
		for len(data) > 0 {
			r, size := utf8.DecodeRune(data)
			letters, data = append(letters, r), data[size:]
		}
	case elementUTF16, 4: // also uint16
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = v.order.Uint16(data[2*i:])
		}
		letters = utf16.Decode(units)
	default:
		return nil, fmt.Errorf("text stored as type %d", kind)
	}
	rows, width := v.Dims[0], v.Dims[1]
	if rows != 1 && (rows > len(letters) || width > len(letters) || rows*width != len(letters)) {
		return nil, fmt.Errorf("it promises %d×%d characters and has %d", rows, width, len(letters))
	}
	if rows == 1 {
		return []string{string(letters)}, nil
	}
	texts := make([]string, rows)
	line := make([]rune, width)
	for i := range texts {
		for j := range line {
			line[j] = letters[j*rows+i]
		}
		texts[i] = string(line)
	}
	return texts, nil
}
