package read

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

const (
	maxColumns = 1 << 14 // Excel's limit
	maxRows    = 1 << 20 // Excel's limit
)

// workbook is an open sheet of a workbook.
type workbook struct {
	Sheet  string   // name of the sheet
	Others []string // names of the other sheets
	Above  int      // number of rows above the header

	path   string
	files  *zip.Reader
	part   string // the file of the sheet in the archive
	shared []string
	styles []numberFormat // by cell style
	base   int64          // day number of 1970-01-01
	merged []mergedCells
	filled map[int]bool // indices of merged ranges whose value was copied to other cells

	rows *sheetRows
}

// beginsWorkbook reports whether a file begins like an Excel workbook.
func beginsWorkbook(head []byte) bool {
	name, _ := firstMember(head)
	return slices.ContainsFunc([]string{"[Content_Types].xml", "_rels/", "xl/", "docProps/"}, func(first string) bool { return strings.HasPrefix(name, first) })
}

// openWorkbook finds a sheet and reads what all sheets share. If sheet is "",
// it is the first one. name is used in errors.
func openWorkbook(name string, file io.ReaderAt, size int64, sheet string) (*workbook, error) {
	files, err := zip.NewReader(file, size)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "copy or download it again", "%s is damaged or not an Excel workbook", name)
	}
	b := &workbook{path: name, files: files, filled: map[int]bool{}}
	for _, read := range []func() error{func() error { return b.readSheets(sheet) }, b.readShared, b.readStyles, b.readMerged} {
		if err := read(); err != nil {
			return nil, b.damaged(err)
		}
	}
	return b, b.Restart()
}

// damaged explains an error about the content of the workbook. It returns nil
// for nil.
func (b *workbook) damaged(err error) error {
	return explain(err, "open it in Excel and save it again, or save it as .csv", "%s is damaged", b.path)
}

