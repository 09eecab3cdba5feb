package read

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// mostBeside is how many of the arrays beside a file are looked at.
const mostBeside = 256

// openArrays opens a NumPy array alone, the measurements, and what lies beside it as if they were one archive: other arrays are called as their
// files are, without .npy. asked are those that keys name, by such a name or by a path from the directory of the array.
func openArrays(path string, file io.ReaderAt, size int64, asked []string) (variableFile, error) {
	f := variableFile{path: path + " with the arrays beside it", x: arrayName(path)}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
	if err := f.add(f.x, path, size, open); err != nil {
		return f, err
	}
	return f, f.addBeside(path, asked)
}

// addBeside adds the arrays beside a file, and those of other directories that are asked for.
func (f *variableFile) addBeside(path string, asked []string) error {
	dir := filepath.Dir(path)
	entries, _ := os.ReadDir(dir) // what cannot be listed can still be named
	for _, e := range entries {
		if len(f.list) > mostBeside {
			break
		}
		if name := e.Name(); strings.EqualFold(filepath.Ext(name), ".npy") && name != filepath.Base(path) {
			_ = f.addFile(arrayName(name), filepath.Join(dir, name)) // only what is asked for must be good
		}
	}
	for _, name := range asked {
		at := filepath.Join(dir, name)
		if filepath.IsAbs(name) {
			at = name
		}
		known := f.lookup(name) != nil
		if !strings.EqualFold(filepath.Ext(name), ".npy") {
			at += ".npy"
		}
		if _, err := os.Stat(at); known || err != nil {
			continue // what is not there is offered instead
		}
		if err := f.addFile(parse.Clean(name), at); err != nil {
			return err
		}
	}
	return nil
}

func arrayName(path string) string {
	base := filepath.Base(path)
	return parse.Clean(strings.TrimSuffix(base, filepath.Ext(base)))
}

// addFile adds the array of a file, which is opened again whenever it is read.
func (f *variableFile) addFile(name, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Request, "name a .npy file", "%s is not a regular file", path)
	}
	if err != nil {
		return fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return f.add(name, path, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) })
}

func (f *variableFile) add(name, path string, size int64, open func() (io.ReadCloser, error)) error {
	a, err := openNumPyArray(name, size, open)
	if err == nil {
		f.list = append(f.list, variable{numpyValues{a, path}, name, a.Shape})
	}
	return notNumPy(path, err)
}

// Beside are the names of the arrays beside the measurements.
func (f variableFile) Beside() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return name == f.x })
}
