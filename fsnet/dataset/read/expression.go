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

// expressionFormat reads tables of gene expression, in which a line is a gene and a column a sample, with what is known of the samples above.
func expressionFormat(name string, extensions []string, begins func([]byte) bool,
	open func(context.Context, string, *textFile) (*expressionMatrix, error)) Format {
	return Format{
		Name: name, extensions: extensions, text: true, begins: begins,
		openText: func(ctx context.Context, path string, text *textFile, q query) (*table, error) {
			m, err := open(ctx, path, text)
			if err != nil {
				return nil, err
			}
			if len(m.About) == 0 && !q.Alone && q.annotations == nil {
				if err := classesBeside(m, path, q); err != nil {
					return nil, err
				}
			}
			t, err := m.table()
			if err == nil && text.Note() != "" {
				t.notes = append(t.notes, text.Note())
			}
			return t, err
		},
		columns: func(ctx context.Context, path string, file Input) (Titles, error) {
			return readText(path, file, func(text *textFile) (c Titles, err error) {
				m, err := open(ctx, path, text)
				if err != nil {
					return c, err
				}
				return Titles{Words: m.Columns()}, nil
			})
		},
	}
}

// table is the matrix as a table, turned; it is read whole.
func (m *expressionMatrix) table() (*table, error) {
	n := len(m.Samples)
	t := &table{path: m.path, shape: beside, samples: m.Samples, headed: true, rows: n, untyped: true,
		remedy: "write the matrix as a table with a line of classes, called label, or name a table with the classes with annotations=FILE"}
	if m.Note != "" {
		t.notes = append(t.notes, m.Note)
	}
	var rounded Rounding
	features, lines, err := m.Values(func(features int) error { return checkMemory(m.path, 2*features*n, features) },
		func(feature int, text string) (float32, bool) {
			if feature == len(rounded) {
				rounded = append(rounded, make(Rounding, 1)...)
			}
			x, ok := parse.Number(text)
			return rounded.Round(feature, x), ok
		})
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
	t.read = func(_ context.Context, out *output) error {
		for k, j := range out.texts {
			if j < len(lines) {
				return errs.New(errs.Request, "name what describes its samples", "%s: %q is a feature", m.path, parse.Shorten(features[j]))
			}
			out.words[k] = slices.Clone(m.About[j-len(lines)].Values)
		}
		width := len(out.numbers)
		out.x = make([]float32, n*width)
		for k, j := range out.numbers {
			for i, x := range lines[j] {
				out.x[i*width+k] = x
			}
			out.rounded[k] = rounded[j]
		}
		return nil
	}
	return t, nil
}

