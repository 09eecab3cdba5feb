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

// cells is a single-cell matrix and the descriptions of its rows: an .h5ad
// file, or the output of Cell Ranger.
type cells struct {
	path     string
	n, d     int
	names    []string // of the rows
	features []string
	obs      *h5Frame // describes the rows; may be nil
	notes    []string

	// dense fills x. It is nil if the matrix is sparse.
	dense func(ctx context.Context, x []float32, rounded Rounding) error
	// each visits the numbers of a sparse matrix. It is nil if the matrix is
	// dense.
	each func(ctx context.Context, visit func(row, column int, value float32)) error
	// source reads a sparse matrix from its file. It is nil if the matrix is
	// collected in memory instead.
	source func() sparse.Source
	stored int64 // numbers in the file
	// what to do if a sparse matrix does not fit into memory
	remedy string
}

// table returns the matrix as a table. It is sparse if it is stored so. The
// numbers are read later.
func (c *cells) table() (*table, error) {
	if c.n > 0 && c.d > (1<<60)/c.n {
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s claims %d × %d numbers", c.path, c.n, c.d)
	}
	if err := checkMemory(c.path, 8*(c.n+c.d), c.d); err != nil { // a name takes about 32 bytes
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
	var besides []string
	if c.obs != nil {
		t.remedy = "name a column of classes with label=, or a table that has one with annotations=FILE"
		besides = c.obs.Columns()
		for _, name := range besides {
			t.columns = append(t.columns, column{Name: name, Kind: mixedKind, Beside: true})
		}
	}

	if c.each != nil {
		t.thin = c.collect
	}

	t.readMatrix(c.d, func(k int) ([]string, bool, error) {
		texts, err := c.obs.Column(besides[k])
		return texts, c.obs.IsText(besides[k]), explainCells(c.path, err)
	}, func(ctx context.Context, room memoryCheck) ([]float32, Rounding, error) {
		if err := room(c.n * c.d); err != nil {
			return nil, nil, err
		}
		x, rounded, fill := make([]float32, c.n*c.d), make(Rounding, c.d), c.dense
		if fill == nil {
			fill = func(ctx context.Context, x []float32, _ Rounding) error {
				return c.each(ctx, func(row, column int, value float32) { x[row*c.d+column] += value })
			}
		}
		return x, rounded, explainCells(c.path, fill(ctx, x, rounded))
	})
	return t, nil
}

// collect returns a sparse matrix without its zeros. The matrix reads from the
// file if it can, otherwise it is a copy in memory. It returns an error if
// memory has no room for the copy.
func (c *cells) collect(ctx context.Context) (sparse.Source, error) {
	if c.source != nil {
		return c.source(), nil
	}
	if err := checkStoredMemory(c.path, c.stored, c.n, c.remedy); err != nil {
		return nil, err
	}
	m, err := sparse.Collect(c.n, c.d, func(visit func(row, column int, value float32)) error {
		return c.each(ctx, func(row, column int, value float32) {
			if value != 0 {
				visit(row, column, value)
			}
		})
	})
	return m, explainCells(c.path, err)
}

// noteMatrix notes how the matrix is stored, and the kinds of its features if
// there are several, such as genes and antibodies.
func (c *cells) noteMatrix(what, kind string, kinds []string) {
	note := what + " is " + kind
	if all := float64(c.n) * float64(c.d); all > 0 && kind != storedDense.String() {
		note += fmt.Sprintf(", %.2g%% of it stored", 100*float64(c.stored)/all)
	}
	c.notes = append(c.notes, note)
	different := map[string]bool{}
	for _, kind := range kinds {
		if kind = parse.Clean(kind); kind != "" {
			different[kind] = true
		}
	}
	if len(different) > 1 {
		c.notes = append(c.notes, "its features are "+parse.Quote(slices.Sorted(maps.Keys(different))))
	}
}

// hdf5Format reads HDF5 files: .h5ad of anndata, .h5 of Cell Ranger, and MAT
// files of version 7.3. label, samples and covariates name columns of obs, or
// of the table that annotations names. layer selects another matrix than X.
func hdf5Format() Format {
	return Format{Name: "HDF5", variables: true, extensions: []string{".h5ad", ".h5", ".hdf5"}, begins: isHDF5, cells: true, open: openHDF5Table, titles: obsTitles}
}

// isHDF5 reports whether a file begins with the signature of HDF5, or has it at
// byte 512, 1024 and so on within head.
func isHDF5(head []byte) bool {
	for at := 0; at+len(hdf5.Signature) <= len(head); at = max(512, 2*at) {
		if string(head[at:at+len(hdf5.Signature)]) == hdf5.Signature {
			return true
		}
	}
	return false
}

// openHDF5Table opens a file of anndata, Cell Ranger or MATLAB 7.3. Its members
// show which of them it is. It rejects other files, and the keys x and layer if
// they don't apply.
func openHDF5Table(_ context.Context, in *input, q query) (*table, error) {
	root, err := hdf5.Open(in, in.size)
	if err != nil {
		return nil, explainCells(in.path, err)
	}
	members, err := root.Members()
	switch {
	case err != nil:
		return nil, explainCells(in.path, err)
	case q.X != "" && !q.predicts() && !isMAT73(root):
		return nil, errs.New(errs.Request, "leave it out", "%s: %s", in.path, noVariables)
	case isH5AD(root):
		return openH5ADTable(in.path, root, q)
	case q.Layer != "" && !q.predicts():
		return nil, noLayers(in.path)
	case isTenX(root):
		c, err := openTenX(in.path, root)
		if err != nil {
			return nil, explainCells(in.path, err)
		}
		return c.table()
	case isMAT73(root):
		f, err := parseMAT73(in.path, root)
		if v := f.lookup(cmp.Or(q.X, "X")); err == nil && v != nil && len(v.dims) == 2 {
			// they are read in 64 bits
			err = checkMemory(in.path, cellCount(3, v.dims[0], v.dims[1]), v.dims[1])
		}
		if err != nil {
			return nil, err
		}
		return f.matTable(q)
	}

	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(members, name) })
	}
	switch {
	case has("observation", "sample"):
		return nil, errs.New(errs.Request, "write it as text: biom convert -i FILE -o table.tsv --to-tsv", "%s is a BIOM table, which cannot be read", in.path)
	case has("assays", "cell.names"):
		return nil, errs.New(errs.Request, `write it as .h5ad, in R: SeuratDisk::Convert(file, dest = "h5ad")`, "%s is an h5Seurat file, which cannot be read", in.path)
	}
	return nil, errs.New(errs.Request, "save it as .h5ad with anndata, or in MATLAB with save(file, 'X', 'Y', '-v7.3')",
		"%s is an HDF5 file, but not one of anndata, Cell Ranger 3 or MATLAB: it holds %s", in.path, parse.Quote(members))
}

