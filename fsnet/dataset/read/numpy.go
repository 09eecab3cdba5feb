package read

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// numpyArray is an array of a file. Its values have not been read yet.
type numpyArray struct {
	name string
	dims []int
	path string // path of the file, used in messages

	numberType
	fortran bool // stored column by column
	open    func() (io.ReadCloser, error)
	packed  uint64 // bytes in the file
	gain    uint64 // the most bytes that one packed byte may expand to
}

// beginsNumPy reports whether a file is a zip archive with an array as its
// first member.
func beginsNumPy(head []byte) bool {
	name, _ := firstMember(head)
	return strings.HasSuffix(name, ".npy")
}

// beginsNumPyArray reports whether a file begins like a single NumPy array.
func beginsNumPyArray(head []byte) bool { return bytes.HasPrefix(head, []byte(numpyMagic)) }

// openNumPyArray reads the header of an array. open opens its bytes, now and
// for every later reading.
func openNumPyArray(name, path string, packed, gain uint64, open func() (io.ReadCloser, error)) (numpyArray, error) {
	a := numpyArray{name: name, path: path, open: open, packed: packed, gain: gain}
	r, err := open()
	if err == nil {
		defer r.Close()
		err = a.readHeader(r)
	}
	if err != nil {
		return a, fmt.Errorf("array %q: %w", name, err)
	}
	return a, nil
}

