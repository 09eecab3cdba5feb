package read

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
)

// h5adFile is a matrix of an .h5ad file and its descriptions.
type h5adFile struct {
	X   *cellMatrix // cells × genes
	Obs *h5Frame    // describes the cells
	Var *h5Frame    // describes the genes
}

// isH5AD reports whether an HDF5 file was written by anndata.
func isH5AD(root *hdf5.Object) bool {
	return root.Has("obs") && root.Has("var")
}

// rawLayer is the layer name for the matrix that anndata stores in raw, with
// its own genes. A layer that really has this name takes precedence.
const rawLayer = "raw"

// openH5AD opens a layer of an .h5ad file, or X if layer is "". The error is
// [fs.ErrNotExist] if the layer does not exist.
func openH5AD(root *hdf5.Object, layer string) (*h5adFile, error) {
	x, genes := "X", "var"
	if layer != "" {
		x = "layers/" + layer
		if layer == rawLayer && !hasMember(root, x) {
			x, genes = "raw/X", "raw/var"
		}
	}

	h := &h5adFile{}
	o, err := root.Object(x)
	if err != nil {
		return nil, err
	}
	if h.X, err = newCellMatrix(o); err != nil {
		return nil, err
	}

	if o, err = root.Object(genes); err != nil {
		return nil, err
	}
	if h.Var, err = newH5Frame(o, h.X.columns); err != nil {
		return nil, err
	}

	h.Obs, err = h5adObs(root, h.X.rows)
	return h, err
}

// h5adObs opens the descriptions of the n cells of an .h5ad file.
func h5adObs(root *hdf5.Object, n int) (*h5Frame, error) {
	o, err := root.Object("obs")
	if err != nil {
		return nil, err
	}
	return newH5Frame(o, n)
}

// hasMember reports whether there is an object at path below o.
func hasMember(o *hdf5.Object, path string) bool {
	_, err := o.Object(path)
	return err == nil
}

// h5adLayers returns the values that the key layer accepts. If the file has no
// layers, the list is empty.
func h5adLayers(root *hdf5.Object) ([]string, error) {
	var names []string
	o, err := root.Object("layers")
	if err == nil {
		names, err = o.Members()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if hasMember(root, rawLayer+"/X") {
		names = append(names, rawLayer)
	}
	return names, nil
}

// isTenX reports whether an HDF5 file was written by Cell Ranger.
func isTenX(root *hdf5.Object) bool { return hasMember(root, "matrix/features") }

// openTenX opens a file of Cell Ranger. The file stores genes × cells by
// columns. That is the same as cells × genes by rows. A gene without a name is
// called by its identifier.
func openTenX(path string, root *hdf5.Object) (*cells, error) {
	o, err := root.Object("matrix")
	if err != nil {
		return nil, err
	}
	shape, err := o.Array("shape")
	if err != nil {
		return nil, err
	}
	columns, rows, err := h5Shape(shape)
	if err != nil {
		return nil, err
	}

	m := &cellMatrix{Kind: storedByRows}
	if err := m.openSparse(o, rows, columns); err != nil {
		return nil, err
	}

	c := &cells{path: path}
	c.setMatrix(m)

	var ids, kinds []string
	for member, into := range map[string]*[]string{"barcodes": &c.names, "features/name": &c.features, "features/id": &ids, "features/feature_type": &kinds} {
		d, err := o.Array(member)
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(member, "feature_type") {
			continue
		}
		if err != nil {
			return nil, err
		}
		n := c.d
		if member == "barcodes" {
			n = c.n
		}
		if len(d.Dims) != 1 || d.Rows() != n || !d.Type.IsText() {
			return nil, damagedCells("%s holds %v of the lengths %v, not %d names", d.Path(), d.Type, d.Dims, n)
		}
		if *into, err = d.Strings(0, n); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path(), err)
		}
	}

	for j, name := range c.features {
		if parse.IsMissing(parse.Clean(name)) {
			c.features[j] = ids[j]
		}
	}

	c.noteMatrix("the matrix", m.Kind.String(), kinds)
	return c, nil
}

