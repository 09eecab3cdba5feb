package reading

import (
	"context"
	"fmt"
	"io"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/numpyfile"
	"fsnetlab/fsnet/dataset/room"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// numpyFormat reads NumPy archives: an array X, samples × features, and a vector Y of classes, numbers or texts, as in a MAT file.
func numpyFormat() Format {
	return Format{Name: "NumPy archive", extensions: []string{".npz"}, variables: true, begins: numpyfile.Begins, read: readNumPy, columns: numpyNames}
}

func numpyArrays(path string, file Input) ([]numpyfile.Array, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	list, err := numpyfile.Open(file, size)
	return list, notNumPy(path, err)
}

func notNumPy(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Request, "write it again in Python: numpy.savez(file, X=X, y=y, feature_names=names), of numbers and texts",
		"%s: %s", path, word.Clean(err.Error()))
}

func readNumPy(ctx context.Context, path string, file Input, s config.Settings) (*Reading, error) {
	if s.Samples != "" || len(s.Covariates) > 0 {
		return nil, fault.New(fault.Request, "leave them out, or save the data as a table",
			"%s: samples and covariates name columns of a table; this is a NumPy archive", path)
	}
	arrays, err := numpyArrays(path, file)
	if err != nil {
		return nil, err
	}
	all := variables{path: path}
	for _, a := range arrays {
		a.Name = word.Clean(a.Name)
		all.list = append(all.list, variable{numpyValues{a, path}, a.Name, a.Shape})
	}
	return all.reading(ctx, s)
}

// numpyNames are the names that label= may take.
func numpyNames(_ context.Context, path string, file Input) ([]string, error) {
	arrays, err := numpyArrays(path, file)
	var names []string
	for _, a := range arrays {
		names = append(names, a.Name)
	}
	return names, err
}

// numpyValues are those of an array, with errors for people.
type numpyValues struct {
	numpyfile.Array
	path string
}

// Texts are its texts.
func (v numpyValues) Texts() ([]string, error) {
	texts, err := v.Array.Texts()
	return texts, notNumPy(v.path, err)
}

// CheckMatrix refuses what is no matrix of numbers, or has no room.
func (v numpyValues) CheckMatrix() error {
	switch {
	case !v.IsNumbers():
		return notNumPy(v.path, fmt.Errorf("array %s holds no numbers", v.Array))
	case len(v.Shape) != 2:
		return fault.New(fault.Request, "save a matrix, samples × features", "%s: array %s has %d dimensions", v.path, v.Array, len(v.Shape))
	}
	return room.Dense(v.path, v.Count(), v.Shape[1])
}

// Matrix is its numbers, row by row.
func (v numpyValues) Matrix() ([]float32, error) {
	x, err := v.Array.Matrix()
	return x, notNumPy(v.path, err)
}

// Vector is its numbers, of which it must have one dimension that counts.
func (v numpyValues) Vector(remedy string) ([]float64, error) {
	long := 0
	for _, n := range v.Shape {
		if n != 1 {
			long++
		}
	}
	if long > 1 {
		return nil, fault.New(fault.Request, remedy, "%s: array %s is no vector", v.path, v.Array)
	}
	x, err := v.Numbers()
	return x, notNumPy(v.path, err)
}
