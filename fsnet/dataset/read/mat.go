package read

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
)

// maxDeflate is the largest compression ratio of deflate. A larger claim must
// be false.
const maxDeflate = 1032

// matVariable is a variable of a MAT file. Its data have not been read yet.
type matVariable struct {
	matContent
	name    string
	dims    []int // at least two
	class   matClass
	object  string // class of an object, such as string or table
	complex bool
	path    string
}

// matContent reads a variable as a version of the format stores it: column by
// column, like MATLAB.
type matContent interface {
	// numbers returns how many numbers there are, and functions that return
	// each as a number and as its exact text.
	numbers() (n int, number func(int) float64, text func(int) string, err error)
	letters() ([]uint16, error)     // letters of a char matrix, in UTF-16
	cells() ([]*matVariable, error) // cells of a cell array; an empty cell is nil
}

func (v *matVariable) String() string {
	return fmt.Sprintf("%s (%s %s)", v.name, spellSides(v.dims), cmp.Or(v.object, v.class.String()))
}

// matClass is the class of a MATLAB array.
type matClass byte

const (
	matCell   matClass = 1
	matStruct matClass = 2
	matChar   matClass = 4
	matSparse matClass = 5
	matOpaque matClass = 17 // an object, which only MATLAB can read
)

// numeric reports whether arrays of the class hold numbers.
func (c matClass) numeric() bool { return c >= 6 && c <= 15 }

// String returns the name of the class in MATLAB, or unknown.
func (c matClass) String() string {
	names := [...]string{"unknown", "cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8", "int16", "uint16",
		"int32", "uint32", "int64", "uint64"}
	if int(c) < len(names) {
		return names[c]
	}
	return names[0]
}

// CheckMatrix rejects everything except a real, full matrix of numbers.
func (v *matVariable) CheckMatrix() error {
	what, remedy := "", "save a matrix of samples × features"
	switch {
	case v.object != "":
		what, remedy = "is of class "+v.object, fmt.Sprintf("convert it in MATLAB, as with cellstr(%s) or table2array(%[1]s)", v.name)
	case v.complex:
		what, remedy = "is complex", "save its real part"
	case v.class == matSparse:
		what, remedy = "is sparse", "save full("+v.name+")"
	case !v.class.numeric():
		what, remedy = fmt.Sprintf("is of class %s, not numbers", v.class), "save a matrix of numbers"
	case len(v.dims) != 2:
		what = fmt.Sprintf("has %d dimensions", len(v.dims))
	default:
		return nil
	}
	return errs.New(errs.Request, remedy, "%s: variable %s %s", v.path, v.name, what)
}

// decode reads the numbers and checks that there are as many as the dimensions
// need.
func (v *matVariable) decode() (number func(int) float64, text func(int) string, err error) {
	n, number, text, err := v.numbers()
	if need := cellCount(v.dims...); err == nil && n != need {
		err = fmt.Errorf("its dimensions %v need %d numbers, but it holds %d", v.dims, need, n)
	}
	return number, text, v.damaged(err)
}

// Matrix returns a matrix in 32 bits, row by row, and how its columns were
// rounded.
func (v *matVariable) Matrix() ([]float32, Rounding, error) {
	number, _, err := v.decode()
	if err != nil {
		return nil, nil, err
	}

	rows, columns := v.dims[0], v.dims[1]
	x, rounded := make([]float32, rows*columns), make(Rounding, columns)
	for j := range columns {
		for i := range rows {
			x[i*columns+j] = rounded.Round(j, number(j*rows+i))
		}
	}
	return x, rounded, nil
}

// IsText reports whether the variable holds texts.
func (v *matVariable) IsText() bool { return v.class == matChar || v.class == matCell }

