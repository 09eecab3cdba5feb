package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// Columns are some columns of a data set, by name, as a model reads them that was trained on another one.
type Columns struct {
	Name    string
	Rows    [][]float64 // of the columns asked for, in their order; missing is NaN
	Samples []string    // or nil
	Labels  []string    // of each row, "" where it is missing; nil where there is no label
}

// OpenColumns reads these columns of the data that s.Data names, and neither needs nor looks at any others but the label's and the samples'.
// Label and samples are found as [Open] finds them, and may be missing; a label is compared as a class is, so that 1 and 1.0 are one. A name
// such as sex=f is also found in a covariate: the column sex of words. Files that are no text tables are read by [Open], label and all.
//
// The error is of kind Request and names all columns that are missing, with what may have been meant.
func OpenColumns(ctx context.Context, names []string, s config.Settings, dir string) (*Columns, error) {
	s.Missing = "mean" // whatever is missing elsewhere does not matter
	path := Locate(s.Data, dir)
	if _, builtin := builtinNamed(s.Data); !builtin {
		file, err := openFile(path, s.Data)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		f, err := formatOf(path, filepath.Ext(path), file)
		if err != nil {
			return nil, err
		}
		if slices.Contains(f.extensions, ".csv") {
			return tableColumns(ctx, path, file, names, s)
		}
	} else {
		s.Label = ""
	}
	s.Samples, s.Covariates = "", nil // they name columns of a table
	d, err := Open(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	c := &Columns{Name: d.Name, Rows: make([][]float64, d.N), Samples: d.Samples, Labels: make([]string, d.N)}
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = slices.Index(d.Features, name)
	}
	if err := allThere(d.where(), names, at, d.Features); err != nil {
		return nil, err
	}
	for i := range d.N {
		c.Labels[i] = d.Classes[d.Y[i]]
		for _, j := range at {
			c.Rows[i] = append(c.Rows[i], float64(d.At(i, j)))
		}
	}
	return c, nil
}

// allThere refuses columns that are missing, all at once.
func allThere(where string, names []string, at []int, known []string) error {
	var missing []string
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return slices.Contains(names, name) })
	remedy := "add these columns, under these names"
	for i, name := range names {
		if at[i] >= 0 {
			continue
		}
		missing = append(missing, name)
		if near := suggest.Nearest(name, known); near != "" && len(missing) == 1 {
			remedy += fmt.Sprintf("; is %s the column %s?", shorten(name), shorten(near))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.Request, remedy, "%s has %d of %d features and lacks %s", where, len(names)-len(missing), len(names), quoted(missing))
}

// tableColumns is OpenColumns of a text table: a line a sample, or a line a feature where more of the names begin a line than head a column.
func tableColumns(ctx context.Context, path string, file input, names []string, s config.Settings) (*Columns, error) {
	t, err := textTable(ctx, path, file)
	if err != nil {
		return nil, err
	}
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
	c := &Columns{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	transposed := len(lines) > len(heads)
	if transposed {
		c.Samples = slices.Clone(t.header[1:])
	}
	head, _ := unique(t.header)
	needed := func(name string) bool {
		return wanted(name) || slices.Contains(s.Covariates, name) || name == s.Label || name == s.Samples || looksLikeLabel(name) || name == "" || namesRows(name)
	}
	for {
		record, err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if transposed {
			if name := ownName(record[0]); needed(name) && columns[name] == nil {
				for _, field := range record[1:] {
					columns[name] = append(columns[name], ownName(field))
				}
			}
			continue
		}
		for j, field := range record {
			if needed(head[j]) {
				columns[head[j]] = append(columns[head[j]], ownName(field))
			}
		}
	}
	known := head
	if transposed {
		known = nil
	}
	if err := c.take(columns, names, known, path, s, func(text string, row int) (float32, bool) {
		x, ok := number(text)
		if t.decimals == nil {
			return x, ok
		}
		return t.decimals.number(text, x, ok, row+2)
	}); err != nil {
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

// take makes numbers and classes of columns of text; read makes a number of the text of a row.
func (c *Columns) take(columns map[string][]string, names, known []string, path string, s config.Settings, read func(string, int) (float32, bool)) error {
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
				case isMissing(text):
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
			if !ok || math.IsInf(float64(x), 0) {
				return fault.New(fault.Request, "correct it", "%s: row %d, column %q: %q is no number, or beyond the ±3.4e38 of a 32-bit one", path, row+1, shorten(name), shorten(text))
			}
			numbers[i] = append(numbers[i], float64(x))
		}
	}
	if err := allThere(path, names, at, known); err != nil {
		return err
	}
	c.Rows = make([][]float64, len(numbers[0]))
	for _, column := range numbers {
		for row, x := range column {
			c.Rows[row] = append(c.Rows[row], x)
		}
	}
	for name, texts := range columns {
		if name != s.Label && (s.Label != "" || !looksLikeLabel(name)) || slices.Contains(names, name) {
			continue
		}
		if c.Labels != nil {
			return fault.New(fault.Request, "say which with label=", "%s: several columns could be the label", path)
		}
		c.Labels = make([]string, len(texts))
		for row, text := range texts {
			if !isMissing(text) {
				c.Labels[row] = text
			}
		}
	}
	if values, numeric := asNumbers(c.Labels); numeric {
		for row, x := range values {
			if x == x {
				c.Labels[row] = spell(x)
			}
		}
	}
	return nil
}
