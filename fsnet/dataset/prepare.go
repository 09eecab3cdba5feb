package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Prepared is a data set that was divided and scaled for training. D' below is
// the number of columns that were kept.
type Prepared struct {
	*Dataset // as read; X keeps its missing values

	Parts Parts
	Kept  []int // D' columns of the file that vary over the training rows, ascending
	// Scaled is N×D', row-major: (x − Mean)/Scale with missing values filled,
	// so Scale·Scaled + Mean is x. It is nil for sparse data.
	Scaled []float32
	Mean   []float64 // D': means over the training rows; 0 if scaling=none
	// Scale holds D' standard deviations over the training rows, divided by
	// their number. They are deviations within sites if there is a nuisance,
	// and 1 if scaling=none.
	Scale []float64

	// Measured holds the means of the kept columns over the training rows, D'
	// of them, and then their standard deviations. Unlike Mean and Scale it
	// does so even if scaling=none.
	Measured []float64

	Within       *Within   // location and scale of features within each site; nil if there is no nuisance
	TrainWeights []float64 // weights of the rows Parts.Train, with mean 1; nil if all are equal

	TestHash string // [Dataset.RowsHash] of the test rows; "" if there are none

	// Filled counts the missing values in kept columns that were replaced by
	// the training mean of the feature. For sparse data it counts those in the
	// columns of [Prepared.Narrow].
	Filled  int
	Dropped int // number of rows that missing=drop left out

	preparation preparation // the settings that p was prepared with

	// Sparse data have these instead of Scaled.
	fill     []float64    // D': values that replace missing ones
	narrow   *sparse.View // a copy of some columns, or nil
	narrowed []int        // the columns of narrow, as indices into Kept
}

// preparation holds the settings that [Prepare] reads, except for K. K is
// checked against the columns that vary.
type preparation struct {
	task, groups, pairs, weights, nuisance string
	missing, scaling, split                string
	testFraction, validationFraction       float64
	rowsPerClass                           int
	seed                                   int64
}

// preparationOf returns the settings that [Prepare] reads.
func preparationOf(s config.Settings) preparation {
	return preparation{
		task: s.Task, groups: s.Groups, pairs: s.Pairs, weights: s.RowWeights, nuisance: s.Nuisance,
		missing: s.Missing, scaling: s.Scaling, split: s.Split,
		testFraction: s.TestFraction, validationFraction: s.ValidationFraction,
		rowsPerClass: s.RowsPerClass, seed: s.RowsSeed(),
	}
}

// Suits reports whether p is what [Prepare] would return for the same data and
// the settings s.
func (p *Prepared) Suits(s config.Settings) bool {
	return p.preparation == preparationOf(s) && s.K <= len(p.Kept)
}

// view returns a scaled view of some columns of sparse data, given as indices
// into Kept. It is the copy of [Prepared.Narrow] if that has exactly these
// columns.
func (p *Prepared) view(columns []int) *sparse.View {
	if p.narrow != nil && slices.Equal(columns, p.narrowed) {
		return p.narrow
	}
	return sparse.NewView(p.source, pickRows(p.Kept, columns), pickRows(p.Mean, columns), pickRows(p.Scale, columns), pickRows(p.fill, columns))
}

// Row returns the D' values of a row of Scaled. The data must not be sparse.
func (p *Prepared) Row(i int) []float32 {
	d := len(p.Kept)
	return p.Scaled[i*d : (i+1)*d : (i+1)*d]
}

// Prepare splits a data set ([Split]), sets aside columns that do not vary over
// the training rows, fills missing values and scales. A feature j with mean m_j
// and standard deviation s_j over the training rows becomes
//
//	x'_ij = (x_ij − m_j) / s_j        s_j² = Σ_train (x_ij − m_j)² / n_train
//
// With a nuisance, m_j and s_j are moments of the site of the row, see
// [Within]. Validation and test rows have no influence, unless you set
// scaling=all-rows, which computes mean and deviation over all rows.
//
// Prepare rejects fewer than two classes, a class with one sample, k above the
// number of columns kept, and missing values if missing=error.
func Prepare(d *Dataset, s config.Settings) (*Prepared, error) {
	return PrepareContext(context.Background(), d, s)
}