// Texts returns the texts of a variable: one for each cell of a cell array, one
// for each row of a char matrix, with its trailing blanks, or one for each
// number of a vector, in exact form and with "" for NaN.
func (v *matVariable) Texts() ([]string, error) {
	if v.class == matChar {
		rows, err := v.rows()
		return rows, v.damaged(err)
	}
	if v.class != matCell {
		return v.vectorTexts()
	}

	cells, err := v.cells()
	if err != nil {
		return nil, v.damaged(err)
	}

	texts := make([]string, len(cells))
	for i, cell := range cells {
		if cell == nil {
			continue
		}
		if cell.class != matChar {
			return nil, errs.New(errs.Request, "save a cell array of text", "%s: cell %d of variable %s is of class %s, not text", v.path, i+1, v.name, cell.class)
		}

		rows, err := cell.rows()
		if err != nil {
			return nil, v.damaged(fmt.Errorf("cell %d: %w", i+1, err))
		}
		if len(rows) > 1 {
			return nil, errs.New(errs.Request, "save one text per cell", "%s: cell %d of variable %s holds %d rows of text", v.path, i+1, v.name, len(rows))
		}

		texts[i] = strings.Join(rows, "")
	}
	return texts, nil
}

// vectorTexts returns the numbers of a vector as texts. It returns an error for
// a matrix.
func (v *matVariable) vectorTexts() ([]string, error) {
	if err := v.CheckMatrix(); err != nil {
		return nil, err
	}
	if v.dims[0] != 1 && v.dims[1] != 1 {
		return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: variable %s is %d×%d, not a vector", v.path, v.name, v.dims[0], v.dims[1])
	}

	_, text, err := v.decode()
	if err != nil {
		return nil, err
	}

	texts := make([]string, cellCount(v.dims...))
	for i := range texts {
		texts[i] = text(i)
	}
	return texts, nil
}

// rows returns the rows of a char matrix.
func (v *matVariable) rows() ([]string, error) {
	letters, err := v.letters()
	if err != nil || len(letters) == 0 {
		return make([]string, min(v.dims[0], 1)), err // an empty text may have no data
	}

	n := v.dims[0]
	if n == 1 {
		return []string{string(utf16.Decode(letters))}, nil
	}
	if need := cellCount(v.dims...); need != len(letters) {
		return nil, fmt.Errorf("it promises %v characters and has %d", v.dims, len(letters))
	}

	texts, line := make([]string, n), make([]uint16, len(letters)/n)
	for i := range texts {
		for j := range line {
			line[j] = letters[j*n+i]
		}
		texts[i] = string(utf16.Decode(line))
	}
	return texts, nil
}

// damaged explains an error about the data of the variable. It returns nil for
// nil.
func (v *matVariable) damaged(err error) error {
	return explain(err, "copy or download it again", "%s: variable %s is damaged", v.path, v.name)
}

// A MAT file of version 5 is a header of 128 bytes and elements. An element is
// a tag of 8 bytes (type, size) and its data. A variable is an element of type
// matrix, or an element of type compressed that inflates to one. Its data
// consist of elements again: flags, dimensions, name, numbers.
const (
	elementMatrix     = 14
	elementCompressed = 15
)

// element5 is the element of a variable.
type element5 struct {
	order binary.ByteOrder
	size  int // bytes after the tag
	// data follow the tag. If deflate is set, they are the zlib stream of the
	// whole element.
	data    []byte
	deflate bool
	body    int // offset of the numbers in the data
}