// h5Shape reads an array of two lengths. Any other number of lengths is an
// error.
func h5Shape(d *hdf5.Dataset) (first, second int64, err error) {
	lengths, err := hdf5.Read[int64](d, 0, d.Rows())
	if err == nil && len(lengths) != 2 {
		err = damagedCells("%s has %d numbers", d.Path(), len(lengths))
	}
	if err != nil {
		return 0, 0, err
	}
	return lengths[0], lengths[1], nil
}

// h5Frame describes the rows or the columns of a matrix.
type h5Frame struct {
	group *hdf5.Object
	index string // the member that holds the names
	n     int    // number of rows or columns
	isOld bool   // categories are in a separate group, as in anndata 0.7
}

// newH5Frame opens the descriptions of n rows or columns.
func newH5Frame(o *hdf5.Object, n int) (*h5Frame, error) {
	if o.IsArray() {
		return nil, fmt.Errorf("%s as a list of records, written by anndata before 0.7: %w", o.Path(), hdf5.ErrUnsupported)
	}
	f := &h5Frame{group: o, n: n, isOld: o.Has("__categories")}
	index, err := h5Text(o, "_index")
	if f.index = index; errors.Is(err, fs.ErrNotExist) {
		f.index, err = "_index", nil
	}
	return f, err
}

// Columns returns the names of the columns, sorted. They do not include the
// column that names the rows. It returns nil if they cannot be read.
func (f *h5Frame) Columns() []string {
	members, err := f.group.Members()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(members, func(name string) bool { return name == f.index || name == "__categories" })
}

// Names returns the names of the rows or columns.
func (f *h5Frame) Names() ([]string, error) { return f.Column(f.index) }

// Column returns a column as texts, with "" for missing values. The error is
// [fs.ErrNotExist] if the column does not exist.
func (f *h5Frame) Column(name string) ([]string, error) {
	o, err := f.group.Object(name)
	if err != nil {
		return nil, err
	}
	if !o.IsArray() {
		return f.composed(o)
	}

	values, err := f.values(o, f.n)
	if !f.isOld || err != nil || name == f.index {
		return values, err
	}

	categories, err := f.group.Object("__categories/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return values, nil
	}
	if err != nil {
		return nil, err
	}
	return f.categorical(o, categories)
}

// IsText reports whether a column exists and holds text, or numbers with names.
func (f *h5Frame) IsText(name string) bool {
	for _, path := range []string{name + "/categories", name + "/values", "__categories/" + name, name} {
		if o, err := f.group.Object(path); err == nil && o.IsArray() {
			d, err := o.Dataset()
			return err == nil && (d.Type.IsText() || d.Type.Class == hdf5.Enum)
		}
	}
	return false
}

// composed reads a column that is stored as a group: codes and categories, or
// values and a mask of the missing ones.
func (f *h5Frame) composed(o *hdf5.Object) ([]string, error) {
	parts := [2]string{"values", "mask"}
	categorical := o.Has("codes") && o.Has("categories")
	if categorical {
		parts = [2]string{"codes", "categories"}
	}
	if !o.Has(parts[0]) || !o.Has(parts[1]) {
		kind, _ := h5Text(o, "encoding-type")
		return nil, fmt.Errorf("%s of kind %q: %w", o.Path(), kind, hdf5.ErrUnsupported)
	}

	first, err := o.Object(parts[0])
	if err != nil {
		return nil, err
	}
	second, err := o.Object(parts[1])
	if err != nil {
		return nil, err
	}

	if categorical {
		return f.categorical(first, second)
	}
	values, err := f.values(first, f.n)
	if err != nil {
		return nil, err
	}
	missing, err := f.values(second, f.n)
	if err != nil {
		return nil, err
	}

	for i, m := range missing {
		if m != "0" && !strings.EqualFold(m, "false") {
			values[i] = ""
		}
	}
	return values, nil
}