// PrepareContext is like [Prepare], but can be canceled. Reading data from disk
// takes a while.
func PrepareContext(ctx context.Context, d *Dataset, s config.Settings) (*Prepared, error) {
	d, parts, err := divide(d, s)
	if err != nil {
		return nil, err
	}
	if d, err = d.denseForNuisance(ctx, s); err != nil {
		return nil, err
	}

	p := &Prepared{Dataset: d, Parts: parts, Dropped: d.dropped, preparation: preparationOf(s)}
	if len(parts.Test) > 0 {
		p.TestHash = d.RowsHash(parts.Test)
	}

	surveyed, which := parts.Train, "training rows"
	if s.Scaling == config.AllRows {
		surveyed, which = num.Indices(d.N), "rows"
	}

	moments, err := p.survey(ctx, surveyed)
	if err != nil {
		return nil, err
	}

	within := p.within(&moments)
	var columns []int
	for j, varies := range moments.Varies {
		if varies {
			columns = append(columns, j)
		}
	}

	if len(columns) == 0 {
		return nil, errs.New(errs.Request, "check that the file holds measurements, or use another seed", "%s: no feature varies over the %d %s", d.where(), len(surveyed), which)
	}
	if s.K > len(columns) {
		constant := ""
		if c := d.D - len(columns); c > 0 {
			constant = fmt.Sprintf(" that vary over the %s (%d of %d do not)", which, c, d.D)
		}
		return nil, errs.New(errs.Request, fmt.Sprintf("use k=%d or less", len(columns)), "k = %d is more than the %s of %s%s", s.K, phrase.Count(len(columns), "feature"), d.Name, constant)
	}

	p.TrainWeights = d.trainWeights(parts.Train)
	if within != nil {
		p.Within = within.pick(columns)
	}
	return p, p.scale(columns, moments, s.Scaling)
}

// survey computes the mean and the standard deviation of each column of the
// file over rows, and whether it varies.
func (p *Prepared) survey(ctx context.Context, rows []int) (sparse.Moments, error) {
	each := func(look func(i, from int, values []float32)) error { // row by row: X is row-major
		for i, row := range rows {
			look(i, 0, p.X[row*p.D:(row+1)*p.D])
		}
		return ctx.Err()
	}

	if p.Sparse() {
		view := sparse.NewView(p.source, num.Indices(p.D), nil, nil, nil)
		each = func(look func(i, from int, values []float32)) error { return view.Each(ctx, rows, look) }
	}
	m, err := sparse.MomentsOf(each, len(rows), p.D)
	return m, sourceError(err, p.where())
}

// scale sets Kept to the columns and computes Mean and Scale from their
// moments. It fills and scales dense values and counts Filled. Sparse values
// are scaled when they are read. It rejects a value that exceeds the range of
// 32 bits once it is scaled.
func (p *Prepared) scale(columns []int, moments sparse.Moments, scaling string) error {
	width := len(columns)
	p.Kept = columns
	p.Mean = make([]float64, width)
	p.Scale = make([]float64, width)
	p.Measured = append(pickRows(moments.Mean, columns), pickRows(moments.Std, columns)...)

	for c, j := range columns {
		p.Scale[c] = 1
		if scaling != "none" {
			p.Mean[c], p.Scale[c] = moments.Mean[j], moments.Std[j]
		}
	}

	if p.Sparse() {
		p.fill = pickRows(moments.Mean, columns)
		return nil
	}
	p.Scaled = make([]float32, p.N*width)
	for i := range p.N {
		row := p.Row(i)
		mean, scale := p.Moments(i)
		for c, j := range columns {
			x := float64(p.At(i, j))
			if x != x {
				x = moments.Mean[j]
				if p.Within != nil {
					x = mean[c]
				}
				p.Filled++
			}
			// Rounding before centring would lose small differences between
			// large values, so this is done in 64 bits.
			x = (x - mean[c]) / scale[c]
			if row[c] = float32(x); math.IsInf(float64(row[c]), 0) {
				return errs.New(errs.Request, "correct the value, or use scaling=none",
					"%s: %g lies %.2g standard deviations from the training mean, too far to compute with", p.valueName(i, j), p.At(i, j), x)
			}
		}
	}
	return nil
}

// checkClasses rejects labels that cannot be both learned and tested: a single
// class, or a class with a single row. It accepts any quantity.
func checkClasses(d *Dataset) error {
	if d.Target != nil {
		return nil
	}
	sizes := make([]int, len(d.Classes))
	for _, y := range d.Y {
		sizes[y]++
	}

	for c, n := range sizes {
		if n == 1 {
			remedy := "leave the sample out, merge the class with another, or add samples: every class needs at least two"
			if other := parse.FindAlike(d.Classes[c], d.Classes); other != "" {
				remedy = fmt.Sprintf("write %q if it is that class; otherwise ", other) + remedy
			}
			return errs.New(errs.Request, remedy, "%s: class %q has one sample only", d.where(), d.Classes[c])
		}
	}

	if len(d.Classes) < 2 {
		return errs.New(errs.Request, "check the label column: classification needs at least two classes",
			"%s: %s, all of one class, %q", d.where(), phrase.Count(d.N, "sample"), d.Classes[0])
	}
	return nil
}

// Each calls look for each of the rows with some columns, given as indices into
// Kept. i is the index in rows, and values holds the scaled values of
// columns[from:]. look must not keep values. If the data are sparse, several
// goroutines share a row and call look concurrently.
func (p *Prepared) Each(ctx context.Context, rows, columns []int, look func(i, from int, values []float32)) error {
	if p.Sparse() {
		return sourceError(p.view(columns).Each(ctx, rows, look), p.where())
	}
	values := make([]float32, len(columns))
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		scaled := p.Row(row)
		for at, c := range columns {
			values[at] = scaled[c]
		}
		look(i, 0, values)
	}
	return nil
}

