package read

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// annotation is a table that describes rows by their names.
type annotation struct {
	path, key string // key is the column with the names
	header    []string
	values    [][]string // of each column, for the rows of the matrix
	without   int        // rows that it does not name
	more      int        // lines that name no row
}

// annotations reads a table and takes from it the lines of the rows of c. The column with the names is the one called key, else the one
// that names most rows.
func annotations(ctx context.Context, path, key string, c *cells) (*annotation, error) {
	file, err := OpenFile(path, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readTable(ctx, path, file, func(t *table) (*annotation, error) { return t.annotate(key, c) })
}

// annotate takes from a table what it says of the rows of c.
func (t *table) annotate(key string, c *cells) (*annotation, error) {
	if err := t.start(); err != nil {
		return nil, err
	}
	row := make(map[string]int, c.n)
	for i, name := range c.names {
		if _, twice := row[name]; twice {
			return nil, fault.New(fault.Request, "make the names of its rows different, as adata.obs_names_make_unique() does",
				"%s: two rows are called %q", c.path, parse.Shorten(name))
		}
		row[name] = i
	}
	a := &annotation{path: t.path, header: t.header, values: make([][]string, len(t.header))}
	lines, hits := make([][]string, 0, c.n), make([]int, len(t.header))
	err := t.each(func(record []string) error {
		line := make([]string, len(record))
		for j, field := range record {
			line[j] = parse.Own(field)
			if _, ok := row[line[j]]; ok {
				hits[j]++
			}
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := slices.Index(hits, slices.Max(hits))
	if key != "" {
		if at = t.column(key); at < 0 {
			return nil, fault.New(fault.Request, suggest.DidYouMean(key, t.header), "%s has no column %q (samples)", t.path, key)
		}
	}
	if hits[at] == 0 {
		return nil, fault.New(fault.Request, "give one of its columns the names that the rows have there",
			"%s describes no row of %s, whose rows are called %s, …", t.path, c.path, parse.Quoted(c.names[:min(c.n, 2)]))
	}
	a.key = t.header[at]
	for j := range a.values {
		a.values[j] = make([]string, c.n)
	}
	seen := make([]bool, c.n)
	for k, line := range lines {
		i, ok := row[line[at]]
		if !ok {
			a.more++
			continue
		}
		if seen[i] {
			return nil, fault.New(fault.Request, "describe every row once", "%s: line %d describes %q a second time", t.path, k+2, parse.Shorten(line[at]))
		}
		seen[i] = true
		for j, text := range line {
			a.values[j][i] = text
		}
	}
	a.without = c.n - hits[at]
	return a, nil
}

func (a *annotation) note() string {
	text := fmt.Sprintf("described by %s, whose column %q names the rows", a.path, a.key)
	if a.without > 0 {
		text += fmt.Sprintf(", %d of them not", a.without)
	}
	if a.more > 0 {
		text += fmt.Sprintf("; %d of its lines name no row", a.more)
	}
	return text
}

// Columns are those of the table, without the names.
func (a *annotation) Columns() []string {
	return slices.DeleteFunc(slices.Clone(a.header), func(name string) bool { return name == a.key || strings.TrimSpace(name) == "" })
}

// IsText is not known of a table.
func (a *annotation) IsText(string) bool { return false }

// Column is one of the table.
func (a *annotation) Column(name string) ([]string, error) {
	if j := slices.Index(a.header, name); j >= 0 {
		return a.values[j], nil
	}
	return nil, fs.ErrNotExist
}
