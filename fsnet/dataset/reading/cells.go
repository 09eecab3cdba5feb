package reading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/room"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// A frame describes the rows of a matrix: columns of text beside it, "" where a value is missing. Where there is no column of a name the
// error is [fs.ErrNotExist].
type frame interface {
	Columns() []string
	Column(name string) ([]string, error)
}

// cells is a matrix that is described beside it: an .h5ad file, or what Cell Ranger writes.
type cells struct {
	path     string
	n, d     int
	names    []string // of the rows
	features []string
	obs      frame // nil where nothing describes the rows
	fill     func(ctx context.Context, x []float32) error
	sparse   func(ctx context.Context) (sparse.Source, error) // instead of fill; nil where the matrix is stored dense
	notes    []string
}

// reading makes a reading of it, sparse where it can be and takes more than dense bytes otherwise: classes and covariates from what describes the rows, or from the table that s.Annotations names.
func (c *cells) reading(ctx context.Context, s config.Settings, dense int64) (r *Reading, err error) {
	if c.n > 0 && c.d > (1<<60)/c.n {
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s claims %d × %d numbers", c.path, c.n, c.d)
	}
	numbers := c.n * c.d
	thin := c.sparse != nil && 4*int64(numbers) > dense
	if thin {
		numbers = 0 // they stay where they are
		c.notes = append(c.notes, "it stays sparse")
	}
	if err := room.Dense(c.path, numbers+8*(c.n+c.d), c.d); err != nil { // a name takes some 32 bytes
		return nil, err
	}
	r = &Reading{Samples: c.names, Features: c.features, Notes: c.notes}
	for _, names := range [][]string{r.Samples, r.Features} {
		for i := range names {
			names[i] = word.Clean(names[i])
		}
	}
	if j := slices.Index(r.Features, ""); j >= 0 {
		return nil, fault.New(fault.Request, "give it a name", "%s: feature %d of %d has no name", c.path, j+1, c.d)
	}
	obs, where := c.obs, c.path
	if s.Annotations != "" {
		table, err := annotations(ctx, s.Annotations, s.Samples, c)
		if err != nil {
			return nil, err
		}
		obs, where, s.Samples = table, s.Annotations, ""
		r.Notes = append(r.Notes, table.note())
	}
	if obs == nil {
		const remedy = "name a table of the cells and their classes with annotations=FILE, and its column of classes with label="
		return nil, fault.New(fault.Request, remedy, "%s holds no classes", c.path)
	}
	if err := r.describe(obs, where, s, c.n); err != nil {
		return nil, err
	}
	if thin {
		r.Source, err = c.sparse(ctx)
	} else {
		r.X = make([]float32, numbers)
		err = c.fill(ctx, r.X)
	}
	if err != nil {
		return nil, unreadable(c.path, err)
	}
	list := make([]covariate, 0, len(s.Covariates))
	for _, name := range s.Covariates {
		values, err := frameColumn(obs, where, "covariates", name)
		if err != nil {
			return nil, err
		}
		list = append(list, covariate{name, values})
	}
	return r, r.add(list, where)
}

// describe takes the classes of n rows, and their names where s.Samples names a column of them.
func (r *Reading) describe(obs frame, path string, s config.Settings, n int) (err error) {
	for i, name := range s.Covariates {
		if name == s.Label || name == s.Samples || slices.Contains(s.Covariates[:i], name) {
			return fault.New(fault.Request, "take it out of covariates",
				"%s: column %q is named twice, as a covariate and as label, samples or covariate", path, name)
		}
	}
	if s.Samples != "" {
		if r.Samples, err = frameColumn(obs, path, "samples", s.Samples); err != nil {
			return err
		}
	}
	label := s.Label
	if label == "" {
		var found []string
		for _, name := range obs.Columns() {
			if looksLikeLabel(name) {
				found = append(found, name)
			}
		}
		if len(found) > 1 {
			return fault.New(fault.Request, "say which with label=", "%s: the columns %s could all be the label", path, word.Quoted(found))
		}
		if len(found) == 0 {
			return fault.New(fault.Request, couldBeLabels(obs, n),
				"%s: no column that describes its rows is called label, class, y, target or diagnosis", path)
		}
		label = found[0]
	}
	r.LabelName = fmt.Sprintf("column %q", label)
	r.Labels, err = frameColumn(obs, path, "label", label)
	return err
}

