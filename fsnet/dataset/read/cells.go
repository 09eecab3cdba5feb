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

// table is the matrix as a table, sparse where it is stored so.
func (c *cells) table() (*table, error) {
	if c.n > 0 && c.d > (1<<60)/c.n {
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s claims %d × %d numbers", c.path, c.n, c.d)
	}
	if err := checkMemory(c.path, 8*(c.n+c.d), c.d); err != nil { // a name takes some 32 bytes
		return nil, err
	}
	t := &table{path: c.path, shape: beside, samples: c.names, rows: c.n, notes: c.notes,
		remedy: "name a table of the cells and their classes with annotations=FILE, and its column of classes with label="}
	for i := range c.names {
		c.names[i] = parse.Clean(c.names[i])
	}
	for _, name := range c.features {
		t.columns = append(t.columns, column{Name: parse.Clean(name), Kind: realKind})
	}
	if c.obs != nil {
		t.remedy = "name a column of classes with label=, or a table that has one with annotations=FILE"
		for _, name := range c.obs.Columns() {
			t.columns = append(t.columns, column{Name: name, Kind: mixedKind, Beside: true})
		}
	}
	if c.sparse != nil {
		t.thin = func(ctx context.Context) (sparse.Source, error) {
			source, err := c.sparse(ctx)
			return source, unreadable(c.path, err)
		}
	}
	t.read = func(ctx context.Context, out *output) error {
		for k, j := range out.texts {
			name := t.columns[j].Name
			if j < c.d {
				return errs.New(errs.Request, "name a column that describes its rows", "%s: %q is a feature", c.path, parse.Shorten(name))
			}
			texts, err := c.obs.Column(name)
			if err != nil {
				return unreadable(c.path, err)
			}
			out.words[k], out.stored[k] = slices.Clone(texts), c.obs.IsText(name)
		}
		if len(out.numbers) == 0 {
			return nil
		}
		return out.matrix(c.n, c.d, func() (x []float32, rounded Rounding, err error) {
			if err := out.room(c.n * c.d); err != nil {
				return nil, nil, err
			}
			x, rounded = make([]float32, c.n*c.d), make(Rounding, c.d)
			return x, rounded, unreadable(c.path, c.fill(ctx, x, rounded))
		})
	}
	return t, nil
}

// hdf5Format reads .h5ad files of anndata, .h5 files of Cell Ranger, and MAT files of version 7.3, which all are HDF5 inside. label,
// samples and covariates name columns of obs; layer takes another matrix than X; annotations names a table with such columns.
func hdf5Format() Format {
	return Format{Name: "HDF5", variables: true, extensions: []string{".h5ad", ".h5", ".hdf5"}, begins: isHDF5, cells: true, open: openHDF5Table, columns: obsColumns}
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

func openHDF5Table(_ context.Context, path string, file Input, q query) (*table, error) {
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
		return openH5ADTable(path, root, q)
	case q.Layer != "" && !q.predicts():
		return nil, noLayers(path)
	case isTenX(root):
		return openTenXTable(path, root)
	case isMAT73(root):
		return openMATTable(path, q, func() (variableFile, error) { return openMAT73(path, root, cmp.Or(q.X, "X")) })
	}
	return nil, errs.New(errs.Request, "save it as .h5ad with anndata, or in MATLAB with save(file, 'X', 'Y', '-v7.3')",
		"%s is an HDF5 file, but not one of anndata, Cell Ranger 3 or MATLAB: it holds %s", path, parse.Quote(members))
}

func noLayers(path string) error {
	return errs.New(errs.Request, "leave it out", "%s: layer names a matrix of an .h5ad file, which this is not", path)
}

func openH5ADTable(path string, root *hdf5.Object, q query) (*table, error) {
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
	return c.table()
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
		return errs.New(errs.Request, "name one of its layers with layer=: "+parse.Quote(layers), "%s: %s", path, parse.Clean(err.Error()))
	case layer == "" || slices.Contains(layers, layer):
		return unreadable(path, err)
	case near != "":
		return errs.New(errs.Request, "did you mean "+parse.Clean(near)+"?", "%s has no layer %q", path, parse.Shorten(layer))
	case len(layers) > 0:
		return errs.New(errs.Request, "leave layer out to take X, or name one of "+parse.Quote(layers), "%s has no layer %q", path, parse.Shorten(layer))
	}
	return errs.New(errs.Request, "leave it out to take X", "%s has no layers, but %q was asked for", path, parse.Shorten(layer))
}

// obsColumns are the names that label= may take.
func obsColumns(_ context.Context, path string, file Input) (c Titles, err error) {
	root, err := openHDF5(path, file)
	if err != nil || !isH5AD(root) {
		return c, err
	}
	obs, err := h5adObs(root, 0)
	if err != nil {
		return c, unreadable(path, err)
	}
	return Titles{Words: obs.Columns()}, nil
}

func openTenXTable(path string, root *hdf5.Object) (*table, error) {
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
	c.notes = append(c.notes, kindsNote(table.Kinds)...)
	return c.table()
}

// kindsNote names the kinds of features where 10x Genomics has several, such as genes and antibodies.
func kindsNote(kinds []string) []string {
	different := map[string]bool{}
	for _, kind := range kinds {
		if kind = parse.Clean(kind); kind != "" {
			different[kind] = true
		}
	}
	if len(different) < 2 {
		return nil
	}
	return []string{"its features are " + parse.Quote(slices.Sorted(maps.Keys(different)))}
}

func mtxFormat() Format {
	return Format{Name: "MatrixMarket directory", cells: true, open: func(_ context.Context, path string, _ Input, q query) (*table, error) {
		if q.Layer != "" && !q.predicts() {
			return nil, noLayers(path)
		}
		dir, err := openMatrixMarket(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		c := &cells{path: path, n: len(dir.Cells), d: len(dir.Genes), names: dir.Cells, features: dir.Genes}
		c.notes = append([]string{sparseNote("the matrix", "text", int64(dir.Stored), c.n, c.d)}, kindsNote(dir.Kinds)...)
		c.sparse = func(ctx context.Context) (sparse.Source, error) { return collected(ctx, path, dir) }
		c.fill = func(ctx context.Context, x []float32, _ Rounding) error {
			return dir.Each(ctx, func(gene, cell int, value float32) { x[cell*c.d+gene] += value })
		}
		return c.table()
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
