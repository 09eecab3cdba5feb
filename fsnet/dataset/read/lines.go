package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// tableFormat reads text tables, also compressed ones (text.go): a header line
// with names, then a line for each sample, split at commas, semicolons, tabs or
// bars. Fields may be quoted. If the header is one field short, as R writes it,
// the first column has no name.
//
// If the label names a row instead of a column, the table has a line for each
// feature.
func tableFormat() Format {
	return Format{Name: "table", extensions: []string{".csv", ".tsv", ".txt", ".tab", ".gz", ".zst"}, openText: openTextTable,
		titles: textTitles(func(ctx context.Context, text *textFile) (Titles, error) {
			l, err := newLineTable(ctx, text)
			if err != nil {
				return Titles{}, err
			}
			return l.titles()
		})}
}

// textTitles adapts a function that reads the titles of a text.
func textTitles(read func(context.Context, *textFile) (Titles, error)) func(context.Context, *File) (Titles, error) {
	return func(ctx context.Context, f *File) (Titles, error) {
		return readText(f.text, func(text *textFile) (Titles, error) { return read(ctx, text) })
	}
}

// Titles are the names of the columns of a table. A first column without a name
// is called "".
type Titles struct {
	Words   []string // columns that describe rows
	Numbers []string
}

// Header returns the names of the columns of a table. They are empty if the
// file does not name its columns.
func Header(ctx context.Context, path string) (c Titles, err error) {
	file, err := OpenFile(path, path)
	if err != nil {
		return c, err
	}
	defer file.Close()
	f, err := Detect(path, filepath.Ext(path), file)
	if err != nil || f.titles == nil {
		return c, err
	}
	return f.titles(ctx, f)
}

// sampledLines is the number of lines that titles searches for words.
const sampledLines = 20

// titles divides the columns into words and numbers by the first lines of data.
// It ignores errors below the header.
func (l *lineTable) titles() (c Titles, err error) {
	if err = l.readHeader(); l.header == nil {
		return c, err
	}

	words := make([]bool, len(l.header))
	for range sampledLines {
		record, err := l.next()
		if err != nil {
			break
		}
		for j, field := range record {
			_, number := parse.Number(strings.Replace(field, ",", ".", 1))
			words[j] = words[j] || !number && !parse.IsMissing(parse.Clean(field))
		}
	}

	for j, name := range l.header {
		if words[j] {
			c.Words = append(c.Words, name)
		} else {
			c.Numbers = append(c.Numbers, name)
		}
	}
	return c, nil
}

// openTextTable opens a text table and determines its orientation. It reads the
// header. It reads all lines only if they may be features.
func openTextTable(ctx context.Context, text *textFile, q query) (*table, error) {
	l, err := newLineTable(ctx, text)
	if err != nil {
		return nil, err
	}
	t, err := l.open(q)
	if err == nil {
		t.note(text.note())
		t.pandas = func() string {
			return fmt.Sprintf("pandas.read_csv(%q%s)", filepath.Base(text.path), l.pandasOptions())
		}
	}
	return t, err
}

// pandasOptions returns the options that pandas.read_csv needs to read the
// text, beginning with a comma.
func (l *lineTable) pandasOptions() string {
	var options strings.Builder
	if lines, is := l.lines.(*textLines); is {
		if lines.Separator != ',' {
			fmt.Fprintf(&options, ", sep=%q", lines.Separator)
		}
		if lines.text.skip > 0 {
			fmt.Fprintf(&options, ", skiprows=%d", lines.text.skip)
		}
		if lines.text.isWestern {
			options.WriteString(`, encoding="cp1252"`)
		}
		if l.commas {
			options.WriteString(`, decimal=","`)
		}
	}
	return strings.ReplaceAll(options.String(), "'", `"`)
}

