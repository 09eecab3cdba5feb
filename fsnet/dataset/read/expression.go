package read

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// expressionFormat reads tables of gene expression: a line for each gene, a
// column for each sample, and descriptions of the samples above them.
func expressionFormat(name string, extensions []string, begins func([]byte) bool,
	open func(context.Context, *textFile) (*expressionMatrix, error)) Format {
	return Format{
		Name: name, extensions: extensions, begins: begins,
		openText: func(ctx context.Context, text *textFile, q query) (*table, error) {
			m, err := open(ctx, text)
			if err != nil {
				return nil, err
			}
			if len(m.About) == 0 && !q.Alone && q.annotations == nil {
				if err := m.readClasses(q); err != nil {
					return nil, err
				}
			}
			t, err := m.table()
			if err == nil {
				t.note(text.note())
			}
			return t, err
		},
		titles: textTitles(func(ctx context.Context, text *textFile) (c Titles, err error) {
			m, err := open(ctx, text)
			if err == nil {
				c.Words = m.columns()
			}
			return c, err
		}),
	}
}

// table reads the whole matrix into memory and returns it transposed.
func (m *expressionMatrix) table() (*table, error) {
	n := len(m.Samples)
	t := &table{path: m.path, shape: beside, samples: m.Samples, headed: true, rows: n, untyped: true,
		remedy: "write the matrix as a table with a line of classes, called label, or name a table with the classes with annotations=FILE"}
	t.note(m.Note)

	features, lines, rounded, err := m.values(func(features int) error { return checkMemory(m.path, 2*features*n, features) })
	if err != nil {
		return nil, err
	}
	for j, name := range features {
		if name = parse.Clean(name); name == "" {
			return nil, errs.New(errs.Request, "begin every line of numbers with the name of its feature",
				"%s: feature %d has no name", m.path, j+1)
		}
		t.columns = append(t.columns, column{Name: name, Kind: realKind})
	}

	for _, c := range m.About {
		t.columns = append(t.columns, column{Name: c.Name, Kind: mixedKind, Beside: true})
	}

	t.readMatrix(len(lines), func(k int) ([]string, bool, error) { return slices.Clone(m.About[k].Values), false, nil },
		func(context.Context, memoryCheck) ([]float32, Rounding, error) {
			x := make([]float32, n*len(lines))
			for j, line := range lines {
				for i, value := range line {
					x[i*len(lines)+j] = value
				}
			}
			return x, rounded, nil
		})
	return t, nil
}

// readClasses reads the classes from NAME.cls in the directory of NAME.gct. It
// does nothing if the file has another extension. If there is no .cls file, it
// returns an error, except for rows to predict.
func (m *expressionMatrix) readClasses(q query) error {
	base, ok := strings.CutSuffix(UnpackedPath(m.path), ".gct")
	if !ok {
		return nil
	}
	content, err := WholeText(base + ".cls")
	if errors.Is(err, fs.ErrNotExist) {
		if q.predicts() {
			return nil
		}
		return errs.New(errs.Request, "put the classes beside it in "+base+".cls, or save it as GCT 1.3 with a row of classes",
			"%s holds no classes", m.path)
	}
	if err != nil {
		return errs.Wrap(err, errs.Request, "make it readable, or move it away", "the classes cannot be read")
	}

	c, err := parseCLS(base+".cls", content, len(m.Samples))
	if err == nil {
		m.About = append(m.About, *c)
	}
	return err
}

// characteristic describes each sample by a text. A missing one is "".
type characteristic struct {
	Name   string
	Values []string
}

// expressionMatrix is a table of samples × features before its numbers are
// read.
type expressionMatrix struct {
	Samples []string
	About   []characteristic
	Note    string // says which characteristics were renamed

	ctx    context.Context
	path   string
	lines  *textLines // positioned at the first line of numbers
	names  int        // number of fields before the numbers
	rows   int        // as declared, or -1
	hasEnd bool       // a line marks the end of the table
}

// describe sets the characteristics and makes their names different.
func (m *expressionMatrix) describe(list []characteristic) {
	m.About = list
	names, note := parse.Unique(m.columns())
	for i, name := range names {
		m.About[i].Name = name
	}
	m.Note = note
}

// columns returns the names of the characteristics.
func (m *expressionMatrix) columns() []string {
	var names []string
	for _, c := range m.About {
		names = append(names, c.Name)
	}
	return names
}