// decode calls element with each element of a part. A missing part has no
// elements.
func (b *workbook) decode(part string, element func(*xml.Decoder, xml.StartElement) error) error {
	file, err := b.open(part)
	if file == nil || err != nil {
		return err
	}
	defer file.Close()
	decoder := xml.NewDecoder(file)
	for {
		token, err := decoder.Token()
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

// open opens a part of the file. If the part does not exist, it returns nil.
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

// xmlAttribute returns the value of an attribute, in any name space, or "".
func xmlAttribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readSheets finds the sheet that was asked for, in any case, or the first one.
// It skips chart sheets. It also reads the date epoch of the workbook (1900 or
// 1904).
func (b *workbook) readSheets(asked string) error {
	parts := map[string]string{} // by relation
	err := b.decode("xl/_rels/workbook.xml.rels", func(_ *xml.Decoder, e xml.StartElement) error {
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
	var sheets, files []string
	err = b.decode("xl/workbook.xml", func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if on := xmlAttribute(e, "date1904"); on == "1" || on == "true" {
				b.base = from1904
			}
		case "sheet":
			if part, ok := parts[xmlAttribute(e, "id")]; ok { // otherwise it is a chart
				sheets, files = append(sheets, unescaped(xmlAttribute(e, "name"))), append(files, part)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	if len(sheets) == 0 {
		return errs.New(errs.Request, "name a .xlsx file with a table on its first sheet", "%s holds no sheet", b.path)
	}

	position := 0
	if asked != "" {
		if position = slices.Index(sheets, asked); position < 0 {
			position = slices.IndexFunc(sheets, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(asked)) })
		}
	}

	if position < 0 {
		return errs.New(errs.Request, phrase.DidYouMeanOr(asked, sheets, "it has "+parse.Quote(sheets)), "%s has no sheet %q", b.path, asked)
	}
	b.Sheet, b.part, b.Others = sheets[position], files[position], slices.Delete(slices.Clone(sheets), position, position+1)
	return nil
}

// readShared reads the texts that cells of all sheets refer to by number.
func (b *workbook) readShared() error {
	return b.decode("xl/sharedStrings.xml", func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		var text richText
		if err := d.DecodeElement(&text, &e); err != nil {
			return err
		}
		b.shared = append(b.shared, unescaped(text.String()))
		return nil
	})
}

// richText is a text, either whole or in runs with different formats. It leaves
// out pronunciation.
type richText struct {
	Text []string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

func (p richText) String() string {
	text := strings.Join(p.Text, "")
	for _, run := range p.Runs {
		text += run.Text
	}
	return text
}

// unescaped decodes the escapes in the text of a workbook. _x000D_ is a
// carriage return. _x005F_ is the underscore before something that looks like
// an escape.
func unescaped(text string) string {
	const length = len("_x0000_")
	var b strings.Builder
	for {
		escape := strings.Index(text, "_x")
		if escape < 0 || escape+length > len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:escape])
		code, err := strconv.ParseUint(text[escape+2:escape+length-1], 16, 16)
		if err != nil || text[escape+length-1] != '_' {
			b.WriteString("_x")
			text = text[escape+2:]
			continue
		}
		b.WriteRune(rune(code))
		text = text[escape+length:]
	}
}

// sheetRows reads the rows of a sheet in order.
type sheetRows struct {
	part    io.Closer
	decoder *xml.Decoder
	number  int // number of the last row
	cells   []string
	texts   []bool // by cell: it is stored as text
	first   int    // first column of the table
	width   int    // number of columns of the header; 0 before it is read

	current sheetRow   // the last row that Read returned
	ahead   []sheetRow // rows that were read to find the table
	failure error      // the error that ended reading ahead
}

type sheetRow struct {
	cells  []string
	texts  []bool
	number int
}

// Restart opens the sheet at its beginning.
func (b *workbook) Restart() error {
	b.Close()
	part, err := b.open(b.part)
	if err != nil {
		return b.damaged(err)
	}
	if part == nil {
		return b.damaged(fmt.Errorf("it lacks its sheet %q", b.Sheet))
	}
	b.rows = &sheetRows{part: part, decoder: xml.NewDecoder(part)}
	return nil
}

// Close closes the sheet until the next [workbook.Restart].
func (b *workbook) Close() {
	if b.rows != nil {
		b.rows.part.Close()
		b.rows = nil
	}
}

// Line returns the number of the last row, from 1.
func (b *workbook) Line() int { return b.rows.current.number }

// IsText reports whether a cell of the last row is stored as text.
func (b *workbook) IsText(field int) bool {
	at := b.rows.first + field
	return at < len(b.rows.current.texts) && b.rows.current.texts[at]
}

// Estimate returns 0, because a workbook does not tell its size.
func (b *workbook) Estimate(int) int { return 0 }

// Read returns the next row that is not empty, or io.EOF. The row starts at the
// first column of the table and has at least as many cells as the header. It is
// valid until the next call. The first row is the header.
func (b *workbook) Read() ([]string, error) {
	r := b.rows
	if r.width == 0 {
		return b.header()
	}

	if len(r.ahead) > 0 {
		r.current, r.ahead = r.ahead[0], r.ahead[1:]
	} else {
		if r.failure != nil {
			return nil, r.failure
		}
		cells, err := b.next()
		if err != nil {
			return nil, err
		}
		r.current = sheetRow{cells, r.texts, r.number}
	}

	b.fillRight(&r.current)
	for len(r.current.cells) < r.first+r.width {
		r.current.cells = append(r.current.cells, "")
	}
	return r.current.cells[r.first:], nil
}

// headerSearch is the number of rows below a title in which we search for the
// header.
const headerSearch = 8

// header returns the first row that names columns. Titles above it leave most
// columns of the rows below empty. The table begins at the first cell of the
// header, or one column before it if the row below begins there, because pandas
// writes names of samples without a title.
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
			wide = max(wide, filledFields(below.cells))
		}
		if wide < 3 || filledFields(r.ahead[0].cells) >= max(2, wide/2) {
			break
		}
		r.ahead = r.ahead[1:]
	}

	if len(r.ahead) == 0 {
		return nil, r.failure
	}

	r.current, r.ahead = r.ahead[0], r.ahead[1:]
	header := r.current.cells
	if r.first = firstFilled(header); len(r.ahead) > 0 && firstFilled(r.ahead[0].cells) == r.first-1 {
		r.first--
	}
	r.width = len(header) - r.first
	return header[r.first:], nil
}