// newLineTable finds the separator of a text table and what precedes its
// header. It rejects anything that is not text. [lineTable.start] reads the
// header and [lineTable.next] the lines.
func newLineTable(ctx context.Context, text *textFile) (*lineTable, error) {
	if err := text.check(); err != nil {
		return nil, err
	}
	lines, err := text.Table(strings.HasSuffix(strings.ToLower(UnpackedPath(text.path)), ".csv"))
	if err != nil {
		return nil, err
	}

	l := &lineTable{ctx: ctx, path: text.path, lines: lines}
	if lines.Separator != ',' {
		l.decimals = new(decimals)
	}
	return l, nil
}

// UnpackedPath removes the extension of a compressed file.
func UnpackedPath(path string) string {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".gz", ".zst":
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// tableRecords are the lines of a table, split into fields.
type tableRecords interface {
	Restart() error          // goes back to the beginning
	Read() ([]string, error) // fields are valid until the next call; io.EOF at the end
	Line() int               // line of the last record
	Estimate(features int) int
}

// lineTable reads a table line by line.
type lineTable struct {
	ctx       context.Context
	path      string
	lines     tableRecords
	decimals  *decimals // nil if a comma is never a decimal comma
	points    parse.Points
	commas    bool // some column has decimal commas
	header    []string
	isShort   bool     // the header has no name for the first column
	line      int      // line of the last record
	top       int      // line of the header
	first     []string // the record after the header, until next returns it
	directive string   // the first field of a line that says what columns hold
	omitted   []bool   // columns that are left out as samples, if lines are features
	width     int      // fields of the header, including empty ones at the end of every line
}

// readHeader reads the table from its beginning to its header. The next record is
// then the first line of data.
func (l *lineTable) readHeader() error {
	if err := l.lines.Restart(); err != nil {
		return err
	}

	l.header, l.first = nil, nil
	header, err := l.record()
	if errors.Is(err, io.EOF) {
		return errs.New(errs.Request, "check how it was made or copied", "%s holds no line", l.path)
	}
	if err != nil {
		return err
	}

	l.header = cloneFields(header)
	for j := range l.header {
		l.header[j] = parse.Clean(l.header[j])
	}

	l.top = l.line
	l.header[0] = parse.Clean(strings.TrimLeft(l.header[0], "#"))
	first, err := l.record()
	if errors.Is(err, io.EOF) {
		return errs.New(errs.Request, "add one line per sample", "%s holds a header but no samples", l.path)
	}
	if err != nil {
		return err
	}

	l.first, l.width = cloneFields(first), len(l.header)
	for end := l.width - 1; end > 0 && len(first) == l.width && l.header[end] == "" && first[end] == ""; end-- {
		l.header = l.header[:end]
	}

	// A first row with one field more than the header has row names in its
	// first column. If its last field is empty, it only ends with a separator.
	if l.isShort = len(first) == len(l.header)+1 && first[len(first)-1] != ""; l.isShort {
		l.header, l.width = slices.Insert(l.header, 0, ""), l.width+1
	}
	return nil
}

// isText reports whether a field of the last record is stored as text. Only
// workbooks distinguish text from numbers. For other tables it returns false.
func (l *lineTable) isText(field int) bool {
	book, typed := l.lines.(*workbook)
	return typed && book.IsText(field)
}

// isNumber reports whether a field of the last record is stored as a number.
func (l *lineTable) isNumber(field int) bool {
	book, typed := l.lines.(*workbook)
	return typed && !book.IsText(field)
}

// each calls look with the fields of each line of data. They are valid until
// look returns. It stops at the first error of look.
func (l *lineTable) each(look func(record []string) error) error {
	for {
		record, err := l.next()
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

// next returns the fields of the next line of data, or io.EOF. They are valid
// until the next call.
func (l *lineTable) next() ([]string, error) {
	record := l.first
	if l.first = nil; record == nil {
		var err error
		if record, err = l.record(); err != nil {
			return nil, err
		}
	}

	for len(record) > 1 && (isEmpty(record) || isDirective(record[0])) {
		var err error
		if !isEmpty(record) {
			l.directive = parse.CleanCopy(record[0])
		}
		if record, err = l.record(); err != nil {
			return nil, err
		}
	}

	if len(record) == l.width && isEmpty(record[len(l.header):]) {
		record = record[:len(l.header)]
	}
	if len(record) != len(l.header) {
		header := fmt.Sprintf("the header has %d", len(l.header))
		if l.isShort {
			header = fmt.Sprintf("the line after the header has %d", len(l.header))
		}
		return nil, errs.New(errs.Request, "give every line the same number of fields, and quote fields that hold the separator",
			"%s: line %d has %s, %s", l.path, l.line, phrase.Count(len(record), "field"), header)
	}
	return record, nil
}

// isEmpty reports whether a row has no content.
func isEmpty(record []string) bool {
	return !slices.ContainsFunc(record, func(field string) bool { return field != "" })
}

// isDirective reports whether a line below the header says what columns hold,
// as in QIIME 2.
func isDirective(first string) bool { return strings.HasPrefix(first, "#q2:") }

// record returns the next line unchanged, valid until the next call, and
// remembers its number. It returns io.EOF at the end, and the error of the
// context once that is canceled.
func (l *lineTable) record() ([]string, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	record, err := l.lines.Read()
	if err == nil {
		l.line = l.lines.Line()
	}
	return record, err
}

// checkHeader rejects a header of numbers, and one that leaves columns unnamed.
func (l *lineTable) checkHeader() error {
	numbers := 0
	for j, name := range l.header {
		if name == "" && j > 0 {
			return errs.New(errs.Request, "name every column; only the first may be left unnamed, if it names the rows", "%s: line %d: column %d has no name", l.path, l.top, j+1)
		}
		if _, ok := parse.Number(name); ok && !parse.IsMissing(name) {
			numbers++
		}
	}

	if numbers == len(l.header) {
		return errs.New(errs.Request, "put a header above it that names every column", "%s: line %d holds only numbers, so the columns have no names", l.path, l.top)
	}
	if len(l.header) == 1 {
		return errs.New(errs.Request, "separate columns by commas (.csv) or tabs (.tsv, .txt), and begin with the line that names them", "%s: line %d holds only one column, %q", l.path, l.top, parse.Shorten(l.header[0]))
	}
	return nil
}

// open determines the orientation of the table. Afterwards the next record is
// the first line of data.
func (l *lineTable) open(q query) (*table, error) {
	if err := l.readHeader(); err != nil {
		return nil, err
	}
	if !q.predicts() {
		if err := l.checkHeader(); err != nil {
			return nil, err
		}
	}
	names, err := l.featureLines(q)
	if err != nil {
		return nil, err
	}
	if names != nil {
		return l.byLines(names), nil
	}
	return l.byColumns(), nil
}

// featureLines returns the first fields of all lines if the table has a line
// for each feature. It returns nil if there is a line for each sample. A table
// has a line for each feature if a line has the name of the label and no column
// does, or if annotations describe its header more than its lines. For rows to
// predict it has one if more features of the panel are names of lines than of
// columns.
func (l *lineTable) featureLines(q query) (names []column, err error) {
	labelled := slices.ContainsFunc(l.header, q.isLabel)
	heads, _ := q.annotations.describes(l.header[1:])
	if q.upright || !q.predicts() && (labelled && !q.annotations.hasLabel(q) || heads == 0 && q.annotations.hasLabel(q)) {
		return nil, nil
	}

	err = l.each(func(record []string) error {
		names = append(names, column{Name: parse.CleanCopy(record[0]), Kind: mixedKind, Line: l.line})
		return nil
	})
	if err == nil {
		err = l.readHeader()
	}
	if err != nil {
		return nil, err
	}

	lines := (&table{columns: names}).names(anyColumn)
	described, _ := q.annotations.describes(lines)
	switch {
	case q.predicts() && q.countPanel(lines) != q.countPanel(l.header):
		if q.countPanel(lines) > q.countPanel(l.header) {
			return names, nil
		}
	// a single one may be a gene that the annotations mention
	case heads > described && heads >= min(2, len(l.header)-1):
		return names, nil
	case described > 0:
	case !q.predicts() && !labelled && slices.ContainsFunc(lines, q.isLabel):
		return names, nil
	}
	return nil, nil
}

// byColumns returns a table with a line for each sample.
func (l *lineTable) byColumns() *table {
	t := &table{path: l.path, rows: -1, untyped: true, points: &l.points, first: strings.TrimSpace(l.first[0])}
	t.columns = make([]column, len(l.header))
	for j, name := range l.header {
		t.columns[j] = column{Name: name, Kind: mixedKind, Line: l.top}
	}

	t.read = func(_ context.Context, out *output) error {
		if l.first == nil { // the table was read before
			if err := l.readHeader(); err != nil {
				return err
			}
		}
		return l.readRows(t, out)
	}

	t.look = func(_ context.Context, c *candidates) error {
		if err := l.readHeader(); err != nil {
			return err
		}
		return l.each(func(record []string) error {
			for j, field := range record {
				c.add(j, field)
			}
			return nil
		})
	}
	return t
}

// readRows reads lines that are samples into out. It stops after out.rows lines
// if that is above 0.
func (l *lineTable) readRows(t *table, out *output) error {
	textAt, numberAt := places(len(t.columns), out.texts), places(len(t.columns), out.numbers)
	width := len(out.numbers)
	cells := l.lines.Estimate(width + 1) // the first column may become a feature
	if err := out.room(cells); err != nil {
		return err
	}

	if width > 0 {
		out.x = make([]float32, 0, cells)
	}
	kinds, stored := make([]featureKind, width), make(textStorage, len(out.texts))
	l.points = parse.Points{}
	row := 0

	err := l.each(func(record []string) error {
		out.lines = append(out.lines, l.line)
		out.wrong.numbers = append(out.wrong.numbers, 0)
		begin := len(out.x)
		if begin+width > cap(out.x) {
			if err := out.room(begin + begin/4 + width); err != nil {
				return err
			}
			out.x = slices.Grow(out.x, begin/4+width)
		}
		out.x = out.x[:begin+width]

		for j, field := range record {
			if k := textAt[j]; k >= 0 {
				text := parse.CleanCopy(field)
				out.words[k] = append(out.words[k], text)
				stored.add(k, text, l.isText(j))
			}
			if k := numberAt[j]; k >= 0 {
				l.storeNumber(out, &kinds[k], k, row, j, field)
			}
		}

		if row++; row == out.rows {
			return errEnough
		}
		return nil
	})

	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for _, kind := range kinds {
		l.points.Close(kind.points)
	}
	out.stored = stored.isText()
	return l.finish(t, out)
}

// errEnough ends the reading after the requested rows.
var errEnough = errors.New("enough")

// byLines returns a table with a line for each of the features. The header
// names the samples. Label and covariates are lines, too.
func (l *lineTable) byLines(names []column) *table {
	t := &table{path: l.path, shape: byLines, columns: names, samples: slices.Clone(l.header[1:]), headed: true, untyped: true, points: &l.points}
	t.rows = len(t.samples)
	l.omitted = make([]bool, t.rows)

	t.omit = func(rows []int) {
		row := -1
		for i, isOmitted := range l.omitted {
			if !isOmitted {
				row++
				l.omitted[i] = slices.Contains(rows, row)
			}
		}
		t.samples = nil
		for i, name := range l.header[1:] {
			if !l.omitted[i] {
				t.samples = append(t.samples, name)
			}
		}
		t.rows = len(t.samples)
	}

	t.read = func(_ context.Context, out *output) error {
		if l.first == nil {
			if err := l.readHeader(); err != nil {
				return err
			}
		}
		return l.readLines(t, len(names), out)
	}
	return t
}

// readLines reads lines that are features into out. Their samples are the
// columns that are not omitted. lines is the number of lines when the table was
// opened. If there are more or fewer now, it returns an error.
func (l *lineTable) readLines(t *table, lines int, out *output) error {
	textAt, numberAt := places(lines, out.texts), places(lines, out.numbers)
	width := len(out.numbers)
	if err := out.room(cellCount(t.rows, width)); err != nil {
		return err
	}
	out.x, out.wrong.numbers = make([]float32, t.rows*width), make([]int, t.rows)
	stored, line := make(textStorage, len(out.texts)), 0
	l.points = parse.Points{}

	err := l.each(func(record []string) error {
		if line == lines {
			return errs.New(errs.Failed, "try again", "%s has changed while it was read", l.path)
		}

		text, number, kind := textAt[line], numberAt[line], featureKind{}
		line++

		row := 0
		for i, field := range record[1:] {
			if l.omitted[i] {
				continue
			}
			if text >= 0 {
				own := parse.CleanCopy(field)
				out.words[text] = append(out.words[text], own)
				stored.add(text, own, l.isText(1+i))
			}
			if number >= 0 {
				l.storeNumber(out, &kind, number, row, 1+i, field)
			}
			row++
		}
		l.points.Close(kind.points)
		return nil
	})

	if err != nil {
		return err
	}
	if line < lines {
		return errs.New(errs.Failed, "try again", "%s has changed while it was read", l.path)
	}

	out.stored = stored.isText()
	return l.finish(t, out)
}

// textStorage tracks whether all values of a column are stored as text. Only
// workbooks tell.
type textStorage []struct{ text, other bool }

// add records whether a value of a column is stored as text. It ignores missing
// values.
func (s textStorage) add(column int, text string, isText bool) {
	if !parse.IsMissing(text) {
		s[column].text, s[column].other = s[column].text || isText, s[column].other || !isText
	}
}

// isText reports for each column whether it has values and all of them, except
// for missing ones, are stored as text.
func (s textStorage) isText() []bool {
	list := make([]bool, len(s))
	for k, column := range s {
		list[k] = column.text && !column.other
	}
	return list
}

// featureKind tracks whether a feature has numbers, and whether it has True and
// False, as pandas, R and Excel write truth values. A feature that has both is
// an error.
type featureKind struct {
	numbers, truth bool
	points         parse.PointColumn
}

// storeNumber parses the field at of a record as a number of feature k, its
// position among the numbers, in a row. True becomes 1 and False 0.
func (l *lineTable) storeNumber(out *output, kind *featureKind, k, row, column int, field string) {
	text := strings.TrimSpace(field)
	x, ok := l.decimals.Number(text, l.line)
	if !ok {
		var truth bool
		if truth, ok = parse.IsTruth(text); ok {
			x, kind.truth = truthNumber(truth), true
		}
	} else if x == x {
		kind.numbers = true
	}

	switch {
	case !ok, kind.truth && kind.numbers && !parse.IsMissing(text):
		out.wrong.add(k, row, text)
	case x == x:
		out.wrong.numbers[row]++
		if !l.isNumber(column) {
			l.points.Add(&kind.points, text)
		}
	}

	out.x[row*len(out.numbers)+k] = out.rounded.Round(k, x)
}

// finish rejects a table that mixes decimal commas and points. It rewrites
// decimal commas among texts as it did among features.
func (l *lineTable) finish(t *table, out *output) error {
	if book, is := l.lines.(*workbook); is {
		t.note(book.note())
	}
	if l.directive != "" {
		t.note("its line " + l.directive + " not read")
	}

	commas, points, err := l.decimals.Style(l.path)
	if err != nil || points {
		return err
	}

	if commas {
		t.note("with decimal commas")
	}
	l.commas = commas

	for _, words := range out.words {
		l.commas = parse.WithPoints(words) || l.commas
	}
	if t.samples != nil {
		parse.WithPoints(t.samples)
	}
	return nil
}
