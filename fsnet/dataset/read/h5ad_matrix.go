package read

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/hdf5"
)

// errDamagedCells is wrapped by errors about a table whose parts do not fit together.
var errDamagedCells = errors.New("the table is damaged")

func damagedCells(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamagedCells, fmt.Sprintf(format, args...))
}

// cellStorage is how the numbers of a matrix are stored.
type cellStorage int

const (
	storedDense     cellStorage = iota // every number
	storedByRows                       // those that are not 0, row after row (CSR)
	storedByColumns                    // those that are not 0, column after column (CSC)
)

func (k cellStorage) String() string {
	return [...]string{"dense", "sparse by rows", "sparse by columns"}[k]
}

// cellMatrix is a table of numbers in a file.
type cellMatrix struct {
	Kind cellStorage

	rows, columns int
	numbers       *hdf5.Dataset // all of them, or those that are not 0
	index         *hdf5.Dataset // of each number its column (ByRows) or row (ByColumns)
	starts        []int64       // where each row or column begins in numbers, and where the last one ends
}

// Shape is the number of rows and of columns.
func (m *cellMatrix) Shape() (rows, columns int) { return m.rows, m.columns }

// Stored is how many numbers are in the file.
func (m *cellMatrix) Stored() int64 {
	if m.Kind == storedDense {
		return int64(m.rows) * int64(m.columns)
	}
	return m.starts[len(m.starts)-1]
}

// Starts is where each row of a matrix by rows, or column of one by columns, begins among the stored numbers, and at last where they
// end. It must not be changed.
func (m *cellMatrix) Starts() []int64 { return m.starts }

// cellBlock is some rows of a sparse matrix, or columns of one by columns: line i has Values[Start[i]:Start[i+1]] in the places
// Index[Start[i]:Start[i+1]], which ascend; its other values are 0.
type cellBlock struct {
	Start  []int
	Index  []int32
	Values []float32
}

// newCellMatrix is the matrix at a place of a file: an array, or a group with data, indices and indptr.
func newCellMatrix(o *hdf5.Object) (*cellMatrix, error) {
	if o.IsArray() {
		d, err := o.Dataset()
		if err != nil {
			return nil, err
		}
		if len(d.Dims) != 2 || !d.Type.IsNumber() {
			return nil, damagedCells("%s holds %v of %d dimensions, not a matrix of numbers", d.Path(), d.Type, len(d.Dims))
		}
		m := &cellMatrix{rows: d.Dims[0], columns: d.Dims[1], numbers: d}
		return m, checkNamesFit(o, int64(m.rows), int64(m.columns))
	}
	kind, err := h5Text(o, "encoding-type", "h5sparse_format")
	if err != nil {
		return nil, err
	}
	m := &cellMatrix{Kind: storedByRows}
	switch kind {
	case "csr_matrix", "csr":
	case "csc_matrix", "csc":
		m.Kind = storedByColumns
	default:
		return nil, fmt.Errorf("%s of kind %q: %w", o.Path(), kind, hdf5.ErrUnsupported)
	}
	shape, err := h5Attribute(o, "shape", "h5sparse_shape")
	if err != nil {
		return nil, err
	}
	rows, columns, err := h5Shape(shape)
	if err != nil {
		return nil, err
	}
	return m, m.sparse(o, rows, columns)
}

// checkNamesFit refuses a matrix of more rows or columns than the file has bytes: each has a name, which takes one at the least, and nothing of
// that many is read before it is known.
func checkNamesFit(o *hdf5.Object, rows, columns int64) error {
	if most := min(o.FileSize(), math.MaxInt32-1); rows < 0 || columns < 0 || rows > most || columns > most {
		return damagedCells("%s claims to be %d × %d, with a name for each, in a file of %d bytes", o.Path(), rows, columns, o.FileSize())
	}
	return nil
}

// sparse opens the three arrays of a sparse matrix.
func (m *cellMatrix) sparse(o *hdf5.Object, rows, columns int64) error {
	if err := checkNamesFit(o, rows, columns); err != nil {
		return err
	}
	m.rows, m.columns = int(rows), int(columns)
	var starts *hdf5.Dataset
	for name, into := range map[string]**hdf5.Dataset{"data": &m.numbers, "indices": &m.index, "indptr": &starts} {
		d, err := h5Array(o, name)
		if err != nil {
			return err
		}
		if *into = d; len(d.Dims) != 1 || !d.Type.IsNumber() {
			return damagedCells("%s holds %v of %d dimensions, not a row of numbers", d.Path(), d.Type, len(d.Dims))
		}
	}
	lines := m.rows
	if m.Kind == storedByColumns {
		lines = m.columns
	}
	if starts.Rows() != lines+1 || m.numbers.Rows() != m.index.Rows() {
		return damagedCells("%s is %d × %d, and has %d numbers, %d indices and %d starts", o.Path(), rows, columns, m.numbers.Rows(), m.index.Rows(),
			starts.Rows())
	}
	var err error
	if m.starts, err = hdf5.Read[int64](starts, 0, lines+1); err != nil {
		return err
	}
	if m.starts[0] != 0 || m.starts[lines] != int64(m.numbers.Rows()) || !slices.IsSorted(m.starts) {
		return damagedCells("%s does not lead from 0 to %d", starts.Path(), m.numbers.Rows())
	}
	return nil
}

