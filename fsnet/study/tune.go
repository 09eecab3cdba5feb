package study

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// The judges, whose accuracy on held-out rows decides, or of a quantity R².
const (
	Own             = "own"       // the network that was trained with the selection
	TuneSVM         = "svm"       // of classes: the support vector machine of package compare, on the selected features
	TuneKernelRidge = KernelRidge // of a quantity: its kernel ridge regression
)

// tuneJudges lists those of classes, or of a quantity, the default first.
func tuneJudges(quantity bool) []string {
	if quantity {
		return []string{Own, TuneKernelRidge}
	}
	return []string{Own, TuneSVM}
}

// TuneOptions are how combinations are judged. The zero value of a field is its default.
type TuneOptions struct {
	Folds   int    // of the training rows; 0 is 5
	Repeats int    // with other folds each; 0 is 1
	Judge   string // own · svm, of a quantity own · kernel-ridge; "" is the first, of a path the last
	Seeds   bool   // every repeat trains with a seed of its own: NewSweep sets it
}

// Tuning is what is tried, and on which folds.
type Tuning struct {
	Training *dataset.Dataset // the training rows alone
	Config   config.Config    // what all combinations have in common, as it was given
	Settings config.Settings  // the same, without holes
	Grid     Grid
	Options  TuneOptions // without zeros
	Rows     *Plan       // a row for each combination and fold: run it, and hand the rows to Summarize
}

// NewTuning plans to try every combination of a grid on folds of the training rows. Its errors, of kind Request, are those of the grid, of a key
// that is both in the grid and given, of K above the features, and of rows that cannot be divided so.
//
// Nothing of it, and nothing of its rows, depends on a value of a row that is not a training row: folds are divided, filled, scaled and
// trained on by training rows alone, each by those outside the fold, as a fit on a data set of its own. The folds are a function of the
// seed that divides the rows ([config.Settings.RowsSeed]); every training has the seed of the configuration.
func NewTuning(data *dataset.Dataset, c config.Config, grid Grid, o TuneOptions) (*Tuning, error) {
	if err := grid.check(); err != nil {
		return nil, err
	}
	combinations, err := grid.combinations()
	if err != nil {
		return nil, err
	}
	methods := make([]Method, len(combinations))
	for i, own := range combinations {
		methods[i] = With(own)
	}
	return newTuning(data, c, grid, o, methods)
}

// MaxSeeds is the most seeds of a sweep.
const MaxSeeds = 1000

// NewSweep plans the curve of one key: every value is trained with as many seeds, the first being that of the configuration. Each seed
// deals the folds anew, so that a training row is held out once a seed. The trainings of one seed come before those of the next: a sweep
// that is interrupted has all values of the seeds that are done. Errors are those of New, and of a grid with more than one key.
func NewSweep(data *dataset.Dataset, c config.Config, grid Grid, seeds int, o TuneOptions) (*Tuning, error) {
	switch {
	case len(grid) != 1:
		return nil, fault.New(fault.Request, "sweep one, as in k=5,10,20,50; fsnet tune takes several", "sweep: %d keys", len(grid))
	case seeds < 1 || seeds > MaxSeeds:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", MaxSeeds), "seeds = %d", seeds)
	}
	o.Repeats, o.Seeds = seeds, true
	return NewTuning(data, c, grid, o)
}

// NewPath plans to find out how many features are worth it: on each fold one training with the largest of ks, of whose features each k
// takes the first, in the order of forward selection among them. The judge is the support vector machine, of a quantity the kernel ridge,
// since there is no network of each k. Errors are those of New.
func NewPath(data *dataset.Dataset, c config.Config, ks []int, o TuneOptions) (*Tuning, error) {
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	axis := Axis{Key: "k"}
	for _, k := range ks {
		axis.Values = append(axis.Values, strconv.Itoa(k))
	}
	if len(ks) == 0 || ks[0] < 1 {
		return nil, fault.New(fault.Request, "give numbers of features, as in 5,10,20,50", "k = %s", strings.Join(axis.Values, ","))
	}
	if o.Judge == Own {
		return nil, fault.New(fault.Request, "leave it out", "judge = %s: a path has no network for each k", o.Judge)
	}
	o.Judge = cmp.Or(o.Judge, tuneJudges(data.Target != nil)[1])
	return newTuning(data, c, Grid{axis}, o, []Method{Nested(config.Config{})})
}

func newTuning(data *dataset.Dataset, c config.Config, grid Grid, o TuneOptions, methods []Method) (*Tuning, error) {
	p := &Tuning{Config: c, Grid: grid, Options: TuneOptions{cmp.Or(o.Folds, 5), cmp.Or(o.Repeats, 1), cmp.Or(o.Judge, Own), o.Seeds}}
	if err := checkJudge(p.Options.Judge, data.Target != nil); err != nil {
		return nil, err
	}
	for _, axis := range grid {
		if c.Text(axis.Key) != "" {
			return nil, fault.New(fault.Request, "give it once", "%s is in the grid, but also given as %s", axis.Key, c.Text(axis.Key))
		}
	}
	var err error
	if p.Settings, err = c.Resolve(); err != nil {
		return nil, err
	}
	if p.Training, err = dataset.TrainingRows(data, p.Settings); err != nil {
		return nil, err
	}
	ks := []int{p.Settings.K}
	if values := grid.values("k"); values != nil {
		ks = nil
		for _, text := range values {
			k, err := strconv.Atoi(text)
			if err != nil {
				return nil, err
			}
			ks = append(ks, k)
		}
	}
	if err := data.CheckK(slices.Max(ks)); err != nil {
		return nil, err
	}
	folds, err := dataset.Folds(p.Training, p.Options.Folds, p.Options.Repeats, p.Settings.RowsSeed())
	if err != nil {
		return nil, err
	}
	if p.Options.Seeds { // split s of the comparison has the seed s after the first: repeat s takes that
		if p.Rows, err = New(folds, c, methods, ks, p.Options.Repeats); err != nil {
			return nil, err
		}
		repeat := make(map[string]int, len(folds))
		for i, fold := range folds {
			repeat[fold.Name] = i / p.Options.Folds
		}
		p.Rows.Keep(func(cell Row) bool { return cell.Split == repeat[cell.Dataset] })
		return p, nil
	}
	if p.Rows, err = New(folds, c, methods, ks, 1); err != nil {
		return nil, err
	}
	p.Rows.ByMethod = !methods[0].Shares()
	return p, nil
}

// checkJudge refuses judges that are not known, and those of classes where the label is a quantity, or the other way round.
func checkJudge(judge string, quantity bool) error {
	ours := tuneJudges(quantity)
	if slices.Contains(ours, judge) {
		return nil
	}
	if slices.Contains(tuneJudges(!quantity), judge) {
		what := "the label is classes"
		if quantity {
			what = "the label is a quantity"
		}
		return fault.New(fault.Request, "use "+strings.Join(ours, " or "), "judge = %s, but %s", judge, what)
	}
	return fault.New(fault.Request, suggest.DidYouMean(judge, ours), "judge = %q is not known", judge)
}