// parseMAT lists the variables of a file without reading their numbers. path is
// used in errors.
func parseMAT(path string, data []byte) (file variableFile, err error) {
	file.path = path
	order, err := matByteOrder(path, data)
	if err != nil {
		return file, err
	}
	for offset := 128; offset < len(data); {
		kind, size := uint32(0), 8
		if len(data)-offset >= 8 {
			kind, size = order.Uint32(data[offset:]), int(order.Uint32(data[offset+4:]))
			offset += 8
		}

		if kind>>16 != 0 { // a small element has its data in the tag
			continue
		}

		if size > len(data)-offset {
			return file, errs.New(errs.Request, "copy or download it again", "%s is truncated: at byte %d it promises %d more, %d are there", path, offset, size, len(data)-offset)
		}

		e := &element5{order: order, data: data[offset : offset+size], size: size, deflate: kind == elementCompressed}
		var v *matVariable
		switch kind {
		case elementMatrix:
			v, err = e.describe(path, bytes.NewReader(e.data))
		case elementCompressed:
			v, err = e.describeDeflated(path)
		}
		if err != nil {
			return file, errs.Wrap(err, errs.Request, "copy or download it again", "%s is damaged in the variable at byte %d", path, offset-8)
		}

		if v != nil && v.name != "" {
			file.add(v, v.name, v.dims)
		}

		if offset += size; kind != elementCompressed { // compressed elements are not padded
			offset += -size & 7
		}
	}
	return file, nil
}

// beginsMAT reports whether a file begins with a complete header of a MAT file
// of version 5.
func beginsMAT(head []byte) bool {
	if len(head) < 128 {
		return false
	}
	_, err := matByteOrder("", head)
	return err == nil && bytes.HasPrefix(head, []byte("MATLAB 5"))
}

// matByteOrder checks the first 128 bytes and returns the byte order.
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

// describeDeflated inflates the beginning of a compressed element and describes
// the variable in it. It returns nil if the element holds something else.
func (e *element5) describeDeflated(path string) (*matVariable, error) {
	inflated, err := zlib.NewReader(bytes.NewReader(e.data))
	if err != nil {
		return nil, err
	}

	var tag [8]byte
	if _, err := io.ReadFull(inflated, tag[:]); err != nil || e.order.Uint32(tag[:]) != elementMatrix {
		return nil, err
	}

	if e.size = int(e.order.Uint32(tag[4:])); e.size > maxDeflate*len(e.data) {
		return nil, fmt.Errorf("%d bytes cannot inflate to %d", len(e.data), e.size)
	}
	return e.describe(path, inflated)
}

// describe reads flags, dimensions and name from the beginning of the data of a
// matrix.
func (e *element5) describe(path string, r io.Reader) (*matVariable, error) {
	in := &matReader{r: r, order: e.order, left: e.size}
	flags, _, err := in.readSmall(8)
	if err != nil {
		return nil, err
	}
	if len(flags) != 8 {
		return nil, errors.New("its array flags are not 8 bytes")
	}

	word := e.order.Uint32(flags)
	v := &matVariable{matContent: e, path: path, class: matClass(word & 0xff), complex: word&0x0800 != 0}
	if v.class != matOpaque { // an opaque variable has no dimensions
		dims, _, err := in.readSmall(4 * 32)
		if err != nil {
			return nil, err
		}
		if len(dims) < 8 || len(dims)%4 != 0 {
			return nil, errors.New("its dimensions are not two or more numbers")
		}
		for ; len(dims) > 0; dims = dims[4:] {
			v.dims = append(v.dims, int(e.order.Uint32(dims)))
		}
	}

	name, _, err := in.readSmall(1 << 10)
	v.name, e.body = parse.Clean(strings.TrimRight(string(name), "\x00")), e.size-in.left
	if err != nil || v.class != matOpaque {
		return v, err
	}

	v.dims = []int{1, 1}
	var class []byte
	if _, _, err = in.readSmall(1 << 10); err == nil { // MCOS, the object system
		class, _, err = in.readSmall(1 << 10)
	}
	v.object = cmp.Or(parse.Clean(string(class)), "object")
	return v, err
}

// matReader reads small elements.
type matReader struct {
	r     io.Reader
	order binary.ByteOrder
	left  int // remaining bytes of the surrounding element
}

