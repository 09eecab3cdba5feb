package dataset

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
)

// Extensions lists the file name extensions that Open reads.
func Extensions() []string { return read.Extensions() }

// Header is the names of the columns of a table, "" for a first one that has none; nil where the file has no such names.
func Header(ctx context.Context, path string) ([]string, error) { return read.Header(ctx, path) }

// Open reads the data set that s.Data names: a built-in one, in any case ("ALLAML", "allaml"), or a file, relative to dir unless its path
// is absolute or begins with "~/". "./ALLAML" is a file.
//
// Label, Samples, Covariates, Groups and Split name columns of a table; Missing says what becomes of missing values. What was noticed on
// the way (columns taken as sample names, renamed duplicates) is in the Source of the result.
//
// Whatever is wrong with a file is a *fault.Error of kind Request or NotFound that names file, row, column and value; a cancelled
// context is one of kind Interrupted.
func Open(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if strings.TrimSpace(s.Data) == "" {
		return nil, fault.New(fault.Request, "give the path of a file ("+strings.Join(Extensions(), " ")+") or a built-in name, as in data=ALLAML", "no data set is named")
	}
	d, err := named(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	d.dir = dir
	return d.describe(s)
}

// named is the data set as it was read, with all its rows.
func named(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if b := findBuiltin(s.Data); b != nil {
		if s.Label != "" || s.X != "" || s.Samples != "" || len(s.Covariates) > 0 || s.Layer != "" || s.Annotations != "" || len(s.RowColumns()) > 0 {
			return nil, fault.New(fault.Request, "leave them out",
				"label, x, samples, covariates, layer, annotations and columns that describe rows are for files; %s is built in, with its classes", b.Name)
		}
		return b.open()
	}
	if s.Annotations != "" {
		s.Annotations = Locate(s.Annotations, dir)
	}
	f, path, file, err := find(s.Data, dir)
	if err != nil {
		return nil, err
	}
	d, err := readFormat(ctx, f, path, file, s)
	if err != nil || !d.Sparse() { // a sparse table reads on; its file is closed when nobody has it any more
		closeFile(file)
	}
	return d, err
}

// find opens a file and says what it is; a directory with a matrix is open as nil.
func find(data, dir string) (f read.Format, path string, file *os.File, err error) {
	path = Locate(data, dir)
	if f, ok := read.MatrixMarket(path); ok {
		return f, path, nil, nil
	}
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	if file, err = read.OpenFile(path, data, names...); err != nil {
		return f, path, nil, err
	}
	if f, err = read.FormatOf(path, filepath.Ext(path), file); err != nil {
		closeFile(file)
	}
	return f, path, file, err
}

// closeFile closes a file where there is one; it was only read.
func closeFile(file *os.File) {
	if file != nil {
		_ = file.Close()
	}
}

// readFormat reads a file of a format; path names it, and is where to look for what lies beside it.
func readFormat(ctx context.Context, f read.Format, path string, file read.Input, s config.Settings) (*Dataset, error) {
	r, err := f.Read(ctx, path, file, s)
	if err != nil {
		return nil, err
	}
	var contents sparse.Contents
	if r.Source != nil {
		if contents, err = scan(ctx, r.Source, path); err != nil {
			return nil, err
		}
	}
	d, err := made(r, contents, path, f.Name, s)
	if err != nil {
		return nil, err
	}
	return withoutMissing(d, s.Missing)
}

// Same reports whether two names, each given in a directory, mean the same data: a built-in name does everywhere and in any case; "x.csv"
// and "./x.csv" are one file, "x.csv" in two directories are two.
func Same(data, dir, otherData, otherDir string) bool {
	if a, b := findBuiltin(data), findBuiltin(otherData); a != nil || b != nil {
		return a != nil && b != nil && a.Name == b.Name
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
