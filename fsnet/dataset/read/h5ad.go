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
	"fsnetlab/fsnet/dataset/sparse"
)

// h5adTable is a matrix and what describes it.
type h5adTable struct {
	X   *cellMatrix // cells × genes
	Obs *h5Frame    // describes the cells
	Var *h5Frame    // describes the genes
}

func isH5AD(root *hdf5.Object) bool {
	return root.Has("obs") && root.Has("var")
}

// rawLayer names what anndata keeps beside X with genes of its own, unless a layer has that name.
const rawLayer = "raw"

// openH5AD reads the parts of an .h5ad file. layer names what to take instead of X. Where that is not there the error is [fs.ErrNotExist].
func openH5AD(root *hdf5.Object, layer string) (*h5adTable, error) {
	x, genes := "X", "var"
	if layer != "" {
		x = "layers/" + layer
		if layer == rawLayer && !h5Has(root, x) {
			x, genes = "raw/X", "raw/var"
		}
	}
	t := &h5adTable{}
	o, err := root.Object(x)
	if err != nil {
		return nil, err
	}
	if t.X, err = newCellMatrix(o); err != nil {
		return nil, err
	}
	if o, err = root.Object(genes); err != nil {
		return nil, err
	}
	if t.Var, err = newH5Frame(o, t.X.columns); err != nil {
		return nil, err
	}
	t.Obs, err = h5adObs(root, t.X.rows)
	return t, err
}

// h5adObs is the description of the cells of an .h5ad file, of which there are n.
func h5adObs(root *hdf5.Object, n int) (*h5Frame, error) {
	o, err := root.Object("obs")
	if err != nil {
		return nil, err
	}
	return newH5Frame(o, n)
}

func h5Has(o *hdf5.Object, path string) bool {
	_, err := o.Object(path)
	return err == nil
}

// h5adLayers are the names that Open takes for layer.
func h5adLayers(root *hdf5.Object) ([]string, error) {
	var names []string
	o, err := root.Object("layers")
	if err == nil {
		names, err = o.Members()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if h5Has(root, rawLayer+"/X") {
		names = append(names, rawLayer)
	}
	return names, nil
}

// tenX is a table of Cell Ranger: sparse by rows, the name of each cell and each gene, and of each gene its identity, such as ENSG….
type tenX struct {
	X                *cellMatrix
	Cells, Names, ID []string
	Kinds            []string // what each gene is, such as Gene Expression or Antibody Capture; nil where the file does not say
}

func isTenX(root *hdf5.Object) bool { return h5Has(root, "matrix/features") }

// openTenX reads the parts of a file of Cell Ranger. It stores genes × cells by columns, which is cells × genes by rows.
func openTenX(root *hdf5.Object) (*tenX, error) {
	o, err := root.Object("matrix")
	if err != nil {
		return nil, err
	}
	shape, err := o.Array("shape")
	if err != nil {
		return nil, err
	}
	genes, cells, err := h5Shape(shape)
	if err != nil {
		return nil, err
	}
	t := &tenX{X: &cellMatrix{Kind: storedByRows}}
	if err := t.X.sparse(o, cells, genes); err != nil {
		return nil, err
	}
	for path, into := range map[string]*[]string{"barcodes": &t.Cells, "features/name": &t.Names, "features/id": &t.ID,
		"features/feature_type": &t.Kinds} {
		d, err := o.Array(path)
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(path, "feature_type") {
			continue
		}
		if err != nil {
			return nil, err
		}
		n := t.X.columns
		if path == "barcodes" {
			n = t.X.rows
		}
		if len(d.Dims) != 1 || d.Rows() != n || !d.Type.IsText() {
			return nil, damagedCells("%s holds %v of the lengths %v, not %d names", d.Path(), d.Type, d.Dims, n)
		}
		if *into, err = d.Strings(0, n); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Path(), err)
		}
	}
	return t, nil
}

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
	index string // the member with the names
	n     int    // of what it describes
	old   bool   // categories are in a group of their own, as anndata 0.7 wrote them
}

// newH5Frame is the description of n rows or columns at a place of a file.
func newH5Frame(o *hdf5.Object, n int) (*h5Frame, error) {
	if o.IsArray() {
		return nil, fmt.Errorf("%s as a list of records, written by anndata before 0.7: %w", o.Path(), hdf5.ErrUnsupported)
	}
	f := &h5Frame{group: o, n: n, old: o.Has("__categories")}
	index, err := h5Text(o, "_index")
	if f.index = index; errors.Is(err, fs.ErrNotExist) {
		f.index, err = "_index", nil
	}
	return f, err
}

// Columns are the names of its columns, in the order of the alphabet.
func (f *h5Frame) Columns() []string {
	members, err := f.group.Members()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(members, func(name string) bool { return name == f.index || name == "__categories" })
}

// Names are the names of the rows or columns that it describes.
func (f *h5Frame) Names() ([]string, error) {
	return f.Column(f.index)
}

// Column is a column as text; what is missing is "". Where there is no column of that name the error is [fs.ErrNotExist].
func (f *h5Frame) Column(name string) ([]string, error) {
	o, err := f.group.Object(name)
	if err != nil {
		return nil, err
	}
	if !o.IsArray() {
		return f.composed(o)
	}
	values, err := f.values(o, f.n)
	if !f.old || err != nil || name == f.index {
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

// IsText says of a column that there is whether it holds text, or numbers that have names.
func (f *h5Frame) IsText(name string) bool {
	for _, path := range []string{name + "/categories", name + "/values", "__categories/" + name, name} {
		if o, err := f.group.Object(path); err == nil && o.IsArray() {
			d, err := o.Dataset()
			return err == nil && (d.Type.IsText() || d.Type.Class == hdf5.Enum)
		}
	}
	return false
}

// composed is a column that is a group: codes and categories, or values and a mask of those that are missing.
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

// categorical is a column of which each value is the number of a category, or below 0 where it is missing.
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

func (f *h5Frame) numbers(d *hdf5.Dataset) ([]int64, error) {
	if len(d.Dims) != 1 || d.Rows() != f.n {
		return nil, damagedCells("%s has the lengths %v, not %d", d.Path(), d.Dims, f.n)
	}
	return hdf5.Read[int64](d, 0, f.n)
}

// values reads an array of n elements, or of any number where n is below 0, as text; a number that is none is "".
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

// h5Attribute is the first of some attributes that there is.
func h5Attribute(o *hdf5.Object, names ...string) (d *hdf5.Dataset, err error) {
	for _, name := range names {
		if d, err = o.Attribute(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return d, err
}

// h5Text is the text of the first of some attributes that there is.
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

// lines reads rows from … to-1 of a matrix that is sparse by rows, or such columns of one that is sparse by columns: of each its places in
// order. Numbers in the same place are added up, as SciPy does.
func (m *cellMatrix) lines(from, to int) (sparse.Rows, error) {
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
		b, err := m.lines(from, to)
		if err != nil {
			return err
		}
		line, step := m.columns, 1
		if m.Kind == storedByColumns {
			line, step = 1, m.columns
		}
		for i := range to - from {
			places, values := b.Row(i)
			for k, place := range places {
				x[(from+i)*line+int(place)*step] = values[k]
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
		b, err := m.lines(from, to)
		if err != nil {
			return err
		}
		for i := range to - from {
			rows, values := b.Row(i)
			visit(from+i, rows, values)
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
