package read

import (
	"fmt"
	"io"
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
)

// openSparseNumPy opens a NumPy archive. Where SciPy's save_npz wrote it, the measurements are its sparse matrix; with beside, classes and names
// are then arrays beside the file, as for [Arrays].
func openSparseNumPy(path string, file io.ReaderAt, size int64, asked []string, beside bool) (variableFile, error) {
	f, err := openNumPyVariables(path, file, size)
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
			return f, fault.New(fault.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: its sparse matrix is of the format %q, which is not read", path, kind)
		}
		m.byColumns = kind[0] == "csc"
	}
	sides, err := wholeNumbers(*shape)
	if err != nil || len(sides) != 2 || min(sides[0], sides[1]) < 0 || max(sides[0], sides[1]) > math.MaxInt32 {
		return f, m.damaged("its shape is %v", sides)
	}
	m.n, m.d = int(sides[0]), int(sides[1])
	f.list = append(f.list, variable{m, "X", []int{m.n, m.d}})
	if beside {
		err = f.addBeside(path, asked)
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
	return fault.New(fault.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: the sparse matrix is damaged: %s", m.path, fmt.Sprintf(format, args...))
}

// String is what it is, for people.
func (m *scipyMatrix) String() string { return fmt.Sprintf("X (%d×%d sparse)", m.n, m.d) }

// IsText says that it holds none.
func (*scipyMatrix) IsText() bool { return false }

// Texts are not there.
func (m *scipyMatrix) Texts() ([]string, error) {
	return nil, fault.New(fault.Request, "save a vector, one value for each sample", "%s: X is a sparse matrix, not a vector", m.path)
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

// each visits the numbers that are stored.
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

// wholeNumbers are the whole numbers of an array.
func wholeNumbers(a numpyArray) (list []int64, err error) {
	err = a.Each(func(_ int, x float64) { list = append(list, int64(x)) })
	return list, err
}
