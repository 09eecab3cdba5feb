package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// tableFormat reads text tables: a header line with names, then a line a sample, separated by commas, semicolons, tabs or bars, perhaps
// packed (text.go). Fields may be quoted. A header that is one field short, as R writes it, has no name for the first column.
//
// A table whose label is the name of a row and not of a column is read the other way round: a line a feature, a column a sample.
func tableFormat() Format {
	return Format{Name: "table", extensions: []string{".csv", ".tsv", ".txt", ".tab", ".gz", ".zst"}, text: true, read: parseTable, columns: textHeader}
}

// Header is the names of the columns of a table, "" for a first one that has none; nil where the file has no such names.
func Header(ctx context.Context, path string) ([]string, error) {
	file, err := OpenFile(path, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := FormatOf(path, filepath.Ext(path), file)
	if err != nil || f.columns == nil {
		return nil, err
	}
	return f.columns(ctx, path, file)
}

func textHeader(ctx context.Context, path string, file Input) ([]string, error) {
	return readTable(ctx, path, file, func(t *table) ([]string, error) {
		if err := t.start(); t.header == nil {
			return nil, err
		}
		return t.header, nil // whatever is wrong below it
	})
}

// readTable reads the table of a text file, which may have to be read twice: see [readText].
func readTable[R any](ctx context.Context, path string, file io.ReadSeeker, read func(*table) (R, error)) (R, error) {
	return readText(path, file, func(text *textFile) (R, error) {
		t, err := textTable(ctx, path, text)
		if err != nil {
			var none R
			return none, err
		}
		return read(t)
	})
}

func textTable(ctx context.Context, path string, text *textFile) (*table, error) {
	if err := text.CheckText(); err != nil {
		return nil, err
	}
	lines, err := text.Table(strings.HasSuffix(strings.ToLower(UnpackedName(path)), ".csv"))
	if err != nil {
		return nil, err
	}
	t := &table{ctx: ctx, path: path, lines: lines, note: text.Note()}
	if lines.Separator != ',' {
		t.decimals = new(decimals)
	}
	return t, nil
}

// UnpackedName is a path without the extension of a packed file.
func UnpackedName(path string) string {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".gz", ".zst":
		return strings.TrimSuffix(path, ext)
	}
	return path
}

func parseTable(ctx context.Context, path string, file Input, q query) (*Frame, error) {
	return readTable(ctx, path, file, func(t *table) (*Frame, error) {
		return noted(t.note)(t.read(q))
	})
}

// noted says of what was read of a text that it was one, and adds a note on how.
func noted(note string) func(*Frame, error) (*Frame, error) {
	return func(r *Frame, err error) (*Frame, error) {
		if err != nil {
			return nil, err
		}
		if r.Untyped = true; note != "" {
			r.Notes = append(r.Notes, note)
		}
		return r, nil
	}
}

// tableRecords are the lines of a table as fields, from the beginning again after Restart.
type tableRecords interface {
	Restart() error
	Read() ([]string, error) // the slice is good until the next call; io.EOF at the end
	Line() int               // of what Read returned last
	Estimate(features int) int
}

// table is a table being read, line by line.
type table struct {
	ctx        context.Context
	path       string
	lines      tableRecords
	decimals   *decimals // nil where a comma is never a decimal one
	header     []string
	short      bool     // the header has no name for the first column
	line       int      // of the record that next returned last
	top        int      // line of the header
	describing []int    // columns that tell something else of the rows, whatever they are besides
	first      []string // the record after the header, which start has read to compare its length
	width      int      // fields of the header, with those that no column has: separators at the end of each line
	note       string   // of the text
}

func (t *table) read(q query) (*Frame, error) {
	if err := t.start(); err != nil {
		return nil, err
	}
	if !q.predicts() {
		if err := t.checkHeader(); err != nil {
			return nil, err
		}
	}
	label, transposed, err := t.findLabel(q)
	if err != nil {
		return nil, err
	}
	if transposed {
		return t.readTransposed(label, q)
	}
	return t.readRows(label, q)
}

// start reads from the beginning of the table up to its header.
func (t *table) start() error {
	if err := t.lines.Restart(); err != nil {
		return err
	}
	t.header, t.first = nil, nil
	header, err := t.record()
	if errors.Is(err, io.EOF) {
		return errs.New(errs.Request, "check how it was made or copied", "%s holds no line", t.path)
	}
	if err != nil {
		return err
	}
	t.header = slices.Clone(header)
	for j := range t.header {
		t.header[j] = parse.Clean(t.header[j])
	}
	t.top = t.line
	t.header[0] = parse.Clean(strings.TrimLeft(t.header[0], "#"))
	first, err := t.record()
	if errors.Is(err, io.EOF) {
		return errs.New(errs.Request, "add one line per sample", "%s holds a header but no samples", t.path)
	}
	if err != nil {
		return err
	}
	t.first, t.width = slices.Clone(first), len(t.header)
	for end := t.width - 1; end > 0 && len(first) == t.width && t.header[end] == "" && first[end] == ""; end-- {
		t.header = t.header[:end]
	}
	if t.short = len(first) == len(t.header)+1 && first[len(first)-1] != ""; t.short { // an empty last field is a separator too many
		t.header, t.width = slices.Insert(t.header, 0, ""), t.width+1
	}
	return nil
}

