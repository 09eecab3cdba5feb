package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// A format is a kind of file. A new kind is a new file in this package and a line in formats.
type format struct {
	name       string // for people
	extensions []string
	read       func(ctx context.Context, path string, file io.ReadSeeker, s config.Settings) (*reading, error)
	beside     func(r *reading, path string) error // reads what may lie beside a file; nil where nothing does
}

func formats() []format { return []format{matFormat(), tableFormat()} }

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
		if s.Label != "" || s.Samples != "" || len(s.Covariates) > 0 {
			return nil, fault.New(fault.Request, "leave them out", "label, samples and covariates are for files; %s is built in, with its classes", name)
		}
		return openBuiltin(name)
	}
	path := Locate(s.Data, dir)
	f, err := formatOf(path, s.Data)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	defer file.Close()
	return f.open(ctx, path, file, s)
}

// open reads a file of this format; path names it, and is where to look for what lies beside it.
func (f format) open(ctx context.Context, path string, file io.ReadSeeker, s config.Settings) (*Dataset, error) {
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

// formatOf checks that path is a file with something in it and finds its format.
func formatOf(path, asked string) (format, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return format{}, notFound(path, asked)
	case err != nil:
		return format{}, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	case info.IsDir():
		return format{}, fault.New(fault.Request, "name a file in it ("+strings.Join(Extensions(), " ")+")", "%s is a directory", path)
	case !info.Mode().IsRegular():
		return format{}, fault.New(fault.Request, "name a file ("+strings.Join(Extensions(), " ")+")", "%s is not a regular file", path)
	}
	f, err := formatNamed(filepath.Ext(path))
	if err != nil {
		return f, fault.New(fault.Request, "files that can be read end in "+strings.Join(Extensions(), " "), "%s: %s", path, err)
	}
	if info.Size() == 0 {
		return f, fault.New(fault.Request, "check how it was made or copied", "%s is empty", path)
	}
	return f, nil
}

// formatNamed is the format of an extension, in any case.
func formatNamed(extension string) (format, error) {
	for _, f := range formats() {
		if slices.Contains(f.extensions, strings.ToLower(extension)) {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("the extension %q is not known", extension)
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