// noLayers returns the error for the key layer if the file cannot have layers.
func noLayers(path string) error {
	return errs.New(errs.Request, "leave it out", "%s: layer names a matrix of an .h5ad file, which this is not", path)
}

// openH5ADTable opens X, or the layer that the query names, with the
// descriptions in obs. It reads the names of cells and genes, but no numbers
// yet.
func openH5ADTable(path string, root *hdf5.Object, q query) (*table, error) {
	h, err := openH5AD(root, q.Layer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noMatrix(path, root, q.Layer, err)
	}
	if err != nil {
		return nil, explainCells(path, err)
	}
	c := &cells{path: path, obs: h.Obs}
	c.setMatrix(h.X)
	if c.names, err = h.Obs.Names(); err == nil {
		c.features, err = h.Var.Names()
	}
	if err != nil {
		return nil, explainCells(path, err)
	}

	what := "X"
	if q.Layer != "" {
		what = "layer " + q.Layer
	}
	c.noteMatrix(what, h.X.Kind.String(), nil)
	return c.table()
}

// noMatrix returns the error for a file that lacks the matrix. The error lists
// the layers of the file.
func noMatrix(path string, root *hdf5.Object, layer string, err error) error {
	layers, _ := h5adLayers(root)
	switch {
	case layer == "" && len(layers) > 0:
		return errs.New(errs.Request, "name one of its layers with layer=: "+parse.Quote(layers), "%s: %s", path, parse.Clean(err.Error()))
	case layer == "" || slices.Contains(layers, layer):
		return explainCells(path, err)
	case len(layers) == 0:
		return errs.New(errs.Request, "leave it out to take X", "%s has no layers, but %q was asked for", path, parse.Shorten(layer))
	}
	remedy := phrase.DidYouMeanOr(layer, layers, "leave layer out to take X, or name one of "+parse.Quote(layers))
	return errs.New(errs.Request, parse.Clean(remedy), "%s has no layer %q", path, parse.Shorten(layer))
}

