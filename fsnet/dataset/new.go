package dataset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// New creates a data set from numbers in memory. x is row-major, with a row for
// each label, a column for each feature, and NaN for missing values. If
// features is nil, New names them feature_0, feature_1, …. It accepts missing
// values, because [Prepare] handles them. Otherwise it returns the errors of
// [Open].
func New(name string, x []float32, features, labels []string) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: labels}, config.Classification)
}

// newInMemory creates a data set from a frame without a file. Messages call it
// name. It returns an error if the values do not fill whole rows.
func newInMemory(name string, r *read.Frame, task string) (*Dataset, error) {
	r.LabelName = "the labels"
	if n := len(r.Labels); n > 0 && (len(r.X)%n != 0 || r.Features != nil && len(r.X) != n*len(r.Features)) {
		return nil, errs.New(errs.Request, "give rows × features values, row by row", "%s: %s for %s and %s", name, phrase.Count(len(r.X), "value"), phrase.Count(n, "row"), phrase.Count(len(r.Features), "feature"))
	}
	if err := labelsComplete(name, r.Labels); err != nil {
		return nil, err
	}
	d, err := newDataset(r, sparse.Contents{}, name, "in memory", config.Settings{Missing: "mean", Task: task})
	if err != nil {
		return nil, err
	}
	d.Name, d.file = name, ""
	return d, nil
}

// labelsComplete returns an error if a label is empty. name is the data set.
func labelsComplete(name string, labels []string) error {
	if i := slices.Index(labels, ""); i >= 0 {
		return errs.New(errs.Request, "give it one, or leave the row out", "%s: row %d: the class is missing", name, i+1)
	}
	return nil
}

// FromMatrix is like [New], but reads a matrix of shape samples×features. It
// rounds the numbers to 32 bits.
func FromMatrix(name string, x mat.Matrix, features, labels []string) (*Dataset, error) {
	n, d := x.Dims()
	if n != len(labels) {
		return nil, errs.New(errs.Request, "give a label for each row, which is a sample", "%s: %s for a matrix of %s", name, phrase.Count(len(labels), "label"), phrase.Count(n, "row"))
	}
	r, rounded := &read.Frame{X: make([]float32, 0, n*d), Features: features, Labels: labels}, make(read.Rounding, d)
	for i := range n {
		for j := range d {
			r.X = append(r.X, rounded.Round(j, x.At(i, j)))
		}
	}
	if features == nil || len(features) == d {
		r.NoteLost(rounded, features)
	}
	return newInMemory(name, r, config.Classification)
}

// Read is like [Open], but reads the content of r, such as a connection or a
// member of an archive. If the content does not show its format, extension
// decides. It is one of [Extensions]. s.Data names the data and may be empty.
func Read(ctx context.Context, r io.Reader, extension string, s config.Settings) (*Dataset, error) {
	name := cmp.Or(s.Data, "data") + extension
	content, err := io.ReadAll(r)
	switch {
	case err != nil:
		return nil, errs.Wrap(err, errs.Failed, "try again", "%s cannot be read", name)
	case len(content) == 0:
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s is empty", name)
	}
	file := bytes.NewReader(content)
	f, err := read.Detect(name, extension, file)
	if err != nil {
		return nil, err
	}
	d, frame, err := readFile(ctx, f, name, s, read.Options{Alone: true})
	if err != nil {
		return nil, err
	}
	if err := d.applyRowColumns(s, frame); err != nil {
		return nil, err
	}
	return d, nil
}

// WithSplit returns the data set with your own split. [Split] then returns it
// for every seed. Every row must be in one part, there must be test rows, and
// every class must have a training row. The hash changes, because trainings on
// different parts are different trainings.
func (d *Dataset) WithSplit(p Parts) (*Dataset, error) {
	out := *d
	sorted := func(part []int) []int { return slices.Sorted(slices.Values(part)) }
	out.parts, out.undrawn = &Parts{sorted(p.Train), sorted(p.Validation), sorted(p.Test), sorted(p.Left)}, nil
	if err := out.checkParts(); err != nil {
		return nil, err
	}
	out.updateHash()
	return &out, nil
}

