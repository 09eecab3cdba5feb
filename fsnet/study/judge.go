package study

import (
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
	"fsnetlab/internal/phrase"
)

// MaxJudgedSplits is the most splits.
const MaxJudgedSplits = 10_000

// JudgeOptions says what is judged.
type JudgeOptions struct {
	Features []int // columns of the data set, each once
	Splits   int   // of the seeds seed … seed + Splits − 1 (of split_seed, where that is given)
	// Progress, which may be nil, is called before each split and after the last.
	Progress func(done, total int)
}

// Names of the entries.
const (
	PanelEntry  = "panel"
	RandomEntry = "random"
	ANOVAEntry  = "anova"
)

// judgedFigures are those of a selection on one split.
type judgedFigures struct {
	first, own, redundancy float64 // first: accuracy of the SVM, or R² of the kernel ridge
	constant               int     // features that do not vary over the training rows, and take no part

	balanced float64   // of classes: of the SVM
	recall   []float64 // of the SVM, by class; NaN where the test rows have none of it
}

// JudgePanel judges. Of the settings those of data, split, scaling and network (hidden, dropout) count. A split that cannot be made, or a device
// that fails, ends it with an error; where the context is cancelled, it returns what is done and an error of kind Interrupted.
func JudgePanel(ctx context.Context, on *device.Device, data *dataset.Dataset, s config.Settings, o JudgeOptions) (*Judged, error) {
	plan := &Plan{Data: []*dataset.Dataset{data}, Settings: s, Splits: o.Splits}
	switch {
	case len(o.Features) == 0:
		return nil, errs.New(errs.Request, "name at least one", "no feature to judge")
	case o.Splits < 1 || o.Splits > MaxJudgedSplits:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", MaxJudgedSplits), "splits = %d", o.Splits)
	}
	if err := plan.checkSeeds(); err != nil {
		return nil, err
	}
	scope := device.ScopeOn(on)
	defer scope.Close()
	all := map[string][]judgedFigures{}
	baselineHits := []float64{}
	done := 0
	for ; done < o.Splits; done++ {
		if o.Progress != nil {
			o.Progress(done, o.Splits)
		}
		cell := Row{Identity: Identity{Dataset: data.Name, Split: done, Seed: s.Seed + int64(done)}}
		part := newSplitPart(ctx, plan, plan.judge(), cell)
		of, err := part.panel(ctx, scope, cell, o.Features)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		for name, f := range of {
			all[name] = append(all[name], f)
		}
		if !part.test.Regression() {
			baselineHits = append(baselineHits, metric.Majority(part.training.Y, part.test.Y, part.test.Classes))
		}
	}
	if done == o.Splits && o.Progress != nil {
		o.Progress(done, o.Splits)
	}
	var interrupted error
	if done < o.Splits {
		interrupted = errs.New(errs.Interrupted, "", "interrupted with %d of %s done", done, phrase.Count(o.Splits, "split"))
		if done == 0 {
			return nil, interrupted
		}
	}
	r := newJudged(data, o, s.Seed, done, all, baselineHits)
	if done == 1 || plan.ownSplit() { // then all trainings share one
		for _, e := range r.Entries {
			if e.Against != nil {
				e.Against.P = nil
			}
		}
	}
	return r, interrupted
}

// panel is the figures of the panel, of chance and of the F test on a split.
func (p *splitPart) panel(ctx context.Context, on *device.Scope, cell Row, features []int) (map[string]judgedFigures, error) {
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
			p.of, phrase.Count(len(p.training.Rows), "training row"), p.settings.RowsSeed())
	}
	chosen := map[string][]int{PanelEntry: columns}
	for name, m := range map[string]baseline.Method{RandomEntry: comparators.Random{}, ANOVAEntry: comparators.ANOVA{}} {
		model, err := m.Fit(ctx, p.training, baseline.Options{K: len(columns), Seed: cell.Seed})
		if err != nil {
			return nil, err
		}
		chosen[name] = model.Columns()
	}
	out := map[string]judgedFigures{}
	for _, name := range []string{PanelEntry, RandomEntry, ANOVAEntry} {
		f, err := p.judgedFigures(ctx, on, cell, chosen[name])
		if err != nil {
			return nil, err
		}
		if name == PanelEntry {
			f.constant = len(features) - len(columns)
		}
		out[name] = f
	}
	return out, nil
}

// judgedFigures is the figures of some columns: those of the judge, and of FsNet's network without its selection.
func (p *splitPart) judgedFigures(ctx context.Context, on *device.Scope, row Row, columns []int) (f judgedFigures, err error) {
	p.describe(columns, &row)
	predicted, err := p.judged(ctx, on, columns, &row)
	if err != nil {
		return f, err
	}
	f.first, f.redundancy = *row.figure(), *row.MutualInformation
	if predicted != nil {
		f.balanced = *row.BalancedAccuracy
		for c, hits := range metric.Confusion(p.test.Y, predicted, p.test.Classes) {
			n := 0
			for _, count := range hits {
				n += count
			}
			f.recall = append(f.recall, float64(hits[c])/float64(n)) // NaN of none
		}
	}
	head, err := deep.NewHead(p.settings.Hidden, p.settings.Dropout).Fit(ctx, p.training.Only(columns), baseline.Options{Seed: row.Seed, Device: on})
	if err == nil {
		f.own, err = head.Score(p.test.Only(columns))
	}
	return f, err
}