// values reads the names and the numbers of the features, features × samples.
// It calls room before it allocates memory, and stops if room returns an error.
func (m *expressionMatrix) values(room func(features int) error) (names []string, x [][]float32, rounded Rounding, err error) {
	var points parse.Points
	for {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			if m.hasEnd {
				return nil, nil, nil, errs.New(errs.Request, "download it again", "%s is incomplete: its table has no end (!series_matrix_table_end)",
					m.path)
			}
			break
		}
		if err != nil {
			return nil, nil, nil, err
		}

		if m.hasEnd && fields[0] == seriesEnd {
			break
		}

		if fields = trimFields(fields, m.names+len(m.Samples)); len(fields) > 1 && strings.TrimSpace(strings.Join(fields, "")) == "" {
			continue // spreadsheets leave such lines
		}
		if len(fields) != m.names+len(m.Samples) {
			return nil, nil, nil, errs.New(errs.Request, "download it again, or correct the line", "%s: line %d has %s for %s", m.path,
				m.lines.Line(), phrase.Count(len(fields)-m.names, "value"), phrase.Count(len(m.Samples), "sample"))
		}

		if len(x)%64 == 0 {
			if err := room(len(x) + 64); err != nil {
				return nil, nil, nil, err
			}
		}

		values := make([]float32, len(m.Samples))
		rounded = append(rounded, columnRounding{})
		var feature parse.PointColumn
		for i, field := range fields[m.names:] {
			text := strings.TrimSpace(field)
			v, ok := parse.Number(text)
			if !ok {
				return nil, nil, nil, errs.New(errs.Request, forValue(text),
					"%s: line %d (%q), sample %q: %s", m.path, m.lines.Line(), parse.Shorten(fields[0]), parse.Shorten(m.Samples[i]), noNumber(text))
			}
			if v == v {
				points.Add(&feature, text)
			}
			values[i] = rounded.Round(len(x), v)
		}

		points.Close(feature)
		names, x = append(names, strings.Clone(strings.TrimSpace(fields[0]))), append(x, values)
	}

	if m.rows >= 0 && m.rows != len(x) {
		return nil, nil, nil, errs.New(errs.Request, "download it again, or correct its second line",
			"%s: its second line promises %s, but there are %d", m.path, phrase.Count(m.rows, "feature"), len(x))
	}
	if len(x) == 0 {
		return nil, nil, nil, m.noValues()
	}
	return names, x, rounded, doubtfulPoints(m.path, &points)
}

// trimFields removes empty fields beyond width. Spreadsheets leave them at the
// ends of lines.
func trimFields(fields []string, width int) []string {
	for len(fields) > width && strings.TrimSpace(fields[len(fields)-1]) == "" {
		fields = fields[:len(fields)-1]
	}
	return fields
}

// noValues returns the error for a series matrix without numbers.
func (m *expressionMatrix) noValues() error {
	return errs.New(errs.Request, "its numbers are elsewhere: see the supplementary files of the series, and add the label to them",
		"%s has no numbers, as is usual for sequencing", m.path)
}

// read returns the fields of the next line without the quotes around them. A
// field never spans lines. A quote inside a field may be doubled.
func (m *expressionMatrix) read() ([]string, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	fields, err := m.lines.Read()
	stripQuotes(fields)
	return fields, err
}

const (
	seriesBegin = "!series_matrix_table_begin"
	seriesEnd   = "!series_matrix_table_end"
)

// beginsSeries reports whether a text begins like a GEO series matrix.
func beginsSeries(head []byte) bool {
	text := strings.TrimLeft(string(head[:min(len(head), 64)]), " \r\n")
	return strings.HasPrefix(text, "!Series_")
}

// openSeries reads the lines of a GEO series matrix that precede the numbers.
func openSeries(ctx context.Context, text *textFile) (*expressionMatrix, error) {
	lines, err := text.PlainLines('\t')
	if err != nil {
		return nil, err
	}
	m := &expressionMatrix{ctx: ctx, path: text.path, lines: lines, names: 1, rows: -1, hasEnd: true}

	about := &characteristics{}
	for {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			return nil, errs.New(errs.Request, "download the series matrix file itself", "%s is incomplete: it has no table of numbers (%s)",
				m.path, seriesBegin)
		}
		if err != nil {
			return nil, err
		}
		if fields[0] == seriesBegin {
			break
		}
		if key, ok := strings.CutPrefix(fields[0], "!Sample_"); ok {
			about.add(key, fields[1:])
		}
	}

	header, err := m.read()
	if errors.Is(err, io.EOF) || err == nil && (header[0] != "ID_REF" || len(header) < 2) {
		return nil, m.noValues()
	}
	if err != nil {
		return nil, err
	}

	for _, id := range header[1:] {
		m.Samples = append(m.Samples, strings.Clone(strings.TrimSpace(id)))
	}
	list, err := about.values(m.path, len(m.Samples))
	m.describe(list)
	return m, err
}

// characteristics collects the lines !Sample_….
type characteristics struct{ list []channelCharacteristic }

// channelCharacteristic is a characteristic of one of the two channels of an
// array. channel is "" if there is one channel.
type channelCharacteristic struct {
	characteristic
	channel string
}

// add reads a line. A line of characteristics holds "name: value" for each
// sample. If a sample lacks one of them, its later values may be one line
// higher than those of other samples, so we file each value under its own name.
// If a name repeats for a sample, it becomes another characteristic.
func (c *characteristics) add(key string, fields []string) {
	channel := ""
	if suffix, is := strings.CutPrefix(key, "characteristics"); is {
		channel, key = suffix, ""
	}
	for i, field := range fields {
		name, value := key, strings.TrimSpace(field)
		if key == "" {
			before, after, found := strings.Cut(value, ":")
			if !found {
				continue
			}
			name, value = strings.TrimSpace(before), strings.TrimSpace(after)
		}

		if name == "" || value == "" {
			continue
		}

		at := slices.IndexFunc(c.list, func(o channelCharacteristic) bool {
			return o.Name == name && o.channel == channel && i < len(o.Values) && o.Values[i] == ""
		})
		if at < 0 {
			at = len(c.list)
			c.list = append(c.list, channelCharacteristic{characteristic{strings.Clone(name), make([]string, len(fields))}, channel})
		}
		c.list[at].Values[i] = strings.Clone(value)
	}
}