// Gather returns scaled values as a row-major matrix of shape rows×columns.
// columns are indices into Kept. The result has capacity for width columns in
// each row; width may be 0.
func (p *Prepared) Gather(ctx context.Context, rows, columns []int, width int) ([]float32, error) {
	x := make([]float32, len(rows)*len(columns), len(rows)*max(width, len(columns)))
	if p.Sparse() {
		return x, sourceError(p.view(columns).Gather(ctx, rows, len(columns), x), p.where())
	}
	err := p.Each(ctx, rows, columns, func(i, _ int, values []float32) { copy(x[i*len(columns):], values) })
	return x, err
}

// Narrow copies columns of sparse data, as they are stored and for all rows of
// the split, so that they can be read without the others. The copy lies in
// memory, or in a temporary file if it takes more than most bytes. Narrow
// returns a scaled view of the copy; its rows have the numbers of the data set.
// It rejects values that cannot be scaled. p keeps the copy until Close, or
// until the next Narrow, which ends the earlier view.
func (p *Prepared) Narrow(ctx context.Context, columns []int, most int64) (*sparse.View, error) {
	rows := slices.Sorted(slices.Values(slices.Concat(p.Parts.Train, p.Parts.Validation, p.Parts.Test)))
	narrow, filled, err := p.view(columns).Narrow(ctx, rows, most, os.TempDir())
	if beyond := (*sparse.RangeError)(nil); errors.As(err, &beyond) {
		return nil, errs.New(errs.Request, "correct the value, or use scaling=none",
			"%s: the value lies %.2g standard deviations from the training mean, too far to compute with",
			p.valueName(beyond.Row, beyond.Column), beyond.Value)
	}

	if err != nil {
		return nil, sourceError(err, p.where())
	}

	p.Close()
	p.Filled, p.narrow, p.narrowed = filled, narrow, slices.Clone(columns)
	return narrow, nil
}

// Close frees the disk space that [Prepared.Narrow] took.
func (p *Prepared) Close() {
	if p.narrow != nil {
		_ = p.narrow.Close()
		p.narrow = nil
	}
}

// ValuesOf returns the values of a column of the file in some rows, as read and
// scaled. scaled is nil if the column was not kept.
func (p *Prepared) ValuesOf(ctx context.Context, rows []int, column int) (read, scaled []float32, err error) {
	c, kept := slices.BinarySearch(p.Kept, column)
	switch {
	case kept && p.Sparse():
		view, at := p.narrow, slices.Index(p.narrowed, c)
		if view == nil || at < 0 {
			view, at = p.view([]int{c}), 0
		}
		read, scaled, err = view.Column(ctx, rows, at)
		return read, scaled, sourceError(err, p.where())
	case kept:
		if scaled, err = p.Gather(ctx, rows, []int{c}, 0); err != nil {
			return nil, nil, err
		}
	}
	read, err = p.gather(ctx, rows, []int{column})
	return read, scaled, err
}

// PairedBy returns the column of the pairs if the data are differences within
// pairs, and "" otherwise.
func (d *Dataset) PairedBy() string {
	column, _ := d.rowColumn("paired")
	return column
}

// rowColumn returns the column that was given for a row key such as groups, and
// whether the data set has one. The column is "" if a program supplied the
// values.
func (d *Dataset) rowColumn(key string) (column string, has bool) {
	var g *Groups
	switch {
	case key == "row_weights":
		return d.weightColumn, d.Weights != nil || d.weightColumn != ""
	case key == "nuisance":
		g = d.Nuisance
	case d.isPaired == (key == "paired"):
		g = d.Groups
	}
	if g == nil {
		return "", false
	}
	return g.Column, true
}

// Fits returns an error if the label is of another kind than the settings
// expect, if a quantity does not vary, or if a key names other columns of the
// rows than those that the data were opened with. It accepts everything for
// keys without a value.
func (d *Dataset) Fits(s config.Settings) error {
	switch {
	case d.Target == nil && s.Regression():
		return errs.New(errs.Request, "name data whose label is a quantity, or such a column with label=",
			"task = regression, but the label of %s holds classes", d.where())
	case d.Target != nil && !s.Regression():
		return errs.New(errs.Request, "use task=regression", "task = %s, but the label of %s is a quantity", s.Task, d.where())
	case d.Target != nil && slices.Min(d.Target) == slices.Max(d.Target):
		return errs.New(errs.Request, "name another column with label=",
			"%s: the quantity of all %s is %s", d.where(), phrase.Count(d.N, "row"), parse.Spell(d.Target[0]))
	}
	for _, c := range s.RowColumns() {
		column, has := d.rowColumn(c.Key)
		switch {
		case c.Key == "split" || has && (column == c.Column || column == ""): // Split checks its own key
		case has:
			return errs.New(errs.Request, "leave "+c.Key+" out, or open the data with it", "%s = %s, but %s was opened with %s = %s",
				c.Key, parse.Shorten(c.Column), d.where(), c.Key, parse.Shorten(column))
		default:
			return errs.New(errs.Request, "open the data with it, or leave it out", "%s = %s, but %s was opened without",
				c.Key, parse.Shorten(c.Column), d.where())
		}
	}
	return nil
}
