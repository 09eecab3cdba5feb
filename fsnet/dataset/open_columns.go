package dataset

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/places"
)

// Columns are some columns of a data set, by name, as a model reads them that was trained on another one.
type Columns struct {
	Name    string
	Rows    [][]float64 // of the columns asked for, in their order; missing is NaN
	Samples []string    // or nil
	Lines   []int       // of each row in a text file; nil elsewhere
	Labels  []string    // of each row, "" where it is missing; nil where there is no label

	Described map[string][]string // the columns that tell something else of the rows ([config.Settings.RowColumns]); "" is missing
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
		if r, err = f.For(names).Read(ctx, path, file, s); err != nil {
			return nil, err
		}
		c.Name = nameOf(path)
	}
	c.Samples, c.Lines, c.Labels, c.Described = r.Samples, r.Lines, r.Labels, r.Described
	if err := c.take(ctx, r, names, path); err != nil {
		return nil, err
	}
	for _, column := range s.RowColumns() {
		texts, known := c.Described[column.Column]
		if !known {
			return nil, fault.New(fault.Request, "add it: the model was trained with it", "%s has no column %q", path, parse.Shorten(column.Column))
		}
		if i := slices.Index(texts, ""); i >= 0 {
			return nil, fault.New(fault.Request, "give it a value", "%s: %s, column %q: the value is missing", path, read.Place(c.Lines, i), parse.Shorten(column.Column))
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
	values, err := d.gather(ctx, places.All(d.N), at)
	if err != nil {
		return err
	}
	c.Rows = make([][]float64, d.N)
	for i := range c.Rows {
		for k, x := range values[i*len(at) : (i+1)*len(at)] {
			if math.IsInf(float64(x), 0) {
				return fault.New(fault.Request, "correct it", "%s: %s, column %q: the value is infinite, or beyond the ±3.4e38 of a 32-bit number",
					path, read.Place(r.Lines, i), parse.Shorten(names[k]))
			}
			c.Rows[i] = append(c.Rows[i], float64(x))
		}
	}
	return nil
}
