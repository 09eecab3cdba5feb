package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
)

// Table is what the methods reach on one data set with one K. A method that uses every feature is in the table of each K.
type Table struct {
	Dataset string  `json:"dataset"` // name of the data set
	K       int     `json:"k"`       // features to select
	Entries []Entry `json:"methods"` // what each method reaches, in the order of the plan
	// Reference is the FsNet that the others are compared with, the first of the plan; "" without one.
	Reference string   `json:"reference"`
	Judge     string   `json:"judge"`   // by whose accuracy methods are ranked and tested: svm, or of a quantity kernel-ridge
	Ranking   *Ranking `json:"ranking"` // null with fewer than two methods or two splits, and of one split, however many trainings share it
}

// Entry is what a method reaches over the splits. What it has no figures of is nil.
type Entry struct {
	Method            string         `json:"method"`             // name of the method, with its settings
	K                 int            `json:"k"`                  // features selected; d for a method that uses every feature
	Splits            int            `json:"splits"`             // those with figures
	Failed            int            `json:"failed"`             // splits without figures
	AccuracySVM       *Spread        `json:"accuracy_svm"`       // of the SVM on the selected features, test rows
	AccuracyOwn       *Spread        `json:"accuracy_own"`       // of the method's own predictor
	BalancedAccuracy  *Spread        `json:"balanced_accuracy"`  // mean recall of the classes, of the support vector machine
	R2                *Spread        `json:"r2,omitempty"`       // of the kernel ridge regression, where the label is a quantity
	R2Own             *Spread        `json:"r2_own,omitempty"`   // of the method's own predictor, where the label is a quantity
	MutualInformation *Spread        `json:"mutual_information"` // bits: mean over all pairs of the selected features, test rows
	ModelKB           *Spread        `json:"model_kb"`           // size of the predictor, in 1000 bytes
	Seconds           *Spread        `json:"seconds"`            // that a fit took
	Stability         *Stability     `json:"stability"`          // of the selected sets; null with fewer than two splits
	AgainstFsNet      *metric.Paired `json:"against_fsnet"`      // compared with the reference of the table
}

// Spread is how a figure varies over R splits, replicas or seeds.
type Spread struct {
	Mean float64 `json:"mean"` // over all of them
	SD   float64 `json:"sd"`   // standard deviation, divided by R − 1; 0 of one
	Min  float64 `json:"min"`  // the smallest
	Max  float64 `json:"max"`  // the largest
	// The 95 % interval of the mean, mean ± t_{0.975, R−1} · SD · √(1/R + n_test/n_train); left out of one split, however many trainings
	// share it, and of replicas. The second term allows for splits that share rows (C. Nadeau, Y. Bengio, Inference for the generalization
	// error, Machine Learning 52, 2003).
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"` // the upper end of that interval
}

// Interval is from Low to High; it is not ok where there is none.
func (s *Spread) Interval() (low, high float64, ok bool) {
	if s == nil || s.Low == nil || s.High == nil {
		return 0, 0, false
	}
	return *s.Low, *s.High, true
}

// Stability is how much sets of features agree that were selected on splits, by replicas or on half-samples: the functions of these names
// in package metric.
type Stability struct {
	Jaccard  float64  `json:"jaccard"`            // mean Jaccard index of two sets, 0…1
	Kuncheva *float64 `json:"kuncheva,omitempty"` // of replicas: Kuncheva's index, corrected for chance, at most 1
	Nogueira float64  `json:"nogueira"`           // Nogueira's measure, corrected for chance, at most 1
	// of half-samples: the lower end of its interval of 95 %, which is too narrow, since half-samples share rows
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"` // the upper end
}

// Summarize puts rows of a plan together: a table for each data set and K. Rows that are missing, as after an interruption, count neither
// as splits nor as failed.
func Summarize(p *Plan, rows []Row) []Table {
	groups := map[cellKey][]Row{}
	for _, row := range rows {
		groups[cellKind(row)] = append(groups[cellKind(row)], row)
	}
	var tables []Table
	reference := p.reference()
	for _, d := range p.Data {
		ratio, one := p.testPerTraining(d), p.OneSplit()
		if one {
			ratio = math.NaN()
		}
		for _, k := range p.K {
			table := Table{Dataset: d.Name, K: k, Reference: reference, Judge: p.Judge()}
			fsnet := groups[cellKey{d.Name, reference, k, 0}]
			var names []string
			byMethod := map[string][]Row{}
			for _, m := range p.Methods {
				own := k
				if !m.Selects {
					own = d.D
				}
				of := groups[cellKey{d.Name, m.Name, own, 0}]
				entry := entryOf(d, ratio, of)
				entry.Method, entry.K = m.Name, own
				if m.Name != reference {
					entry.AgainstFsNet = paired(of, fsnet, one)
				}
				table.Entries = append(table.Entries, entry)
				names = append(names, m.Name)
				byMethod[m.Name] = of
			}
			if !one {
				table.Ranking = ranking(names, byMethod)
			}
			tables = append(tables, table)
		}
	}
	return tables
}