// readSmall reads an element of at most limit bytes and its padding.
func (m *matReader) readSmall(limit int) (data []byte, kind uint32, err error) {
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

// fill reads len(p) bytes. They must not reach beyond the surrounding element.
func (m *matReader) fill(p []byte) error {
	if len(p) > m.left {
		return io.ErrUnexpectedEOF
	}
	m.left -= len(p)
	_, err := io.ReadFull(m.r, p)
	return err
}

// content returns the data after the name, inflated if they are compressed.
func (e *element5) content() ([]byte, error) {
	if !e.deflate {
		return e.data[min(e.body, len(e.data)):], nil
	}
	inflated, err := zlib.NewReader(bytes.NewReader(e.data))
	if err != nil {
		return nil, err
	}
	data := make([]byte, 8+e.size)
	if _, err := io.ReadFull(inflated, data); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(inflated, 8)) // verifies the checksum
	return data[8+e.body:], err
}

// numbers decodes the numbers. MATLAB stores them in the smallest type that
// holds them all.
func (e *element5) numbers() (int, func(int) float64, func(int) string, error) {
	content, err := e.content()
	if err == nil && len(content) < 8 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, nil, err
	}

	kind, size, data := e.order.Uint32(content), int(e.order.Uint32(content[4:])), content[8:]
	if kind>>16 != 0 { // a small element has its data in the tag
		kind, size, data = kind&0xffff, int(kind>>16), content[4:8]
	}

	if size > len(data) {
		return 0, nil, nil, fmt.Errorf("it promises %d bytes of numbers and has %d", size, len(data))
	}

	stored, isKnown := map[uint32]numberType{1: {'i', 1, false}, 2: {'u', 1, false}, 3: {'i', 2, false}, 4: {'u', 2, false}, 5: {'i', 4, false}, 6: {'u', 4, false},
		7: {'f', 4, false}, 9: {'f', 8, false}, 12: {'i', 8, false}, 13: {'u', 8, false}}[kind]
	if !isKnown {
		return 0, nil, nil, fmt.Errorf("its numbers are stored as type %d", kind)
	}

	stored.big = e.order == binary.BigEndian
	at := func(i int) []byte { return data[i*stored.item : (i+1)*stored.item] }
	return size / stored.item, func(i int) float64 { return stored.number(at(i)) }, func(i int) string { return stored.spell(at(i)) }, nil
}

// cells describes the cells of a cell array, in the order of MATLAB. An empty
// cell is nil.
func (e *element5) cells() ([]*matVariable, error) {
	content, err := e.content()
	if err != nil {
		return nil, err
	}

	var cells []*matVariable
	for len(content) >= 8 {
		kind, size := e.order.Uint32(content), int(e.order.Uint32(content[4:]))
		if content = content[8:]; kind != elementMatrix || size > len(content) {
			return nil, fmt.Errorf("cell %d is incomplete", len(cells)+1)
		}
		var cell *matVariable
		if size > 0 { // an empty cell is only a tag
			element := &element5{order: e.order, size: size, data: content[:size]}
			if cell, err = element.describe("", bytes.NewReader(element.data)); err != nil {
				return nil, fmt.Errorf("cell %d: %w", len(cells)+1, err)
			}
		}
		cells, content = append(cells, cell), content[min(size+(-size&7), len(content)):]
	}
	return cells, nil
}

// letters decodes the text of a char matrix to UTF-16, column by column. It
// returns an error for encodings other than UTF-8, UTF-16 and bytes.
func (e *element5) letters() ([]uint16, error) {
	content, err := e.content()
	if err != nil || len(content) == 0 {
		return nil, err
	}

	in := &matReader{r: bytes.NewReader(content), order: e.order, left: len(content)}
	data, kind, err := in.readSmall(len(content))
	if err != nil {
		return nil, err
	}

	switch kind {
	case 16, 1, 2: // UTF-8, int8 and uint8
		return utf16.Encode([]rune(string(data))), nil
	case 17, 4: // UTF-16 and uint16
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = e.order.Uint16(data[2*i:])
		}
		return units, nil
	}
	return nil, fmt.Errorf("text stored as type %d", kind)
}