// checkParts rejects a split that does not meet the conditions of
// [Dataset.WithSplit] or that separates rows of one group.
func (d *Dataset) checkParts() error {
	const remedy = "put every row, from 0, in one part, with test rows and a training row of every class"
	in := make([]bool, d.N)
	for _, i := range slices.Concat(d.parts.Train, d.parts.Validation, d.parts.Test, d.parts.Left) {
		if i < 0 || i >= d.N || in[i] {
			return errs.New(errs.Request, remedy, "%s: the split names row %d, which is not one of the %s, or names it twice", d.where(), i, phrase.Count(d.N, "row"))
		}
		in[i] = true
	}

	if i := slices.Index(in, false); i >= 0 {
		return errs.New(errs.Request, remedy, "%s: no part of the split has row %d", d.where(), i)
	}

	if len(d.parts.Test) == 0 {
		return errs.New(errs.Request, remedy, "%s: the split has no test rows", d.where())
	}
	if c := d.classWithoutTraining(d.parts.Validation, d.parts.Test, d.parts.Left); c >= 0 {
		return errs.New(errs.Request, remedy, "%s: the split has no training row of class %q", d.where(), d.Classes[c])
	}

	return d.checkSplitGroups()
}

// pick returns the split of some rows, renumbered from 0. It returns nil if p
// is nil.
func (p *Parts) pick(rows []int) *Parts {
	if p == nil {
		return nil
	}
	number := make(map[int]int, len(rows))
	for now, row := range rows {
		number[row] = now
	}
	reduced := func(part []int) (list []int) {
		for _, row := range part {
			if now, ok := number[row]; ok {
				list = append(list, now)
			}
		}
		return list
	}
	return &Parts{reduced(p.Train), reduced(p.Validation), reduced(p.Test), reduced(p.Left)}
}

// newDataset checks a frame and creates a data set from the rows that s.Missing
// keeps. contents describes the source of the frame, and kind names its format.
// newDataset also reduces the columns in r.Described to those rows.
func newDataset(r *read.Frame, contents sparse.Contents, path, kind string, s config.Settings) (*Dataset, error) {
	n, d := len(r.Labels), 0
	if n > 0 {
		d = len(r.X) / n
	}
	if r.Source != nil {
		_, d = r.Source.Shape()
	}

	out := &Dataset{Name: nameOf(path), N: n, D: d, X: r.X, Samples: r.Samples, file: path, lines: r.Lines, source: r.Source, contents: contents}
	if n == 0 {
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s holds no samples", path)
	}
	if d == 0 {
		return nil, errs.New(errs.Request, "add at least one column of numbers", "%s holds no feature besides %s", path, r.LabelName)
	}

	if r.Features == nil {
		r.Features = parse.FeatureNames(d)
		r.Notes = append(r.Notes, "it does not name its features: feature_0 is the first column")
	}

	var renamed string
	if out.Features, renamed = parse.Unique(r.Features); renamed != "" {
		r.Notes = append(r.Notes, renamed)
	}

	for k, x := range out.X {
		if math.IsInf(float64(x), 0) {
			return nil, errs.New(errs.Request, "correct the value, or leave it empty and use missing=mean or missing=drop", "%s: the value is infinite, or beyond the ±3.4e38 of a 32-bit number", out.valueName(k/d, k%d))
		}
	}

	rows, err := out.setLabel(r, path, s)
	if err == nil {
		rows, err = out.rowsWithValues(rows, s.Missing)
	}
	if err == nil {
		rows, err = out.rowsWithColumns(rows, r, s)
	}
	if err != nil {
		return nil, err
	}

	if len(rows) < n {
		out = out.pickInto(out.X[:0], rows)
		for column, texts := range r.Described {
			r.Described[column] = pickRows(texts, rows)
		}
	}

	if out.Target != nil {
		out.Y, out.Classes = Ranges(out.Target)
	}

	if empty := emptyFeatures(out.X, out.Features); empty != nil {
		r.Notes = append(r.Notes, phrase.Count(len(empty), "feature")+" without any value set aside: "+parse.Quote(empty))
	}

	out.Source = fmt.Sprintf("%s (%s)", path, kind)
	for _, note := range r.Notes {
		out.Source += "; " + note
	}
	out.setHash()
	system.GiveBackMemory(4 * int64(len(out.X))) // reading used the same amount again
	return out, nil
}

