package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// An obsTable describes the rows of a matrix: columns of text beside it, "" where a value is missing. Where there is no column of a name the
// error is [fs.ErrNotExist].
type obsTable interface {
	Columns() []string
	Column(name string) ([]string, error)
	IsText(name string) bool // whether a column that there is holds text, where the file says so
}

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

// reading makes a reading of it, sparse where it can be and takes more than q.Dense bytes otherwise: classes and covariates from what
// describes the rows, or from the table that q.Annotations names.
func (c *cells) reading(ctx context.Context, q query) (r *Frame, err error) {
	if c.n > 0 && c.d > (1<<60)/c.n {
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s claims %d × %d numbers", c.path, c.n, c.d)
	}
	numbers := c.n * c.d
	thin := c.sparse != nil && 4*int64(numbers) > q.Dense
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
		return nil, errs.New(errs.Request, "give it a name", "%s: feature %d of %d has no name", c.path, j+1, c.d)
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
		if !q.predicts() || len(q.RowColumns()) > 0 {
			const remedy = "name a table of the cells and their classes with annotations=FILE, and its column of classes with label="
			return nil, errs.New(errs.Request, remedy, "%s holds no classes", c.path)
		}
		obs = &annotation{}
	}
	covariates, err := r.describe(obs, where, "name a column of classes with label=, or a table that has one with annotations=FILE", q)
	if err != nil {
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
	return r, r.add(covariates, where, q)
}

// describe takes what obs says of the rows: their label, their names where q.Samples names a column of them, what other keys ask for, and
// covariates. remedy is what to do where no column could be the label.
func (r *Frame) describe(obs obsTable, path, remedy string, q query) (covariates []covariate, err error) {
	for i, name := range q.Covariates {
		if name == q.Label || name == q.Samples || slices.Contains(q.Covariates[:i], name) {
			return nil, errs.New(errs.Request, "take it out of covariates",
				"%s: column %q is named twice, as a covariate and as label, samples or covariate", path, name)
		}
	}
	lacks := func(name string) bool { // rows to predict need not have it
		_, err := obs.Column(name)
		return q.predicts() && errors.Is(err, fs.ErrNotExist)
	}
	if q.Samples != "" && !lacks(q.Samples) {
		if r.Samples, err = obsColumn(obs, path, "samples", q.Samples); err != nil {
			return nil, err
		}
	}
	label := q.Label
	if label == "" {
		if label, err = q.labelAmong(obs.Columns(), path, "columns"); err != nil {
			return nil, err
		}
		if label == "" && !q.predicts() {
			return nil, errs.New(errs.Request, couldBeLabels(obs, remedy),
				"%s: no column that describes its rows is called label, class, y, target or diagnosis", path)
		}
	} else if lacks(label) || q.predicts() && q.wants(label) {
		label = ""
	}
	if label != "" {
		r.LabelName = fmt.Sprintf("column %q", label)
		if r.Labels, err = obsColumn(obs, path, "label", label); err != nil {
			return nil, err
		}
	}
	for _, c := range q.RowColumns() {
		values, err := obsColumn(obs, path, c.Key, c.Column)
		if err != nil {
			return nil, err
		}
		r.tell(c.Column, values)
	}
	for _, name := range q.Covariates {
		if lacks(name) {
			continue
		}
		values, err := obsColumn(obs, path, "covariates", name)
		if err != nil {
			return nil, err
		}
		covariates = append(covariates, covariate{name: name, values: values, text: obs.IsText(name)})
	}
	return covariates, nil
}

