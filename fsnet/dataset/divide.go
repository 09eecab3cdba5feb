package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Divide returns the data set with its split attached ([Dataset.WithSplit]) and without rows that
// missing=drop leaves out; nothing is filled or scaled. It returns the errors of [Prepare] about
// missing values, the label and the split, and refuses a split without test rows.
func Divide(d *Dataset, s config.Settings) (*Dataset, error) {
	d, parts, err := divide(d, s)
	if err != nil {
		return nil, err
	}
	return d.WithSplit(parts)
}

// divide returns the data set without the rows that missing=drop leaves out, and their split, which
// is not attached. It checks that label, row columns and pairs allow a training with the settings.
func divide(d *Dataset, s config.Settings) (*Dataset, Parts, error) {
	d, err := dropMissing(d, s.Missing)
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

// TrainingRows returns the data set of the training rows alone, as if no others had been measured.
// The rows keep their order, the data set has no split, every class keeps a row, and ranges of a
// quantity follow from its rows.
func TrainingRows(d *Dataset, s config.Settings) (*Dataset, error) {
	whole, err := Divide(d, s)
	if err != nil {
		return nil, err
	}
	rows := whole.parts.Train
	whole.parts = nil
	training := whole.pick(rows)
	training.dropped = whole.dropped
	if training.Target != nil {
		training.Y, training.Classes = Ranges(training.Target)
	}
	training.setHash()
	return training, nil
}

// Columns returns the data set reduced to some columns, in the given order, with its split if it
// has one.
func (d *Dataset) Columns(columns []int) *Dataset {
	out := *d
	out.D, out.Features = len(columns), make([]string, len(columns))
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, nil, columns)
		out.contents = d.contents.Select(nil, columns, float64(out.D)/float64(d.D))
	} else {
		out.X, _ = d.gather(context.Background(), num.Indices(d.N), columns) // it is in memory
	}
	for c, j := range columns {
		out.Features[c] = d.Features[j]
	}
	out.setHash()
	return &out
}

// Division describes the rows, a line each: groups if there are any, then the folds of the user's
// split, or else the parts of a split with these settings. It returns the errors of [Split].
func Division(d *Dataset, s config.Settings) (string, error) {
	var b strings.Builder
	if g := d.Groups; g != nil {
		least, most := d.N, 0
		for _, rows := range g.rows() {
			least, most = min(least, len(rows)), max(most, len(rows))
		}
		sizes := fmt.Sprintf("%d to %s", least, phrase.Count(most, "row"))
		if least == most {
			sizes = fmt.Sprintf("%s each", phrase.Count(most, "row"))
		}
		fmt.Fprintf(&b, "%s: %s of %s\n", g.Column, phrase.Count(len(g.Names), "group"), sizes)
	}
	if d.folds != nil {
		for f, rows := range d.folds.rows() {
			fmt.Fprintf(&b, "%s: %s\n", d.folds.nameOf(f), d.countRows(rows))
		}
		return b.String(), nil
	}
	if err := checkClasses(d); err != nil {
		return "", err
	}
	p, err := Split(d, s)
	if err != nil {
		return "", err
	}
	for i, rows := range [][]int{p.Train, p.Validation, p.Test} {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", partWords()[i], d.countRows(rows))
		}
	}
	return b.String(), nil
}

// countRows returns the number of rows, of each class and of groups, in words.
func (d *Dataset) countRows(rows []int) string {
	counts, groups := make([]int, len(d.Classes)), map[int]bool{}
	for _, i := range rows {
		counts[d.Y[i]]++
		if d.Groups != nil {
			groups[d.Groups.Of[i]] = true
		}
	}
	classes := make([]string, len(counts))
	for c, n := range counts {
		classes[c] = fmt.Sprintf("%s (%d)", d.Classes[c], n)
	}
	text := fmt.Sprintf("%s, %s", phrase.Count(len(rows), "row"), strings.Join(classes, ", "))
	if d.Groups != nil {
		text += fmt.Sprintf(", of %s", phrase.Count(len(groups), "group"))
	}
	return text
}

