package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
)

// Extensions lists the file name extensions that [Open] reads.
func Extensions() []string { return read.Extensions() }

// Titles holds the names of the columns of a table. The name of a first column
// without a title is "".
type Titles = read.Titles

// Header returns the names of the columns of a data set. It finds the data set
// as [Open] does. They are empty if the file does not name its columns. For a
// built-in data set they are its features.
func Header(ctx context.Context, data, dir string) (c Titles, err error) {
	b := findBuiltin(data)
	if b == nil {
		return read.Header(ctx, Locate(data, dir))
	}
	d, err := b.open()
	if err == nil {
		c.Numbers = d.Features
	}
	return c, err
}

// Open reads the data set that s.Data names: a built-in one, in any case
// ("ALLAML", "allaml"), or a file. A relative path starts at dir, and "~/" at
// the home directory. "./ALLAML" is always a file.
//
// Label, Samples, Covariates, Groups and Split name columns of a table, and
// Missing says what to do with missing values. Source of the result reports
// what was noticed while reading, such as a column that was read as sample
// names, or duplicates that were renamed.
//
// Errors are *errs.Error: of kind Request or NotFound with file, row, column
// and value, or of kind Interrupted if the context was canceled.
func Open(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if strings.TrimSpace(s.Data) == "" {
		return nil, errs.New(errs.Request, "give the path of a file ("+strings.Join(Extensions(), " ")+") or a built-in name, as in data=ALLAML", "no data set is named")
	}
	d, r, err := openNamed(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	d.dir = dir
	if err := d.applyRowColumns(s, r); err != nil {
		return nil, err
	}
	return d, nil
}

// openNamed opens the data set that s.Data names. The frame holds the columns
// that describe its rows. It is empty for a built-in data set.
func openNamed(ctx context.Context, s config.Settings, dir string) (*Dataset, *read.Frame, error) {
	if b := findBuiltin(s.Data); b != nil {
		if s.Label != "" || s.X != "" || s.Samples != "" || len(s.Covariates) > 0 || s.Layer != "" || s.Annotations != "" ||
			s.Sheet != "" || len(s.Ignore) > 0 || len(s.RowColumns()) > 0 {
			return nil, nil, errs.New(errs.Request, "leave them out",
				"label, x, samples, covariates, ignore, sheet, layer, annotations and columns that describe rows are for files; %s is built in, with its classes", b.Name)
		}
		d, err := b.open()
		return d, new(read.Frame), err
	}
	if s.Annotations != "" {
		s.Annotations = Locate(s.Annotations, dir)
	}
	f, path, file, err := findFile(s.Data, dir)
	if err != nil {
		return nil, nil, err
	}
	d, r, err := readFile(ctx, f, path, s, read.Options{})
	// a sparse table is read again later; its file is closed when it is garbage
	// collected
	if err != nil || !d.Sparse() {
		_ = file.Close()
	}
	return d, r, err
}

// findFile opens a file and detects its format. If the data are a directory
// with a matrix, file is nil; otherwise the caller must close it.
func findFile(data, dir string) (f *read.File, path string, file *os.File, err error) {
	path = Locate(data, dir)
	if f, ok := read.MatrixMarket(path); ok {
		return f, path, nil, nil
	}
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	if file, err = read.OpenFile(path, data, names...); err != nil {
		return f, path, nil, err
	}
	if f, err = read.Detect(path, filepath.Ext(path), file); err != nil {
		_ = file.Close()
	}
	return f, path, file, err
}

// readFile reads a data set from a file. The returned frame has the names of
// all samples. Its columns that describe rows have only the rows of the data
// set.
func readFile(ctx context.Context, f *read.File, path string, s config.Settings, o read.Options) (*Dataset, *read.Frame, error) {
	r, err := f.Read(ctx, s, o)
	if err != nil {
		return nil, nil, err
	}
	var contents sparse.Contents
	if r.Source != nil {
		if contents, err = scanSource(ctx, r.Source, path); err != nil {
			return nil, nil, err
		}
	}

	d, err := newDataset(r, contents, path, f.Name, s)
	return d, r, err
}

// Same reports whether two names, each relative to a directory, mean the same
// data. A built-in name means the same everywhere and in any case. Two paths
// mean the same if they are equal or, also through links, lead to the same
// file.
func Same(data, dir, otherData, otherDir string) bool {
	if a, b := findBuiltin(data), findBuiltin(otherData); a != nil || b != nil {
		return a != nil && b != nil && a.Name == b.Name
	}
	here, there := Locate(data, dir), Locate(otherData, otherDir)
	a, errA := os.Stat(here)
	b, errB := os.Stat(there)
	return here == there || errA == nil && errB == nil && os.SameFile(a, b)
}

// Locate returns the path that a name means in a directory. The path of an
// absolute name, or of any name if dir is "", is the name itself. "~/" stands
// for the home directory. Any other path starts at dir. The file need not
// exist.
func Locate(data, dir string) string {
	if rest, ok := strings.CutPrefix(data, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(data) || dir == "" {
		return filepath.Clean(data)
	}
	return filepath.Join(dir, data)
}

// Columns holds the columns that a model needs from a data set other than the
// one it was trained on.
type Columns struct {
	Name    string
	Rows    [][]float64 // the requested columns, in the requested order; NaN if missing
	Samples []string    // or nil
	Lines   []int       // the line of each row in a text file; nil for other files
	Labels  []string    // the label of each row, "" if missing; nil if there is no label

	// Described holds the columns that describe the rows
	// ([config.Settings.RowColumns]). A missing value is "".
	Described map[string][]string
	// Words holds the covariates and the nuisance, as the file spells them, if
	// they exist. A missing value is "".
	Words map[string][]string
	// OtherVersion lists genes that have another version in the file, as in
	// "ENSG00000141510.17 from ENSG00000141510.18".
	OtherVersion []string
}

// OpenColumns reads columns of the data that s.Data names, from a file of any
// kind. It finds the label and the samples as [Open] does, but they may be
// missing. It also renames repeated names as Open does. A name such as sex=f
// may refer to a covariate: the word f in the column sex. A gene of Ensembl or
// RefSeq may have another version. If the settings have pairs or a nuisance,
// their columns must exist. OpenColumns subtracts the mean of each pair.
//
// If columns are missing, the error is of kind Request. It lists all of them,
// with names that you may have meant.
func OpenColumns(ctx context.Context, names []string, s config.Settings, dir string) (*Columns, error) {
	s = s.WithoutDivision() // the columns are needed only as they are read
	c := &Columns{}

	var r *read.Frame
	path := s.Data
	if b := findBuiltin(s.Data); b != nil {
		d, err := b.open()
		if err != nil {
			return nil, err
		}
		r, c.Name = &read.Frame{X: d.X, Features: d.Features}, d.Name
		for _, y := range d.Y {
			r.Labels = append(r.Labels, d.Classes[y])
		}
	} else {
		f, at, file, err := findFile(s.Data, dir)
		if err != nil {
			return nil, err
		}
		path = at
		defer file.Close()
		if s.Annotations != "" {
			s.Annotations = Locate(s.Annotations, dir)
		}
		if r, err = f.Read(ctx, s, read.Options{Panel: names}); err != nil {
			return nil, err
		}
		c.Name = nameOf(path)
	}

	c.Samples, c.Lines, c.Labels, c.Described, c.Words = r.Samples, r.Lines, r.Labels, r.Described, r.Words
	if values, ok := c.Described[s.Nuisance]; ok && c.Words != nil {
		c.Words[s.Nuisance] = values
	}

	if err := c.setRows(ctx, r, names, path); err != nil {
		return nil, err
	}

	for _, column := range s.RowColumns() {
		texts, known := c.Described[column.Column]
		if !known {
			return nil, errs.New(errs.Request, "add it: the model was trained with it", "%s has no column %q", path, parse.Shorten(column.Column))
		}
		if i := slices.Index(texts, ""); i >= 0 {
			return nil, errs.New(errs.Request, "give it a value", "%s: %s, column %q: the value is missing", path, read.Place(c.Lines, i), parse.Shorten(column.Column))
		}
	}

	if s.Pairs == "" {
		return c, nil
	}
	return c, Differences(c.Rows, s.Pairs, c.Described[s.Pairs], func(i int) string { return path + ": " + read.Place(c.Lines, i) })
}

// setRows sets Rows to the columns with these names. It rejects unknown columns
// and infinite values, as a training would.
func (c *Columns) setRows(ctx context.Context, r *read.Frame, names []string, path string) error {
	columns, versions, err := r.Pick(names, path)
	if err != nil {
		return err
	}
	c.OtherVersion = versions

	d := &Dataset{X: r.X, D: len(r.Features), source: r.Source}
	if d.N = len(r.X) / d.D; d.Sparse() {
		d.N, _ = r.Source.Shape()
	}
	values, err := d.gather(ctx, num.Indices(d.N), columns)
	if err != nil {
		return err
	}

	c.Rows = make([][]float64, d.N)
	for i := range c.Rows {
		for k, x := range values[i*len(columns) : (i+1)*len(columns)] {
			if math.IsInf(float64(x), 0) {
				return errs.New(errs.Request, "correct it", "%s: %s, column %q: the value is infinite, or beyond the ±3.4e38 of a 32-bit number",
					path, read.Place(r.Lines, i), parse.Shorten(names[k]))
			}
			c.Rows[i] = append(c.Rows[i], float64(x))
		}
	}
	return nil
}

// dropMissing applies the key missing. With missing=error it returns an error
// at the first missing value. With missing=drop it leaves out rows that have
// one. With missing=mean it changes nothing, because [Prepare] fills them.
func dropMissing(d *Dataset, missing string) (*Dataset, error) {
	rows, err := d.rowsWithValues(num.Indices(d.N), missing)
	if err != nil || len(rows) == d.N {
		return d, err
	}
	d = d.pick(rows)
	d.setHash()
	return d, nil
}

// rowsWithValues returns the rows that the key missing keeps. With mean it
// returns all. With drop it returns the rows without a missing value, and an
// error if there are none. With error it returns an error at the first missing
// value.
func (d *Dataset) rowsWithValues(rows []int, missing string) ([]int, error) {
	if missing == "mean" {
		return rows, nil
	}

	first := func(i int) int { return slices.IndexFunc(d.X[i*d.D:(i+1)*d.D], func(x float32) bool { return x != x }) }
	if d.Sparse() {
		first = d.contents.FirstMissing()
	}

	var complete []int
	for _, i := range rows {
		j := first(i)
		if j < 0 {
			complete = append(complete, i)
			continue
		}
		if missing != "drop" {
			return nil, errs.New(errs.Request, "use missing=mean (the feature's training mean) or missing=drop (leave such rows out)", "%s: the value is missing", d.valueName(i, j))
		}
	}

	if len(complete) == 0 {
		return nil, errs.New(errs.Request, "use missing=mean", "%s: missing=drop leaves no row: each of the %d has a missing value", d.where(), len(rows))
	}
	return complete, nil
}

// pick returns the data set reduced to some rows. It does not compute the hash.
// Classes without rows disappear.
func (d *Dataset) pick(rows []int) *Dataset { return d.pickInto(nil, rows) }

// pickInto does the work of [Dataset.pick] and appends the values to x. If x is
// d.X[:0], it moves them in place. In that case rows must ascend, and d can no
// longer be used.
func (d *Dataset) pickInto(x []float32, rows []int) *Dataset {
	out := &Dataset{Name: d.Name, Source: d.Source, N: len(rows), D: d.D, Features: d.Features, file: d.file,
		dropped: d.dropped + d.N - len(rows), parts: d.parts.pick(rows), undrawn: d.undrawn.pick(rows), dir: d.dir,
		Groups: d.Groups.pick(rows), folds: d.folds.pick(rows), Nuisance: d.Nuisance.pick(rows), isPaired: d.isPaired,
		weightColumn: d.weightColumn}
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, append([]int{}, rows...), nil)
		out.contents = d.contents.Select(rows, nil, float64(len(rows))/float64(d.N))
	} else {
		out.X = slices.Grow(x, len(rows)*d.D)
	}

	out.Samples, out.Weights, out.Target, out.lines = pickRows(d.Samples, rows), pickRows(d.Weights, rows),
		pickRows(d.Target, rows), pickRows(d.lines, rows)

	present := make([]bool, len(d.Classes))
	for _, i := range rows {
		if !d.Sparse() {
			out.X = append(out.X, d.X[i*d.D:(i+1)*d.D]...)
		}
		present[d.Y[i]] = true
	}

	number := make([]int, len(d.Classes))
	for c, name := range d.Classes {
		if present[c] {
			number[c] = len(out.Classes)
			out.Classes = append(out.Classes, name)
		}
	}

	for _, i := range rows {
		out.Y = append(out.Y, number[d.Y[i]])
	}
	return out
}

// pickRows returns the values of some rows. It returns nil if values is nil.
func pickRows[T any](values []T, rows []int) (list []T) {
	if values == nil {
		return nil
	}
	list = slices.Grow(list, len(rows))
	for _, row := range rows {
		list = append(list, values[row])
	}
	return list
}
