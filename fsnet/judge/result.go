package judge

import (
	"math"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
)

// Result is how good a panel is.
type Result struct {
	Dataset  string   `json:"dataset"`
	N        int      `json:"n"`
	D        int      `json:"d"`
	Classes  []string `json:"classes"`
	Features []string `json:"features"`
	Splits   int      `json:"splits"` // that are done
	Planned  int      `json:"planned"`
	Seed     int64    `json:"seed"`
	Majority Spread   `json:"majority"` // accuracy of always saying the training rows' most frequent class
	Constant float64  `json:"constant"` // features of the panel that did not vary over the training rows, a split
	Entries  []Entry  `json:"entries"`  // panel, random, anova
}

// Entry is the figures of a panel over the splits, on test rows.
type Entry struct {
	Name              string         `json:"name"`
	AccuracySVM       Spread         `json:"accuracy_svm"`
	BalancedAccuracy  Spread         `json:"balanced_accuracy"` // of the SVM
	AccuracyKNN       Spread         `json:"accuracy_knn"`      // of five nearest neighbours on the same columns
	BalancedKNN       Spread         `json:"balanced_accuracy_knn"`
	AccuracyLogistic  Spread         `json:"accuracy_logistic"` // of the logistic regression, C = 1
	BalancedLogistic  Spread         `json:"balanced_accuracy_logistic"`
	AccuracyOwn       Spread         `json:"accuracy_own"` // of FsNet's encoder and classifier, trained on these columns
	MutualInformation Spread         `json:"mutual_information"`
	Recall            []*Spread      `json:"recall"`  // of the SVM, by class; null where no split had test rows of it
	Against           *metric.Paired `json:"against"` // the panel against this entry; null for the panel itself
}

// Spread is mean and standard deviation, divided by splits − 1; 0 of one split.
type Spread struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

func result(data *dataset.Dataset, o Options, seed int64, done int, all map[string][]figures, majority []float64) *Result {
	r := &Result{Dataset: data.Name, N: data.N, D: data.D, Classes: data.Classes, Splits: done, Planned: o.Splits, Seed: seed,
		Majority: spread(majority)}
	for _, j := range o.Features {
		r.Features = append(r.Features, data.Features[j])
	}
	for _, f := range all[Panel] {
		r.Constant += float64(f.constant) / float64(done)
	}
	over := func(list []figures, of func(figures) float64) []float64 {
		values := make([]float64, len(list))
		for i, f := range list {
			values[i] = of(f)
		}
		return values
	}
	svm := func(f figures) float64 { return f.svm }
	for _, name := range []string{Panel, Random, ANOVA} {
		list := all[name]
		e := Entry{
			Name: name, AccuracySVM: spread(over(list, svm)), BalancedAccuracy: spread(over(list, func(f figures) float64 { return f.balanced })),
			AccuracyOwn:       spread(over(list, func(f figures) float64 { return f.own })),
			MutualInformation: spread(over(list, func(f figures) float64 { return f.redundancy })),
		}
		for i, spreads := range [2][2]*Spread{{&e.AccuracyKNN, &e.BalancedKNN}, {&e.AccuracyLogistic, &e.BalancedLogistic}} {
			for j, s := range spreads {
				*s = spread(over(list, func(f figures) float64 { return f.beside[i][j] }))
			}
		}
		for c := range data.Classes {
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
		if name != Panel {
			e.Against = new(metric.Pair(over(all[Panel], svm), over(list, svm)))
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

func spread(values []float64) Spread {
	mean := metric.Mean(values)
	return Spread{mean, metric.Deviation(values, mean)}
}
