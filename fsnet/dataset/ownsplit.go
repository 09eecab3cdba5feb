package dataset

import (
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/suggest"
)

// partWords are the words of a split of the user's own, in the order of [Parts].
func partWords() []string { return []string{"train", "validation", "test"} }

// partOf is the part that a word means, or −1.
func partOf(text string) int {
	switch strings.ToLower(text) {
	case "train", "training":
		return 0
	case "validation", "valid", "val":
		return 1
	case "test", "testing":
		return 2
	}
	return -1
}

// divideBy takes the split that a column or a file describes.
func (d *Dataset) divideBy(own config.OwnSplit, s config.Settings) error {
	name, where := own.Column, fmt.Sprintf("column %q", parse.Shorten(own.Column))
	texts := d.told[own.Column]
	if own.File != "" {
		name, where, texts = own.File, own.File, d.told[s.Split]
	}
	var parts [3][]int
	switch words := slices.ContainsFunc(texts, func(text string) bool { return partOf(text) >= 0 }); {
	case own.Value != "":
		values := newGroups(name, texts)
		test := parse.Index(values.Names, own.Value)
		if test < 0 {
			return fault.New(fault.Request, suggest.DidYouMean(own.Value, values.Names[:min(len(values.Names), 20)]),
				"%s: no row has %q in %s", d.where(), parse.Shorten(own.Value), where)
		}
		for i, value := range values.Of {
			part := 0
			if value == test {
				part = 2
			}
			parts[part] = append(parts[part], i)
		}
	case words:
		for i, text := range texts {
			part := partOf(text)
			if part < 0 {
				return fault.New(fault.Request, "write train, validation or test",
					"%s: %q in %s is not a part of a split", d.row(i), parse.Shorten(text), where)
			}
			parts[part] = append(parts[part], i)
		}
	default:
		return d.foldsBy(newGroups(name, texts), where)
	}
	d.parts = &Parts{Train: parts[0], Validation: parts[1], Test: parts[2]}
	if err := d.checkOwn(where); err != nil {
		return err
	}
	if s.ValidationFraction == 0 {
		return nil
	}
	if len(parts[1]) > 0 {
		return fault.New(fault.Request, "leave it out",
			"validation_fraction = %g, but %s says which rows are for validation", s.ValidationFraction, where)
	}
	d.written = d.parts
	drawn, err := d.drawn(s)
	d.parts = &drawn
	return err
}

// drawn is the split of the user's own with validation rows drawn from its training rows, by the seed of a training. Of a quantity each of
// its ranges gives its share, where the groups allow that, and else all rows alike: a range need not keep a training row.
func (d *Dataset) drawn(s config.Settings) (Parts, error) {
	rows := d.written.Train
	training := &Dataset{Name: d.Name, file: d.file, N: len(rows), Y: ofRows(d.Y, rows), Classes: d.Classes, Groups: d.Groups.only(rows)}
	s.TestFraction, s.ValidationFraction, s.RowsPerClass, s.Split = s.ValidationFraction, 0, 0, config.Stratified
	parts, err := Split(training, s)
	if err != nil && d.Target != nil {
		training.Target = ofRows(d.Target, rows)
		parts, err = Split(training, s)
	}
	return Parts{Train: ofRows(rows, parts.Train), Validation: ofRows(rows, parts.Test), Test: d.written.Test}, err
}

// checkOwn refuses a split that cannot be trained on, in the words of whoever wrote it.
func (d *Dataset) checkOwn(where string) error {
	if len(d.parts.Test) == 0 {
		return fault.New(fault.Request, "write test for the rows that are held out", "%s: %s has no test row", d.where(), where)
	}
	if c := d.withoutTraining(d.parts.Test, d.parts.Validation); c >= 0 {
		return fault.New(fault.Request, "leave some of them for training, or leave the class out",
			"%s: %s has no training row of class %q", d.where(), where, d.Classes[c])
	}
	return d.checkTogether()
}

// withoutTraining is a class all of whose rows are held out, or −1.
func (d *Dataset) withoutTraining(held ...[]int) int {
	if d.Target != nil {
		return -1
	}
	left := make([]int, len(d.Classes))
	for _, c := range d.Y {
		left[c]++
	}
	for _, i := range slices.Concat(held...) {
		left[d.Y[i]]--
	}
	return slices.Index(left, 0)
}

// foldsBy takes folds of the user's own: rows with the same value are one.
func (d *Dataset) foldsBy(folds *Groups, where string) error {
	if n := len(folds.Names); n < 2 || n > mostFolds {
		return fault.New(fault.Request,
			"write train, validation and test in it, or the number of a fold, or name the value of the test rows: split=column:NAME=VALUE",
			"%s: %s holds %s, which are neither the words of a split nor folds", d.where(), where, count.Of(n, "different value"))
	}
	for f, rows := range folds.rows() {
		if c := d.withoutTraining(rows); c >= 0 {
			return fault.New(fault.Request, "spread the class over several folds",
				"%s: %s has all rows of class %q, which leaves none for training", d.where(), folds.called(f), d.Classes[c])
		}
	}
	if d.Groups != nil {
		in := make([]int, len(d.Groups.Names))
		for i, g := range d.Groups.Of {
			switch f := folds.Of[i] + 1; in[g] {
			case 0, f:
				in[g] = f
			default:
				return fault.New(fault.Request, "put all its rows in one fold, or leave groups out",
					"%s: %s has rows in %s and in %s", d.where(), d.Groups.called(g), folds.called(in[g]-1), folds.called(f-1))
			}
		}
	}
	d.folds = folds
	return nil
}
