package read

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// beginsGCT says whether a text that begins so is a GCT file.
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
		return fault.New(fault.Request, "write it again: #1.3, then counts of rows, columns, row and column metadata, then the header",
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
func parseCLS(path string, content []byte, samples int) (*characteristic, error) {
	damaged := func(what string) error {
		return fault.New(fault.Request, `write "samples classes 1", "# name name", and the class of each sample; or move the file away`,
			"%s: %s", path, what)
	}
	var lines [][]string
	for line := range strings.Lines(string(content)) {
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
