package read

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

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