// obsTitles returns the names that label= accepts in an .h5ad file. For other
// HDF5 files there are no names.
func obsTitles(_ context.Context, f *File) (c Titles, err error) {
	in := f.in
	root, err := hdf5.Open(in, in.size)
	if err != nil || !isH5AD(root) {
		return c, explainCells(in.path, err)
	}
	obs, err := h5adObs(root, 0)
	if err != nil {
		return c, explainCells(in.path, err)
	}
	return Titles{Words: obs.Columns()}, nil
}

// mtxFormat reads a MatrixMarket file, or a directory with one, along with the
// files that name the cells and genes.
func mtxFormat() Format {
	return Format{Name: "MatrixMarket directory", cells: true, open: func(_ context.Context, in *input, q query) (*table, error) {
		if q.Layer != "" && !q.predicts() {
			return nil, noLayers(in.path)
		}
		dir, err := openMatrixMarket(in.path)
		if err != nil {
			return nil, explainCells(in.path, err)
		}
		c := &cells{path: in.path, n: len(dir.Cells), d: len(dir.Genes), names: dir.Cells, features: dir.Genes, each: dir.each, stored: int64(dir.Stored),
			remedy: "write it as .h5ad, which is read from disk: in Python scanpy.read_10x_mtx(directory).write_h5ad(file)"}
		c.noteMatrix("the matrix", "text", dir.Kinds)
		return c.table()
	}}
}

// explainCells explains an error about a file of cells on one line. It returns
// nil for nil.
func explainCells(path string, err error) error {
	remedy := "copy or download it again"
	switch {
	case errors.Is(err, hdf5.ErrUnsupported) && strings.EqualFold(filepath.Ext(path), ".mat"):
		remedy = "save it in MATLAB with save(file, 'X', 'Y', '-v7')"
	case errors.Is(err, hdf5.ErrUnsupported):
		remedy = `write it again with a recent anndata: read_h5ad(file).write_h5ad(file, compression="gzip")`
	case errors.Is(err, fs.ErrNotExist):
		remedy = "check how it was made"
	}
	return explain(err, remedy, "%s", path)
}

// setMatrix sets the matrix of an HDF5 file. A matrix stored by rows is read
// from the file, one stored by columns is collected in memory.
func (c *cells) setMatrix(m *cellMatrix) {
	c.n, c.d, c.stored = m.rows, m.columns, m.stored()
	c.remedy = "write it by rows, which are read from disk: in Python adata.X = adata.X.tocsr(); adata.write_h5ad(file)"
	if m.Kind == storedDense {
		c.dense = m.fill
		return
	}
	if c.each = m.each; m.Kind == storedByRows {
		c.source = func() sparse.Source {
			return sparse.NewStretches(m.starts, m.columns, func(from, to int) (sparse.Rows, error) {
				rows, err := m.readLines(from, to)
				return rows, explainCells(c.path, err)
			})
		}
	}
}