// categorical reads a column of category numbers. A negative number means
// missing.
func (f *h5Frame) categorical(codes, categories *hdf5.Object) ([]string, error) {
	d, err := codes.Dataset()
	if err != nil {
		return nil, err
	}
	numbers, err := f.numbers(d)
	if err != nil {
		return nil, err
	}
	words, err := f.values(categories, -1)
	if err != nil {
		return nil, err
	}

	values := make([]string, len(numbers))
	for i, code := range numbers {
		if code >= int64(len(words)) {
			return nil, damagedCells("%s holds %d at %d; there are %d categories", codes.Path(), code, i, len(words))
		}
		if code >= 0 {
			values[i] = words[code]
		}
	}
	return values, nil
}

// numbers reads an array of n numbers and truncates them to integers.
func (f *h5Frame) numbers(d *hdf5.Dataset) ([]int64, error) {
	if len(d.Dims) != 1 || d.Rows() != f.n {
		return nil, damagedCells("%s has the lengths %v, not %d", d.Path(), d.Dims, f.n)
	}
	return hdf5.Read[int64](d, 0, f.n)
}

// values reads an array of n elements as texts, with "" for NaN. If n is
// negative, the array may have any length.
func (f *h5Frame) values(o *hdf5.Object, n int) ([]string, error) {
	d, err := o.Dataset()
	if err != nil {
		return nil, err
	}
	if len(d.Dims) != 1 || n >= 0 && d.Rows() != n {
		return nil, damagedCells("%s has the lengths %v, not %d", d.Path(), d.Dims, f.n)
	}
	return d.Texts(0, d.Rows())
}