// nameOf returns the base name of a file without extensions such as .csv.gz.
func nameOf(path string) string {
	base := filepath.Base(read.UnpackedPath(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// emptyFeatures returns the features that are missing in every row. It returns
// nil for sparse data, because their x is nil.
func emptyFeatures(x []float32, features []string) (names []string) {
	for j, name := range features {
		missing := len(x) > 0
		for i := j; i < len(x) && missing; i += len(features) {
			missing = x[i] != x[i]
		}
		if missing {
			names = append(names, name)
		}
	}
	return names
}

// setLabel turns the labels of a frame into Y and Classes, or into Target, and
// returns the rows that have one. Rows without a label are an error unless
// missing=drop or missing=mean leaves them out.
func (d *Dataset) setLabel(r *read.Frame, path string, s config.Settings) (rows []int, err error) {
	label, value := "class", "a class"
	if s.Regression() {
		label, value = "quantity", "a value"
	} else if numbers, numeric := parse.Numbers(r.Labels); numeric {
		if err := refuseQuantity(numbers, path, r.LabelName); err != nil {
			return nil, err
		}
	}

	for i, text := range r.Labels {
		if text != "" {
			rows = append(rows, i)
		} else if s.Missing != "drop" && s.Missing != "mean" {
			remedy := "give it " + value
			if r.Headed && d.Samples != nil {
				remedy += ", leave it out with ignore=" + phrase.Typed(d.Samples[i]) + " if it is no sample"
			}
			return nil, errs.New(errs.Request, remedy+", or use missing=mean to leave such rows out and fill in other missing values, or missing=drop to leave out both",
				"%s, %s: the %s is missing", d.rowName(i), r.LabelName, label)
		}
	}

	if left := d.N - len(rows); left > 0 && len(rows) > 0 {
		r.Notes = append(r.Notes, phrase.Count(left, "row")+" without a "+label+" left out")
	}

	if len(rows) == 0 {
		return nil, errs.New(errs.Request, "name another column with label=", "%s: %s holds no %s at all", path, r.LabelName, label)
	}

	if !s.Regression() {
		d.Y, d.Classes = parse.Classes(r.Labels)
		return rows, nil
	}

	d.Target, d.Y, d.Classes = make([]float64, d.N), make([]int, d.N), []string{""}
	for _, i := range rows {
		numbers, numeric := parse.Numbers(r.Labels[i : i+1])
		if !numeric {
			return nil, errs.New(errs.Request, "correct it, or leave task=regression out where the label is classes",
				"%s, %s: %q is not a number", d.rowName(i), r.LabelName, parse.Shorten(r.Labels[i]))
		}
		d.Target[i] = numbers[0]
	}
	return rows, nil
}

// rowsWithColumns returns those of the given rows that have a value in every
// column that describes rows. Other rows are an error unless missing=drop or
// missing=mean leaves them out. At least one row must remain.
func (d *Dataset) rowsWithColumns(rows []int, r *read.Frame, s config.Settings) (complete []int, err error) {
	columns := s.RowColumns()
	for _, i := range rows {
		index := slices.IndexFunc(columns, func(c config.RowColumn) bool { return r.Described[c.Column][i] == "" })
		switch {
		case index < 0:
			complete = append(complete, i)
		case s.Missing != "drop" && s.Missing != "mean":
			return nil, errs.New(errs.Request, "give it a value, or use missing=mean to leave such rows out and fill in other missing values, or missing=drop to leave out both",
				"%s, column %q: the value is missing", d.rowName(i), parse.Shorten(columns[index].Column))
		}
	}

	if left := len(rows) - len(complete); left > 0 && len(complete) > 0 {
		r.Notes = append(r.Notes, phrase.Count(left, "row")+" without a value in a column that describes rows left out")
	}

	if len(complete) == 0 {
		return nil, errs.New(errs.Request, "name another column", "%s: no row has a value in every column that was asked for", d.where())
	}
	return complete, nil
}

// refuseQuantity rejects labels that measure something instead of naming
// classes.
func refuseQuantity(numbers []float64, path, labelName string) error {
	different, kind, quantity := parse.Quantity(numbers)
	if !quantity {
		return nil
	}
	return errs.New(errs.Request, "use task=regression, or name a column of classes with label=",
		"%s: %s holds %d different %s in %d rows: a quantity, not classes", path, labelName, different, kind, len(numbers))
}

// NewRegression is [New] with a quantity for each row instead of a label.
func NewRegression(name string, x []float32, features []string, target []float64) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: numbersAsLabels(target)}, config.Regression)
}

