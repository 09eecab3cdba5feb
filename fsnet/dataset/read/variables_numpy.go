package read

import (
	"fmt"
	"io"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// openNumPyVariables opens a NumPy archive.
func openNumPyVariables(path string, file io.ReaderAt, size int64) (variableFile, error) {
	arrays, err := openNumPy(file, size)
	f := variableFile{path: path}
	for _, a := range arrays {
		a.Name = parse.Clean(a.Name)
		f.list = append(f.list, variable{numpyValues{a, path}, a.Name, a.Shape})
	}
	return f, notNumPy(path, err)
}

func notNumPy(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Request, "write it again in Python: numpy.savez(file, X=X, y=y, feature_names=names), of numbers and texts",
		"%s: %s", path, parse.Clean(err.Error()))
}

// numpyValues are those of an array, with errors for people.
type numpyValues struct {
	numpyArray
	path string
}

// Texts are its values as texts; it must have one dimension that counts.
func (v numpyValues) Texts() ([]string, error) {
	long := 0
	for _, n := range v.Shape {
		if n != 1 {
			long++
		}
	}
	if long > 1 {
		return nil, fault.New(fault.Request, "save a vector, one value for each sample", "%s: array %s is not a vector", v.path, v.numpyArray)
	}
	texts, err := v.numpyArray.Texts()
	return texts, notNumPy(v.path, err)
}

// CheckMatrix refuses also what has no room.
func (v numpyValues) CheckMatrix() error {
	switch {
	case !v.IsNumbers():
		return notNumPy(v.path, fmt.Errorf("array %s holds no numbers", v.numpyArray))
	case len(v.Shape) != 2:
		return fault.New(fault.Request, "save a matrix, samples × features", "%s: array %s has %s", v.path, v.numpyArray, count.Of(len(v.Shape), "dimension"))
	}
	return checkMemory(v.path, v.Count(), v.Shape[1])
}

// Matrix is its numbers, row by row.
func (v numpyValues) Matrix() ([]float32, Rounding, error) {
	x, rounded, err := v.numpyArray.Matrix()
	return x, rounded, notNumPy(v.path, err)
}