// firstFilled returns the index of the first cell that is not empty, or −1.
func firstFilled(cells []string) int {
	return slices.IndexFunc(cells, func(cell string) bool { return cell != "" })
}

// next reads the next row that is not empty, up to its last cell with content.
// It returns io.EOF at the end. The row is valid until the next call.
func (b *workbook) next() ([]string, error) {
	r := b.rows
	for {
		token, err := r.decoder.Token()
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

		if err := b.readRow(); err != nil {
			return nil, b.damaged(err)
		}
		for len(r.cells) > 0 && r.cells[len(r.cells)-1] == "" {
			r.cells = r.cells[:len(r.cells)-1]
		}
		if len(r.cells) > 0 {
			b.fillDown()
			return r.cells, nil
		}
	}
}

// mergedCells is a range of merged cells. Its first cell has the value.
type mergedCells struct {
	top, bottom, left, right int // rows from 1, columns from 0
	text                     string
	isText                   bool
}

// readMerged reads the ranges of merged cells. They follow the rows of the
// sheet.
func (b *workbook) readMerged() error {
	part, err := b.open(b.part)
	if part == nil || err != nil {
		return err
	}
	defer part.Close()
	in := bufio.NewReaderSize(part, 1<<16)
	for found := false; !found; {
		tag, err := in.ReadSlice('>')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil //nolint:nilerr // the rows, which are read next, tell what is wrong
		}
		found = bytes.HasSuffix(tag, []byte("sheetData>")) && bytes.Contains(tag, []byte("</")) || bytes.HasSuffix(tag, []byte("sheetData/>"))
	}

	decoder := xml.NewDecoder(in)
	for {
		// a raw token, because the decoder has not seen the beginning of the
		// file
		token, err := decoder.RawToken()
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "mergeCell" {
			continue
		}
		from, to, _ := strings.Cut(xmlAttribute(start, "ref"), ":")
		m := mergedCells{top: sheetRowNumber(from), bottom: sheetRowNumber(to), left: sheetColumn(from), right: sheetColumn(to)}
		if m.top > 0 && m.left >= 0 && m.bottom >= m.top && m.right >= m.left && m.right < maxColumns {
			b.merged = append(b.merged, m)
		}
	}
}