// openNumPy lists the arrays of an archive.
func openNumPy(path string, file io.ReaderAt, size int64) ([]numpyArray, error) {
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
		if f.CompressedSize64 > uint64(size) { // otherwise a claim could allocate any amount of memory
			return nil, fmt.Errorf("array %q: its %d packed bytes are more than the %d of the file", name, f.CompressedSize64, size)
		}
		a, err := openNumPyArray(name, path, f.CompressedSize64, maxDeflate, f.Open)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func (a numpyArray) String() string {
	return fmt.Sprintf("%s (%s %s)", a.name, spellSides(a.dims), a.valueKind())
}

// valueKind says what the values are, e.g. f8 or texts. It is used in messages.
func (a numpyArray) valueKind() string {
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

// IsText reports whether the values are texts.
func (a numpyArray) IsText() bool { return a.kind == 'U' || a.kind == 'S' }

// isNumbers reports whether the values can be read as numbers: whole numbers
// and floating point numbers of up to 8 bytes, or truth values. Long doubles
// and complex numbers cannot be read.
func (a numpyArray) isNumbers() bool {
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

// count returns the number of values, clipped to an int.
func (a numpyArray) count() int { return cellCount(a.dims...) }

// each visits the bytes of each value in their stored order.
func (a numpyArray) each(visit func(i int, value []byte)) error {
	n := a.count()
	if n > 0 && a.item > 0 && uint64(n) > a.maxBytes()/uint64(a.item) {
		return a.tooMany()
	}

	r, err := a.open()
	if err == nil {
		defer r.Close()
		err = new(numpyArray).readHeader(r)
	}

	const block = 4096 // values per block
	buffer := make([]byte, min(n, block)*a.item)
	for i := 0; i < n && err == nil; i += block {
		part := buffer[:min(n-i, block)*a.item]
		if _, err = io.ReadFull(r, part); err != nil {
			break
		}
		for k := range min(n-i, block) {
			visit(i+k, part[k*a.item:(k+1)*a.item])
		}
	}

	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(r, 1)) // verifies the checksum
	}
	if err != nil {
		return fmt.Errorf("array %q is damaged: %w", a.name, err)
	}
	return nil
}

// eachNumber visits the values as numbers, along with their positions row by
// row.
func (a numpyArray) eachNumber(visit func(at int, x float64)) error {
	if !a.isNumbers() {
		return fmt.Errorf("array %q holds %s, not numbers", a.name, a.valueKind())
	}
	return a.each(func(i int, value []byte) {
		if a.fortran && len(a.dims) == 2 {
			i = i%a.dims[0]*a.dims[1] + i/a.dims[0]
		}
		visit(i, a.number(value))
	})
}

// wholeNumbers returns the values truncated to integers.
func (a numpyArray) wholeNumbers() (list []int64, err error) {
	err = a.eachNumber(func(_ int, x float64) { list = append(list, int64(x)) })
	return list, err
}

// CheckMatrix rejects anything that is not a matrix of numbers, or that does
// not fit into memory.
func (a numpyArray) CheckMatrix() error {
	switch {
	case !a.isNumbers():
		return explainNumPy(a.path, fmt.Errorf("array %s holds no numbers", a))
	case len(a.dims) != 2:
		return errs.New(errs.Request, "save a matrix, samples × features", "%s: array %s has %s", a.path, a, phrase.Count(len(a.dims), "dimension"))
	}
	return checkMemory(a.path, a.count(), a.dims[1])
}

// Matrix returns the numbers in 32 bits, row by row, and how they were rounded.
// A truth value becomes 0 or 1.
func (a numpyArray) Matrix() ([]float32, Rounding, error) {
	if err := a.checkCount(); err != nil {
		return nil, nil, explainNumPy(a.path, err)
	}
	out, width := make([]float32, a.count()), 1
	if len(out) > 0 && len(a.dims) > 0 {
		width = a.dims[len(a.dims)-1]
	}

	rounded := make(Rounding, width)
	return out, rounded, explainNumPy(a.path, a.eachNumber(func(at int, x float64) { out[at] = rounded.Round(at%width, x) }))
}

// checkCount rejects an array with more values than its bytes can hold.
func (a numpyArray) checkCount() error {
	if uint64(a.count()) > a.maxBytes() {
		return a.tooMany()
	}
	return nil
}

// maxBytes returns how many bytes the array can have at most, given what it takes
// in the file.
func (a numpyArray) maxBytes() uint64 { return a.gain * (a.packed + 1) }

// tooMany returns the error for an array that claims more values than the file
// can hold.
func (a numpyArray) tooMany() error {
	return fmt.Errorf("array %q: %d bytes of the file cannot hold its %d values", a.name, a.packed, a.count())
}

// Texts returns the values of a vector as texts: numbers in exact form, NaN as
// "". It ignores dimensions of length 1.
func (a numpyArray) Texts() ([]string, error) {
	if long := slices.DeleteFunc(slices.Clone(a.dims), func(n int) bool { return n == 1 }); len(long) > 1 {
		return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: array %s is not a vector", a.path, a)
	}
	if !a.IsText() && !a.isNumbers() {
		return nil, explainNumPy(a.path, fmt.Errorf("array %q holds %s, neither texts nor numbers", a.name, a.valueKind()))
	}
	if err := a.checkCount(); err != nil {
		return nil, explainNumPy(a.path, err)
	}

	out := make([]string, a.count())
	return out, explainNumPy(a.path, a.each(func(i int, value []byte) { out[i] = a.text(value) }))
}

// text returns a value as text. It drops zero bytes at the end and replaces
// invalid characters by �. A number takes its exact form.
func (a numpyArray) text(value []byte) string {
	switch a.kind {
	case 'S':
		return strings.ToValidUTF8(string(bytes.TrimRight(value, "\x00")), "�")
	case 'U':
		var text []byte
		for ; len(value) >= 4; value = value[4:] {
			r := binary.LittleEndian.Uint32(value)
			if a.big {
				r = binary.BigEndian.Uint32(value)
			}
			text = utf8.AppendRune(text, rune(min(r, utf8.MaxRune+1))) // an invalid letter becomes �
		}
		return string(bytes.TrimRight(text, "\x00"))
	}
	return a.spell(value)
}

// explainNumPy explains an error about an array of a file. It returns nil for
// nil.
func explainNumPy(path string, err error) error {
	return explain(err, "write it again in Python: numpy.savez(file, X=X, y=y, feature_names=names), of numbers and texts", "%s", path)
}

// numpyMagic is the beginning of every array.
const numpyMagic = "\x93NUMPY"

// numpyMaxHeader is the longest header in bytes. NumPy itself accepts 10,000.
const numpyMaxHeader = 1 << 16

// numpyMaxSide is the longest side of an array. It is small enough that the
// product of two sides cannot overflow.
const numpyMaxSide = 1 << 31

// readHeader reads the header of an array: its shape and the type of its
// values. r then stands at the values.
func (a *numpyArray) readHeader(r io.Reader) error {
	start := make([]byte, 10)
	if _, err := io.ReadFull(r, start); err != nil {
		return fmt.Errorf("its header is cut off: %w", err)
	}
	if string(start[:6]) != numpyMagic {
		return fmt.Errorf("it does not begin like a NumPy array")
	}

	size := int(binary.LittleEndian.Uint16(start[8:]))
	if start[6] > 1 {
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return fmt.Errorf("its header is cut off: %w", err)
		}
		size |= int(binary.LittleEndian.Uint16(more)) << 16
	}

	if start[6] > 3 || size > numpyMaxHeader {
		return fmt.Errorf("its header is of version %d with %d bytes", start[6], size)
	}

	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return fmt.Errorf("its header is cut off: %w", err)
	}
	return a.parse(string(header))
}

// parse reads the dictionary of a header, e.g. {'descr': '<f8',
// 'fortran_order': False, 'shape': (12, 4), }.
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
		a.dims = append(a.dims, int(n))
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