// reference is the name of the first FsNet, or "".
func (p *Plan) reference() string {
	for _, m := range p.Methods {
		if m.fitter == nil {
			return m.Name
		}
	}
	return ""
}

// entryOf is the entry of the rows of one method. ratio is n_test/n_train; not a number where all share one split.
func entryOf(d *dataset.Dataset, ratio float64, rows []Row) Entry {
	var e Entry
	var good []Row
	for _, row := range rows {
		if row.Error != "" {
			e.Failed++
			continue
		}
		good = append(good, row)
	}
	e.Splits = len(good)
	over := func(figure func(Row) *float64) *Spread {
		var values []float64
		for _, row := range good {
			if x := figure(row); x != nil {
				values = append(values, *x)
			}
		}
		return spreadOf(values, ratio)
	}
	e.AccuracySVM = over(func(r Row) *float64 { return r.AccuracySVM })
	e.AccuracyOwn = over(func(r Row) *float64 { return r.AccuracyOwn })
	e.BalancedAccuracy = over(func(r Row) *float64 { return r.BalancedAccuracy })
	e.R2 = over(func(r Row) *float64 { return r.R2 })
	e.R2Own = over(func(r Row) *float64 { return r.R2Own })
	e.MutualInformation = over(func(r Row) *float64 { return r.MutualInformation })
	e.ModelKB = over(func(r Row) *float64 { return r.ModelKB })
	e.Seconds = over(func(r Row) *float64 { return &r.Seconds })
	e.Stability = stabilityOf(d, good)
	return e
}

// spreadOf is nil of no values. ratio is n_test/n_train, 0 of values that share nothing, and where it is not a number there is no interval.
func spreadOf(values []float64, ratio float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	n := float64(len(values))
	s := &Spread{Min: slices.Min(values), Max: slices.Max(values)}
	s.Mean = min(max(metric.Mean(values), s.Min), s.Max) // rounding
	s.SD = metric.Deviation(values, s.Mean)
	if n > 1 && !math.IsNaN(ratio) {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * s.SD * math.Sqrt(1/n+ratio)
		s.Low, s.High = new(s.Mean-half), new(s.Mean+half)
	}
	return s
}

// stabilityOf is nil where fewer than two splits have selected features.
func stabilityOf(d *dataset.Dataset, rows []Row) *Stability {
	var sets [][]int
	var names []string
	for _, row := range rows {
		names = append(names, row.Selected...)
	}
	slices.Sort(names) // a sum over features is in the order of their names, which rows know, and not in that of the columns
	index := make(map[string]int, len(names))
	for _, name := range names {
		if _, ok := index[name]; !ok {
			index[name] = len(index)
		}
	}
	for _, row := range rows {
		if len(row.Selected) == 0 {
			continue
		}
		set := make([]int, len(row.Selected))
		for i, name := range row.Selected {
			set[i] = index[name]
		}
		sets = append(sets, set)
	}
	if len(sets) < 2 {
		return nil
	}
	return &Stability{Jaccard: metric.Jaccard(sets), Nogueira: metric.Nogueira(sets, d.D)}
}

// paired is a method against FsNet by the figure of their judge, over the splits of which both have figures; nil where none has. Where all
// share one split it has no p: that would be of the trainings' chance alone.
func paired(rows, fsnet []Row, one bool) *metric.Paired {
	theirs := map[int]float64{}
	for _, row := range fsnet {
		if accuracy := row.figure(); accuracy != nil {
			theirs[row.Split] = *accuracy
		}
	}
	var a, b []float64
	for _, row := range rows {
		if reference, ok := theirs[row.Split]; ok && row.figure() != nil {
			a, b = append(a, *row.figure()), append(b, reference)
		}
	}
	if len(a) == 0 {
		return nil
	}
	pair := metric.Pair(a, b)
	if one {
		pair.P = nil
	}
	return &pair
}
