package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// tableFormat reads text tables: a header line with names, then a line a sample, separated by commas, semicolons or tabs
// ([table.findSeparator]). Fields may be quoted. A header that is one field short, as R writes it, has no name for the first column.
//
// A table whose label is the name of a row and not of a column is read the other way round: a line a feature, a column a sample.
func tableFormat() format {
	return format{name: "table", extensions: []string{".csv", ".tsv", ".txt"}, read: parseTable}
}

// Header is the names of the columns of a text table, "" for a first one that has none.
func Header(ctx context.Context, path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	defer file.Close()
	t := &table{ctx: ctx, path: path, file: file}
	if err := t.start(); t.header == nil {
		return nil, err
	}
	return t.header, nil // whatever is wrong below it
}

// parseTable reads a file, more than once if it must.
func parseTable(ctx context.Context, path string, file input, s config.Settings) (*reading, error) {
	t := &table{ctx: ctx, path: path, file: file}
	if err := t.start(); err != nil {
		return nil, err
	}
	if err := t.checkHeader(); err != nil {
		return nil, err
	}
	label, transposed, err := t.findLabel(s.Label)
	if err != nil {
		return nil, err
	}
	if transposed {
		return t.readTransposed(label, s)
	}
	return t.readRows(label, s)
}

// table is a text table being read, line by line.
type table struct {
	ctx       context.Context
	path      string
	file      io.ReadSeeker
	separator rune
	header    []string
	short     bool // the header has no name for the first column
	lines     *csv.Reader
	headerEnd int64    // of the bytes that lines reads
	line      int      // of the record that next returned last
	first     []string // the record after the header, which start has read to compare its length
}

// start reads from the beginning of the file up to its header.
func (t *table) start() error {
	if err := t.seek(0); err != nil {
		return err
	}
	head := make([]byte, 1<<16)
	n, err := io.ReadFull(t.file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Wrap(err, fault.Failed, "try again", "%s cannot be read", t.path)
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return fault.New(fault.Request, "save it as UTF-8", "%s is UTF-16 text", t.path)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return fault.New(fault.Request, "name a table of text; a binary file needs its own extension", "%s is not text", t.path)
	}
	begin := int64(len(head) - len(bytes.TrimPrefix(head, []byte("\ufeff"))))
	if t.separator == 0 {
		if t.separator, err = t.findSeparator(begin); err != nil {
			return err
		}
	}
	if t.lines, err = t.linesFrom(begin, t.separator); err != nil {
		return err
	}
	t.header, t.first = nil, nil
	header, err := t.record()
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Request, "check how it was made or copied", "%s holds no line", t.path)
	}
	if err != nil {
		return err
	}
	t.headerEnd = t.lines.InputOffset()
	t.header = slices.Clone(header)
	for j := range t.header {
		t.header[j] = cleanName(t.header[j])
	}
	first, err := t.record()
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Request, "add a line for each sample", "%s holds a header and no samples", t.path)
	}
	if err != nil {
		return err
	}
	t.first = slices.Clone(first)
	if t.short = len(first) == len(t.header)+1 && first[len(first)-1] != ""; t.short { // an empty last field is a separator too many
		t.header = slices.Insert(t.header, 0, "")
	}
	return nil
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
	if len(record) != len(t.header) {
		header := fmt.Sprintf("the header has %d", len(t.header))
		if t.short {
			header = fmt.Sprintf("the line after the header has %d", len(t.header))
		}
		return nil, fault.New(fault.Request, "give every line the same number of fields, and quote fields that hold the separator",
			"%s: line %d has %d fields, %s", t.path, t.line, len(record), header)
	}
	return record, nil
}

func (t *table) record() ([]string, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	record, err := t.lines.Read()
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil, err
	case errors.As(err, &bad):
		return nil, fault.New(fault.Request, `quote a field as "…" as a whole, and write a quote in it as ""`, "%s: line %d: %v", t.path, bad.Line, bad.Err)
	case err != nil:
		return nil, fault.Wrap(err, fault.Failed, "try again", "%s cannot be read", t.path)
	}
	t.line, _ = t.lines.FieldPos(0)
	return record, nil
}

// checkHeader refuses a header that names nothing, or not every column.
func (t *table) checkHeader() error {
	numbers := 0
	for j, name := range t.header {
		if name == "" && j > 0 {
			return fault.New(fault.Request, "name every column; only the first may go without, if it names the rows", "%s: line 1: column %d has no name", t.path, j+1)
		}
		if _, ok := number(name); ok && !isMissing(name) {
			numbers++
		}
	}
	if numbers == len(t.header) {
		return fault.New(fault.Request, "put a header above it that names every column", "%s: line 1 holds numbers only, so the columns have no names", t.path)
	}
	if len(t.header) == 1 {
		return fault.New(fault.Request, "separate columns by commas (.csv) or tabs (.tsv, .txt)", "%s: line 1 holds one column only, %q", t.path, shorten(t.header[0]))
	}
	return nil
}

// shorten keeps a value quoted in a message to one readable line.
func shorten(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
