package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Fold makes the splits of the plan those of cross-validation: each of n folds of all rows ([dataset.Folds]) is held out in turn, as often
// as repeats says, each time with other folds. Split s is fold s mod n. The folds are a function of the seed that divides the rows, and the
// training of split s has the seed s after the first, as without folds.
//
// Folds 0 are those of the data sets' own, which the key split may have brought ([dataset.OwnFolds]); [New] asks for them by itself.
func (p *Plan) Fold(n, repeats int) error {
	if n > 0 && repeats > 0 && n > MaxSplits/repeats {
		return fault.New(fault.Request, fmt.Sprintf("choose up to %d in all", MaxSplits), "%s, %d times", count.Of(n, "fold"), repeats)
	}
	if f := p.Settings.ValidationFraction; f > 0 {
		return fault.New(fault.Request, "leave it out: nothing in a comparison looks at validation rows",
			"validation_fraction = %g, but folds have no rows for validation", f)
	}
	p.folds = map[string][]*dataset.Dataset{}
	p.Folds = n
	for i, d := range p.Data {
		own, err := dataset.OwnFolds(d)
		if err == nil && own == nil {
			own, err = dataset.Folds(d, n, repeats, p.Settings.RowsSeed())
		} else if err == nil && n > 0 {
			return fault.New(fault.Request, "leave folds out", "folds = %d, but split = %s says what they are", n, p.Settings.Split)
		}
		if err != nil {
			return err
		}
		if i > 0 && len(own) != p.Splits {
			return fault.New(fault.Request, "compare them one by one",
				"%s has %s, but %s has %d", p.Data[0].Name, count.Of(p.Splits, "fold"), d.Name, len(own))
		}
		p.folds[d.Name], p.Splits = own, len(own)
	}
	return p.checkSeeds()
}

// ownFolds takes the folds that the data sets bring.
func (p *Plan) ownFolds() error {
	for _, d := range p.Data {
		if own, err := dataset.OwnFolds(d); own != nil || err != nil {
			return p.Fold(0, 1)
		}
	}
	return nil
}

// data is the data set of a row, with the split of its own where the plan has folds.
func (p *Plan) data(cell Row) *dataset.Dataset {
	if folds := p.folds[cell.Dataset]; folds != nil {
		return folds[cell.Split]
	}
	for _, d := range p.Data {
		if d.Name == cell.Dataset {
			return d
		}
	}
	return nil
}

// withFolds adds the number of folds to the settings of a row. Those of the user's own are there, as split.
func (p *Plan) withFolds(settings string) string {
	if p.Folds == 0 {
		return settings
	}
	return strings.TrimPrefix(fmt.Sprintf("%s;folds=%d", settings, p.Folds), ";")
}

// TestFraction is the share of the rows of a data set that a split has for testing.
func (p *Plan) TestFraction(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Test
	}
	if p.folds == nil && !p.ownSplit() {
		return p.Settings.TestFraction
	}
	return float64(p.First(d).TestRows(p.Settings.TestFraction)) / float64(d.N)
}

// testPerTraining is n_test/n_train of the first split of a data set, or of its folds together: training rows are those that methods are
// fitted to, without rows for validation and those that rows_per_class or a weight of 0 leaves out.
func (p *Plan) testPerTraining(d *dataset.Dataset) float64 {
	if p.listing != nil {
		return p.listing.Data[slices.Index(p.Data, d)].Ratio
	}
	splits := 1
	if p.folds != nil { // all of one repeat: they need not be of one size
		splits = cmp.Or(p.Folds, p.Splits)
	}
	sum, tested := 0, 0
	for split := range splits {
		cell := Row{Identity: Identity{Dataset: d.Name, Split: split, Seed: p.Settings.Seed + int64(split)}}
		settings := p.Settings
		p.seeded(&settings, cell)
		parts, err := dataset.Split(p.data(cell), settings)
		if err != nil { // which the rows say
			return p.TestFraction(d) / (1 - p.TestFraction(d))
		}
		sum, tested = sum+len(parts.Train), tested+len(parts.Test)
	}
	return float64(tested) / float64(sum)
}

// ownSplit is whether the rows are divided by a column or a file: where that gives no folds all trainings share one split.
func (p *Plan) ownSplit() bool {
	own, err := config.ParseSplit(p.Settings.Split)
	return err == nil && own != (config.OwnSplit{})
}

// First is a data set as the first split divides it: a fold where the plan has folds.
func (p *Plan) First(d *dataset.Dataset) *dataset.Dataset {
	return p.data(Row{Identity: Identity{Dataset: d.Name}})
}

// OneSplit is whether all trainings share one split, by the plan or since there is but one: then nothing tells how figures vary from
// split to split.
func (p *Plan) OneSplit() bool {
	if p.listing != nil {
		return p.listing.OneSplit
	}
	return p.Splits == 1 || p.folds == nil && p.ownSplit()
}

// Divided is how the rows are divided, for people.
func (p *Plan) Divided() string {
	switch {
	case p.Fits:
		return count.Of(p.Splits, "replica")
	case p.listing != nil:
		return p.listing.Divided
	case p.OneSplit() && p.Splits > 1:
		return fmt.Sprintf("one split (%s), %d times", p.Settings.Split, p.Splits)
	case p.folds == nil:
		return count.Of(p.Splits, "split")
	case p.Folds > 0 && p.Splits > p.Folds:
		return fmt.Sprintf("%s, %d times", count.Of(p.Folds, "fold"), p.Splits/p.Folds)
	}
	return count.Of(p.Splits, "fold")
}