// sheetRowNumber returns the row of a cell such as AB12, or 0 if it is not one.
func sheetRowNumber(at string) int {
	row, err := strconv.Atoi(strings.TrimLeft(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil || row > maxRows {
		return 0
	}
	return row
}

// fillDown gives the first cell of each later row of a merged range the value
// of the range. [workbook.fillRight] gives it to the other cells of a row.
func (b *workbook) fillDown() {
	r := b.rows
	for i := range b.merged {
		m := &b.merged[i]
		switch {
		case r.number < m.top || r.number > m.bottom:
		case r.number == m.top:
			m.text, m.isText = "", false
			if m.left < len(r.cells) {
				m.text, m.isText = r.cells[m.left], r.texts[m.left]
			}
		case m.text != "":
			for len(r.cells) <= m.left {
				r.cells = append(r.cells, "")
			}
			for len(r.texts) < len(r.cells) {
				r.texts = append(r.texts, false)
			}
			if r.cells[m.left] == "" {
				r.cells[m.left], r.texts[m.left] = m.text, m.isText
				b.filled[i] = true
			}
		}
	}
}

// fillRight gives the cells of a row below the header the value of the merged
// range that they belong to. In the header and above it, a merged range is a
// title.
func (b *workbook) fillRight(row *sheetRow) {
	last := b.rows.first + b.rows.width
	for i, m := range b.merged {
		if row.number < m.top || row.number > m.bottom || m.left >= len(row.cells) || row.cells[m.left] == "" {
			continue
		}
		for column := m.left + 1; column <= m.right && column < last; column++ {
			for len(row.cells) <= column {
				row.cells = append(row.cells, "")
			}
			for len(row.texts) < len(row.cells) {
				row.texts = append(row.texts, false)
			}
			if row.cells[column] == "" {
				row.cells[column], row.texts[column] = row.cells[m.left], row.texts[m.left]
				b.filled[i] = true
			}
		}
	}
}

// note returns what users should know about merged cells, or "".
func (b *workbook) note() string {
	if len(b.filled) == 0 {
		return ""
	}
	return "the value of " + phrase.Count(len(b.filled), "merged cell") + " stands in each of its rows and columns"
}

// readRow reads the cells and texts of a row. Cells that are not stored are "".
func (b *workbook) readRow() error {
	r := b.rows
	r.cells, r.texts = r.cells[:0], r.texts[:0]
	for {
		token, err := r.decoder.Token()
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

// sheetCell is a cell as it is stored, with the computed value if it is a
// formula.
type sheetCell struct {
	Value   string    `xml:"v"`
	Inline  *richText `xml:"is"`
	Formula *struct{} `xml:"f"`
}

// cell returns a cell as text. It rejects a formula that has never been
// computed.
func (b *workbook) cell(start xml.StartElement) (string, error) {
	var cell sheetCell
	if err := b.rows.decoder.DecodeElement(&cell, &start); err != nil {
		return "", err
	}
	if cell.Inline != nil {
		cell.Value = cell.Inline.String()
	}
	if cell.Formula != nil && cell.Value == "" && xmlAttribute(start, "t") != "str" {
		return "", errs.New(errs.Request, "open it in Excel or LibreOffice, which compute it, and save it",
			"%s: cell %s of sheet %q holds a formula without a computed value", b.path, parse.Clean(xmlAttribute(start, "r")), b.Sheet)
	}
	return b.value(start, cell.Value)
}

// value interprets the value of a cell by its type and style.
func (b *workbook) value(start xml.StartElement, value string) (string, error) {
	cell := parse.Clean(xmlAttribute(start, "r"))
	switch xmlAttribute(start, "t") {
	case "s":
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(b.shared) {
			return "", fmt.Errorf("cell %s refers to text %q of %d", cell, value, len(b.shared))
		}
		return b.shared[i], nil
	case "e":
		if value == "#N/A" {
			return "", nil
		}
		return "", errs.New(errs.Request, "correct it in Excel, or empty it and use missing=mean or missing=drop",
			"%s: cell %s of sheet %q holds the error %s", b.path, cell, b.Sheet, parse.Clean(value))
	case "b":
		return map[string]string{"1": "True", "0": "False"}[value], nil
	case "str", "inlineStr":
		return unescaped(value), nil
	case "", "n":
		if style, err := strconv.Atoi(xmlAttribute(start, "s")); err == nil && style >= 0 && style < len(b.styles) && value != "" {
			switch format := b.styles[style]; {
			case format.isDate:
				return b.dateText(value), nil
			case format.code != "":
				return showCode(format.code, value), nil
			}
		}
		if x, err := strconv.ParseFloat(value, 64); err == nil && strings.ContainsAny(value, ".eE") {
			// Excel shows a stored 345.10000000000002, 1.0 and 1E2 as 345.1, 1
			// and 100.
			return parse.Spell(x), nil
		}
	}
	return value, nil
}

// sheetColumn returns the column of a cell such as AB12, from 0, or -1 if it is
// not one.
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

// numberFormat says how a cell shows a number, as far as it matters: as a date,
// or as a code with leading zeros.
type numberFormat struct {
	isDate bool
	code   string // such as 000; "" for other formats
}

// readStyles reads the number format of each cell style.
func (b *workbook) readStyles() error {
	own := map[int]numberFormat{} // formats defined in the file
	inCells := false
	return b.decode("xl/styles.xml", func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(xmlAttribute(e, "numFmtId")); err == nil {
				code := xmlAttribute(e, "formatCode")
				own[id] = numberFormat{isDate: showsDate(code), code: codeFormat(code)}
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if !inCells {
				return nil
			}
			id, err := strconv.Atoi(xmlAttribute(e, "numFmtId"))
			format, isOwn := own[id]
			if !isOwn {
				format.isDate = id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
			}
			if err != nil {
				format = numberFormat{}
			}
			b.styles = append(b.styles, format)
		}
		return nil
	})
}

// codeFormat returns the zeros and literal letters of a format that shows whole
// numbers as codes, e.g. 00000 or "P"000-00, without quotes. It returns "" for
// any other format.
func codeFormat(format string) string {
	format, _, _ = strings.Cut(format, ";")
	var code strings.Builder
	zeros, quoted, escaped := 0, false, false
	for _, r := range format {
		switch {
		case escaped || quoted && r != '"':
			if r == '0' {
				return "" // a zero that is not a digit
			}
			code.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case r == '0':
			zeros++
			code.WriteRune(r)
		case strings.ContainsRune("-() ", r):
			code.WriteRune(r)
		default:
			return ""
		}
	}

	if zeros < 2 {
		return ""
	}
	return code.String()
}

// showCode writes a whole number as a code and returns any other value
// unchanged.
func showCode(code, value string) string {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return value
	}

	zeros := strings.Count(code, "0")
	digits := strings.Repeat("0", max(0, zeros-len(value))) + value

	var b strings.Builder
	for i, r := range code {
		if r != '0' {
			b.WriteRune(r)
			continue
		}
		n := 1
		if strings.Count(code[:i], "0") == 0 { // extra digits precede the first one
			n += len(digits) - zeros
		}
		b.WriteString(digits[:n])
		digits = digits[n:]
		zeros--
	}
	return b.String()
}

// showsDate reports whether a format such as "yyyy-mm-dd" shows a date: it has
// a letter of a date outside quotes and brackets.
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

// dateText writes the day number of a cell as a date, with a time if the number
// has a fraction. It returns anything else unchanged.
func (b *workbook) dateText(value string) string {
	days, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(days) > 3e6 {
		return value
	}

	const day = 86400
	seconds := math.Round((days - float64(b.base)) * day)
	when := time.Unix(int64(seconds), 0).UTC()

	if days == math.Trunc(days) {
		return when.Format(time.DateOnly)
	}
	return when.Format(time.DateTime)
}

// excelFormat reads a sheet of an Excel workbook like a text table.
func excelFormat() Format {
	return Format{Name: "Excel", extensions: []string{".xlsx", ".xlsm"}, begins: beginsWorkbook, sheets: true, open: openExcel,
		titles: func(ctx context.Context, f *File) (Titles, error) {
			in := f.in
			book, err := openWorkbook(in.path, in, in.size, "")
			if err != nil {
				return Titles{}, err
			}
			defer book.Close()
			return (&lineTable{ctx: ctx, path: in.path, lines: book}).titles()
		}}
}

// openExcel opens a sheet as a table that closes the workbook. Errors about the
// first sheet name the other ones.
func openExcel(ctx context.Context, in *input, q query) (*table, error) {
	book, err := openWorkbook(in.path, in, in.size, q.Sheet)
	if err != nil {
		return nil, err
	}

	t, err := (&lineTable{ctx: ctx, path: in.path, lines: book}).open(q)
	if err != nil {
		book.Close()
		return nil, book.offerSheets(err, q.Sheet)
	}

	t.close, t.untyped = book.Close, false // its cells have types
	t.pandas = func() string {
		return fmt.Sprintf("pandas.read_excel(%q, sheet_name=%q)", filepath.Base(in.path), book.Sheet)
	}
	t.explain = func(err error) error { return book.offerSheets(err, q.Sheet) }

	if len(book.Others) > 0 && q.Sheet == "" {
		t.note(fmt.Sprintf("only its first sheet, %q, is read; sheet= names another: %s", book.Sheet, parse.Quote(book.Others)))
	}
	if book.Above > 0 {
		t.note(phrase.Count(book.Above, "row") + " above its header not read")
	}
	return t, nil
}

// offerSheets adds the names of the other sheets to an error about the first
// one. It returns an error unchanged if no other sheet could help.
func (b *workbook) offerSheets(err error, sheet string) error {
	e := (*errs.Error)(nil)
	if len(b.Others) == 0 || sheet != "" || !errors.As(err, &e) || e.Kind != errs.Request {
		return err
	}
	return errs.New(errs.Request, e.Remedy+fmt.Sprintf("; or, if the table is on another sheet than the first, %q, name it with sheet=: %s", b.Sheet, parse.Quote(b.Others)),
		"%s", e.What)
}
