package read

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// sheetRows reads the rows of a sheet, one after the other.
type sheetRows struct {
	part    *bookPart
	decoder *xmlDecoder
	number  int // of the row that was read last
	cells   []string
	texts   []bool // of each cell, whether it is stored as text
	first   int    // column where the table begins
	width   int    // of the header; 0 before it

	shown   sheetRow   // that Read returned last
	ahead   []sheetRow // which were read to see where the table begins
	failure error      // what ended that reading
}

type sheetRow struct {
	cells  []string
	texts  []bool
	number int
}

// Restart begins with the first row again.
func (b *workbook) Restart() error {
	b.Close()
	part, err := b.open(b.part)
	if err != nil {
		return b.damaged(err)
	}
	if part == nil {
		return b.damaged(fmt.Errorf("it lacks its sheet %q", b.Sheet))
	}
	b.rows = &sheetRows{part: part, decoder: part.decoder()}
	return nil
}

// Close lets go of the sheet; Restart begins again.
func (b *workbook) Close() {
	if b.rows != nil {
		b.rows.part.Close()
		b.rows = nil
	}
}

// Line is Excel's number of the row that Read returned last.
func (b *workbook) Line() int { return b.rows.shown.number }

// IsText says of a field that Read returned last whether the workbook stores it as text.
func (b *workbook) IsText(field int) bool {
	at := b.rows.first + field
	return at < len(b.rows.shown.texts) && b.rows.shown.texts[at]
}

// Estimate of numbers is not had from a workbook.
func (b *workbook) Estimate(int) int { return 0 }

// Read returns the fields of the next row that is not empty; the slice is good until the next call. At the end it is io.EOF.
func (b *workbook) Read() ([]string, error) {
	r := b.rows
	if r.width == 0 {
		return b.header()
	}
	if len(r.ahead) > 0 {
		r.shown, r.ahead = r.ahead[0], r.ahead[1:]
	} else {
		if r.failure != nil {
			return nil, r.failure
		}
		cells, err := b.next()
		if err != nil {
			return nil, err
		}
		r.shown = sheetRow{cells, r.texts, r.number}
	}
	for len(r.shown.cells) < r.first+r.width {
		r.shown.cells = append(r.shown.cells, "")
	}
	return r.shown.cells[r.first:], nil
}

// headerSearch is how many rows below a title are looked at for the header.
const headerSearch = 8

// header is the first row that names columns; titles above it leave most of the columns empty that the rows below them have. The table
// begins with its first cell, or with the column before it where the row below begins there: names of samples under no name, as pandas
// writes them.
func (b *workbook) header() ([]string, error) {
	r := b.rows
	for len(r.ahead) <= headerSearch && r.failure == nil {
		cells, err := b.next()
		if r.failure = err; err == nil {
			r.ahead = append(r.ahead, sheetRow{slices.Clone(cells), slices.Clone(r.texts), r.number})
		}
	}
	for b.Above = 0; len(r.ahead) > 1; b.Above++ {
		wide := 0
		for _, below := range r.ahead[1:] {
			wide = max(wide, below.filled())
		}
		if wide < 3 || r.ahead[0].filled() >= max(2, wide/2) {
			break
		}
		r.ahead = r.ahead[1:]
	}
	if len(r.ahead) == 0 {
		return nil, r.failure
	}
	r.shown, r.ahead = r.ahead[0], r.ahead[1:]
	header := r.shown.cells
	if r.first = firstFilled(header); len(r.ahead) > 0 && firstFilled(r.ahead[0].cells) == r.first-1 {
		r.first--
	}
	r.width = len(header) - r.first
	return header[r.first:], nil
}

// filled is how many cells have something in them.
func (r sheetRow) filled() (n int) {
	for _, cell := range r.cells {
		if cell != "" {
			n++
		}
	}
	return n
}

// firstFilled is the first column with something in it.
func firstFilled(cells []string) int {
	return slices.IndexFunc(cells, func(cell string) bool { return cell != "" })
}

