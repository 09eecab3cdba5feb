package read

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

func openNumPyVariables(path string, file Input) (variableFile, error) {
	size, err := sizeOf(path, file)
	if err != nil {
		return variableFile{}, err
	}
	arrays, err := openNumPy(file, size)
	f := variableFile{path: path}
	for _, a := range arrays {
		a.Name = parse.Clean(a.Name)
		f.add(numpyValues{a, path}, a.Name, a.Shape)
	}
	return f, notNumPy(path, err)
}

func notNumPy(path string, err error) error {
	if err == nil {
		return nil
	}
	return errs.New(errs.Request, "write it again in Python: numpy.savez(file, X=X, y=y, feature_names=names), of numbers and texts",
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
		return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: array %s is not a vector", v.path, v.numpyArray)
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
		return errs.New(errs.Request, "save a matrix, samples × features", "%s: array %s has %s", v.path, v.numpyArray, phrase.Count(len(v.Shape), "dimension"))
	}
	return checkMemory(v.path, v.Count(), v.Shape[1])
}

// Matrix is its numbers, row by row.
func (v numpyValues) Matrix() ([]float32, Rounding, error) {
	x, rounded, err := v.numpyArray.Matrix()
	return x, rounded, notNumPy(v.path, err)
}

// mostBeside is how many of the arrays beside a file are looked at.
const mostBeside = 256

// openArrays opens a NumPy array alone, the measurements, and what lies beside it as if they were one archive: other arrays are called as their
// files are, without .npy. asked are those that keys name, by such a name or by a path from the directory of the array.
func openArrays(path string, file Input, asked []string) (variableFile, error) {
	size, err := sizeOf(path, file)
	if err != nil {
		return variableFile{}, err
	}
	f := variableFile{path: path + " with the arrays beside it", x: arrayName(path)}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
	if err := f.addArray(f.x, path, size, open); err != nil {
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
		return errs.New(errs.Request, "name a .npy file", "%s is not a regular file", path)
	}
	if err != nil {
		return errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return f.addArray(name, path, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) })
}

func (f *variableFile) addArray(name, path string, size int64, open func() (io.ReadCloser, error)) error {
	a, err := openNumPyArray(name, size, open)
	if err == nil {
		f.add(numpyValues{a, path}, name, a.Shape)
	}
	return notNumPy(path, err)
}

// Beside are the names of the arrays beside the measurements.
func (f variableFile) Beside() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return name == f.x })
}

