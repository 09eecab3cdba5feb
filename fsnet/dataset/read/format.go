package read

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/namelist"
	"fsnetlab/internal/suggest"
)

// A Format is a kind of file. A new kind is a new file in this package and a line in formats.
type Format struct {
	Name       string // for people
	extensions []string
	begins     func(head []byte) bool // whether a file with this beginning is one, whatever its name; nil where the extension tells
	variables  bool                   // it holds variables by name, or may
	text       bool                   // it is text, which may be packed; begins is asked about what it unpacks to
	read       func(ctx context.Context, path string, file Input, q query) (*Frame, error)
	cells      bool // its rows are described beside the matrix, which may stay sparse
	dense      int64
	panel      []string
	columns    func(ctx context.Context, path string, file Input) ([]string, error) // names to complete label= with; nil where there are none
	beside     func(r *Frame, path string) error                                    // reads what may lie beside a file; nil where nothing does

	alone func(ctx context.Context, path string, file Input, q query) (*Frame, error) // read where nothing lies beside it, if that differs
}

// Extensions lists the file name extensions that Open reads.
func Extensions() []string {
	var list []string
	for _, f := range formats() {
		list = append(list, f.extensions...)
	}
	return list
}

// MatrixMarket is the format of a directory with a matrix.mtx, which path must be.
func MatrixMarket(path string) (Format, bool) { return mtxFormat(), isMatrixMarket(path) }

// Alone is the format without what may lie beside a file.
func (f Format) Alone() Format {
	f.beside = nil
	if f.alone != nil {
		f.read = f.alone
	}
	return f
}

// DenseUpTo is the format where a matrix of cells that is stored sparse stays so beyond these bytes, which its numbers take with all zeros.
func (f Format) DenseUpTo(bytes int64) Format {
	f.dense = bytes
	return f
}

// For is the format where a trained model needs these features of a file, and no label.
func (f Format) For(panel []string) Format {
	f.panel = panel
	return f
}

// Read reads a file of this format; path names it, and is where to look for what lies beside it. Where the reading has a source, that reads
// from the file for as long as it is used.
func (f Format) Read(ctx context.Context, path string, file Input, s config.Settings) (*Frame, error) {
	q := query{s, f.panel, f.dense}
	if q.predicts() { // the training's file may have been of another kind
		if !f.cells {
			q.Layer, q.Annotations = "", ""
		}
		if !f.variables {
			q.X = ""
		}
	}
	if !f.cells && (q.Layer != "" || q.Annotations != "") {
		return nil, fault.New(fault.Request, "leave them out", "%s: layer and annotations are for matrices of cells (.h5ad, .h5, matrix.mtx), not for a %s file", path, f.Name)
	}
	if q.X != "" && !f.variables {
		return nil, noVariables(path)
	}
	if len(q.Covariates) > 1 && f.columns != nil {
		if names, err := f.columns(ctx, path, file); err == nil { // what is wrong with the file is told below
			q.Covariates = namelist.Rejoin(q.Covariates, func(name string) bool { return slices.Contains(names, name) })
		}
	}
	r, err := f.read(ctx, path, file, q)
	if err == nil && f.beside != nil {
		err = f.beside(r, path)
	}
	if err != nil && ctx.Err() != nil {
		return nil, fault.Wrap(ctx.Err(), fault.Interrupted, "", "%s: reading was stopped", path)
	}
	if err == nil {
		r.join()
	}
	return r, err
}

// OpenFile opens path, which must be a file with something in it. asked is what a person wrote for it; it could have meant one of those
// builtin, which are no files.
func OpenFile(path, asked string, builtin ...string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, notFound(path, asked, builtin)
	case err != nil:
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	case info.IsDir() && isZarr(path):
		return nil, fault.New(fault.Request, "write it as .h5ad, in Python: anndata.io.read_zarr(directory).write_h5ad(file)", "%s is a Zarr store, which cannot be read", path)
	case info.IsDir():
		return nil, fault.New(fault.Request, "name a file in it ("+strings.Join(Extensions(), " ")+")", "%s is a directory without a matrix.mtx", path)
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Request, "name a file ("+strings.Join(Extensions(), " ")+")", "%s is not a regular file", path)
	case info.Size() == 0:
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s is empty", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return file, nil
}

// isZarr says whether a directory is a Zarr store, of version 2 or 3.
func isZarr(dir string) bool {
	return slices.ContainsFunc([]string{".zgroup", ".zarray", ".zattrs", "zarr.json"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// notFound answers a name that is neither built in nor a file with what it could have meant.
func notFound(path, asked string, names []string) error {
	rest := ""
	if len(names) > 0 {
		rest = ", and only these are built in: " + strings.Join(names, ", ")
	}
	if near := suggest.Nearest(strings.ToUpper(asked), names); near != "" {
		return fault.New(fault.NotFound, "did you mean "+near+"?", "no data set %q is built in, and there is no file %s", asked, path)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fault.New(fault.NotFound, "check the path", "there is no file %s, nor its directory%s", path, rest)
	}
	var files []string
	for _, e := range entries {
		files = append(files, e.Name())
	}
	remedy := "check the path"
	if near := suggest.Nearest(filepath.Base(path), files); near != "" {
		remedy = "did you mean " + filepath.Join(filepath.Dir(asked), near) + "?"
	}
	return fault.New(fault.NotFound, remedy, "there is no file %s%s", path, rest)
}

func noVariables(path string) error {
	return fault.New(fault.Request, "leave it out", "%s: x names a variable of a .mat or .npz file, which this is not", path)
}
