package dataset

import (
	"context"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/internal/places"
)

// Divide is the data set that a training with these settings sees, with its split as a split of its own ([Dataset.WithSplit]): rows that
// missing=drop leaves out are gone. The errors are those of [Prepare], but for those of values and k.
func Divide(d *Dataset, s config.Settings) (*Dataset, error) {
	d, parts, err := divided(d, s)
	if err != nil {
		return nil, err
	}
	return d.WithSplit(parts)
}

// divided is the rows that a training with these settings sees, and their split.
func divided(d *Dataset, s config.Settings) (*Dataset, Parts, error) {
	d, err := withoutMissing(d, s.Missing)
	if err == nil {
		err = d.Fits(s)
	}
	if err == nil {
		err = checkClasses(d)
	}
	if err == nil {
		err = d.checkPairs()
	}
	if err != nil {
		return nil, Parts{}, err
	}
	parts, err := Split(d, s)
	return d, parts, err
}

// TrainingRows is the data set of the training rows alone, as if no other had been measured: whatever is computed from it has seen neither
// validation nor test rows. Its rows are in their order, it has no split of its own, and every class keeps a row at least; the ranges of a
// quantity are those of its rows.
func TrainingRows(d *Dataset, s config.Settings) (*Dataset, error) {
	whole, err := Divide(d, s)
	if err != nil {
		return nil, err
	}
	rows := whole.parts.Train
	whole.parts = nil
	training := whole.only(rows)
	training.dropped, training.gone = whole.dropped, whole.gone
	if training.Target != nil {
		training.Y, training.Classes = Ranges(training.Target)
		training.reseal()
	}
	return training, nil
}

// Columns is the data set reduced to some columns, in the order given, with the split of its own where it has one.
func (d *Dataset) Columns(columns []int) *Dataset {
	out := *d
	out.D, out.Features = len(columns), make([]string, len(columns))
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, nil, columns)
		out.contents = d.contents.Only(nil, columns, float64(out.D)/float64(d.D))
	} else {
		out.X, _ = d.gather(context.Background(), places.All(d.N), columns) // it is in memory
	}
	for c, j := range columns {
		out.Features[c] = d.Features[j]
	}
	out.seal()
	return &out
}