// frameColumn is a column that a key names, clean.
func frameColumn(obs frame, path, key, name string) ([]string, error) {
	values, err := obs.Column(name)
	if errors.Is(err, fs.ErrNotExist) {
		remedy := "it has no columns"
		if all := obs.Columns(); len(all) > 0 {
			remedy = "it has " + word.Quoted(all)
		}
		if near := suggest.Nearest(name, obs.Columns()); near != "" {
			remedy = "did you mean " + word.Clean(near) + "?"
		}
		return nil, fault.New(fault.Request, remedy, "%s has no column %q (%s) that describes its rows", path, word.Shorten(name), key)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	clean := make([]string, len(values))
	for i, text := range values {
		if text = word.Clean(text); !word.IsMissing(text) {
			clean[i] = text
		}
	}
	return clean, nil
}

// couldBeLabels says what to do about a label that nobody named: it lists the columns of a few different words or whole numbers, words
// first.
func couldBeLabels(obs frame, n int) string {
	const most, look = 100, 200 // classes, and columns that are looked at
	var words, numbers []string
	all := obs.Columns()
	for _, name := range all[:min(len(all), look)] {
		values, err := obs.Column(name)
		if err != nil {
			continue
		}
		different, whole, numeric := map[string]bool{}, true, true
		for _, text := range values {
			if word.IsMissing(text) || different[text] {
				continue
			}
			x, ok := word.Number(text)
			numeric, whole = numeric && ok, whole && (!ok || float32(int64(x)) == x)
			if different[text] = true; len(different) > most {
				break
			}
		}
		switch {
		case len(different) < 2 || len(different) > most || len(different) > n/2 || !whole:
		case numeric:
			numbers = append(numbers, name)
		default:
			words = append(words, name)
		}
	}
	if could := append(words, numbers...); len(could) > 0 {
		return "name the column of classes with label=; it could be " + word.Quoted(could)
	}
	return "name a column of classes with label=, or a table that has one with annotations=FILE"
}

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
	t, err := textTable(ctx, path, file)
	if err != nil {
		return nil, err
	}
	if err := t.start(); err != nil {
		return nil, err
	}
	row := make(map[string]int, c.n)
	for i, name := range c.names {
		if _, twice := row[name]; twice {
			return nil, fault.New(fault.Request, "make the names of its rows different, as adata.obs_names_make_unique() does",
				"%s: two rows are called %q", c.path, word.Shorten(name))
		}
		row[name] = i
	}
	a := &annotation{path: path, header: t.header, values: make([][]string, len(t.header))}
	lines, hits := make([][]string, 0, c.n), make([]int, len(t.header))
	err = t.each(func(record []string) error {
		line := make([]string, len(record))
		for j, field := range record {
			line[j] = word.Own(field)
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
			return nil, fault.New(fault.Request, suggest.DidYouMean(key, t.header), "%s has no column %q (samples)", path, key)
		}
	}
	if hits[at] == 0 {
		return nil, fault.New(fault.Request, "name the rows in one of its columns as they are named there",
			"%s describes no row of %s, which are called %s, …", path, c.path, word.Quoted(c.names[:min(c.n, 2)]))
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
			return nil, fault.New(fault.Request, "describe every row once", "%s: line %d describes %q a second time", path, k+2, word.Shorten(line[at]))
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

// Column is one of the table.
func (a *annotation) Column(name string) ([]string, error) {
	if j := slices.Index(a.header, name); j >= 0 {
		return a.values[j], nil
	}
	return nil, fs.ErrNotExist
}
