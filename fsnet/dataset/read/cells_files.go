package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// hdf5Format reads .h5ad files of anndata, .h5 files of Cell Ranger, and MAT files of version 7.3, which all are HDF5 inside. label,
// samples and covariates name columns of obs; layer takes another matrix than X; annotations names a table with such columns.
func hdf5Format() Format {
	return Format{Name: "HDF5", variables: true, dense: denseBytes, extensions: []string{".h5ad", ".h5", ".hdf5"}, begins: isHDF5, cells: true, read: readHDF5, columns: obsColumns}
}

func isHDF5(head []byte) bool {
	for at := 0; at+len(hdf5.Signature) <= len(head); at = max(512, 2*at) {
		if string(head[at:at+len(hdf5.Signature)]) == hdf5.Signature {
			return true
		}
	}
	return false
}

func openHDF5(path string, file Input) (*hdf5.File, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	h, err := hdf5.Open(file, size)
	return h, unreadable(path, err)
}

func readHDF5(ctx context.Context, path string, file Input, q query) (*Frame, error) {
	h, err := openHDF5(path, file)
	if err != nil {
		return nil, err
	}
	root, err := h.Root()
	if err != nil {
		return nil, unreadable(path, err)
	}
	members, err := root.Members()
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case q.X != "" && !q.predicts() && !isMAT73(h):
		return nil, noVariables(path)
	case isH5AD(h):
		return readH5AD(ctx, path, h, q)
	case q.Layer != "" && !q.predicts():
		return nil, noLayers(path)
	case isTenX(h):
		return readTenX(ctx, path, h, q)
	case isMAT73(h):
		return readMAT73(ctx, path, h, q)
	}
	return nil, fault.New(fault.Request, "save it as .h5ad with anndata, or in MATLAB with save(file, 'X', 'Y', '-v7.3')",
		"%s is an HDF5 file, but not one of anndata, Cell Ranger 3 or MATLAB: it holds %s", path, parse.Quoted(members))
}

func noLayers(path string) error {
	return fault.New(fault.Request, "leave it out", "%s: layer names a matrix of an .h5ad file, which this is not", path)
}

func readH5AD(ctx context.Context, path string, file *hdf5.File, q query) (*Frame, error) {
	table, err := openH5AD(file, q.Layer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noMatrix(path, file, q.Layer, err)
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
func noMatrix(path string, file *hdf5.File, layer string, err error) error {
	layers, _ := h5adLayers(file)
	switch near := suggest.Nearest(layer, layers); {
	case layer == "" && len(layers) > 0:
		return fault.New(fault.Request, "name one of its layers with layer=: "+parse.Quoted(layers), "%s: %s", path, parse.Clean(err.Error()))
	case layer == "" || slices.Contains(layers, layer):
		return unreadable(path, err)
	case near != "":
		return fault.New(fault.Request, "did you mean "+parse.Clean(near)+"?", "%s has no layer %q", path, parse.Shorten(layer))
	case len(layers) > 0:
		return fault.New(fault.Request, "leave layer out to take X, or name one of "+parse.Quoted(layers), "%s has no layer %q", path, parse.Shorten(layer))
	}
	return fault.New(fault.Request, "leave it out to take X", "%s has no layers, but %q was asked for", path, parse.Shorten(layer))
}

// obsColumns are the names that label= may take.
func obsColumns(_ context.Context, path string, file Input) ([]string, error) {
	h, err := openHDF5(path, file)
	if err != nil || !isH5AD(h) {
		return nil, err
	}
	obs, err := h5adObs(h, 0)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return obs.Columns(), nil
}

func readTenX(ctx context.Context, path string, file *hdf5.File, q query) (*Frame, error) {
	table, err := openTenX(file)
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

// mtxFormat reads a directory of Cell Ranger.
func mtxFormat() Format {
	return Format{Name: "MatrixMarket directory", dense: denseBytes, cells: true, read: func(ctx context.Context, path string, _ Input, q query) (*Frame, error) {
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
	var told *fault.Error
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
	return fault.New(fault.Request, remedy, "%s: %s", path, parse.Clean(err.Error()))
}
