package reading

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/suggest"
)

// Columns are some columns of a data set, by name, as a model reads them that was trained on another one.
type Columns struct {
	Name    string
	Rows    [][]float64 // of the columns asked for, in their order; missing is NaN
	Samples []string    // or nil
	Lines   []int       // of each row in a text file; nil elsewhere
	Labels  []string    // of each row, "" where it is missing; nil where there is no label

	Described map[string][]string // the columns that tell something else of the rows ([config.Settings.RowColumns]); "" is missing
}

// AllThere refuses columns that are missing, all at once.
func AllThere(where string, names []string, at []int, known []string) error {
	var missing []string
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return slices.Contains(names, name) })
	remedy := "add these columns, under these names"
	for i, name := range names {
		if at[i] >= 0 {
			continue
		}
		missing = append(missing, name)
		if near := suggest.Nearest(name, known); near != "" && len(missing) == 1 {
			remedy += fmt.Sprintf("; is %s the column %s?", word.Shorten(name), word.Shorten(near))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.Request, remedy, "%s has %d of %s and lacks %s", where, len(names)-len(missing), count.Of(len(names), "feature"), word.Quoted(missing))
}

// TableColumns takes columns from a text table: a line a sample, or a line a feature where more of the names begin a line than head a
// column.
func TableColumns(ctx context.Context, path string, file Input, names []string, s config.Settings) (*Columns, error) {
	return readTable(ctx, path, file, func(t *table) (*Columns, error) { return t.columns(names, s) })
}

func (t *table) columns(names []string, s config.Settings) (*Columns, error) {
	if err := t.start(); err != nil {
		return nil, err
	}
	wanted := func(name string) bool { return slices.Contains(names, name) }
	lines, err := t.rowNames(wanted)
	if err != nil {
		return nil, err
	}
	heads := slices.DeleteFunc(slices.Clone(t.header), func(name string) bool { return !wanted(name) })
	columns := map[string][]string{}
	c := &Columns{Name: strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))}
	transposed := len(lines) > len(heads)
	if transposed {
		c.Samples = slices.Clone(t.header[1:])
	}
	head, _ := word.Unique(t.header)
	describing := rowColumns(s)
	needed := func(name string) bool {
		return wanted(name) || slices.Contains(describing, name) || slices.Contains(s.Covariates, name) || name == s.Label || name == s.Samples || word.NamesLabel(name) || name == "" || namesRows(name)
	}
	err = t.each(func(record []string) error {
		if transposed {
			if name := word.Own(record[0]); needed(name) && columns[name] == nil {
				for _, field := range record[1:] {
					columns[name] = append(columns[name], word.Own(field))
				}
			}
			return nil
		}
		c.Lines = append(c.Lines, t.line)
		for j, field := range record {
			if needed(head[j]) {
				columns[head[j]] = append(columns[head[j]], word.Own(field))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	known := head
	if transposed {
		known = nil
	}
	if err := c.take(columns, names, known, t.path, s, func(text string, row int) (float64, bool) {
		if !transposed {
			return t.decimals.Number(text, c.Lines[row])
		}
		return t.decimals.Number(text, row+2)
	}); err != nil {
		return nil, err
	}
	if err := c.describe(describing, columns, t.path); err != nil {
		return nil, err
	}
	if !transposed {
		c.Samples = columns[s.Samples]
		if first := head[0]; s.Samples == "" && !wanted(first) && (first == "" || namesRows(first)) {
			c.Samples = columns[first]
		}
	}
	return c, nil
}

// describe keeps what some columns tell of the rows, which the model needs.
func (c *Columns) describe(names []string, columns map[string][]string, path string) error {
	var r Reading
	for _, name := range names {
		if columns[name] == nil {
			return fault.New(fault.Request, "add it: the model was trained with it", "%s has no column %q", path, word.Shorten(name))
		}
		r.tell(name, columns[name])
		if i := slices.Index(r.Described[name], ""); i >= 0 {
			return fault.New(fault.Request, "give it a value", "%s: %s, column %q: the value is missing", path, Place(c.Lines, i), word.Shorten(name))
		}
		word.Joined(r.Described[name])
	}
	c.Described = r.Described
	return nil
}

// take makes numbers and classes of columns of text; read makes a number of the text of a row.
func (c *Columns) take(columns map[string][]string, names, known []string, path string, s config.Settings,
	read func(string, int) (float64, bool)) error {
	at := make([]int, len(names))
	numbers := make([][]float64, len(names))
	for i, name := range names {
		covariate, value, found := strings.Cut(name, "=")
		switch found = found && slices.Contains(s.Covariates, covariate); {
		case columns[name] == nil && (!found || columns[covariate] == nil):
			at[i] = -1
			continue
		case columns[name] == nil:
			for _, text := range columns[covariate] {
				x := 0.0
				switch {
				case word.IsMissing(text):
					x = math.NaN()
				case text == value:
					x = 1
				}
				numbers[i] = append(numbers[i], x)
			}
			continue
		}
		for row, text := range columns[name] {
			x, ok := read(text, row)
			if x = float64(float32(x)); !ok || math.IsInf(x, 0) { // as in a training
				return fault.New(fault.Request, "correct it", "%s: %s, column %q: %q is not a number, or is beyond the ±3.4e38 of a 32-bit one",
					path, Place(c.Lines, row), word.Shorten(name), word.Shorten(text))
			}
			numbers[i] = append(numbers[i], x)
		}
	}
	if err := AllThere(path, names, at, known); err != nil {
		return err
	}
	c.Rows = make([][]float64, len(numbers[0]))
	for _, column := range numbers {
		for row, x := range column {
			c.Rows[row] = append(c.Rows[row], x)
		}
	}
	for name, texts := range columns {
		if name != s.Label && (s.Label != "" || !word.NamesLabel(name)) || slices.Contains(names, name) {
			continue
		}
		if c.Labels != nil {
			return fault.New(fault.Request, "say which with label=", "%s: several columns could be the label", path)
		}
		c.Labels = make([]string, len(texts))
		for row, text := range texts {
			if !word.IsMissing(text) {
				c.Labels[row] = text
			}
		}
	}
	word.Joined(c.Labels)
	return nil
}
