package dataset

import (
	"fmt"
	"math/rand/v2"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/rng"
)

// Folds divides the rows into n folds for cross-validation, as often as repeats says: a data set for each fold of each repeat, with the rows
// of that fold as its test rows and all others as its training rows. Rows are shuffled within their class by the seed and dealt to the folds
// in turn, one class after the other, so that two folds of a repeat differ by one row at the most, in all and of each class.
//
// It refuses fewer than two folds, more folds than rows, and a class of one row, which could not be held out and trained on.
func Folds(d *Dataset, n, repeats int, seed int64) ([]*Dataset, error) {
	class, sizes := byAppearance(d.Y)
	switch {
	case n < 2 || n > d.N:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 2 to %d", d.N), "folds = %d of %d rows", n, d.N)
	case repeats < 1 || repeats > mostRepeats:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", mostRepeats), "repeats = %d", repeats)
	}
	for i, c := range class {
		if sizes[c] == 1 {
			return nil, fault.New(fault.Request, "use a smaller test_fraction, merge the class with another, or add samples",
				"%s: class %q has one row only, which cannot be held out and trained on", d.where(), d.Classes[d.Y[i]])
		}
	}
	var folds []*Dataset
	for repeat := range repeats {
		parts := make([]Parts, n)
		for at, row := range byClass(class, sizes, func(c int) *rand.Rand { return rng.New(seed, "folds", uint64(repeat), uint64(c)) }) {
			for f := range parts {
				part := &parts[f].Train
				if f == at%n {
					part = &parts[f].Test
				}
				*part = append(*part, row)
			}
		}
		for f, p := range parts {
			fold, err := d.WithSplit(p)
			if err != nil {
				return nil, err
			}
			fold.Name = fmt.Sprintf("%s, fold %d of %d", d.Name, f+1, n)
			if repeats > 1 {
				fold.Name += fmt.Sprintf(", repeat %d", repeat+1)
			}
			folds = append(folds, fold)
		}
	}
	return folds, nil
}

const mostRepeats = 1000