// numbersAsLabels writes each number in the shortest form that reads back as
// the same number.
func numbersAsLabels(target []float64) []string {
	labels := make([]string, len(target))
	for i, v := range target {
		labels[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return labels
}

// mostRanges limits the number of ranges, so that they are quarters.
const mostRanges = 4

// Ranges divides rows by quantiles of their n ≥ 1 values into at most four
// ranges of similar size. It returns the range of each row, numbered from 0 by
// rising value, and the names of the ranges. Equal values share a range, so
// there are fewer ranges if few values differ. Every range has a row. Edge e of
// Q is the value below which ⌈e n/Q⌉ of the sorted values lie.
func Ranges(values []float64) (ranges []int, names []string) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	var edges []float64
	for e := 1; e < mostRanges; e++ {
		if edge := sorted[min((e*n+mostRanges-1)/mostRanges, n-1)]; edge > sorted[0] && (len(edges) == 0 || edge > edges[len(edges)-1]) {
			edges = append(edges, edge)
		}
	}

	ranges = make([]int, n)
	for i, v := range values {
		index, found := slices.BinarySearch(edges, v)
		if found { // an edge belongs to the range above it
			index++
		}
		ranges[i] = index
	}

	for r := range len(edges) + 1 {
		switch {
		case len(edges) == 0:
			names = append(names, "all")
		case r == 0:
			names = append(names, "below "+parse.Spell(edges[0]))
		case r == len(edges):
			names = append(names, "from "+parse.Spell(edges[r-1]))
		default:
			names = append(names, "from "+parse.Spell(edges[r-1])+" to below "+parse.Spell(edges[r]))
		}
	}
	return ranges, names
}

// Unit scales a quantity for a network: (y − Mean)/Scale.
type Unit struct{ Mean, Scale float64 }

// UnitOf returns the mean and the standard deviation (divided by n) of weighted
// rows as a unit. Scale is 1 if all values are equal. The weights must have
// mean 1. If they are nil, all are 1.
func UnitOf(values, weights []float64) Unit {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	var u Unit
	n, square := float64(len(values)), 0.0
	for i, v := range values {
		u.Mean += weight(i) * v / n
	}
	for i, v := range values {
		square += weight(i) * (v - u.Mean) * (v - u.Mean) / n
	}
	if u.Scale = math.Sqrt(square); u.Scale == 0 {
		u.Scale = 1
	}
	return u
}

// Scaled returns values in this unit.
func (u Unit) Scaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - u.Mean) / u.Scale
	}
	return out
}

// Value converts a scaled value back to the original one.
func (u Unit) Value(scaled float64) float64 { return u.Mean + u.Scale*scaled }
