package dataset

import (
	"fmt"
	"math/rand/v2"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/rng"
)

// Folds divides the rows into n folds for cross-validation, as often as repeats says: a data set for each fold of each repeat, with the
// rows of that fold as its test rows and all others as its training rows. Rows are shuffled within their class by the seed and dealt to the
// folds in turn, one class after the other, so that two folds of a repeat differ by one row at the most, in all and of each class. Where
// rows belong together ([Dataset.Groups]) a group is whole in one fold, and the folds are as alike as groups allow ([HalveGroups]).
//
// It refuses fewer than two folds, more folds than rows, and a class of one row, which could not be held out and trained on.
func Folds(d *Dataset, n, repeats int, seed int64) ([]*Dataset, error) {
	switch {
	case n < 2 || n > d.N:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 2 to %d", d.N), "folds = %d of %s", n, count.Of(d.N, "row"))
	case repeats < 1 || repeats > mostRepeats:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", mostRepeats), "repeats = %d", repeats)
	}
	class, sizes := byAppearance(d.Y)
	for i, c := range class {
		if sizes[c] == 1 && d.Target == nil {
			return nil, fault.New(fault.Request, "use a smaller test_fraction, merge the class with another, or add samples",
				"%s: class %q has one row only, which cannot be both held out and trained on", d.where(), d.Classes[d.Y[i]])
		}
	}
	var folds []*Dataset
	for repeat := range repeats {
		fold := make([]int, d.N)
		if d.Groups == nil {
			for at, row := range byClass(class, sizes, func(c int) *rand.Rand { return rng.New(seed, "folds", uint64(repeat), uint64(c)) }) {
				fold[row] = at % n
			}
		} else {
			var err error
			if fold, err = d.groupFolds(n, rng.New(seed, "folds of groups", uint64(repeat))); err != nil {
				return nil, err
			}
		}
		name := ""
		if repeats > 1 {
			name = fmt.Sprintf(", repeat %d", repeat+1)
		}
		more, err := d.held(fold, n, name)
		if err != nil {
			return nil, err
		}
		folds = append(folds, more...)
	}
	return folds, nil
}

// OwnFolds are the folds of a split of the user's own (the key split, with a column that holds the fold of each row), as [Folds] gives
// them; nil where there are none.
func OwnFolds(d *Dataset) ([]*Dataset, error) {
	if d.folds == nil {
		return nil, nil
	}
	return d.held(d.folds.Of, len(d.folds.Names), "")
}

// held is a data set for each of n folds, which it holds out.
func (d *Dataset) held(fold []int, n int, name string) ([]*Dataset, error) {
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

// whichFold says why a split of the user's own cannot divide the rows.
func (d *Dataset) whichFold(split string) error {
	if d.folds == nil {
		return fault.New(fault.Request, "open the data with it, or use Dataset.WithSplit", "split = %s: %s were not opened with it", split, d.where())
	}
	names := d.folds.Names
	return fault.New(fault.Request,
		fmt.Sprintf("say which one is held out, as in split=column:%s=%s; fsnet compare holds out each in turn", d.folds.Column, names[0]),
		"split = %s: %s has %s, %s", split, d.where(), count.Of(len(names), "fold"), parse.Quoted(names[:min(len(names), 5)]))
}

const mostRepeats, mostFolds = 1000, 1000
