package variables

import (
	"fmt"
	"io"
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/narrow"
	"fsnetlab/fsnet/dataset/numpyfile"
	"fsnetlab/fsnet/dataset/room"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
)

// SparseNumPy opens a NumPy archive. Where SciPy's save_npz wrote it, the measurements are its sparse matrix; with beside, classes and names
// are then arrays beside the file, as for [Arrays].
func SparseNumPy(path string, file io.ReaderAt, size int64, asked []string, beside bool) (File, error) {
	f, err := NumPy(path, file, size)
	if err != nil {
		return f, err
	}
	array := func(name string) *numpyfile.Array {
		if at := slices.IndexFunc(f.list, func(v variable) bool { return v.name == name }); at >= 0 {
			a := f.list[at].values.(numpyValues).Array
			return &a
		}
		return nil
	}
	m := &scipy{path: path, data: array("data"), starts: array("indptr"), index: array("indices")}
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
	sides, err := whole(*shape)
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

// scipy is a sparse matrix in the arrays of an archive.
type scipy struct {
	path                      string
	n, d                      int
	byColumns                 bool
	data, starts, rows, index *numpyfile.Array // of starts and rows one is nil
}

func (m *scipy) damaged(format string, args ...any) error {
	return fault.New(fault.Request, "write it again: scipy.sparse.save_npz(file, matrix.tocsr())", "%s: the sparse matrix is damaged: %s", m.path, fmt.Sprintf(format, args...))
}

// String is what it is, for people.
func (m *scipy) String() string { return fmt.Sprintf("X (%d×%d sparse)", m.n, m.d) }

// IsText says that it holds none.
func (*scipy) IsText() bool { return false }

// Texts are not there.
func (m *scipy) Texts() ([]string, error) {
	return nil, fault.New(fault.Request, "save a vector, one value for each sample", "%s: X is a sparse matrix, not a vector", m.path)
}

// CheckMatrix refuses what has no room: names of rows and features, and what is stored, twice.
func (m *scipy) CheckMatrix() error {
	return room.Dense(m.path, 8*(m.n+m.d)+6*m.data.Count(), m.d)
}

// Matrix is its numbers, zeros and all.
func (m *scipy) Matrix() ([]float32, narrow.Columns, error) {
	if err := room.Dense(m.path, room.Cells(m.n, m.d), m.d); err != nil {
		return nil, nil, err
	}
	x := make([]float32, m.n*m.d)
	return x, make(narrow.Columns, m.d), m.each(func(row, column int, value float32) { x[row*m.d+column] += value })
}

// Source is the matrix without zeros.
func (m *scipy) Source() (sparse.Source, error) { return sparse.Collect(m.n, m.d, m.each) }

// each visits the numbers that are stored.
func (m *scipy) each(visit func(row, column int, value float32)) error {
	index, err := whole(*m.index)
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
		rows, err := whole(*m.rows)
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
		starts, err := whole(*m.starts)
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

// whole are the whole numbers of an array.
func whole(a numpyfile.Array) (list []int64, err error) {
	err = a.Each(func(_ int, x float64) { list = append(list, int64(x)) })
	return list, err
}
