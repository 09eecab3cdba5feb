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

// New makes a data set of numbers in memory: x is row-major, a row for each label and a column for each feature; a missing value is NaN.
// Nil features are named feature_0, feature_1, …. Missing values are Prepare's business; other errors are those of [Open].
func New(name string, x []float32, features, labels []string) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: labels}, config.Classification)
}

func newInMemory(name string, r *read.Frame, task string) (*Dataset, error) {
	r.LabelName = "the labels"
	if n := len(r.Labels); n > 0 && (len(r.X)%n != 0 || r.Features != nil && len(r.X) != n*len(r.Features)) {
		return nil, errs.New(errs.Request, "give rows × features values, row by row", "%s: %s for %s and %s", name, phrase.Count(len(r.X), "value"), phrase.Count(n, "row"), phrase.Count(len(r.Features), "feature"))
	}
	d, err := made(r, sparse.Contents{}, name, "in memory", config.Settings{Missing: "error", Task: task})
	if err != nil {
		return nil, err
	}
	d.Name, d.file = name, ""
	return d, nil
}

// FromMatrix is [New] of a matrix, samples × features, whose numbers are rounded to 32 bits.
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

// Read is [Open] of what comes from a reader, such as a connection or an archive. extension, one of [Extensions], says what it is
// where the content does not. s.Data, which may be empty, names it; label, samples, covariates and missing are those of a file.
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
	f, err := read.FormatOf(name, extension, file)
	if err != nil {
		return nil, err
	}
	d, err := readFormat(ctx, f, name, file, s, read.Options{Alone: true})
	if err != nil {
		return nil, err
	}
	return d.describe(s)
}

// WithSplit is the same data with a split of the caller's own, which [Split] returns whatever the seed. Every row is in one part, there are
// test rows, and every class keeps a training row. The hash is another one, since trainings on other parts are other trainings.
func (d *Dataset) WithSplit(p Parts) (*Dataset, error) {
	out := *d
	out.parts, out.written = &Parts{}, nil
	for _, part := range []struct{ from, to *[]int }{
		{&p.Train, &out.parts.Train}, {&p.Validation, &out.parts.Validation}, {&p.Test, &out.parts.Test}, {&p.Left, &out.parts.Left},
	} {
		*part.to = slices.Sorted(slices.Values(*part.from))
	}
	if err := out.checkParts(); err != nil {
		return nil, err
	}
	out.reseal()
	return &out, nil
}

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
	if c := d.withoutTraining(d.parts.Validation, d.parts.Test, d.parts.Left); c >= 0 {
		return errs.New(errs.Request, remedy, "%s: the split has no training row of class %q", d.where(), d.Classes[c])
	}
	return d.checkTogether()
}