// obsColumn is a column that a key names, clean.
func obsColumn(obs obsTable, path, key, name string) ([]string, error) {
	values, err := obs.Column(name)
	if errors.Is(err, fs.ErrNotExist) {
		remedy := "it has no columns"
		if all := obs.Columns(); len(all) > 0 {
			remedy = "it has " + parse.Quoted(all)
		}
		if near := phrase.Nearest(name, obs.Columns()); near != "" {
			remedy = "did you mean " + parse.Clean(near) + "?"
		}
		return nil, errs.New(errs.Request, remedy, "%s has no column %q (%s) that describes its rows", path, parse.Shorten(name), key)
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

// couldBeLabels lists the columns that could be a label that nobody named; where none could, remedy says what to do.
func couldBeLabels(obs obsTable, remedy string) string {
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
	return remedy
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
			return nil, errs.New(errs.Request, "make the names of its rows different, as adata.obs_names_make_unique() does",
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
			return nil, errs.New(errs.Request, phrase.DidYouMean(key, t.header), "%s has no column %q (samples)", t.path, key)
		}
	}
	if hits[at] == 0 {
		return nil, errs.New(errs.Request, "give one of its columns the names that the rows have there",
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
			return nil, errs.New(errs.Request, "describe every row once", "%s: line %d describes %q a second time", t.path, k+2, parse.Shorten(line[at]))
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

// hdf5Format reads .h5ad files of anndata, .h5 files of Cell Ranger, and MAT files of version 7.3, which all are HDF5 inside. label,
// samples and covariates name columns of obs; layer takes another matrix than X; annotations names a table with such columns.
func hdf5Format() Format {
	return Format{Name: "HDF5", variables: true, extensions: []string{".h5ad", ".h5", ".hdf5"}, begins: isHDF5, cells: true, read: readHDF5, columns: obsColumns}
}

func isHDF5(head []byte) bool {
	for at := 0; at+len(hdf5.Signature) <= len(head); at = max(512, 2*at) {
		if string(head[at:at+len(hdf5.Signature)]) == hdf5.Signature {
			return true
		}
	}
	return false
}

func openHDF5(path string, file Input) (*hdf5.Object, error) {
	size, err := sizeOf(path, file)
	if err != nil {
		return nil, err
	}
	root, err := hdf5.Open(file, size)
	return root, unreadable(path, err)
}

func readHDF5(ctx context.Context, path string, file Input, q query) (*Frame, error) {
	root, err := openHDF5(path, file)
	if err != nil {
		return nil, err
	}
	members, err := root.Members()
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case q.X != "" && !q.predicts() && !isMAT73(root):
		return nil, noVariables(path)
	case isH5AD(root):
		return readH5AD(ctx, path, root, q)
	case q.Layer != "" && !q.predicts():
		return nil, noLayers(path)
	case isTenX(root):
		return readTenX(ctx, path, root, q)
	case isMAT73(root):
		return readMAT(ctx, path, q, func() (variableFile, error) { return openMAT73(path, root, cmp.Or(q.X, "X")) })
	}
	return nil, errs.New(errs.Request, "save it as .h5ad with anndata, or in MATLAB with save(file, 'X', 'Y', '-v7.3')",
		"%s is an HDF5 file, but not one of anndata, Cell Ranger 3 or MATLAB: it holds %s", path, parse.Quoted(members))
}

func noLayers(path string) error {
	return errs.New(errs.Request, "leave it out", "%s: layer names a matrix of an .h5ad file, which this is not", path)
}

func readH5AD(ctx context.Context, path string, root *hdf5.Object, q query) (*Frame, error) {
	table, err := openH5AD(root, q.Layer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noMatrix(path, root, q.Layer, err)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	c := &cells{path: path, obs: table.Obs, fill: table.X.Fill, sparse: storedSparse(path, table.X)}
	c.n, c.d = table.X.Shape()
	if c.names, err = table.Obs.Names(); err != nil {
		return nil, unreadable(path, err)
	}
	if c.features, err = table.Var.Names(); err != nil {
		return nil, unreadable(path, err)
	}
	what := "X"
	if q.Layer != "" {
		what = "layer " + q.Layer
	}
	c.notes = []string{sparseNote(what, table.X.Kind.String(), table.X.Stored(), c.n, c.d)}
	return c.reading(ctx, q)
}

func sparseNote(what, kind string, stored int64, n, d int) string {
	if cells := float64(n) * float64(d); cells > 0 && kind != storedDense.String() {
		return fmt.Sprintf("%s is %s, %.2g%% of it stored", what, kind, 100*float64(stored)/cells)
	}
	return what + " is " + kind
}

// noMatrix says which matrices there are.
func noMatrix(path string, root *hdf5.Object, layer string, err error) error {
	layers, _ := h5adLayers(root)
	switch near := phrase.Nearest(layer, layers); {
	case layer == "" && len(layers) > 0:
		return errs.New(errs.Request, "name one of its layers with layer=: "+parse.Quoted(layers), "%s: %s", path, parse.Clean(err.Error()))
	case layer == "" || slices.Contains(layers, layer):
		return unreadable(path, err)
	case near != "":
		return errs.New(errs.Request, "did you mean "+parse.Clean(near)+"?", "%s has no layer %q", path, parse.Shorten(layer))
	case len(layers) > 0:
		return errs.New(errs.Request, "leave layer out to take X, or name one of "+parse.Quoted(layers), "%s has no layer %q", path, parse.Shorten(layer))
	}
	return errs.New(errs.Request, "leave it out to take X", "%s has no layers, but %q was asked for", path, parse.Shorten(layer))
}

// obsColumns are the names that label= may take.
func obsColumns(_ context.Context, path string, file Input) ([]string, error) {
	root, err := openHDF5(path, file)
	if err != nil || !isH5AD(root) {
		return nil, err
	}
	obs, err := h5adObs(root, 0)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return obs.Columns(), nil
}

func readTenX(ctx context.Context, path string, root *hdf5.Object, q query) (*Frame, error) {
	table, err := openTenX(root)
	if err != nil {
		return nil, unreadable(path, err)
	}
	c := &cells{path: path, names: table.Cells, features: table.Names, fill: table.X.Fill, sparse: storedSparse(path, table.X)}
	for j, name := range c.features {
		if parse.IsMissing(parse.Clean(name)) {
			c.features[j] = table.ID[j]
		}
	}
	c.n, c.d = table.X.Shape()
	c.notes = []string{sparseNote("the matrix", table.X.Kind.String(), table.X.Stored(), c.n, c.d)}
	kinds := map[string]bool{}
	for _, kind := range table.Kinds {
		kinds[parse.Clean(kind)] = true
	}
	if len(kinds) > 1 {
		c.notes = append(c.notes, "its features are "+parse.Quoted(slices.Sorted(maps.Keys(kinds))))
	}
	return c.reading(ctx, q)
}

func mtxFormat() Format {
	return Format{Name: "MatrixMarket directory", cells: true, read: func(ctx context.Context, path string, _ Input, q query) (*Frame, error) {
		if q.Layer != "" && !q.predicts() {
			return nil, noLayers(path)
		}
		dir, err := openMatrixMarket(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		c := &cells{path: path, n: len(dir.Cells), d: len(dir.Genes), names: dir.Cells, features: dir.Genes}
		c.notes = []string{sparseNote("the matrix", "text", int64(dir.Stored), c.n, c.d)}
		c.sparse = func(ctx context.Context) (sparse.Source, error) { return collected(ctx, path, dir) }
		c.fill = func(ctx context.Context, x []float32, _ Rounding) error {
			return dir.Each(ctx, func(gene, cell int, value float32) { x[cell*c.d+gene] += value })
		}
		return c.reading(ctx, q)
	}}
}

// unreadable is what went wrong in a file of cells, on one line.
func unreadable(path string, err error) error {
	var told *errs.Error
	if err == nil || errors.As(err, &told) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	remedy := "copy or download it again"
	switch {
	case errors.Is(err, hdf5.ErrUnsupported) && strings.EqualFold(filepath.Ext(path), ".mat"):
		remedy = "save it in MATLAB with save(file, 'X', 'Y', '-v7')"
	case errors.Is(err, hdf5.ErrUnsupported):
		remedy = `write it again with a recent anndata: read_h5ad(file).write_h5ad(file, compression="gzip")`
	case errors.Is(err, fs.ErrNotExist):
		remedy = "check how it was made"
	}
	return errs.New(errs.Request, remedy, "%s: %s", path, parse.Clean(err.Error()))
}

// storedSparse is how a matrix of a file becomes a source that reads from it; nil where it is stored dense. One that is stored by columns
// is turned around in memory.
func storedSparse(path string, m *cellMatrix) func(context.Context) (sparse.Source, error) {
	rows, columns := m.Shape()
	switch m.Kind {
	case storedByRows:
		return func(context.Context) (sparse.Source, error) {
			return sparse.NewStretches(m.starts, columns, func(from, to int) (sparse.Rows, error) {
				rows, err := m.lines(from, to)
				return rows, unreadable(path, err)
			}), nil
		}
	case storedByColumns:
		return func(ctx context.Context) (sparse.Source, error) {
			const remedy = "write it by rows, which are read from disk: in Python adata.X = adata.X.tocsr(); adata.write_h5ad(file)"
			if err := checkStoredMemory(path, m.Stored(), rows, remedy); err != nil {
				return nil, err
			}
			return sparse.Collect(rows, columns, func(visit func(int, int, float32)) error {
				return m.EachColumn(ctx, func(column int, rows []int32, values []float32) {
					for k, row := range rows {
						visit(int(row), column, values[k])
					}
				})
			})
		}
	}
	return nil
}

// collected is a MatrixMarket directory in memory, without zeros.
func collected(ctx context.Context, path string, dir *mtxDirectory) (sparse.Source, error) {
	const remedy = "write it as .h5ad, which is read from disk: in Python scanpy.read_10x_mtx(directory).write_h5ad(file)"
	if err := checkStoredMemory(path, int64(dir.Stored), len(dir.Cells), remedy); err != nil {
		return nil, err
	}
	return sparse.Collect(len(dir.Cells), len(dir.Genes), func(visit func(int, int, float32)) error {
		return dir.Each(ctx, func(gene, cell int, value float32) {
			if value != 0 {
				visit(cell, gene, value)
			}
		})
	})
}
