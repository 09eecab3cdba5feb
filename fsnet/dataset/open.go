package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/mtx"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// A format is a kind of file. A new kind is a new file in this package and a line in formats.
type format struct {
	name       string // for people
	extensions []string
	begins     func(head []byte) bool // whether a file with this beginning is one, whatever its name; nil where the extension tells
	text       bool                   // it is text, which may be packed; begins is asked about what it unpacks to
	cells      bool                   // its rows are described beside the matrix: layer and annotations are for it
	read       func(ctx context.Context, path string, file input, s config.Settings) (*reading, error)
	columns    func(ctx context.Context, path string, file input) ([]string, error) // names to complete label= with; nil where there are none
	beside     func(r *reading, path string) error                                  // reads what may lie beside a file; nil where nothing does
}

// Extensions lists the file name extensions that Open reads.
func Extensions() []string {
	var list []string
	for _, f := range formats() {
		list = append(list, f.extensions...)
	}
	return list
}

// Open reads the data set that s.Data names: a built-in one, in any case ("ALLAML", "allaml"), or a file, relative to dir unless its path
// is absolute or begins with "~/". "./ALLAML" is a file.
//
// Label, Samples and Covariates name columns of a table; Missing says what becomes of missing values. What was noticed on the way
// (columns taken as sample names, renamed duplicates) is in the Source of the result.
//
// Whatever is wrong with a file is a *fault.Error of kind Request or NotFound that names file, row, column and value; a cancelled
// context is one of kind Interrupted.
func Open(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if strings.TrimSpace(s.Data) == "" {
		return nil, fault.New(fault.Request, "give the path of a file ("+strings.Join(Extensions(), " ")+") or a built-in name, as in data=ALLAML", "no data set is named")
	}
	if name, ok := builtinNamed(s.Data); ok {
		if s.Label != "" || s.Samples != "" || len(s.Covariates) > 0 || s.Layer != "" || s.Annotations != "" {
			return nil, fault.New(fault.Request, "leave them out", "label, samples, covariates, layer and annotations are for files; %s is built in, with its classes", name)
		}
		d, err := openBuiltin(name)
		if err == nil && dir != "" {
			in := *d // built-in data may be shared
			in.dir = dir
			d = &in
		}
		return d, err
	}
	path := Locate(s.Data, dir)
	if s.Annotations != "" {
		s.Annotations = Locate(s.Annotations, dir)
	}
	if mtx.Is(path) {
		return mtxFormat().open(ctx, path, nil, s)
	}
	file, err := openFile(path, s.Data)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := formatOf(path, filepath.Ext(path), file)
	if err != nil {
		return nil, err
	}
	d, err := f.open(ctx, path, file, s)
	if err != nil {
		return nil, err
	}
	d.dir = dir
	return d, nil
}

// open reads a file of this format; path names it, and is where to look for what lies beside it.
func (f format) open(ctx context.Context, path string, file input, s config.Settings) (*Dataset, error) {
	if !f.cells && (s.Layer != "" || s.Annotations != "") {
		return nil, fault.New(fault.Request, "leave them out", "%s: layer and annotations are for matrices of cells (.h5ad, .h5, matrix.mtx), not for a %s file", path, f.name)
	}
	r, err := f.read(ctx, path, file, s)
	if err == nil && f.beside != nil {
		err = f.beside(r, path)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, fault.Wrap(ctx.Err(), fault.Interrupted, "", "%s: reading was stopped", path)
		}
		return nil, err
	}
	if r.source != nil {
		if err := r.scan(ctx, path); err != nil {
			return nil, err
		}
	}
	d, err := r.dataset(path, f.name, s)
	if err != nil {
		return nil, err
	}
	return withoutMissing(d, s.Missing)
}

// Same reports whether two names, each given in a directory, mean the same data: a built-in name does everywhere and in any case; "x.csv"
// and
// "./x.csv" are one file, "x.csv" in two directories are two.
func Same(data, dir, otherData, otherDir string) bool {
	name, builtin := builtinNamed(data)
	otherName, otherBuiltin := builtinNamed(otherData)
	if builtin || otherBuiltin {
		return builtin && name == otherName
	}
	here, there := Locate(data, dir), Locate(otherData, otherDir)
	a, errA := os.Stat(here)
	b, errB := os.Stat(there)
	return here == there || errA == nil && errB == nil && os.SameFile(a, b)
}

// Locate is the path that a user's words mean in a directory.
func Locate(data, dir string) string {
	if rest, ok := strings.CutPrefix(data, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(data) || dir == "" {
		return filepath.Clean(data)
	}
	return filepath.Join(dir, data)
}

// openFile opens path, which must be a file with something in it.
func openFile(path, asked string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, notFound(path, asked)
	case err != nil:
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
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

// notFound answers a name that is neither built in nor a file with what it could have meant.
func notFound(path, asked string) error {
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	if near := suggest.Nearest(strings.ToUpper(asked), names); near != "" {
		return fault.New(fault.NotFound, "did you mean "+near+"?", "no data set %q is built in, and there is no file %s", asked, path)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fault.New(fault.NotFound, "check the path", "there is no file %s, nor its directory, and built in are only %s", path, strings.Join(names, ", "))
	}
	var files []string
	for _, e := range entries {
		files = append(files, e.Name())
	}
	remedy := "check the path"
	if near := suggest.Nearest(filepath.Base(path), files); near != "" {
		remedy = "did you mean " + filepath.Join(filepath.Dir(asked), near) + "?"
	}
	return fault.New(fault.NotFound, remedy, "there is no file %s, and built in are only %s", path, strings.Join(names, ", "))
}