// Judged is how good a panel is.
type Judged struct {
	Dataset  string   `json:"dataset"`        // name of the data set
	Task     string   `json:"task,omitempty"` // regression where the label is a quantity
	N        int      `json:"n"`              // rows (samples)
	D        int      `json:"d"`              // features
	Classes  []string `json:"classes"`        // names of the classes, or the ranges of a quantity
	Features []string `json:"features"`       // the panel, by name
	Splits   int      `json:"splits"`         // that are done
	Planned  int      `json:"planned"`        // splits that were asked for
	Seed     int64    `json:"seed"`           // of the first split
	// accuracy of always saying the training rows' most frequent class; left out for a quantity
	Majority *Spread       `json:"majority,omitempty"`
	Constant float64       `json:"constant"` // features of the panel that did not vary over the training rows, per split
	Entries  []JudgedEntry `json:"entries"`  // the panel; as many random features; as many that ANOVA chooses
}

// JudgedEntry is the figures of a panel over the splits, on test rows.
type JudgedEntry struct {
	Name string `json:"name"` // panel, random or anova
	*OfClasses
	*OfQuantity
	MutualInformation *Spread        `json:"mutual_information"` // bits: mean over all pairs of the features, test rows
	Against           *metric.Paired `json:"against"`            // the panel against this entry; null for the panel itself
}

// OfClasses are the figures where the label is classes; there are none, in JSON either, where it is a quantity.
type OfClasses struct {
	AccuracySVM      *Spread   `json:"accuracy_svm"`      // of the support vector machine
	BalancedAccuracy *Spread   `json:"balanced_accuracy"` // of the support vector machine: the mean recall of the classes
	AccuracyOwn      *Spread   `json:"accuracy_own"`      // of FsNet's encoder and classifier, trained on these columns
	Recall           []*Spread `json:"recall"`            // of the SVM, by class; null where no split had test rows of it
}

// OfQuantity are the figures, R², where the label is a quantity.
type OfQuantity struct {
	R2    *Spread `json:"r2"`     // of the kernel ridge regression
	R2Own *Spread `json:"r2_own"` // of FsNet's network without its selection, trained on these columns
}

// Regression is whether the label is a quantity.
func (r *Judged) Regression() bool { return r.Task == config.Regression }

func newJudged(data *dataset.Dataset, o JudgeOptions, seed int64, done int, all map[string][]judgedFigures, majority []float64) *Judged {
	r := &Judged{Dataset: data.Name, N: data.N, D: data.D, Classes: data.Classes, Splits: done, Planned: o.Splits, Seed: seed}
	if data.Target != nil {
		r.Task = config.Regression
	} else {
		r.Majority = spreadOf(majority, math.NaN())
	}
	for _, j := range o.Features {
		r.Features = append(r.Features, data.Features[j])
	}
	for _, f := range all[PanelEntry] {
		r.Constant += float64(f.constant) / float64(done)
	}
	first := func(f judgedFigures) float64 { return f.first }
	for _, name := range []string{PanelEntry, RandomEntry, ANOVAEntry} {
		list := all[name]
		e := JudgedEntry{Name: name, MutualInformation: spreadOf(figureOf(list, func(f judgedFigures) float64 { return f.redundancy }), math.NaN())}
		judged, own := spreadOf(figureOf(list, first), math.NaN()), spreadOf(figureOf(list, func(f judgedFigures) float64 { return f.own }), math.NaN())
		if r.Regression() {
			e.OfQuantity = &OfQuantity{R2: judged, R2Own: own}
		} else {
			e.OfClasses = ofClasses(list, len(data.Classes))
			e.AccuracySVM, e.AccuracyOwn = judged, own
		}
		if name != PanelEntry {
			e.Against = new(metric.Pair(figureOf(all[PanelEntry], first), figureOf(list, first)))
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// ofClasses are the figures that a quantity has none of.
func ofClasses(list []judgedFigures, classes int) *OfClasses {
	e := &OfClasses{BalancedAccuracy: spreadOf(figureOf(list, func(f judgedFigures) float64 { return f.balanced }), math.NaN())}
	for c := range classes {
		var known []float64
		for _, f := range list {
			if x := f.recall[c]; !math.IsNaN(x) {
				known = append(known, x)
			}
		}
		var s *Spread
		if known != nil {
			s = spreadOf(known, math.NaN())
		}
		e.Recall = append(e.Recall, s)
	}
	return e
}

// figureOf is one figure of each split.
func figureOf(list []judgedFigures, of func(judgedFigures) float64) []float64 {
	values := make([]float64, len(list))
	for i, f := range list {
		values[i] = of(f)
	}
	return values
}