// isText says of a field of the line that was read last whether its file stores it as text; a text table does not say.
func (t *table) isText(field int) bool {
	book, typed := t.lines.(interface{ IsText(field int) bool })
	return typed && book.IsText(field)
}

// each shows the fields of the lines of data, one after the other; they are good until look returns. Its error ends it.
func (t *table) each(look func(record []string) error) error {
	for {
		record, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = look(record)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the fields of the next line of data; they are good until the next call. At the end it is io.EOF.
func (t *table) next() ([]string, error) {
	record := t.first
	if t.first = nil; record == nil {
		var err error
		if record, err = t.record(); err != nil {
			return nil, err
		}
	}
	for len(record) > 1 && strings.Join(record, "") == "" { // an empty row of a spreadsheet
		var err error
		if record, err = t.record(); err != nil {
			return nil, err
		}
	}
	if len(record) == t.width && strings.Join(record[len(t.header):], "") == "" {
		record = record[:len(t.header)]
	}
	if len(record) != len(t.header) {
		header := fmt.Sprintf("the header has %d", len(t.header))
		if t.short {
			header = fmt.Sprintf("the line after the header has %d", len(t.header))
		}
		return nil, errs.New(errs.Request, "give every line the same number of fields, and quote fields that hold the separator",
			"%s: line %d has %s, %s", t.path, t.line, phrase.Count(len(record), "field"), header)
	}
	return record, nil
}

func (t *table) record() ([]string, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	record, err := t.lines.Read()
	if err == nil {
		t.line = t.lines.Line()
	}
	return record, err
}

// checkHeader refuses a header that names nothing, or not every column.
func (t *table) checkHeader() error {
	numbers := 0
	for j, name := range t.header {
		if name == "" && j > 0 {
			return errs.New(errs.Request, "name every column; only the first may be left unnamed, if it names the rows", "%s: line %d: column %d has no name", t.path, t.top, j+1)
		}
		if _, ok := parse.Number(name); ok && !parse.IsMissing(name) {
			numbers++
		}
	}
	if numbers == len(t.header) {
		return errs.New(errs.Request, "put a header above it that names every column", "%s: line %d holds only numbers, so the columns have no names", t.path, t.top)
	}
	if len(t.header) == 1 {
		return errs.New(errs.Request, "separate columns by commas (.csv) or tabs (.tsv, .txt), and begin with the line that names them", "%s: line %d holds only one column, %q", t.path, t.top, parse.Shorten(t.header[0]))
	}
	return nil
}

func (t *table) column(name string) int { return slices.Index(t.header, name) }

func (t *table) namedColumn(key, name string) (int, error) {
	if j := t.column(name); j >= 0 {
		if slices.Contains(t.header[j+1:], name) {
			return 0, errs.New(errs.Request, "give them different names", "%s has several columns %q (%s)", t.path, name, key)
		}
		return j, nil
	}
	return 0, errs.New(errs.Request, phrase.DidYouMeanOr(name, t.header, "name a column of the header"),
		"%s has no column %q (%s)", t.path, name, key)
}

// findLabel finds what holds the classes: a column, or a row in a table that has a line for each feature. Rows to predict may have none:
// their table has a line for each feature where more of the panel begin a line than head a column. Afterwards the table stands at its first
// line of data.
func (t *table) findLabel(q query) (name string, transposed bool, err error) {
	if q.predicts() {
		lines, err := t.rowNames(func(string) bool { return true })
		if err != nil {
			return "", false, err
		}
		if q.found(lines) > q.found(t.header) {
			name, err := q.labelAmong(lines, t.path, "rows")
			return name, true, err
		}
	}
	if name, err := q.labelAmong(t.header, t.path, "columns"); name != "" || err != nil || q.predicts() {
		return name, false, err
	}
	rows, err := t.rowNames(q.isLabel)
	if err != nil {
		return "", false, err
	}
	if name, err := q.labelAmong(rows, t.path, "rows"); name != "" || err != nil {
		return name, true, err
	}
	return "", false, t.noLabel(q.Label)
}

// labelAmong is the name of the label among those of a file's columns or rows, "" where there is none; it refuses several.
func (q query) labelAmong(names []string, path, kind string) (string, error) {
	found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !q.isLabel(name) })
	if len(found) > 1 {
		remedy := "say which with label="
		if found[0] == found[1] {
			remedy = "give them different names"
		}
		return "", errs.New(errs.Request, remedy, "%s: the %s %s could all be the label", path, kind, parse.Quoted(found))
	}
	return strings.Join(found, ""), nil
}

