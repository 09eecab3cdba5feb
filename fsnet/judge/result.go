package judge

import (
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
)

// Result is how good a panel is.
type Result struct {
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
	Majority *Spread `json:"majority,omitempty"`
	Constant float64 `json:"constant"` // features of the panel that did not vary over the training rows, per split
	Entries  []Entry `json:"entries"`  // the panel; as many random features; as many that ANOVA chooses
}

// Entry is the figures of a panel over the splits, on test rows.
type Entry struct {
	Name string `json:"name"` // panel, random or anova
	*OfClasses
	*OfQuantity
	MutualInformation Spread         `json:"mutual_information"` // bits: mean over all pairs of the features, test rows
	Against           *metric.Paired `json:"against"`            // the panel against this entry; null for the panel itself
}

// OfClasses are the figures where the label is classes; there are none, in JSON either, where it is a quantity.
type OfClasses struct {
	AccuracySVM      Spread    `json:"accuracy_svm"`      // of the support vector machine
	BalancedAccuracy Spread    `json:"balanced_accuracy"` // of the support vector machine: the mean recall of the classes
	AccuracyOwn      Spread    `json:"accuracy_own"`      // of FsNet's encoder and classifier, trained on these columns
	Recall           []*Spread `json:"recall"`            // of the SVM, by class; null where no split had test rows of it
}

// OfQuantity are the figures, R², where the label is a quantity.
type OfQuantity struct {
	R2    Spread `json:"r2"`     // of the kernel ridge regression
	R2Own Spread `json:"r2_own"` // of FsNet's network without its selection, trained on these columns
}

// Regression is whether the label is a quantity.
func (r *Result) Regression() bool { return r.Task == config.Regression }

// Spread is mean and standard deviation, divided by splits − 1; 0 of one split.
type Spread struct {
	Mean float64 `json:"mean"` // over the splits
	SD   float64 `json:"sd"`   // standard deviation over the splits
}

func result(data *dataset.Dataset, o Options, seed int64, done int, all map[string][]figures, majority []float64) *Result {
	r := &Result{Dataset: data.Name, N: data.N, D: data.D, Classes: data.Classes, Splits: done, Planned: o.Splits, Seed: seed}
	if data.Target != nil {
		r.Task = config.Regression
	} else {
		r.Majority = new(spread(majority))
	}
	for _, j := range o.Features {
		r.Features = append(r.Features, data.Features[j])
	}
	for _, f := range all[Panel] {
		r.Constant += float64(f.constant) / float64(done)
	}
	first := func(f figures) float64 { return f.first }
	for _, name := range []string{Panel, Random, ANOVA} {
		list := all[name]
		e := Entry{Name: name, MutualInformation: spread(over(list, func(f figures) float64 { return f.redundancy }))}
		judged, own := spread(over(list, first)), spread(over(list, func(f figures) float64 { return f.own }))
		if r.Regression() {
			e.OfQuantity = &OfQuantity{R2: judged, R2Own: own}
		} else {
			e.OfClasses = ofClasses(list, len(data.Classes))
			e.AccuracySVM, e.AccuracyOwn = judged, own
		}
		if name != Panel {
			e.Against = new(metric.Pair(over(all[Panel], first), over(list, first)))
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// ofClasses are the figures that a quantity has none of.
func ofClasses(list []figures, classes int) *OfClasses {
	e := &OfClasses{BalancedAccuracy: spread(over(list, func(f figures) float64 { return f.balanced }))}
	for c := range classes {
		var known []float64
		for _, f := range list {
			if x := f.recall[c]; !math.IsNaN(x) {
				known = append(known, x)
			}
		}
		var s *Spread
		if known != nil {
			s = new(spread(known))
		}
		e.Recall = append(e.Recall, s)
	}
	return e
}

// over is one figure of each split.
func over(list []figures, of func(figures) float64) []float64 {
	values := make([]float64, len(list))
	for i, f := range list {
		values[i] = of(f)
	}
	return values
}

func spread(values []float64) Spread {
	mean := metric.Mean(values)
	return Spread{mean, metric.Deviation(values, mean)}
}
