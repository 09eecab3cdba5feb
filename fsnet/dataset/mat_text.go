package dataset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
)

// texts reads a cell array of text (one text a cell) or a char matrix (one text a row, blanks at its end cut).
func (v *matVariable) texts(path string) ([]string, error) {
	element, err := v.element(path)
	if err != nil {
		return nil, err
	}
	content := element[min(v.body, len(element)):]
	if v.class == matChar {
		rows, err := v.charRows(content)
		if err != nil {
			return nil, v.damaged(path, err)
		}
		return rows, nil
	}
	count, ok := v.count()
	if !ok || count > len(content)/8 { // a cell is an element: its tag alone has 8 bytes
		return nil, v.damaged(path, fmt.Errorf("%d bytes cannot hold %v cells", len(content), v.dims))
	}
	texts := make([]string, count)
	for i := range texts {
		if len(content) < 8 {
			return nil, v.damaged(path, fmt.Errorf("cell %d of %d is missing", i+1, count))
		}
		kind, size := v.order.Uint32(content), int(v.order.Uint32(content[4:]))
		if content = content[8:]; kind != elementMatrix || size > len(content) {
			return nil, v.damaged(path, fmt.Errorf("cell %d of %d is not whole", i+1, count))
		}
		cell := matVariable{order: v.order, size: size, data: content[:size]}
		content = content[min(size+(-size&7), len(content)):]
		if size == 0 { // how an empty cell is written
			continue
		}
		if err := cell.describe(bytes.NewReader(cell.data)); err != nil {
			return nil, v.damaged(path, fmt.Errorf("cell %d: %w", i+1, err))
		}
		if cell.class != matChar {
			return nil, fault.New(fault.Request, "save a cell array of text", "%s: cell %d of variable %s is of class %s, not text", path, i+1, v.name, cell.class)
		}
		rows, err := cell.charRows(cell.data[min(cell.body, len(cell.data)):])
		if err != nil {
			return nil, v.damaged(path, fmt.Errorf("cell %d: %w", i+1, err))
		}
		if len(rows) > 1 {
			return nil, fault.New(fault.Request, "save one text a cell", "%s: cell %d of variable %s holds %d rows of text", path, i+1, v.name, len(rows))
		}
		texts[i] = strings.Join(rows, "")
	}
	return texts, nil
}

// charRows decodes the characters of a char array, stored column by column.
func (v *matVariable) charRows(content []byte) ([]string, error) {
	if len(v.dims) != 2 {
		return nil, fmt.Errorf("text of %d dimensions", len(v.dims))
	}
	if len(content) == 0 { // an empty text may leave its data out
		return make([]string, min(v.dims[0], 1)), nil
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
	rows, width := v.dims[0], v.dims[1]
	if rows != 1 && (rows > len(letters) || width > len(letters) || rows*width != len(letters)) {
		return nil, fmt.Errorf("%d×%d characters, %d are there", rows, width, len(letters))
	}
	if rows == 1 {
		return []string{cleanName(string(letters))}, nil
	}
	texts := make([]string, rows)
	line := make([]rune, width)
	for i := range texts {
		for j := range line {
			line[j] = letters[j*rows+i]
		}
		texts[i] = cleanName(string(line))
	}
	return texts, nil
}
