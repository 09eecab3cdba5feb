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

// Divide leaves out rows as missing=drop says and returns the remaining data
// set with its split attached (see [Dataset.WithSplit]). It does not fill or
// scale values. It returns the errors of [Prepare] about missing values, the
// label and the split. If the split has no test rows, it returns an error.
func Divide(d *Dataset, s config.Settings) (*Dataset, error) {
	d, parts, err := divide(d, s)
	if err != nil {
		return nil, err
	}
	return d.WithSplit(parts)
}

// divide leaves out rows as missing=drop says, and returns the remaining data
// set and its split. It does not attach the split. It checks that the label,
// the row columns and the pairs allow a training with these settings.
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

// TrainingRows returns a data set with only the training rows, as if the others
// had never been measured. The rows keep their order, and the result has no
// split. The ranges of a quantity are computed from the training rows.
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

// Columns returns the data set reduced to some columns, in the given order. It
// keeps the split.
func (d *Dataset) Columns(columns []int) *Dataset {
	out := *d
	out.D, out.Features = len(columns), make([]string, len(columns))
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, nil, columns)
		out.contents = d.contents.Select(nil, columns, float64(out.D)/float64(d.D))
	} else {
		out.X, _ = d.gather(context.Background(), num.Indices(d.N), columns) // all values are in memory
	}
	for c, j := range columns {
		out.Features[c] = d.Features[j]
	}
	out.setHash()
	return &out
}

// Division describes the groups, if there are any, on one line. The next lines
// describe the user's folds or, without folds, the parts of a split. Without
// folds, it returns an error if a class cannot be split or if [Split] fails.
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

// countRows describes how many rows there are, in total, by class, and from how
// many groups.
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

// Folds divides the rows into n folds for cross-validation, repeats times. It
// returns one data set for each fold of each repeat. Its test rows are the rows
// of that fold, and all others are training rows.
//
// Rows are shuffled within their class, by the seed, and dealt to the folds in
// turn, class after class. So two folds of a repeat differ by at most one row
// in total and one row per class. If there are groups ([Dataset.Groups]), each
// group is in one fold only, and the folds are as similar as the groups allow
// ([HalveGroups]).
//
// It rejects fewer than two folds, more folds than rows, and a class with a
// single row, because it cannot be both held out and trained on.
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

// OwnFolds returns the folds of the user's split, as [Folds] does: the key
// split may name a column that holds the fold of each row. It returns nil if
// the split has no folds.
func OwnFolds(d *Dataset) ([]*Dataset, error) {
	if d.folds == nil {
		return nil, nil
	}
	return d.foldDatasets(d.folds.Of, len(d.folds.Names), "")
}

// foldDatasets returns a data set for each of n folds, with the rows of that
// fold as test rows. fold holds the fold of each row. name is appended to the
// names of the data sets.
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

// foldError explains why the user's split cannot divide the rows: the data were
// opened without it, or it has folds and the settings do not say which one is
// held out.
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
