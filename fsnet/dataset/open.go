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

// Extensions lists the file name extensions that Open reads.
func Extensions() []string { return read.Extensions() }

// Titles are the names of the columns of a table, "" for a first one that has none.
type Titles = read.Titles

// Header returns the names of the columns of a data set, which is found as Open finds it; none
// where the file has no such names. A built-in one has its features.
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

// Open reads the data set that s.Data names: a built-in one, in any case ("ALLAML", "allaml"), or a file, relative to dir unless its path
// is absolute or begins with "~/". "./ALLAML" is a file.
//
// Label, Samples, Covariates, Groups and Split name columns of a table; Missing says what becomes of missing values. What was noticed on
// the way (columns taken as sample names, renamed duplicates) is in the Source of the result.
//
// Whatever is wrong with a file is a *errs.Error of kind Request or NotFound that names file, row, column and value; a cancelled
// context is one of kind Interrupted.
func Open(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if strings.TrimSpace(s.Data) == "" {
		return nil, errs.New(errs.Request, "give the path of a file ("+strings.Join(Extensions(), " ")+") or a built-in name, as in data=ALLAML", "no data set is named")
	}
	d, err := named(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	d.dir = dir
	return d.describe(s)
}

// named is the data set as it was read, with all its rows.
func named(ctx context.Context, s config.Settings, dir string) (*Dataset, error) {
	if b := findBuiltin(s.Data); b != nil {
		if s.Label != "" || s.X != "" || s.Samples != "" || len(s.Covariates) > 0 || s.Layer != "" || s.Annotations != "" ||
			s.Sheet != "" || len(s.Ignore) > 0 || len(s.RowColumns()) > 0 {
			return nil, errs.New(errs.Request, "leave them out",
				"label, x, samples, covariates, ignore, sheet, layer, annotations and columns that describe rows are for files; %s is built in, with its classes", b.Name)
		}
		return b.open()
	}
	if s.Annotations != "" {
		s.Annotations = Locate(s.Annotations, dir)
	}
	f, path, file, err := find(s.Data, dir)
	if err != nil {
		return nil, err
	}
	d, err := readFormat(ctx, f, path, file, s, read.Options{})
	if err != nil || !d.Sparse() { // a sparse table reads on; its file is closed when nobody has it any more
		closeFile(file)
	}
	return d, err
}

// find opens a file and says what it is; a directory with a matrix is open as nil.
func find(data, dir string) (f read.Format, path string, file *os.File, err error) {
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
	if f, err = read.FormatOf(path, filepath.Ext(path), file); err != nil {
		closeFile(file)
	}
	return f, path, file, err
}

// closeFile closes a file where there is one; it was only read.
func closeFile(file *os.File) {
	if file != nil {
		_ = file.Close()
	}
}

// readFormat reads a file of a format; path names it, and is where to look for what lies beside it.
func readFormat(ctx context.Context, f read.Format, path string, file read.Input, s config.Settings, o read.Options) (*Dataset, error) {
	r, err := f.Read(ctx, path, file, s, o)
	if err != nil {
		return nil, err
	}
	var contents sparse.Contents
	if r.Source != nil {
		if contents, err = scan(ctx, r.Source, path); err != nil {
			return nil, err
		}
	}
	d, err := made(r, contents, path, f.Name, s)
	if err != nil {
		return nil, err
	}
	return withoutMissing(d, s.Missing)
}

// Same reports whether two names, each given in a directory, mean the same data: a built-in name does everywhere and in any case; "x.csv"
// and "./x.csv" are one file, "x.csv" in two directories are two.
func Same(data, dir, otherData, otherDir string) bool {
	if a, b := findBuiltin(data), findBuiltin(otherData); a != nil || b != nil {
		return a != nil && b != nil && a.Name == b.Name
	}
	here, there := Locate(data, dir), Locate(otherData, otherDir)
	a, errA := os.Stat(here)
	b, errB := os.Stat(there)
	return here == there || errA == nil && errB == nil && os.SameFile(a, b)
}

// Locate is the path that a user's words mean in a directory.
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

// Columns are some columns of a data set, by name, as a model reads them that was trained on another one.
type Columns struct {
	Name    string
	Rows    [][]float64 // of the columns asked for, in their order; missing is NaN
	Samples []string    // or nil
	Lines   []int       // of each row in a text file; nil elsewhere
	Labels  []string    // of each row, "" where it is missing; nil where there is no label

	Described map[string][]string // the columns that tell something else of the rows ([config.Settings.RowColumns]); "" is missing
	Words     map[string][]string // the covariates and the nuisance that are there, as the file has them; "" is missing
}

// OpenColumns reads these columns of the data that s.Data names, a file of any kind, and neither needs nor looks at any others but the
// label's and the samples'. Label and samples are found as [Open] finds them, and may be missing; repeated names are called as there. A name
// such as sex=f is also found in a covariate: the column sex of words. Where the settings have pairs or nuisance, their column must be
// there; the mean of each pair is taken out.
//
// The error is of kind Request and names all columns that are missing, with what may have been meant.
func OpenColumns(ctx context.Context, names []string, s config.Settings, dir string) (*Columns, error) {
	s = s.WithoutDivision() // a donor that is not known here does not matter
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
		f, at, file, err := find(s.Data, dir)
		if err != nil {
			return nil, err
		}
		path = at
		defer closeFile(file)
		if s.Annotations != "" {
			s.Annotations = Locate(s.Annotations, dir)
		}
		if r, err = f.Read(ctx, path, file, s, read.Options{Panel: names}); err != nil {
			return nil, err
		}
		c.Name = nameOf(path)
	}
	c.Samples, c.Lines, c.Labels, c.Described, c.Words = r.Samples, r.Lines, r.Labels, r.Described, r.Words
	if of, there := c.Described[s.Nuisance]; there && c.Words != nil {
		c.Words[s.Nuisance] = of
	}
	if err := c.take(ctx, r, names, path); err != nil {
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

// take reads the numbers of the columns, and refuses what a training would.
func (c *Columns) take(ctx context.Context, r *read.Frame, names []string, path string) error {
	at, err := r.Pick(names, path)
	if err != nil {
		return err
	}
	d := &Dataset{X: r.X, D: len(r.Features), source: r.Source}
	if d.N = len(r.X) / d.D; d.Sparse() {
		d.N, _ = r.Source.Shape()
	}
	values, err := d.gather(ctx, num.Indices(d.N), at)
	if err != nil {
		return err
	}
	c.Rows = make([][]float64, d.N)
	for i := range c.Rows {
		for k, x := range values[i*len(at) : (i+1)*len(at)] {
			if math.IsInf(float64(x), 0) {
				return errs.New(errs.Request, "correct it", "%s: %s, column %q: the value is infinite, or beyond the ±3.4e38 of a 32-bit number",
					path, read.Place(r.Lines, i), parse.Shorten(names[k]))
			}
			c.Rows[i] = append(c.Rows[i], float64(x))
		}
	}
	return nil
}

// withoutMissing applies the key missing to a data set: error refuses the first missing value by row and column, drop leaves its rows
// out, mean changes nothing (Prepare fills). A data set without missing values is returned as it is.
func withoutMissing(d *Dataset, missing string) (*Dataset, error) {
	if missing == "mean" {
		return d, nil
	}
	var keep []int
	first := func(i int) int { return slices.IndexFunc(d.X[i*d.D:(i+1)*d.D], func(x float32) bool { return x != x }) }
	if d.Sparse() {
		first = d.contents.First()
	}
	for i := range d.N {
		j := first(i)
		if j < 0 {
			keep = append(keep, i)
			continue
		}
		if missing != "drop" {
			return nil, errs.New(errs.Request, "use missing=mean (the feature's training mean) or missing=drop (leave such rows out)", "%s: the value is missing", d.place(i, j))
		}
	}
	if len(keep) == d.N {
		return d, nil
	}
	if len(keep) == 0 {
		return nil, errs.New(errs.Request, "use missing=mean", "%s: missing=drop leaves no row: each of the %d has a missing value", d.where(), d.N)
	}
	return d.only(keep), nil
}

// only is the data set reduced to some rows; classes without rows disappear.
func (d *Dataset) only(rows []int) *Dataset {
	out := &Dataset{Name: d.Name, Source: d.Source, N: len(rows), D: d.D, Features: d.Features, file: d.file,
		dropped: d.dropped + d.N - len(rows), parts: d.parts.only(rows), written: d.written.only(rows), dir: d.dir,
		Groups: d.Groups.only(rows), folds: d.folds.only(rows), Nuisance: d.Nuisance.only(rows), paired: d.paired,
		weightedBy: d.weightedBy, told: map[string][]string{}}
	for column, texts := range d.told {
		out.told[column] = ofRows(texts, rows)
	}
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, append([]int{}, rows...), nil)
		out.contents = d.contents.Only(rows, nil, float64(len(rows))/float64(d.N))
	} else {
		out.X = make([]float32, 0, len(rows)*d.D)
	}
	if d.Samples != nil && len(rows) < d.N {
		out.gone = slices.Clone(d.gone)
		kept := make([]bool, d.N)
		for _, i := range rows {
			kept[i] = true
		}
		for i, name := range d.Samples {
			if !kept[i] {
				out.gone = append(out.gone, name)
			}
		}
	}
	out.Samples, out.Weights, out.Target, out.lines = ofRows(d.Samples, rows), ofRows(d.Weights, rows),
		ofRows(d.Target, rows), ofRows(d.lines, rows)
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
	out.seal()
	return out
}

// ofRows are the values of some rows; nil stays nil.
func ofRows[T any](values []T, rows []int) (list []T) {
	if values == nil {
		return nil
	}
	for _, row := range rows {
		list = append(list, values[row])
	}
	return list
}
