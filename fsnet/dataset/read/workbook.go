package read

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
)

const (
	maxColumns = 1 << 14 // Excel's
	maxRows    = 1 << 20 // Excel's
)

// workbook is the first sheet of a workbook.
type workbook struct {
	Sheet  string   // its name
	Others []string // the names of the other sheets
	Above  int      // rows above the header, which are not read

	path   string
	files  *zip.Reader
	part   string // of the sheet
	shared []string
	dates  []bool // of each cell style, whether it shows a date
	base   int64  // days before day 0 of a date

	rows *sheetRows
}

func beginsWorkbook(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < 30 {
		return false
	}
	return slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "xl/", "docProps/"},
		func(first string) bool { return bytes.HasPrefix(head[30:], []byte(first)) })
}

// openWorkbook finds the first sheet and reads what all sheets share; name is for errors.
func openWorkbook(name string, file io.ReaderAt, size int64) (*workbook, error) {
	files, err := zip.NewReader(file, size)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "copy or download it again", "%s is damaged or not an Excel workbook", name)
	}
	b := &workbook{path: name, files: files}
	for _, read := range []func() error{b.readSheets, b.readShared, b.readStyles} {
		if err := read(); err != nil {
			return nil, b.damaged(err)
		}
	}
	return b, b.Restart()
}

func (b *workbook) damaged(err error) error {
	var known *errs.Error
	if errors.As(err, &known) {
		return err
	}
	return errs.Wrap(err, errs.Request, "open it in Excel and save it again, or save it as .csv", "%s is damaged", b.path)
}

// decode gives the elements of a part to a function until that is done; a part that is missing has none.
func (b *workbook) decode(part string, element func(*xmlDecoder, xml.StartElement) error) error {
	file, err := b.open(part)
	if file == nil || err != nil {
		return err
	}
	defer file.Close()
	decoder := &xmlDecoder{xml.NewDecoder(file)}
	for {
		token, err := decoder.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := element(decoder, start); err != nil {
				return err
			}
		}
	}
}

// open opens a part of the file; it is nil where there is none.
func (b *workbook) open(name string) (io.ReadCloser, error) {
	for _, f := range b.files.File {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		file, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return file, nil
	}
	return nil, nil
}

// xmlDecoder reads the tags and texts of a part. It does not ask whether tags match, and so remembers none of them.
type xmlDecoder struct{ *xml.Decoder }

func (d *xmlDecoder) next() (xml.Token, error) { return d.RawToken() }

// inside is next where the part may not end.
func (d *xmlDecoder) inside() (xml.Token, error) {
	token, err := d.next()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}

func (d *xmlDecoder) skip() error {
	for depth := 1; depth > 0; {
		token, err := d.inside()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func xmlAttribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (b *workbook) readSheets() error {
	parts := map[string]string{} // by relation
	err := b.decode("xl/_rels/workbook.xml.rels", func(_ *xmlDecoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(xmlAttribute(e, "Type"), "/worksheet") {
			target := xmlAttribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			parts[xmlAttribute(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	const from1900, from1904 = 25569, 24107 // days before 1970
	b.base = from1900
	err = b.decode("xl/workbook.xml", func(_ *xmlDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if on := xmlAttribute(e, "date1904"); on == "1" || on == "true" {
				b.base = from1904
			}
		case "sheet":
			part, ok := parts[xmlAttribute(e, "id")]
			switch {
			case !ok: // a sheet that is a chart
			case b.part == "":
				b.Sheet, b.part = xmlAttribute(e, "name"), part
			default:
				b.Others = append(b.Others, xmlAttribute(e, "name"))
			}
		}
		return nil
	})
	if err == nil && b.part == "" {
		return errs.New(errs.Request, "name a .xlsx file with a table on its first sheet", "%s holds no sheet", b.path)
	}
	return err
}

func (b *workbook) readShared() error {
	return b.decode("xl/sharedStrings.xml", func(d *xmlDecoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := sheetPhrase(d)
		if err != nil {
			return err
		}
		b.shared = append(b.shared, text)
		return nil
	})
}

// sheetPhrase is the text of an element that has begun: of its t elements, without those that say how it is pronounced.
func sheetPhrase(d *xmlDecoder) (string, error) {
	var text strings.Builder
	inText, aloud := false, 0
	for depth := 1; depth > 0; {
		token, err := d.inside()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			inText = e.Name.Local == "t"
			if e.Name.Local == "rPh" {
				aloud = depth
			}
		case xml.EndElement:
			if depth == aloud {
				aloud = 0
			}
			depth--
			inText = false
		case xml.CharData:
			if inText && aloud == 0 {
				text.Write(e)
			}
		}
	}
	return text.String(), nil
}

// sheetRows reads the rows of a sheet, one after the other.
type sheetRows struct {
	part    io.Closer
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
	b.rows = &sheetRows{part: part, decoder: &xmlDecoder{xml.NewDecoder(part)}}
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

func (r sheetRow) filled() (n int) {
	for _, cell := range r.cells {
		if cell != "" {
			n++
		}
	}
	return n
}

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
				return "", errs.New(errs.Request, "open it in Excel or LibreOffice, which compute it, and save it",
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
			text += string(e)
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
		return "", errs.New(errs.Request, "correct it in Excel, or empty it and use missing=mean or missing=drop",
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

// readStyles finds out which styles of cells show a date.
func (b *workbook) readStyles() error {
	own := map[int]bool{} // formats of the file's own
	inCells := false
	return b.decode("xl/styles.xml", func(_ *xmlDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(xmlAttribute(e, "numFmtId")); err == nil {
				own[id] = showsDate(xmlAttribute(e, "formatCode"))
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells {
				id, err := strconv.Atoi(xmlAttribute(e, "numFmtId"))
				known := id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
				b.dates = append(b.dates, err == nil && (known || own[id]))
			}
		}
		return nil
	})
}

// showsDate says whether a format such as "yyyy-mm-dd" shows a date: it has a letter of one outside quotes and brackets.
func showsDate(code string) bool {
	quoted, bracketed, escaped := false, false, false
	for _, r := range code {
		switch {
		case escaped:
			escaped = false
		case r == '\\' || r == '_' || r == '*':
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[':
			bracketed = true
		case r == ']':
			bracketed = false
		case !bracketed && strings.ContainsRune("ymdhsYMDHS", r):
			return true
		}
	}
	return false
}

func (b *workbook) date(value string) string {
	days, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(days) > 3e6 {
		return value
	}
	const day = 86400
	seconds := math.Round((days - float64(b.base)) * day)
	at := time.Unix(int64(seconds), 0).UTC()
	if days == math.Trunc(days) {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