// next reads the next row that is not empty, up to its last cell with something in it.
func (b *workbook) next() ([]string, error) {
	r := b.rows
	for {
		token, err := r.decoder.next()
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, b.damaged(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		r.number++
		if at := xmlAttribute(start, "r"); at != "" {
			if r.number, err = strconv.Atoi(at); err != nil || r.number < 1 {
				return nil, b.damaged(fmt.Errorf("it has a row called %q", at))
			}
		}
		if r.number > maxRows {
			return nil, b.damaged(fmt.Errorf("row %d is beyond Excel's last one", r.number))
		}
		if err := b.row(); err != nil {
			return nil, b.damaged(err)
		}
		for len(r.cells) > 0 && r.cells[len(r.cells)-1] == "" {
			r.cells = r.cells[:len(r.cells)-1]
		}
		if len(r.cells) > 0 {
			return r.cells, nil
		}
	}
}

// row reads the cells of a row that has begun.
func (b *workbook) row() error {
	r := b.rows
	r.cells, r.texts = r.cells[:0], r.texts[:0]
	for {
		token, err := r.decoder.inside()
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.EndElement:
			if e.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if e.Name.Local != "c" {
				continue
			}
			column := len(r.cells)
			if at := xmlAttribute(e, "r"); at != "" {
				if column = sheetColumn(at); column < len(r.cells) || column >= maxColumns {
					return fmt.Errorf("cell %q comes after column %d", at, len(r.cells))
				}
			}
			for len(r.cells) < column {
				r.cells, r.texts = append(r.cells, ""), append(r.texts, false)
			}
			text, err := b.cell(e)
			if err != nil {
				return err
			}
			if column >= maxColumns {
				return fmt.Errorf("row %d has more cells than Excel allows", r.number)
			}
			kind := xmlAttribute(e, "t")
			r.cells, r.texts = append(r.cells, text), append(r.texts, kind == "s" || kind == "str" || kind == "inlineStr")
		}
	}
}

// cell reads a cell that has begun.
func (b *workbook) cell(start xml.StartElement) (string, error) {
	d := b.rows.decoder
	var value string
	formula := false
	for {
		token, err := d.inside()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "v", "is":
				if value, err = xmlTextOf(d, e); err != nil {
					return "", err
				}
			default:
				formula = formula || e.Name.Local == "f"
				if err := d.skip(); err != nil { // a formula, whose value is stored beside it
					return "", err
				}
			}
		case xml.EndElement:
			if formula && value == "" && xmlAttribute(start, "t") != "str" {
				return "", fault.New(fault.Request, "open it in Excel or LibreOffice, which compute it, and save it",
					"%s: cell %s of sheet %q holds a formula that nobody has computed", b.path, xmlAttribute(start, "r"), b.Sheet)
			}
			return b.value(start, value)
		}
	}
}

// xmlTextOf is the text of an element v, or of is, which holds a phrase.
func xmlTextOf(d *xmlDecoder, start xml.StartElement) (string, error) {
	if start.Name.Local == "is" {
		return sheetPhrase(d)
	}
	text := ""
	for {
		token, err := d.inside()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.CharData:
			if text += string(e); len(text) > maxCell {
				return "", errors.New("a text is longer than Excel allows")
			}
		case xml.StartElement:
			if err := d.skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return text, nil
		}
	}
}

// value is what a cell stores, by its type and style.
func (b *workbook) value(start xml.StartElement, value string) (string, error) {
	at := xmlAttribute(start, "r")
	switch xmlAttribute(start, "t") {
	case "s":
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(b.shared) {
			return "", fmt.Errorf("cell %s refers to text %q of %d", at, value, len(b.shared))
		}
		return b.shared[i], nil
	case "e":
		if value == "#N/A" {
			return "", nil
		}
		return "", fault.New(fault.Request, "correct it in Excel, or empty it and use missing=mean or missing=drop",
			"%s: cell %s of sheet %q holds the error %s", b.path, at, b.Sheet, value)
	case "b":
		return map[string]string{"1": "TRUE", "0": "FALSE"}[value], nil
	case "", "n":
		if style, err := strconv.Atoi(xmlAttribute(start, "s")); err == nil && style >= 0 && style < len(b.dates) && b.dates[style] && value != "" {
			return b.date(value), nil
		}
		if x, err := strconv.ParseFloat(value, 64); err == nil && (strings.HasSuffix(value, ".0") || strings.ContainsAny(value, "eE")) {
			return parse.Spell(x), nil // 1.0 and 1E2 as Excel shows them
		}
	}
	return value, nil
}

// sheetColumn is the column of a cell such as AB12, counted from 0; -1 where it has none.
func sheetColumn(at string) int {
	column := 0
	for _, r := range at {
		if r < 'A' || r > 'Z' {
			break
		}
		if column = 26*column + int(r-'A') + 1; column > maxColumns {
			break
		}
	}
	return column - 1
}
