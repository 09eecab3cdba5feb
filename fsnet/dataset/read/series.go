package read

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

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
	names, note := parse.Unique(m.Names())
	for i, name := range names {
		m.About[i].Name = name
	}
	m.Note = note
}

// Names of the characteristics.
func (m *expressionMatrix) Names() []string {
	var names []string
	for _, c := range m.About {
		names = append(names, c.Name)
	}
	return names
}

// Lookup finds a characteristic: exactly, else in any case. It is nil where there is none.
func (m *expressionMatrix) Lookup(name string) *characteristic {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(m.About, func(c characteristic) bool { return same(c.Name, name) }); i >= 0 {
			return &m.About[i]
		}
	}
	return nil
}

// Values reads the numbers, feature by feature: the features' names, and of each its value in every sample as text. Room is asked before
// more than a few features are kept; its error ends the reading.
func (m *expressionMatrix) Values(room func(features int) error,
	number func(feature int, text string) (float32, bool)) (names []string, x [][]float32, err error) {
	for {
		fields, err := m.read()
		if errors.Is(err, io.EOF) {
			if m.ending {
				return nil, nil, fault.New(fault.Request, "download it again", "%s is incomplete: its table has no end (!series_matrix_table_end)",
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
			return nil, nil, fault.New(fault.Request, "download it again, or correct the line", "%s: line %d has %s for %s", m.path,
				m.lines.Line(), count.Of(len(fields)-m.names, "value"), count.Of(len(m.Samples), "sample"))
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
				return nil, nil, fault.New(fault.Request, "correct it, or leave it empty and use missing=mean or missing=drop",
					"%s: line %d (%q), sample %q: %q is not a number", m.path, m.lines.Line(), parse.Shorten(fields[0]), parse.Shorten(m.Samples[i]), parse.Shorten(text))
			}
			values[i] = v
		}
		names, x = append(names, strings.Clone(strings.TrimSpace(fields[0]))), append(x, values)
	}
	if m.rows >= 0 && m.rows != len(x) {
		return nil, nil, fault.New(fault.Request, "download it again, or correct its second line",
			"%s: its second line promises %s, but there are %d", m.path, count.Of(m.rows, "feature"), len(x))
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
	return fault.New(fault.Request, "its numbers are elsewhere: see the supplementary files of the series, and add the label to them",
		"%s has no numbers, as is usual for sequencing", m.path)
}

// read returns the fields of the next line, without quotes around them: a field never goes over the end of a line, and a quote in it stands
// there as it is or doubled.
func (m *expressionMatrix) read() ([]string, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	fields, err := m.lines.Read()
	for i, field := range fields {
		if n := len(field); n > 1 && field[0] == '"' && field[n-1] == '"' {
			fields[i] = strings.ReplaceAll(field[1:n-1], `""`, `"`)
		}
	}
	return fields, err
}

const (
	seriesBegin = "!series_matrix_table_begin"
	seriesEnd   = "!series_matrix_table_end"
)

// beginsSeries says whether a text that begins so is a series matrix.
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
			return nil, fault.New(fault.Request, "download the series matrix file itself", "%s is incomplete: it has no table of numbers (%s)",
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
			return nil, fault.New(fault.Request, "download it again", "%s: %q is given for %s, the table has %d", path, parse.Shorten(one.Name),
				count.Of(n, "sample"), samples)
		}
		if slices.ContainsFunc(c.list, func(o channelCharacteristic) bool { return o.Name == one.Name && o.channel != one.channel }) {
			one.Name += one.channel
		}
		list = append(list, one.characteristic)
	}
	return list, nil
}

// parseCount reads a count of a header.
func parseCount(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 0
}