// openSparseNumPy opens a NumPy archive. Where SciPy's save_npz wrote it, the measurements are its sparse matrix, and classes and names
// are arrays beside the file, as for [Arrays].
func openSparseNumPy(path string, file Input, q query) (variableFile, error) {
	f, err := openNumPyVariables(path, file)
	if err != nil {
		return f, err
	}
	array := func(name string) *numpyArray {
		if at := slices.IndexFunc(f.list, func(v variable) bool { return v.name == name }); at >= 0 {
			a := f.list[at].variableValues.(numpyValues).numpyArray
			return &a
		}
		return nil
	}
	m := &scipyMatrix{path: path, data: array("data"), starts: array("indptr"), index: array("indices")}
	shape := array("shape")
	if m.starts == nil {
		m.rows, m.index = array("row"), array("col")
	}
	if m.data == nil || m.index == nil || m.starts == nil && m.rows == nil || shape == nil || array("X") != nil {
		return f, nil
	}
	if format := array("format"); format != nil {
		kind, err := format.Texts()
		if err != nil || len(kind) != 1 || !slices.Contains([]string{"csr", "csc", "coo"}, kind[0]) {
			return f, errs.New(errs.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: its sparse matrix is of the format %q, which is not read", path, kind)
		}
		m.byColumns = kind[0] == "csc"
	}
	sides, err := wholeNumbers(*shape)
	if err != nil || len(sides) != 2 || min(sides[0], sides[1]) < 0 || max(sides[0], sides[1]) > math.MaxInt32 {
		return f, m.damaged("its shape is %v", sides)
	}
	m.n, m.d = int(sides[0]), int(sides[1])
	f.add(m, "X", []int{m.n, m.d})
	if !q.Alone {
		err = f.addBeside(path, q.arrays())
	}
	return f, err
}

// scipyMatrix is a sparse matrix in the arrays of an archive.
type scipyMatrix struct {
	path                      string
	n, d                      int
	byColumns                 bool
	data, starts, rows, index *numpyArray // of starts and rows one is nil
}

func (m *scipyMatrix) damaged(format string, args ...any) error {
	return errs.New(errs.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: the sparse matrix is damaged: %s", m.path, fmt.Sprintf(format, args...))
}

// String is what it is, for people.
func (m *scipyMatrix) String() string { return fmt.Sprintf("X (%d×%d sparse)", m.n, m.d) }

// IsText says that it holds none.
func (*scipyMatrix) IsText() bool { return false }

// Texts are not there.
func (m *scipyMatrix) Texts() ([]string, error) {
	return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: X is a sparse matrix, not a vector", m.path)
}

// CheckMatrix refuses what has no room: names of rows and features, and what is stored, twice.
func (m *scipyMatrix) CheckMatrix() error {
	return checkMemory(m.path, 8*(m.n+m.d)+6*m.data.Count(), m.d)
}

// Matrix is its numbers, zeros and all.
func (m *scipyMatrix) Matrix() ([]float32, Rounding, error) {
	if err := checkMemory(m.path, cellCount(m.n, m.d), m.d); err != nil {
		return nil, nil, err
	}
	x := make([]float32, m.n*m.d)
	return x, make(Rounding, m.d), m.each(func(row, column int, value float32) { x[row*m.d+column] += value })
}

// Source is the matrix without zeros.
func (m *scipyMatrix) Source() (sparse.Source, error) { return sparse.Collect(m.n, m.d, m.each) }

func (m *scipyMatrix) each(visit func(row, column int, value float32)) error {
	index, err := wholeNumbers(*m.index)
	if err != nil {
		return notNumPy(m.path, err)
	}
	lines, width := m.n, m.d
	if m.byColumns {
		lines, width = width, lines
	}
	line := make([]int32, 0, len(index))
	switch {
	case m.rows != nil:
		rows, err := wholeNumbers(*m.rows)
		if err != nil {
			return notNumPy(m.path, err)
		}
		for _, row := range rows {
			if row < 0 || row >= int64(lines) {
				return m.damaged("it has a row %d of %d", row, lines)
			}
			line = append(line, int32(row))
		}
	default:
		starts, err := wholeNumbers(*m.starts)
		if err != nil {
			return notNumPy(m.path, err)
		}
		if len(starts) != lines+1 || starts[0] != 0 || !slices.IsSorted(starts) || starts[lines] != int64(len(index)) {
			return m.damaged("indptr does not lead from 0 to %d in %d steps", len(index), lines)
		}
		for at := range lines {
			for range starts[at+1] - starts[at] {
				line = append(line, int32(at))
			}
		}
	}
	if len(line) != len(index) || m.data.Count() != len(index) {
		return m.damaged("it has %d numbers in %d places", m.data.Count(), len(index))
	}
	for _, at := range index {
		if at < 0 || at >= int64(width) {
			return m.damaged("it has a place %d of %d", at, width)
		}
	}
	return notNumPy(m.path, m.data.Each(func(k int, x float64) {
		row, column := int(line[k]), int(index[k])
		if m.byColumns {
			row, column = column, row
		}
		visit(row, column, float32(x))
	}))
}

func wholeNumbers(a numpyArray) (list []int64, err error) {
	err = a.Each(func(_ int, x float64) { list = append(list, int64(x)) })
	return list, err
}
