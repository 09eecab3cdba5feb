// Package judge says how good a panel is that somebody brings: the same figures as for a selection, over several splits, beside as many
// features at random and as many of the best by an F test. Of classes figures are accuracies, of a quantity R².
//
// # Nouns
//
//   - an [Options] says which features and how many splits;
//   - a [Result] has an [Entry] for the panel, one for chance and one for the F test;
//   - a [Spread] is a figure over the splits.
//
// # Caveats
//
// The panel is judged on the test rows of each split. If it was chosen on the same samples, also by somebody else, it has seen them, and
// its figures are too good; those of the other two are not, since they choose anew from each split's training rows. Splits share rows, so
// that the p value is too small.
package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/count"
)

// MaxSplits is the most splits.
const MaxSplits = 10_000

// Options says what is judged.
type Options struct {
	Features []int // columns of the data set, each once
	Splits   int   // of the seeds seed … seed + Splits − 1 (of split_seed, where that is given)
	// Progress, which may be nil, is called before each split and after the last.
	Progress func(done, total int)
}

// Names of the entries.
const (
	Panel  = "panel"
	Random = "random"
	ANOVA  = "anova"
)

// figures are those of a selection on one split.
type figures struct {
	first, own, redundancy float64 // first: accuracy of the SVM, or R² of the kernel ridge
	constant               int     // features that do not vary over the training rows, and take no part

	balanced float64   // of classes: of the SVM
	recall   []float64 // of the SVM, by class; NaN where the test rows have none of it
}

// Run judges. Of the settings those of data, split, scaling and network (hidden, dropout) count. A split that cannot be made, or a device
// that fails, ends it with an error; where the context is cancelled, it returns what is done and an error of kind Interrupted.
func Run(ctx context.Context, on *device.Device, data *dataset.Dataset, s config.Settings, o Options) (*Result, error) {
	switch {
	case len(o.Features) == 0:
		return nil, fault.New(fault.Request, "name at least one", "no feature to judge")
	case o.Splits < 1 || o.Splits > MaxSplits:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", MaxSplits), "splits = %d", o.Splits)
	case max(s.Seed, s.RowsSeed()) > math.MaxInt64-int64(o.Splits):
		return nil, fault.New(fault.Request, "choose a smaller seed", "seed = %d and %d splits leave the range of seeds",
			max(s.Seed, s.RowsSeed()), o.Splits)
	}
	data, err := data.Dense(ctx, "judge")
	if err != nil {
		return nil, err
	}
	scope := device.ScopeOn(on)
	defer scope.Close()
	s.K = 1
	seed, rows := s.Seed, s.RowsSeed()
	all := map[string][]figures{}
	baselineHits := []float64{}
	done := 0
	for ; done < o.Splits; done++ {
		if o.Progress != nil {
			o.Progress(done, o.Splits)
		}
		s.Seed = seed + int64(done)
		if s.SplitSeed != nil {
			s.SplitSeed = new(rows + int64(done))
		}
		of, majority, err := onSplit(ctx, scope, data, s, o.Features)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		for name, f := range of {
			all[name] = append(all[name], f)
		}
		baselineHits = append(baselineHits, majority)
	}
	if done == o.Splits && o.Progress != nil {
		o.Progress(done, o.Splits)
	}
	var interrupted error
	if done < o.Splits {
		interrupted = fault.New(fault.Interrupted, "", "interrupted with %d of %s done", done, count.Of(o.Splits, "split"))
		if done == 0 {
			return nil, interrupted
		}
	}
	r := result(data, o, seed, done, all, baselineHits)
	if own, err := config.ParseSplit(s.Split); done == 1 || err == nil && own != (config.OwnSplit{}) { // then all trainings share one
		for _, e := range r.Entries {
			if e.Against != nil {
				e.Against.P = nil
			}
		}
	}
	return r, interrupted
}

// onSplit is the figures of the panel, of chance and of the F test on one split, and, of classes, the accuracy of the most frequent one.
func onSplit(ctx context.Context, on *device.Scope, data *dataset.Dataset, s config.Settings, features []int) (
	map[string]figures, float64, error) {
	p, err := dataset.PrepareContext(ctx, data, s)
	if err != nil {
		return nil, 0, err
	}
	training, test := baseline.Of(p, p.Parts.Train), baseline.Of(p, p.Parts.Test)
	var columns []int
	for _, j := range features {
		if c, varies := slices.BinarySearch(p.Kept, j); varies {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return nil, 0, fault.New(fault.Request, "name other features, or another seed",
			"%s: no feature of the panel varies over the %s of seed %d", data.Name, count.Of(len(p.Parts.Train), "training row"), s.RowsSeed())
	}
	chosen := map[string][]int{Panel: columns}
	for name, m := range map[string]baseline.Method{Random: comparators.Random{}, ANOVA: comparators.ANOVA{}} {
		model, err := m.Fit(ctx, training, baseline.Options{K: len(columns), Seed: s.Seed})
		if err != nil {
			return nil, 0, err
		}
		chosen[name] = model.Columns()
	}
	out := map[string]figures{}
	for _, name := range []string{Panel, Random, ANOVA} {
		f, err := judged(ctx, on, training.Only(chosen[name]), test.Only(chosen[name]), s)
		if err != nil {
			return nil, 0, err
		}
		out[name] = f
	}
	f := out[Panel]
	f.constant = len(features) - len(columns)
	out[Panel] = f
	if test.Regression() {
		return out, 0, nil
	}
	return out, metric.Majority(training.Y, test.Y, test.Classes), nil
}

// judged is the figures of some columns.
func judged(ctx context.Context, on *device.Scope, training, test baseline.Data, s config.Settings) (figures, error) {
	var f figures
	options := baseline.Options{Seed: s.Seed, Device: on}
	by := judgedByClasses
	if training.Regression() {
		by = judgedByQuantity
	}
	if err := by(ctx, training, test, options, &f); err != nil {
		return f, err
	}
	head, err := deep.NewHead(s.Hidden, s.Dropout).Fit(ctx, training, options)
	if err != nil {
		return f, err
	}
	if f.own, err = head.Score(test); err != nil {
		return f, err
	}
	var x []float64
	for _, row := range test.Rows {
		x = append(x, row...)
	}
	f.redundancy = metric.MutualInformation(x, len(test.Rows), test.Width())
	return f, nil
}

// judgedByQuantity asks the kernel ridge of package compare.
func judgedByQuantity(ctx context.Context, training, test baseline.Data, options baseline.Options, f *figures) error {
	ridge, err := comparators.KernelRidge{}.Fit(ctx, training, options)
	if err == nil {
		f.first, err = ridge.Score(test)
	}
	return err
}

// judgedByClasses asks the SVM of package compare.
func judgedByClasses(ctx context.Context, training, test baseline.Data, options baseline.Options, f *figures) error {
	machine, err := comparators.SVM{}.Fit(ctx, training, options)
	if err != nil {
		return err
	}
	predicted, err := machine.Predict(test.Rows)
	if err != nil {
		return err
	}
	f.first, f.balanced = metric.Accuracy(test.Y, predicted), metric.BalancedAccuracy(test.Y, predicted, test.Classes)
	for c, row := range metric.Confusion(test.Y, predicted, test.Classes) {
		n := 0
		for _, count := range row {
			n += count
		}
		f.recall = append(f.recall, float64(row[c])/float64(n)) // NaN of none
	}
	return nil
}