// Folds divides the rows into n folds for cross-validation, repeats times. It returns a data set
// for each fold of each repeat, with the rows of that fold as test rows and all others as training
// rows. The seed shuffles rows within their class; they are dealt to the folds in turn, class after
// class, so that two folds of a repeat differ by at most one row, in all and of each class. With
// groups ([Dataset.Groups]) a group is whole in one fold, and the folds are as alike as groups
// allow ([HalveGroups]).
//
// It refuses fewer than two folds, more folds than rows, and a class of one row, which cannot be
// both held out and trained on.
func Folds(d *Dataset, n, repeats int, seed int64) ([]*Dataset, error) {
	switch {
	case n < 2 || n > d.N:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 2 to %d", d.N), "folds = %d of %s", n, phrase.Count(d.N, "row"))
	case repeats < 1 || repeats > mostRepeats:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", mostRepeats), "repeats = %d", repeats)
	}
	class, sizes := byAppearance(d.Y)
	for i, c := range class {
		if sizes[c] == 1 && d.Target == nil {
			return nil, errs.New(errs.Request, "use a smaller test_fraction, merge the class with another, or add samples",
				"%s: class %q has one row only, which cannot be both held out and trained on", d.where(), d.Classes[d.Y[i]])
		}
	}
	var folds []*Dataset
	for repeat := range repeats {
		fold := make([]int, d.N)
		if d.Groups == nil {
			for at, row := range byClass(class, sizes, func(c int) *rand.Rand { return num.RNG(seed, "folds", uint64(repeat), uint64(c)) }) {
				fold[row] = at % n
			}
		} else {
			var err error
			if fold, err = d.groupFolds(n, num.RNG(seed, "folds of groups", uint64(repeat))); err != nil {
				return nil, err
			}
		}
		name := ""
		if repeats > 1 {
			name = fmt.Sprintf(", repeat %d", repeat+1)
		}
		more, err := d.foldDatasets(fold, n, name)
		if err != nil {
			return nil, err
		}
		folds = append(folds, more...)
	}
	return folds, nil
}

// OwnFolds returns the folds of the user's split (the key split with a column that holds the fold
// of each row), as [Folds] does, or nil if it has none.
func OwnFolds(d *Dataset) ([]*Dataset, error) {
	if d.folds == nil {
		return nil, nil
	}
	return d.foldDatasets(d.folds.Of, len(d.folds.Names), "")
}

// foldDatasets returns a data set for each of n folds, with that fold as test rows. fold holds the
// fold of each row; name is appended to the names of the data sets.
func (d *Dataset) foldDatasets(fold []int, n int, name string) ([]*Dataset, error) {
	folds := make([]*Dataset, n)
	for f := range folds {
		var p Parts
		for row, in := range fold {
			if in == f {
				p.Test = append(p.Test, row)
			} else {
				p.Train = append(p.Train, row)
			}
		}
		var err error
		if folds[f], err = d.WithSplit(p); err != nil {
			return nil, err
		}
		folds[f].Name = fmt.Sprintf("%s, fold %d of %d%s", d.Name, f+1, n, name)
	}
	return folds, nil
}

// foldError explains why the user's split cannot divide the rows: the data were opened without it,
// or it has folds and none is named as held out.
func (d *Dataset) foldError(split string) error {
	if d.folds == nil {
		return errs.New(errs.Request, "open the data with it, or use Dataset.WithSplit", "split = %s: %s were not opened with it", split, d.where())
	}
	names := d.folds.Names
	return errs.New(errs.Request,
		fmt.Sprintf("say which one is held out, as in split=column:%s=%s; fsnet compare holds out each in turn", d.folds.Column, names[0]),
		"split = %s: %s has %s, %s", split, d.where(), phrase.Count(len(names), "fold"), parse.Quote(names[:min(len(names), 5)]))
}

const mostRepeats, mostFolds = 1000, 1000