// Rows reads rows from … to-1 of a matrix that is sparse by rows.
func (m *cellMatrix) Rows(from, to int) (cellBlock, error) { return m.lines(storedByRows, from, to) }

// Columns reads columns from … to-1 of a matrix that is sparse by columns.
func (m *cellMatrix) Columns(from, to int) (cellBlock, error) {
	return m.lines(storedByColumns, from, to)
}

func (m *cellMatrix) lines(kind cellStorage, from, to int) (cellBlock, error) {
	if m.Kind != kind || from < 0 || to < from || to > len(m.starts)-1 {
		return cellBlock{}, fmt.Errorf("%d to %d of a matrix of %d × %d, %v", from, to, m.rows, m.columns, m.Kind)
	}
	begin, end := int(m.starts[from]), int(m.starts[to])
	values, err := hdf5.Read[float32](m.numbers, begin, end)
	if err != nil {
		return cellBlock{}, err
	}
	places, err := hdf5.Read[int64](m.index, begin, end)
	if err != nil {
		return cellBlock{}, err
	}
	width := int64(m.columns)
	if kind == storedByColumns {
		width = int64(m.rows)
	}
	b := cellBlock{Start: make([]int, to-from+1), Index: make([]int32, len(places)), Values: values}
	for k, place := range places {
		if place < 0 || place >= width {
			return cellBlock{}, damagedCells("%s holds %d at %d; there are %d", m.index.Path(), place, begin+k, width)
		}
		b.Index[k] = int32(place)
	}
	for i := range b.Start {
		b.Start[i] = int(m.starts[from+i]) - begin
	}
	return b.ordered(), nil
}

// ordered is the block with each line's places in order. Numbers in the same place are added up, as SciPy does.
func (b cellBlock) ordered() cellBlock {
	into := 0
	for i := 1; i < len(b.Start); i++ {
		from, to := b.Start[i-1], b.Start[i]
		b.Start[i-1] = into
		if index := b.Index[from:to]; !slices.IsSorted(index) {
			b.sort(from, to)
		}
		begin := into
		for k := from; k < to; k++ {
			if into > begin && b.Index[into-1] == b.Index[k] {
				b.Values[into-1] += b.Values[k]
				continue
			}
			b.Index[into], b.Values[into] = b.Index[k], b.Values[k]
			into++
		}
	}
	b.Start[len(b.Start)-1] = into
	return cellBlock{b.Start, b.Index[:into], b.Values[:into]}
}

func (b cellBlock) sort(from, to int) {
	type pair struct {
		place int32
		value float32
	}
	pairs := make([]pair, to-from)
	for k := range pairs {
		pairs[k] = pair{b.Index[from+k], b.Values[from+k]}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return int(a.place) - int(b.place) })
	for k, p := range pairs {
		b.Index[from+k], b.Values[from+k] = p.place, p.value
	}
}

// cellBlockNumbers is about how many numbers Fill reads at once.
const cellBlockNumbers = 1 << 22

// Fill writes all numbers to x, row by row, which has room for rows × columns of them and holds zeros. A matrix that is stored dense shows
// its columns to rounded.
func (m *cellMatrix) Fill(ctx context.Context, x []float32, rounded Rounding) error {
	lines := m.rows
	if m.Kind == storedByColumns {
		lines = m.columns
	}
	for from := 0; from < lines; {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := m.until(from)
		if m.Kind == storedDense {
			numbers, err := hdf5.Read[float64](m.numbers, from, to)
			if err != nil {
				return err
			}
			for at := 0; at < len(numbers); at += m.columns { // a division for each number would take longer than reading it
				for j, value := range numbers[at : at+m.columns] {
					x[from*m.columns+at+j] = rounded.Round(j, value)
				}
			}
			from = to
			continue
		}
		b, err := m.lines(m.Kind, from, to)
		if err != nil {
			return err
		}
		line, step := m.columns, 1
		if m.Kind == storedByColumns {
			line, step = 1, m.columns
		}
		for i := range to - from {
			for k := b.Start[i]; k < b.Start[i+1]; k++ {
				x[(from+i)*line+int(b.Index[k])*step] = b.Values[k]
			}
		}
		from = to
	}
	return nil
}

// EachColumn visits the columns of a matrix that is sparse by columns, each with its rows, which ascend, and their numbers.
func (m *cellMatrix) EachColumn(ctx context.Context, visit func(column int, rows []int32, values []float32)) error {
	for from := 0; from < m.columns; {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := m.until(from)
		b, err := m.Columns(from, to)
		if err != nil {
			return err
		}
		for i := range to - from {
			visit(from+i, b.Index[b.Start[i]:b.Start[i+1]], b.Values[b.Start[i]:b.Start[i+1]])
		}
		from = to
	}
	return nil
}

// until is the end of a block that begins at a line: some millions of numbers, one line at least, and whole chunks.
func (m *cellMatrix) until(from int) int {
	if m.Kind == storedDense {
		step, chunk := max(cellBlockNumbers/max(m.columns, 1), 1), m.numbers.ChunkRows()
		return min(from+max(step/chunk, 1)*chunk, m.rows)
	}
	to := from + 1
	for to < len(m.starts)-1 && m.starts[to+1]-m.starts[from] <= cellBlockNumbers {
		to++
	}
	return to
}