// classesBeside takes the classes from NAME.cls beside NAME.gct where the file itself tells nothing of its samples.
func classesBeside(m *expressionMatrix, path string, q query) error {
	base, ok := strings.CutSuffix(UnpackedName(path), ".gct")
	if !ok {
		return nil
	}
	content, err := WholeText(base + ".cls")
	if errors.Is(err, fs.ErrNotExist) {
		if q.predicts() {
			return nil
		}
		return errs.New(errs.Request, "put the classes beside it in "+base+".cls, or save it as GCT 1.3 with a row of classes",
			"%s holds no classes", path)
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

// A characteristic is what is known of each sample, "" where it is not.
type characteristic struct {
	Name   string
	Values []string
}

// expressionMatrix is a table of samples × features before its numbers are read.
type expressionMatrix struct {
	Samples []string
	About   []characteristic
	Note    string // of characteristics that were renamed, for people

	ctx    context.Context
	path   string
	lines  *textLines // at the first line of numbers
	names  int        // fields before the numbers
	rows   int        // that are declared; -1 where none are
	ending bool       // the table ends with a line that says so
}

// tell takes characteristics, and gives those with the same name different ones.
func (m *expressionMatrix) tell(list []characteristic) {
	m.About = list
	names, note := parse.Unique(m.Columns())
	for i, name := range names {
		m.About[i].Name = name
	}
	m.Note = note
}

// Columns are the names of the characteristics.
func (m *expressionMatrix) Columns() []string {
	var names []string
	for _, c := range m.About {
		names = append(names, c.Name)
	}
	return names
}

// Values reads the numbers, feature by feature: the features' names, and of each its value in every sample as text. Room is asked before
// more than a few features are kept; its error ends the reading.
func (m *expressionMatrix) Values(room func(features int) error,
	number func(feature int, text string) (float32, bool)) (names []string, x [][]float32, err error) {
	for {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			if m.ending {
				return nil, nil, errs.New(errs.Request, "download it again", "%s is incomplete: its table has no end (!series_matrix_table_end)",
					m.path)
			}
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if m.ending && fields[0] == seriesEnd {
			break
		}
		if fields = trimFields(fields, m.names+len(m.Samples)); len(fields) > 1 && strings.TrimSpace(strings.Join(fields, "")) == "" {
			continue // as spreadsheets leave them
		}
		if len(fields) != m.names+len(m.Samples) {
			return nil, nil, errs.New(errs.Request, "download it again, or correct the line", "%s: line %d has %s for %s", m.path,
				m.lines.Line(), phrase.Count(len(fields)-m.names, "value"), phrase.Count(len(m.Samples), "sample"))
		}
		if len(x)%64 == 0 {
			if err := room(len(x) + 64); err != nil {
				return nil, nil, err
			}
		}
		values := make([]float32, len(m.Samples))
		for i, field := range fields[m.names:] {
			text := strings.TrimSpace(field)
			v, ok := number(len(x), text)
			if !ok {
				return nil, nil, errs.New(errs.Request, forValue(text),
					"%s: line %d (%q), sample %q: %q is not a number", m.path, m.lines.Line(), parse.Shorten(fields[0]), parse.Shorten(m.Samples[i]), parse.Shorten(text))
			}
			values[i] = v
		}
		names, x = append(names, strings.Clone(strings.TrimSpace(fields[0]))), append(x, values)
	}
	if m.rows >= 0 && m.rows != len(x) {
		return nil, nil, errs.New(errs.Request, "download it again, or correct its second line",
			"%s: its second line promises %s, but there are %d", m.path, phrase.Count(m.rows, "feature"), len(x))
	}
	if len(x) == 0 {
		return nil, nil, m.noValues()
	}
	return names, x, nil
}

// trimFields is a line without the separators too many at its end, as spreadsheets leave them.
func trimFields(fields []string, width int) []string {
	for len(fields) > width && strings.TrimSpace(fields[len(fields)-1]) == "" {
		fields = fields[:len(fields)-1]
	}
	return fields
}

func (m *expressionMatrix) noValues() error {
	return errs.New(errs.Request, "its numbers are elsewhere: see the supplementary files of the series, and add the label to them",
		"%s has no numbers, as is usual for sequencing", m.path)
}

// read returns the fields of the next line, without quotes around them: a field never goes over the end of a line, and a quote in it stands
// there as it is or doubled.
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

func beginsSeries(head []byte) bool {
	text := strings.TrimLeft(string(head[:min(len(head), 64)]), " \r\n")
	return strings.HasPrefix(text, "!Series_")
}

// openSeries reads what stands above the numbers of a GEO series matrix.
func openSeries(ctx context.Context, path string, text *textFile) (*expressionMatrix, error) {
	lines, err := text.PlainLines('\t')
	if err != nil {
		return nil, err
	}
	m := &expressionMatrix{ctx: ctx, path: path, lines: lines, names: 1, rows: -1, ending: true}
	about := &characteristics{}
	for {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			return nil, errs.New(errs.Request, "download the series matrix file itself", "%s is incomplete: it has no table of numbers (%s)",
				path, seriesBegin)
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
	list, err := about.of(path, len(m.Samples))
	m.tell(list)
	return m, err
}

// characteristics gathers what the lines !Sample_… say.
type characteristics struct{ list []channelCharacteristic }

// channelCharacteristic is a characteristic of a channel, of which an array may have two; "" where the line names none.
type channelCharacteristic struct {
	characteristic
	channel string
}

// add takes a line. Those called characteristics hold "name: value", and where a sample lacks one, its later ones may stand a line above
// those of other samples: so each value goes by its own name. A name that a sample has a second time is another characteristic.
func (c *characteristics) add(key string, fields []string) {
	channel := ""
	if of, is := strings.CutPrefix(key, "characteristics"); is {
		channel, key = of, ""
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

// of are the characteristics of so many samples; those that both channels have are named after their channel.
func (c *characteristics) of(path string, samples int) ([]characteristic, error) {
	var list []characteristic
	for _, one := range c.list {
		if n := len(one.Values); n != samples {
			return nil, errs.New(errs.Request, "download it again", "%s: %q is given for %s, the table has %d", path, parse.Shorten(one.Name),
				phrase.Count(n, "sample"), samples)
		}
		if slices.ContainsFunc(c.list, func(o channelCharacteristic) bool { return o.Name == one.Name && o.channel != one.channel }) {
			one.Name += one.channel
		}
		list = append(list, one.characteristic)
	}
	return list, nil
}

func parseCount(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 0
}

func beginsGCT(head []byte) bool {
	return bytes.HasPrefix(head, []byte("#1.2")) || bytes.HasPrefix(head, []byte("#1.3"))
}

// openGCT reads what stands above the numbers of a GCT file: a line #1.2 or #1.3, the counts of rows and columns - in 1.3 also of columns that
// describe features, and of rows that describe samples -, the header, and those rows.
func openGCT(ctx context.Context, path string, text *textFile) (*expressionMatrix, error) {
	lines, err := text.PlainLines('\t')
	if err != nil {
		return nil, err
	}
	m := &expressionMatrix{ctx: ctx, path: path, lines: lines, names: 2}
	damaged := func(what string) error {
		return errs.New(errs.Request, "write it again: #1.3, then counts of rows, columns, row and column metadata, then the header",
			"%s: line %d: %s", path, m.lines.Line(), what)
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
		head[i] = append(head[i], fields...)
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
			if value = strings.TrimSpace(value); value == "-666" { // what GCT writes for nothing
				value = ""
			}
			c.Values = append(c.Values, strings.Clone(value))
		}
		m.About = append(m.About, c)
	}
	m.tell(m.About)
	return m, nil
}

// parseCLS reads a CLS file, which gives the samples of a GCT 1.2 file their classes: counts of samples and classes, their names after #,
// and the class of each sample.
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
