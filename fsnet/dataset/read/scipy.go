package read

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
)

// addSciPy adds X to an archive that save_npz of SciPy wrote. X is then its
// sparse matrix, and other arrays come from files in the same directory. It
// leaves any other archive unchanged, and one that has an X.
func (f *variableFile) addSciPy(q query) error {
	array := func(name string) *numpyArray {
		if at := slices.IndexFunc(f.list, func(v variable) bool { return v.name == name }); at >= 0 {
			a := f.list[at].variableValues.(numpyArray)
			return &a
		}
		return nil
	}
	m := &scipyMatrix{path: f.path, data: array("data"), starts: array("indptr"), index: array("indices")}
	shape := array("shape")
	if m.starts == nil {
		m.rows, m.index = array("row"), array("col")
	}

	if m.data == nil || m.index == nil || m.starts == nil && m.rows == nil || shape == nil || array("X") != nil {
		return nil
	}

	if format := array("format"); format != nil {
		kind, err := format.Texts()
		if err != nil || len(kind) != 1 || !slices.Contains([]string{"csr", "csc", "coo"}, kind[0]) {
			return errs.New(errs.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: its sparse matrix is of the format %q, which is not read", f.path, kind)
		}
		m.byColumns = kind[0] == "csc"
	}

	sides, err := shape.wholeNumbers()
	if err != nil || len(sides) != 2 || min(sides[0], sides[1]) < 0 || max(sides[0], sides[1]) > math.MaxInt32 {
		return m.damaged("its shape is %v", sides)
	}
	m.n, m.d = int(sides[0]), int(sides[1])
	f.add(m, "X", []int{m.n, m.d})

	if q.Alone {
		return nil
	}
	return f.addBeside(f.path, q.arrays())
}

// scipyMatrix is a sparse matrix that consists of arrays of an archive.
type scipyMatrix struct {
	path                      string
	n, d                      int
	byColumns                 bool
	data, starts, rows, index *numpyArray // either starts or rows is nil
}

// damaged returns the error for a sparse matrix with contradictory parts.
func (m *scipyMatrix) damaged(format string, args ...any) error {
	return errs.New(errs.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: the sparse matrix is damaged: %s", m.path, fmt.Sprintf(format, args...))
}

func (m *scipyMatrix) String() string { return fmt.Sprintf("X (%d×%d sparse)", m.n, m.d) }

// IsText returns false, because the matrix holds numbers.
func (*scipyMatrix) IsText() bool { return false }

// Texts returns an error, because the matrix is not a vector.
func (m *scipyMatrix) Texts() ([]string, error) {
	return nil, errs.New(errs.Request, "save a vector, one value for each sample", "%s: X is a sparse matrix, not a vector", m.path)
}

// CheckMatrix rejects a matrix if memory cannot hold the names of its rows and
// features and twice its stored numbers.
func (m *scipyMatrix) CheckMatrix() error {
	return checkMemory(m.path, 8*(m.n+m.d)+cellCount(6, min(m.data.count(), math.MaxInt/16)), m.d)
}

// Matrix returns all numbers including zeros, row by row.
func (m *scipyMatrix) Matrix() ([]float32, Rounding, error) {
	if err := checkMemory(m.path, cellCount(m.n, m.d), m.d); err != nil {
		return nil, nil, err
	}
	x := make([]float32, m.n*m.d)
	return x, make(Rounding, m.d), m.each(func(row, column int, value float32) { x[row*m.d+column] += value })
}

// source collects the stored numbers in memory. It adds up numbers in the same
// place.
func (m *scipyMatrix) source() (sparse.Source, error) { return sparse.Collect(m.n, m.d, m.each) }

// each visits the numbers as they are stored.
func (m *scipyMatrix) each(visit func(row, column int, value float32)) error {
	index, err := m.index.wholeNumbers()
	if err != nil {
		return explainNumPy(m.path, err)
	}

	lines, width := m.n, m.d
	if m.byColumns {
		lines, width = width, lines
	}

	line, err := m.lines(lines, len(index))
	if err != nil {
		return explainNumPy(m.path, err)
	}
	if len(line) != len(index) || m.data.count() != len(index) {
		return m.damaged("it has %d numbers in %d places", m.data.count(), len(index))
	}

	for _, at := range index {
		if at < 0 || at >= int64(width) {
			return m.damaged("it has a place %d of %d", at, width)
		}
	}

	return explainNumPy(m.path, m.data.eachNumber(func(k int, x float64) {
		row, column := int(line[k]), int(index[k])
		if m.byColumns {
			row, column = column, row
		}
		visit(row, column, float32(x))
	}))
}

// lines returns the row of each of n stored numbers or, if the matrix is stored
// by columns, the column.
func (m *scipyMatrix) lines(lines, n int) ([]int32, error) {
	line := make([]int32, 0, n)
	if m.rows != nil {
		rows, err := m.rows.wholeNumbers()
		for _, row := range rows {
			if row < 0 || row >= int64(lines) {
				return nil, m.damaged("it has a row %d of %d", row, lines)
			}
			line = append(line, int32(row))
		}
		return line, err
	}

	starts, err := m.starts.wholeNumbers()
	if err != nil {
		return nil, err
	}

	if len(starts) != lines+1 || starts[0] != 0 || !slices.IsSorted(starts) || starts[lines] != int64(n) {
		return nil, m.damaged("indptr does not lead from 0 to %d in %d steps", n, lines)
	}

	for at := range lines {
		for range starts[at+1] - starts[at] {
			line = append(line, int32(at))
		}
	}
	return line, nil
}