// only is the split reduced to some rows, which are numbered anew; nil stays nil.
func (p *Parts) only(rows []int) *Parts {
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

// made checks a reading and makes a data set of it; contents are those of its source.
func made(r *read.Frame, contents sparse.Contents, path, kind string, s config.Settings) (*Dataset, error) {
	n, d := len(r.Labels), 0
	if n > 0 {
		d = len(r.X) / n
	}
	if r.Source != nil {
		_, d = r.Source.Shape()
	}
	out := &Dataset{Name: nameOf(path), N: n, D: d, X: r.X, Samples: r.Samples, file: path,
		lines: r.Lines, told: r.Described}
	out.source, out.contents = r.Source, contents
	if n == 0 {
		return nil, errs.New(errs.Request, "check how it was made or copied", "%s holds no samples", path)
	}
	if d == 0 {
		return nil, errs.New(errs.Request, "add at least one column of numbers", "%s holds no feature besides %s", path, r.LabelName)
	}
	if r.Features == nil {
		r.Features = parse.Numbered(d)
		r.Notes = append(r.Notes, "it does not name its features: feature_0 is the first column")
	}
	var renamed string
	if out.Features, renamed = parse.Unique(r.Features); renamed != "" {
		r.Notes = append(r.Notes, renamed)
	}
	for k, x := range out.X {
		if math.IsInf(float64(x), 0) {
			return nil, errs.New(errs.Request, "correct the value, or leave it empty and use missing=mean or missing=drop", "%s: the value is infinite, or beyond the ±3.4e38 of a 32-bit number", out.place(k/d, k%d))
		}
	}
	if err := out.classify(r, path, s); err != nil {
		return nil, err
	}
	if empty := withoutValues(out.X, out.Features); empty != nil {
		r.Notes = append(r.Notes, phrase.Count(len(empty), "feature")+" without any value set aside: "+parse.Quoted(empty))
	}
	out.Source = fmt.Sprintf("%s (%s)", path, kind)
	for _, note := range r.Notes {
		out.Source += "; " + note
	}
	out.seal()
	system.GiveBackMemory(4 * int64(len(out.X))) // what reading left behind is of the size of what was read
	return out, nil
}

func nameOf(path string) string {
	base := filepath.Base(read.UnpackedName(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// withoutValues are the features that are missing in every row.
func withoutValues(x []float32, features []string) (names []string) {
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

// classify turns the labels of a reading into Y and Classes. With missing=drop, rows without a label are left out; otherwise they are refused.
func (d *Dataset) classify(r *read.Frame, path string, s config.Settings) error {
	if s.Regression() {
		return d.measure(r, path, s)
	}
	if numbers, numeric := parse.AsNumbers(r.Labels); numeric {
		if err := refuseRegression(numbers, path, r.LabelName); err != nil {
			return err
		}
	}
	keep, err := d.labelled(r, path, s, "class", "a class")
	if err != nil {
		return err
	}
	d.Y, d.Classes = parse.Classes(r.Labels)
	if len(keep) < d.N {
		*d = *d.only(keep)
	}
	return nil
}

// labelled are the rows with a label. It refuses others, but with missing=drop.
func (d *Dataset) labelled(r *read.Frame, path string, s config.Settings, label, one string) ([]int, error) {
	var keep []int
	for i, text := range r.Labels {
		if text != "" {
			keep = append(keep, i)
		} else if s.Missing != "drop" {
			return nil, errs.New(errs.Request, "give it "+one+", or use missing=drop to leave such rows out",
				"%s, %s: the %s is missing", d.row(i), r.LabelName, label)
		}
	}
	if len(keep) == 0 {
		return nil, errs.New(errs.Request, "name another column with label=", "%s: %s holds no %s at all", path, r.LabelName, label)
	}
	return keep, nil
}

// refuseRegression tells a measured quantity from classes.
func refuseRegression(numbers []float64, path, labelName string) error {
	different, kind, quantity := parse.Quantity(numbers)
	if !quantity {
		return nil
	}
	return errs.New(errs.Request, "use task=regression, or name a column of classes with label=",
		"%s: %s holds %d different %s in %d rows: a quantity, not classes", path, labelName, different, kind, len(numbers))
}

// measure takes the labels of a reading as quantities: Target, and for Y and Classes the ranges that they lie in.
func (d *Dataset) measure(r *read.Frame, path string, s config.Settings) error {
	keep, err := d.labelled(r, path, s, "quantity", "a value")
	if err != nil {
		return err
	}
	d.Target, d.Y = make([]float64, d.N), make([]int, d.N)
	d.Classes = []string{""}
	for _, i := range keep {
		numbers, numeric := parse.AsNumbers(r.Labels[i : i+1])
		if !numeric {
			return errs.New(errs.Request, "correct it, or leave task=regression out where the label is classes",
				"%s, %s: %q is not a number", d.row(i), r.LabelName, parse.Shorten(r.Labels[i]))
		}
		d.Target[i] = numbers[0]
	}
	if len(keep) < d.N {
		*d = *d.only(keep)
	}
	d.Y, d.Classes = Ranges(d.Target)
	return nil
}

// NewRegression is [New] with a quantity for each row instead of a label.
func NewRegression(name string, x []float32, features []string, target []float64) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: numbersAsLabels(target)}, config.Regression)
}

func numbersAsLabels(target []float64) []string {
	labels := make([]string, len(target))
	for i, v := range target {
		labels[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return labels
}

// mostRanges is the most ranges: quarters.
const mostRanges = 4

// Ranges divides rows by quantiles of their n ≥ 1 values into at most four ranges of about as many rows: of is the range of each row,
// from 0 by rising value, names are what people read. Equal values share a range, so there are fewer where few values differ; each range
// has a row. Edge e of Q is the value below which ⌈e n/Q⌉ of the sorted values lie.
func Ranges(values []float64) (of []int, names []string) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	var edges []float64
	for e := 1; e < mostRanges; e++ {
		if edge := sorted[min((e*n+mostRanges-1)/mostRanges, n-1)]; edge > sorted[0] && (len(edges) == 0 || edge > edges[len(edges)-1]) {
			edges = append(edges, edge)
		}
	}
	of = make([]int, n)
	for i, v := range values {
		at, found := slices.BinarySearch(edges, v)
		if found { // an edge is the first value of its range
			at++
		}
		of[i] = at
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
	return of, names
}

// Unit is how a quantity is scaled for a network: (y − Mean)/Scale.
type Unit struct{ Mean, Scale float64 }

// UnitOf is the unit of rows with weights whose mean is 1, or nil for 1 each: their mean, and their standard deviation (divided by n), 1 where
// all are equal.
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

// Scaled are values in the unit.
func (u Unit) Scaled(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - u.Mean) / u.Scale
	}
	return out
}

// Value is what a scaled one was.
func (u Unit) Value(scaled float64) float64 { return u.Mean + u.Scale*scaled }
