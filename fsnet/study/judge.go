package study

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
)

// MaxJudgedSplits is the largest number of splits of JudgePanel.
const MaxJudgedSplits = 10_000

// JudgeOptions are the options of JudgePanel.
type JudgeOptions struct {
	Features []int // columns of the data set, each once
	// Splits is the number of splits. Their seeds are seed … seed + Splits − 1,
	// or split_seed … if it is given.
	Splits int
	// Progress may be nil. JudgePanel calls it before each split and after the
	// last one.
	Progress func(done, total int)
	// Looked may be nil. JudgePanel calls it after each split with the hash of
	// the test rows, see [dataset.Dataset.RowsHash].
	Looked func(rows string)
}

// Names of the entries.
const (
	PanelEntry  = "panel"
	RandomEntry = "random"
	ANOVAEntry  = "anova"
)

// JudgePanel judges given features on each split, next to as many random ones
// and as many chosen by an F test on the training rows. It returns the figures
// over all splits. It uses the settings of data, split, scaling, seed and
// network (hidden, dropout), but not s.K.
//
// It fails if a split cannot be made, if no feature varies over the training
// rows, or if the device fails. If ctx is canceled, it returns the completed
// splits, or nil if no split is complete, and an error of kind Interrupted.
func JudgePanel(ctx context.Context, on *device.Device, data *dataset.Dataset, s config.Settings, o JudgeOptions) (*results.Judged, error) {
	plan := &Plan{Data: []*dataset.Dataset{data}, Settings: s, Splits: o.Splits}
	switch {
	case len(o.Features) == 0:
		return nil, errs.New(errs.Request, "name at least one", "no feature to judge")
	case o.Splits < 1 || o.Splits > MaxJudgedSplits:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", MaxJudgedSplits), "splits = %d", o.Splits)
	}
	if err := cmp.Or(plan.checkSeeds(), testable(data, s)); err != nil {
		return nil, err
	}

	scope := device.ScopeOn(on)
	defer scope.Close()
	r := &results.Judged{Dataset: data.Name, Metric: plan.Metric(), N: data.N, D: data.D, Classes: data.Classes, Planned: o.Splits, Seed: s.Seed}
	for _, j := range o.Features {
		r.Features = append(r.Features, data.Features[j])
	}

	names := []string{PanelEntry, RandomEntry, ANOVAEntry}
	rows, recall := map[string][]Row{}, map[string][][]float64{} // By entry, recall by split and class.
	var guesses []float64
	constant := 0

	for ; r.Splits < o.Splits; r.Splits++ {
		if o.Progress != nil {
			o.Progress(r.Splits, o.Splits)
		}
		cell := Row{Identity: Identity{Dataset: data.Name, Split: r.Splits, Seed: s.Seed + int64(r.Splits)}}

		split := prepareSplit(ctx, plan, cell)
		chosen, err := split.entryColumns(ctx, cell.Seed, o.Features)
		judged := map[string]Row{}
		for _, name := range names {
			if err == nil {
				var by []float64
				judged[name], by, err = split.judgeColumns(ctx, scope, cell, chosen[name])
				recall[name] = append(recall[name], by)
			}
		}

		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}

		if o.Looked != nil {
			o.Looked(data.RowsHash(split.prepared.Parts.Test)) // as read, which may be sparse
		}
		for name, row := range judged {
			rows[name] = append(rows[name], row)
		}
		constant += len(o.Features) - len(chosen[PanelEntry])
		if !split.test.Regression() {
			guesses = append(guesses, metric.Majority(split.test.Y, split.test.Classes))
		}
	}

	var interrupted error
	switch {
	case r.Splits < o.Splits:
		interrupted = errs.New(errs.Interrupted, "", "interrupted with %d of %s done", r.Splits, phrase.Count(o.Splits, "split"))
		if r.Splits == 0 {
			return nil, interrupted
		}
	case o.Progress != nil:
		o.Progress(r.Splits, o.Splits)
	}

	r.Guess, r.Constant = metric.SpreadOf(guesses, math.NaN()), float64(constant)/float64(r.Splits)

	for _, name := range names {
		of := entryOf(data, math.NaN(), rows[name])
		e := results.JudgedEntry{Name: name, Score: of.Score, Own: of.Own, BalancedAccuracy: of.BalancedAccuracy, MutualInformation: of.MutualInformation}
		for c := range recall[name][0] {
			var known []float64
			for _, by := range recall[name][:r.Splits] {
				if !math.IsNaN(by[c]) {
					known = append(known, by[c])
				}
			}
			e.Recall = append(e.Recall, metric.SpreadOf(known, math.NaN()))
		}
		if name != PanelEntry {
			e.Against = pairScores(rows[PanelEntry], rows[name], r.Splits == 1 || plan.ownSplit())
		}
		r.Entries = append(r.Entries, e)
	}
	return r, interrupted
}

// entryColumns returns, by entry, columns of the prepared data: those of the
// panel that vary over the training rows, as many random ones, and as many
// by the F test. It returns the error of the split, or one of kind Request
// if no feature of the panel varies.
func (p *preparedSplit) entryColumns(ctx context.Context, seed int64, features []int) (map[string][]int, error) {
	if p.err != nil {
		return nil, p.err
	}
	var columns []int
	for _, j := range features {
		if c, varies := p.positions[j]; varies {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return nil, errs.New(errs.Request, "name other features, or another seed", "%s: no feature of the panel varies over the %s of seed %d",
			p.dataset, phrase.Count(len(p.training.Rows), "training row"), p.settings.RowsSeed())
	}

	chosen := map[string][]int{PanelEntry: columns}
	for name, m := range map[string]baseline.Method{RandomEntry: comparators.Random{}, ANOVAEntry: comparators.ANOVA{}} {
		model, err := m.Fit(ctx, p.training, baseline.Options{K: len(columns), Seed: seed})
		if err != nil {
			return nil, err
		}
		chosen[name] = model.Columns()
	}
	return chosen, nil
}

// judgeColumns fills in the figures of columns: those of the judge and, as Own,
// the score of FsNet's network without its selection. recall holds the recall
// of the judge for each class. It is NaN for a class without test rows. For a
// quantity, recall is nil.
func (p *preparedSplit) judgeColumns(ctx context.Context, on *device.Scope, row Row, columns []int) (_ Row, recall []float64, err error) {
	p.describe(columns, &row)
	row.Selected = nil // The panel is the same on all splits.
	predicted, err := p.judgeSelected(ctx, on, columns, &row)
	if err != nil {
		return row, nil, err
	}

	if predicted != nil {
		for c, hits := range metric.Confusion(p.test.Y, predicted, p.test.Classes) {
			n := 0
			for _, count := range hits {
				n += count
			}
			recall = append(recall, float64(hits[c])/float64(n))
		}
	}

	head, err := deep.Head{Hidden: p.settings.Hidden, Dropout: p.settings.Dropout}.Fit(ctx, p.training.Only(columns), baseline.Options{Seed: row.Seed, Device: on})
	if err == nil {
		row.Own = new(float64)
		*row.Own, err = head.Score(p.test.Only(columns))
	}
	return row, recall, err
}
