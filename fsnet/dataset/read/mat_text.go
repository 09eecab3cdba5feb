package read

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
)

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
	return fault.New(fault.Request, "save a cell array of text", "%s: cell %d of variable %s is of class %s, not text",
		v.path, cell+1, v.Name, c)
}

// oneText is the text of a cell, which may have no row or one.
func (v *matVariable) oneText(cell int, rows []string) (string, error) {
	if len(rows) > 1 {
		return "", fault.New(fault.Request, "save one text per cell", "%s: cell %d of variable %s holds %d rows of text",
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
