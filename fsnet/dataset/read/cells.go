package read

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// A obsTable describes the rows of a matrix: columns of text beside it, "" where a value is missing. Where there is no column of a name the
// error is [fs.ErrNotExist].
type obsTable interface {
	Columns() []string
	Column(name string) ([]string, error)
	IsText(name string) bool // whether a column that there is holds text, where the file says so
}

// noObs describes nothing.
type noObs struct{}

func (noObs) Columns() []string               { return nil }
func (noObs) Column(string) ([]string, error) { return nil, fs.ErrNotExist }
func (noObs) IsText(string) bool              { return false }

// cells is a matrix that is described beside it: an .h5ad file, or what Cell Ranger writes.
type cells struct {
	path     string
	n, d     int
	names    []string // of the rows
	features []string
	obs      obsTable // nil where nothing describes the rows
	fill     func(ctx context.Context, x []float32, rounded Rounding) error
	sparse   func(ctx context.Context) (sparse.Source, error) // instead of fill; nil where the matrix is stored dense
	notes    []string
}

// reading makes a reading of it, sparse where it can be and takes more than q.dense bytes otherwise: classes and covariates from what
// describes the rows, or from the table that q.Annotations names.
func (c *cells) reading(ctx context.Context, q query) (r *Frame, err error) {
	if c.n > 0 && c.d > (1<<60)/c.n {
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s claims %d × %d numbers", c.path, c.n, c.d)
	}
	numbers := c.n * c.d
	thin := c.sparse != nil && 4*int64(numbers) > q.dense
	if thin {
		numbers = 0 // they stay where they are
		c.notes = append(c.notes, "it stays sparse")
	}
	if err := checkMemory(c.path, numbers+8*(c.n+c.d), c.d); err != nil { // a name takes some 32 bytes
		return nil, err
	}
	r = &Frame{Samples: c.names, Features: c.features, Notes: c.notes, Untyped: q.Annotations != ""}
	for _, names := range [][]string{r.Samples, r.Features} {
		for i := range names {
			names[i] = parse.Clean(names[i])
		}
	}
	if j := slices.Index(r.Features, ""); j >= 0 {
		return nil, fault.New(fault.Request, "give it a name", "%s: feature %d of %d has no name", c.path, j+1, c.d)
	}
	obs, where := c.obs, c.path
	if q.Annotations != "" {
		table, err := annotations(ctx, q.Annotations, q.Samples, c)
		if err != nil {
			return nil, err
		}
		obs, where, q.Samples = table, q.Annotations, ""
		r.Notes = append(r.Notes, table.note())
	}
	if obs == nil {
		obs = noObs{}
	}
	if obs == (noObs{}) && (!q.predicts() || len(q.RowColumns()) > 0) {
		const remedy = "name a table of the cells and their classes with annotations=FILE, and its column of classes with label="
		return nil, fault.New(fault.Request, remedy, "%s holds no classes", c.path)
	}
	if err := r.describe(obs, where, q); err != nil {
		return nil, err
	}
	if thin {
		r.Source, err = c.sparse(ctx)
	} else {
		r.X = make([]float32, numbers)
		rounded := make(Rounding, c.d)
		err = c.fill(ctx, r.X, rounded)
		r.NoteLost(rounded, r.Features)
	}
	if err != nil {
		return nil, unreadable(c.path, err)
	}
	list := make([]covariate, 0, len(q.Covariates))
	for _, name := range q.Covariates {
		if q.predicts() && !slices.Contains(obs.Columns(), name) {
			continue
		}
		values, err := obsColumn(obs, where, "covariates", name)
		if err != nil {
			return nil, err
		}
		list = append(list, covariate{name: name, values: values, text: obs.IsText(name)})
	}
	return r, r.add(list, where, q)
}

// describe takes the classes of the rows, and their names where q.Samples names a column of them.
func (r *Frame) describe(obs obsTable, path string, q query) (err error) {
	for i, name := range q.Covariates {
		if name == q.Label || name == q.Samples || slices.Contains(q.Covariates[:i], name) {
			return fault.New(fault.Request, "take it out of covariates",
				"%s: column %q is named twice, as a covariate and as label, samples or covariate", path, name)
		}
	}
	if q.Samples != "" && (!q.predicts() || slices.Contains(obs.Columns(), q.Samples)) {
		if r.Samples, err = obsColumn(obs, path, "samples", q.Samples); err != nil {
			return err
		}
	}
	label := q.Label
	if label == "" || q.predicts() {
		found := slices.DeleteFunc(slices.Clone(obs.Columns()), func(name string) bool { return !q.isLabel(name) })
		if len(found) > 1 {
			return fault.New(fault.Request, "say which with label=", "%s: the columns %s could all be the label", path, parse.Quoted(found))
		}
		if len(found) == 0 && !q.predicts() {
			return fault.New(fault.Request, couldBeLabels(obs),
				"%s: no column that describes its rows is called label, class, y, target or diagnosis", path)
		}
		label = strings.Join(found, "")
	}
	for _, c := range q.RowColumns() {
		values, err := obsColumn(obs, path, c.Key, c.Column)
		if err != nil {
			return err
		}
		r.tell(c.Column, values)
	}
	if label == "" {
		return nil
	}
	r.LabelName = fmt.Sprintf("column %q", label)
	r.Labels, err = obsColumn(obs, path, "label", label)
	return err
}

// obsColumn is a column that a key names, clean.
func obsColumn(obs obsTable, path, key, name string) ([]string, error) {
	values, err := obs.Column(name)
	if errors.Is(err, fs.ErrNotExist) {
		remedy := "it has no columns"
		if all := obs.Columns(); len(all) > 0 {
			remedy = "it has " + parse.Quoted(all)
		}
		if near := suggest.Nearest(name, obs.Columns()); near != "" {
			remedy = "did you mean " + parse.Clean(near) + "?"
		}
		return nil, fault.New(fault.Request, remedy, "%s has no column %q (%s) that describes its rows", path, parse.Shorten(name), key)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	clean := make([]string, len(values))
	for i, text := range values {
		if text = parse.Clean(text); !parse.IsMissing(text) {
			clean[i] = text
		}
	}
	return clean, nil
}

// couldBeLabels says what to do about a label that nobody named: it lists the columns that could be it.
func couldBeLabels(obs obsTable) string {
	const look = 200 // columns
	all := obs.Columns()
	could := newCandidates(all[:min(len(all), look)]).among(func(j int) []string {
		values, err := obs.Column(all[j])
		if err != nil {
			return nil // it is another one's turn
		}
		return values
	})
	if len(could) > 0 {
		return "name the column of classes with label=; it could be " + parse.Quoted(could)
	}
	return "name a column of classes with label=, or a table that has one with annotations=FILE"
}
