package read

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numpyArray is an array of an archive, before its values are read.
type numpyArray struct {
	Name  string
	Shape []int

	numberType
	fortran bool // column by column
	open    func() (io.ReadCloser, error)
	packed  uint64 // bytes of it in its file
	gain    uint64 // a packed byte is so many bytes at the most
}

// beginsNumPy reports whether a file with this beginning is a zip archive whose first member is an array.
func beginsNumPy(head []byte) bool {
	if len(head) < 30 || string(head[:4]) != "PK\x03\x04" {
		return false
	}
	n := int(binary.LittleEndian.Uint16(head[26:]))
	return 30+n <= len(head) && bytes.HasSuffix(head[30:30+n], []byte(".npy"))
}

func beginsNumPyArray(head []byte) bool { return bytes.HasPrefix(head, []byte(numpyMagic)) }

// openNumPyArray is an array alone, of a file of so many bytes that open opens, now and whenever its values are asked for.
func openNumPyArray(name string, size int64, open func() (io.ReadCloser, error)) (numpyArray, error) {
	r, err := open()
	if err != nil {
		return numpyArray{}, err
	}
	defer r.Close()
	a, err := readNumPyHeader(r)
	a.Name, a.open, a.packed, a.gain = name, open, uint64(size), 1
	if err != nil {
		return a, fmt.Errorf("array %q: %w", name, err)
	}
	return a, nil
}

func openNumPy(file io.ReaderAt, size int64) ([]numpyArray, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("the archive is damaged: %w", err)
	}
	var list []numpyArray
	for _, f := range archive.File {
		name, is := strings.CutSuffix(f.Name, ".npy")
		if !is {
			continue
		}
		if f.CompressedSize64 > uint64(size) { // each trusts it
			return nil, fmt.Errorf("array %q: its %d packed bytes are more than the %d of the file", name, f.CompressedSize64, size)
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		a, err := readNumPyHeader(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", name, err)
		}
		a.Name, a.open, a.packed, a.gain = name, f.Open, f.CompressedSize64, maxDeflate
		list = append(list, a)
	}
	return list, nil
}

// String is name, shape and kind, for people.
func (a numpyArray) String() string {
	sides := make([]string, len(a.Shape))
	for i, n := range a.Shape {
		sides[i] = fmt.Sprint(n)
	}
	return fmt.Sprintf("%s (%s %s)", a.Name, strings.Join(sides, "×"), a.what())
}

func (a numpyArray) what() string {
	switch a.kind {
	case 'f', 'i', 'u':
		return fmt.Sprintf("%c%d", a.kind, a.item)
	case 'b':
		return "bool"
	case 'U', 'S':
		return "texts"
	case 'O':
		return "Python objects"
	case 'c':
		return "complex numbers"
	case 'V':
		return "records"
	case 'M', 'm':
		return "times"
	}
	return "values of kind " + string(a.kind)
}

// IsText reports whether it holds texts.
func (a numpyArray) IsText() bool { return a.kind == 'U' || a.kind == 'S' }

// IsNumbers reports whether it holds numbers, or truth values.
func (a numpyArray) IsNumbers() bool {
	switch a.kind {
	case 'f':
		return a.item == 2 || a.item == 4 || a.item == 8
	case 'i', 'u':
		return a.item == 1 || a.item == 2 || a.item == 4 || a.item == 8
	case 'b':
		return a.item == 1
	}
	return false
}

// Count is how many values it has; 1<<62 where they are more than can be counted.
func (a numpyArray) Count() int {
	n := 1
	for _, side := range a.Shape {
		if side > 0 && n > (1<<62)/side {
			return 1 << 62
		}
		n *= side
	}
	return n
}

// each reads the values one after the other, as they are stored.
func (a numpyArray) each(look func(i int, value []byte)) error {
	n := a.Count()
	if n > 0 && a.item > 0 && uint64(n) > a.most()/uint64(a.item) {
		return a.tooMany()
	}
	r, err := a.open()
	if err == nil {
		defer r.Close()
		_, err = readNumPyHeader(r)
	}
	const block = 4096 // values
	buffer := make([]byte, min(n, block)*a.item)
	for i := 0; i < n && err == nil; i += block {
		part := buffer[:min(n-i, block)*a.item]
		if _, err = io.ReadFull(r, part); err != nil {
			break
		}
		for k := range min(n-i, block) {
			look(i+k, part[k*a.item:(k+1)*a.item])
		}
	}
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(r, 1)) // reads the checksum
	}
	if err != nil {
		return fmt.Errorf("array %q is damaged: %w", a.Name, err)
	}
	return nil
}

// place is where value i of the file belongs, row by row.
func (a numpyArray) place(i int) int {
	if !a.fortran || len(a.Shape) != 2 {
		return i
	}
	return i%a.Shape[0]*a.Shape[1] + i/a.Shape[0]
}

