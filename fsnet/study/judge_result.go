package study

import (
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
)

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
