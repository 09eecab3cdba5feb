package dataset

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// New makes a data set of numbers in memory: x is row-major, a row for each label and a column for each feature; a missing value is NaN.
// Nil features are named feature_0, feature_1, …. Missing values are Prepare's business; other errors are those of [Open].
func New(name string, x []float32, features, labels []string) (*Dataset, error) {
	return newInMemory(name, &read.Frame{X: x, Features: features, Labels: labels}, config.Classification)
}

func newInMemory(name string, r *read.Frame, task string) (*Dataset, error) {
	r.LabelName = "the labels"
	if n := len(r.Labels); n > 0 && (len(r.X)%n != 0 || r.Features != nil && len(r.X) != n*len(r.Features)) {
		return nil, fault.New(fault.Request, "give rows × features values, row by row", "%s: %s for %s and %s", name, count.Of(len(r.X), "value"), count.Of(n, "row"), count.Of(len(r.Features), "feature"))
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
		return nil, fault.New(fault.Request, "give a label for each row, which is a sample", "%s: %s for a matrix of %s", name, count.Of(len(labels), "label"), count.Of(n, "row"))
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
		return nil, fault.Wrap(err, fault.Failed, "try again", "%s cannot be read", name)
	case len(content) == 0:
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s is empty", name)
	}
	file := bytes.NewReader(content)
	f, err := read.FormatOf(name, extension, file)
	if err != nil {
		return nil, err
	}
	d, err := readFormat(ctx, f.Alone(), name, file, s)
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

// checkParts checks the caller's own split.
func (d *Dataset) checkParts() error {
	const remedy = "put every row, from 0, in one part, with test rows and a training row of every class"
	in := make([]bool, d.N)
	for _, i := range slices.Concat(d.parts.Train, d.parts.Validation, d.parts.Test, d.parts.Left) {
		if i < 0 || i >= d.N || in[i] {
			return fault.New(fault.Request, remedy, "%s: the split names row %d, which is not one of the %s, or names it twice", d.where(), i, count.Of(d.N, "row"))
		}
		in[i] = true
	}
	if i := slices.Index(in, false); i >= 0 {
		return fault.New(fault.Request, remedy, "%s: no part of the split has row %d", d.where(), i)
	}
	if len(d.parts.Test) == 0 {
		return fault.New(fault.Request, remedy, "%s: the split has no test rows", d.where())
	}
	if c := d.withoutTraining(d.parts.Validation, d.parts.Test, d.parts.Left); c >= 0 {
		return fault.New(fault.Request, remedy, "%s: the split has no training row of class %q", d.where(), d.Classes[c])
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