// values returns the characteristics of the samples. If a name occurs in both
// channels, the channel is added to it as a suffix.
func (c *characteristics) values(path string, samples int) ([]characteristic, error) {
	var list []characteristic
	for _, this := range c.list {
		if n := len(this.Values); n != samples {
			return nil, errs.New(errs.Request, "download it again", "%s: %q is given for %s, the table has %d", path, parse.Shorten(this.Name),
				phrase.Count(n, "sample"), samples)
		}
		if slices.ContainsFunc(c.list, func(o channelCharacteristic) bool { return o.Name == this.Name && o.channel != this.channel }) {
			this.Name += this.channel
		}
		list = append(list, this.characteristic)
	}
	return list, nil
}

// parseCount parses a non-negative integer.
func parseCount(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 0
}

// beginsGCT reports whether a text begins like a GCT file.
func beginsGCT(head []byte) bool {
	return bytes.HasPrefix(head, []byte("#1.2")) || bytes.HasPrefix(head, []byte("#1.3"))
}

// openGCT reads the lines of a GCT file that precede the numbers: #1.2 or #1.3,
// then the number of rows and columns (in 1.3 also of columns that describe
// features and of rows that describe samples), the header, and the rows that
// describe samples.
func openGCT(ctx context.Context, text *textFile) (*expressionMatrix, error) {
	lines, err := text.PlainLines('\t')
	if err != nil {
		return nil, err
	}
	m := &expressionMatrix{ctx: ctx, path: text.path, lines: lines, names: 2}

	damaged := func(what string) error {
		return errs.New(errs.Request, "write it again: #1.3, then counts of rows, columns, row and column metadata, then the header",
			"%s: line %d: %s", m.path, m.lines.Line(), what)
	}

	var head [3][]string // version, counts, header
	for i := range head {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			return nil, damaged("the file ends before its header")
		}
		if err != nil {
			return nil, err
		}
		head[i] = cloneFields(fields)
	}

	var counts []int
	for _, field := range head[1] {
		n, ok := parseCount(field)
		if field == "" && !ok {
			continue
		}
		if !ok {
			return nil, damaged("the second line must hold counts, not " + parse.Shorten(field))
		}
		counts = append(counts, n)
	}

	about := 0
	if strings.HasPrefix(head[0][0], "#1.3") {
		if len(counts) != 4 {
			return nil, damaged("the second line must hold four counts")
		}
		about = counts[3]
		m.names = 1 + counts[2]
	}

	header := trimFields(head[2], 1)
	if len(counts) < 2 || m.names < 1 || len(header) <= m.names || len(header)-m.names != counts[1] {
		return nil, damaged("the header does not hold as many samples as the second line promises")
	}

	m.rows = counts[0]
	for _, name := range header[m.names:] {
		m.Samples = append(m.Samples, strings.TrimSpace(name))
	}

	for range about {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			return nil, damaged("the file ends among the rows that describe samples")
		}
		if err != nil {
			return nil, err
		}
		if fields = trimFields(fields, len(header)); len(fields) != len(header) {
			return nil, damaged("it has another number of fields than the header")
		}
		c := characteristic{Name: strings.Clone(strings.TrimSpace(fields[0]))}
		for _, value := range fields[m.names:] {
			if value = strings.TrimSpace(value); value == "-666" { // a missing value of GCT
				value = ""
			}
			c.Values = append(c.Values, strings.Clone(value))
		}
		m.About = append(m.About, c)
	}
	m.describe(m.About)
	return m, nil
}

// parseCLS reads a CLS file. It holds the classes of a GCT 1.2 file: the
// numbers of samples and of classes, the names of the classes after #, and the
// class of each sample.
func parseCLS(path, content string, samples int) (*characteristic, error) {
	damaged := func(what string) error {
		return errs.New(errs.Request, `write "samples classes 1", "# name name", and the class of each sample; or move the file away`,
			"%s: %s", path, what)
	}

	var lines [][]string
	for line := range strings.Lines(content) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines = append(lines, fields)
		}
	}
	if len(lines) != 3 || !strings.HasPrefix(lines[1][0], "#") {
		return nil, damaged("it does not hold three lines, the second with #")
	}

	names := strings.Fields(strings.TrimPrefix(strings.Join(lines[1], " "), "#"))
	if n, ok := parseCount(lines[0][0]); !ok || n != samples || len(lines[2]) != samples {
		return nil, damaged("it does not give as many classes as there are samples")
	}

	c := &characteristic{Name: "class", Values: lines[2]}
	for i, text := range c.Values {
		if number, ok := parseCount(text); ok && number < len(names) {
			c.Values[i] = names[number]
		}
	}
	return c, nil
}