// rowNames reads the first fields of all lines that fit; the table then starts again.
func (t *table) rowNames(fits func(string) bool) ([]string, error) {
	var names []string
	err := t.each(func(record []string) error {
		if name := parse.Clean(record[0]); fits(name) {
			names = append(names, strings.Clone(name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return names, t.start()
}

// noLabel says that there is no label, and lists the columns that could be one: those of a few different values that repeat.
func (t *table) noLabel(asked string) error {
	numbers := slices.DeleteFunc(slices.Clone(t.header), func(name string) bool {
		_, ok := parse.Number(name)
		return !ok || !strings.Contains(name, ".")
	})
	if len(numbers) > len(t.header)/2 {
		return errs.New(errs.Request, "put a header above it that names every column", "%s has no label, and line %d looks like a sample: %d of its %s are numbers", t.path, t.top, len(numbers), phrase.Count(len(t.header), "name"))
	}
	could, err := t.couldBeLabel()
	if err != nil {
		return err
	}
	return t.noSuchLabel(asked, could)
}

// noSuchLabel offers the columns that could be the label.
func (t *table) noSuchLabel(asked string, could []string) error {
	remedy := "add a column of classes, or name one with label="
	if len(could) > 0 {
		remedy = "name the column of classes with label=; it could be " + parse.Quoted(could)
	}
	if asked == "" {
		return errs.New(errs.Request, remedy, "%s: no column or row is called label, class, y, target or diagnosis", t.path)
	}
	return errs.New(errs.Request, phrase.DidYouMeanOr(asked, t.header, remedy), "%s has no column or row %q (label)", t.path, asked)
}

// couldBeLabel reads the table once more, for a message only.
func (t *table) couldBeLabel() ([]string, error) {
	c := newCandidates(t.header)
	err := t.each(func(record []string) error {
		for j, field := range record {
			c.add(j, field)
		}
		return nil
	})
	return c.labels(), err
}

// candidates finds the columns that could be the label: of a few different words or whole numbers, that repeat.
type candidates struct {
	names  []string
	rows   []int // seen of each column, missing values too
	values []map[string]bool
	words  []bool // some value is no number
	no     []bool
}

func newCandidates(names []string) *candidates {
	n := len(names)
	return &candidates{names, make([]int, n), make([]map[string]bool, n), make([]bool, n), make([]bool, n)}
}

// add takes the next value of a column.
func (c *candidates) add(column int, text string) {
	const mostWords, mostNumbers = 100, 10
	c.rows[column]++
	text = strings.TrimSpace(text)
	if c.no[column] || parse.IsMissing(text) || c.values[column][text] {
		return
	}
	x, isNumber := parse.Number(text)
	if c.values[column] == nil {
		c.values[column] = map[string]bool{}
	}
	c.values[column][strings.Clone(text)] = true
	c.words[column] = c.words[column] || !isNumber
	n := len(c.values[column])
	if isNumber && x != math.Trunc(x) || n > mostWords || n > mostNumbers && !c.words[column] {
		c.no[column], c.values[column] = true, nil
	}
}

func (c *candidates) labels() []string {
	var words, numbers []string
	for j, name := range c.names {
		switch n := len(c.values[j]); {
		case n < 2 || n > c.rows[j]/2:
		case c.words[j]:
			words = append(words, name)
		default:
			numbers = append(numbers, name)
		}
	}
	return slices.Concat(words, numbers)
}

// among takes columns whole.
func (c *candidates) among(values func(column int) []string) []string {
	for j := range c.names {
		for _, text := range values(j) {
			if c.add(j, text); c.no[j] {
				break
			}
		}
	}
	return c.labels()
}

// excelFormat reads the first sheet of an Excel workbook as a text table would be read.
func excelFormat() Format {
	return Format{Name: "Excel", extensions: []string{".xlsx", ".xlsm"}, begins: beginsWorkbook, read: readExcel, columns: excelHeader}
}

func readExcel(ctx context.Context, path string, file Input, q query) (*Frame, error) {
	book, err := openBook(path, file)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	r, err := (&table{ctx: ctx, path: path, lines: book}).read(q)
	if err == nil && len(book.Others) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("only its first sheet, %q, is read", book.Sheet))
	}
	if err == nil && book.Above > 0 {
		r.Notes = append(r.Notes, phrase.Count(book.Above, "row")+" above its header not read")
	}
	return r, err
}

func excelHeader(ctx context.Context, path string, file Input) ([]string, error) {
	book, err := openBook(path, file)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	t := &table{ctx: ctx, path: path, lines: book}
	err = t.start()
	return t.header, err
}

func openBook(path string, file Input) (*workbook, error) {
	size, err := sizeOf(path, file)
	if err != nil {
		return nil, err
	}
	return openWorkbook(path, file, size)
}