// Matrix are its values in 32 bits, row by row; a truth value is 0 or 1; and what became of its columns.
func (a numpyArray) Matrix() ([]float32, Rounding, error) {
	if !a.IsNumbers() {
		return nil, nil, fmt.Errorf("array %q holds %s, not numbers", a.Name, a.what())
	}
	if err := a.check(); err != nil {
		return nil, nil, err
	}
	out, width := make([]float32, a.Count()), 1
	if len(out) > 0 && len(a.Shape) > 0 {
		width = a.Shape[len(a.Shape)-1]
	}
	rounded := make(Rounding, width)
	return out, rounded, a.each(func(i int, value []byte) {
		at := a.place(i)
		out[at] = rounded.Round(at%width, a.number(value))
	})
}

// Each visits its values, one after the other as they are stored.
func (a numpyArray) Each(look func(i int, x float64)) error {
	if !a.IsNumbers() {
		return fmt.Errorf("array %q holds %s, not numbers", a.Name, a.what())
	}
	return a.each(func(i int, value []byte) { look(a.place(i), a.number(value)) })
}

// check refuses an array of more values than the bytes of its file can be.
func (a numpyArray) check() error {
	if uint64(a.Count()) > a.most() {
		return a.tooMany()
	}
	return nil
}

func (a numpyArray) most() uint64 { return a.gain * (a.packed + 1) }

func (a numpyArray) tooMany() error {
	return fmt.Errorf("array %q: %d bytes of the file cannot hold its %d values", a.Name, a.packed, a.Count())
}

// Texts are its values as texts, of a vector or of a matrix of one row or column; numbers exactly, one that is none as "".
func (a numpyArray) Texts() ([]string, error) {
	if !a.IsText() && !a.IsNumbers() {
		return nil, fmt.Errorf("array %q holds %s, neither texts nor numbers", a.Name, a.what())
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	out := make([]string, a.Count())
	err := a.each(func(i int, value []byte) {
		if !a.IsText() {
			out[i] = a.spelled(value)
			return
		}
		if a.kind == 'S' {
			out[i] = strings.ToValidUTF8(string(bytes.TrimRight(value, "\x00")), "�")
			return
		}
		var text []byte
		for k := 0; k+4 <= len(value); k += 4 {
			r := binary.LittleEndian.Uint32(value[k:])
			if a.big {
				r = binary.BigEndian.Uint32(value[k:])
			}
			text = utf8.AppendRune(text, rune(min(r, utf8.MaxRune+1))) // what is no letter becomes �
		}
		out[i] = string(bytes.TrimRight(text, "\x00"))
	})
	return out, err
}

// numpyMagic begins every array.
const numpyMagic = "\x93NUMPY"

// numpyMaxHeader is how long a header may be; NumPy itself takes 10,000 bytes.
const numpyMaxHeader = 1 << 16

// numpyMaxSide is how long one side of an array may be, so that products of two can be computed.
const numpyMaxSide = 1 << 31

// readNumPyHeader reads the header of an array: its shape and what kind of values it has. What follows are the values.
func readNumPyHeader(r io.Reader) (a numpyArray, err error) {
	start := make([]byte, 10)
	if _, err := io.ReadFull(r, start); err != nil {
		return a, fmt.Errorf("its header is cut off: %w", err)
	}
	if string(start[:6]) != numpyMagic {
		return a, fmt.Errorf("it does not begin like a NumPy array")
	}
	size := int(binary.LittleEndian.Uint16(start[8:]))
	if start[6] > 1 {
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return a, fmt.Errorf("its header is cut off: %w", err)
		}
		size |= int(binary.LittleEndian.Uint16(more)) << 16
	}
	if start[6] > 3 || size > numpyMaxHeader {
		return a, fmt.Errorf("its header is of version %d with %d bytes", start[6], size)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return a, fmt.Errorf("its header is cut off: %w", err)
	}
	return a, a.parse(string(header))
}

// parse reads the dictionary of a header, such as {'descr': '<f8', 'fortran_order': False, 'shape': (12, 4), }.
func (a *numpyArray) parse(header string) error {
	descr := regexp.MustCompile(`'descr': *'([<>|=])([a-zA-Z])([0-9]*)(\[[^']*\])?'`).FindStringSubmatch(header)
	order := regexp.MustCompile(`'fortran_order': *(True|False)`).FindStringSubmatch(header)
	shape := regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`).FindStringSubmatch(header)
	if order == nil || shape == nil {
		return fmt.Errorf("its header has no order or shape")
	}
	a.fortran = order[1] == "True"
	for text := range strings.SplitSeq(shape[1], ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > numpyMaxSide {
			return fmt.Errorf("its shape has a side of %s", text)
		}
		a.Shape = append(a.Shape, int(n))
	}
	if descr == nil {
		a.kind = 'V' // a record
		return nil
	}
	a.big, a.kind = descr[1] == ">", descr[2][0]
	a.item, _ = strconv.Atoi(descr[3])
	if a.kind == 'U' {
		a.item *= 4
	}
	if a.item > numpyMaxHeader {
		return fmt.Errorf("its values claim to have %d bytes", a.item)
	}
	return nil
}