// h5Attribute returns the first of these attributes that exists.
func h5Attribute(o *hdf5.Object, names ...string) (d *hdf5.Dataset, err error) {
	for _, name := range names {
		if d, err = o.Attribute(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return d, err
}

// h5Text returns the text of the first of these attributes that exists.
func h5Text(o *hdf5.Object, names ...string) (string, error) {
	d, err := h5Attribute(o, names...)
	if err != nil {
		return "", err
	}
	list, err := d.Strings(0, min(d.Rows(), 1))
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// errDamagedCells is wrapped by errors about parts of a file that contradict
// each other.
var errDamagedCells = errors.New("the table is damaged")

// damagedCells returns an error that wraps [errDamagedCells].
func damagedCells(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamagedCells, fmt.Sprintf(format, args...))
}

// cellStorage is the layout of a matrix.
type cellStorage int

const (
	storedDense     cellStorage = iota // every number
	storedByRows                       // nonzero numbers, row after row (CSR)
	storedByColumns                    // nonzero numbers, column after column (CSC)
)

func (k cellStorage) String() string {
	return [...]string{"dense", "sparse by rows", "sparse by columns"}[k]
}

// cellMatrix is a matrix in a file.
type cellMatrix struct {
	Kind cellStorage

	rows, columns int
	numbers       *hdf5.Dataset // all numbers, or the nonzero ones
	// index holds, for a sparse matrix, the column (by rows) or row (by
	// columns) of each number.
	index *hdf5.Dataset
	// starts holds, for a sparse matrix, where each row or column begins in
	// numbers, and the end of the last one.
	starts []int64
}

// stored returns how many numbers are in the file.
func (m *cellMatrix) stored() int64 {
	if m.Kind == storedDense {
		return int64(m.rows) * int64(m.columns)
	}
	return m.starts[len(m.starts)-1]
}

// newCellMatrix opens a matrix: an array, or a group with data, indices and
// indptr.
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
	return m, m.openSparse(o, rows, columns)
}

// checkNamesFit rejects a matrix with more rows or columns than the file has
// bytes, since the name of each takes at least one byte.
func checkNamesFit(o *hdf5.Object, rows, columns int64) error {
	if most := min(o.FileSize(), math.MaxInt32-1); rows < 0 || columns < 0 || rows > most || columns > most {
		return damagedCells("%s claims to be %d × %d, with a name for each, in a file of %d bytes", o.Path(), rows, columns, o.FileSize())
	}
	return nil
}

// openSparse opens the three arrays of a sparse matrix, rows × columns, and
// checks that they fit together.
func (m *cellMatrix) openSparse(o *hdf5.Object, rows, columns int64) error {
	if err := checkNamesFit(o, rows, columns); err != nil {
		return err
	}
	m.rows, m.columns = int(rows), int(columns)

	var starts *hdf5.Dataset
	for name, into := range map[string]**hdf5.Dataset{"data": &m.numbers, "indices": &m.index, "indptr": &starts} {
		d, err := o.Array(name)
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

// readLines reads rows from ≤ i < to of a matrix that is sparse by rows, or
// columns from ≤ i < to of one that is sparse by columns, sorted by place. Like
// SciPy, it adds up numbers in the same place.
func (m *cellMatrix) readLines(from, to int) (sparse.Rows, error) {
	if from < 0 || to < from || to > len(m.starts)-1 {
		return sparse.Rows{}, fmt.Errorf("%d to %d of a matrix of %d × %d, %v", from, to, m.rows, m.columns, m.Kind)
	}

	begin, end := int(m.starts[from]), int(m.starts[to])
	values, err := hdf5.Read[float32](m.numbers, begin, end)
	if err != nil {
		return sparse.Rows{}, err
	}
	places, err := hdf5.Read[int64](m.index, begin, end)
	if err != nil {
		return sparse.Rows{}, err
	}

	width := int64(m.columns)
	if m.Kind == storedByColumns {
		width = int64(m.rows)
	}

	lines := sparse.Rows{Start: make([]int, to-from+1), Columns: make([]int32, len(places)), Values: values}
	for k, place := range places {
		if place < 0 || place >= width {
			return sparse.Rows{}, damagedCells("%s holds %d at %d; there are %d", m.index.Path(), place, begin+k, width)
		}
		lines.Columns[k] = int32(place)
	}

	for i := range lines.Start {
		lines.Start[i] = int(m.starts[from+i]) - begin
	}
	lines.SumDuplicates()
	return lines, nil
}

// cellBlockNumbers is roughly how many numbers one read takes.
const cellBlockNumbers = 1 << 22

// fill writes the numbers of a dense matrix to x, rows × columns, row by row.
// It reads the matrix in blocks.
func (m *cellMatrix) fill(ctx context.Context, x []float32, rounded Rounding) error {
	for from := 0; from < m.rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := m.blockEnd(from)
		numbers, err := hdf5.Read[float64](m.numbers, from, to)
		if err != nil {
			return err
		}
		// Two loops, because a division for each number would take longer than
		// reading it.
		for at := 0; at < len(numbers); at += m.columns {
			for j, value := range numbers[at : at+m.columns] {
				x[from*m.columns+at+j] = rounded.Round(j, value)
			}
		}
		from = to
	}
	return nil
}

// each visits the numbers of a sparse matrix as they are stored.
func (m *cellMatrix) each(ctx context.Context, visit func(row, column int, value float32)) error {
	for from := 0; from < len(m.starts)-1; {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := m.blockEnd(from)
		lines, err := m.readLines(from, to)
		if err != nil {
			return err
		}
		for i := range to - from {
			places, values := lines.Row(i)
			for k, place := range places {
				if m.Kind == storedByColumns {
					visit(int(place), from+i, values[k])
				} else {
					visit(from+i, int(place), values[k])
				}
			}
		}
		from = to
	}
	return nil
}

// blockEnd returns the end of the block of lines that starts at from. A block
// has about cellBlockNumbers numbers, at least one line, and only whole chunks.
func (m *cellMatrix) blockEnd(from int) int {
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
