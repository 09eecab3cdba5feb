package study

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"fsnetlab/fsnet"
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

// Ranking is how the methods rank against one another by the accuracy of the table's judge, over the splits on which all of
// them have it: what a critical-difference diagram shows.
type Ranking struct {
	Splits int          `json:"splits"` // on which all methods have figures
	Ranks  []RankedMean `json:"ranks"`  // the best first
	// CriticalDifference is what mean ranks differ by at least where Nemenyi's test tells two methods apart: metric.CriticalDifference.
	CriticalDifference float64    `json:"critical_difference"`
	Groups             [][]string `json:"groups"` // methods next to one another that it does not tell apart, largest groups only
	P                  float64    `json:"p"`      // p-value of Friedman's test; too small, since splits share rows
}

// RankedMean is a method's mean rank, 1 the best.
type RankedMean struct {
	Method string  `json:"method"` // name of the method
	Rank   float64 `json:"rank"`   // mean rank, 1 the best
}

// ranking is nil where there are not two methods, or more than forty, with two common splits.
func ranking(methods []string, of map[string][]Row) *Ranking {
	accuracies := map[int]map[string]float64{}
	var present []string
	for _, m := range methods {
		some := false
		for _, row := range of[m] {
			accuracy := row.figure()
			if accuracy == nil || row.Error != "" {
				continue
			}
			if accuracies[row.Split] == nil {
				accuracies[row.Split] = map[string]float64{}
			}
			accuracies[row.Split][m] = *accuracy
			some = true
		}
		if some {
			present = append(present, m)
		}
	}
	var scores [][]float64
	for _, by := range accuracies {
		if len(by) < len(present) {
			continue
		}
		row := make([]float64, len(present))
		for j, m := range present {
			row[j] = by[m]
		}
		scores = append(scores, row)
	}
	// The order of a map is not that of the splits; sums of ranks should not depend on it.
	slices.SortFunc(scores, slices.Compare)
	const most = 40
	if len(scores) < 2 || len(present) < 2 || len(present) > most {
		return nil
	}
	r := &Ranking{Splits: len(scores), CriticalDifference: metric.CriticalDifference(len(present), len(scores)), P: metric.Friedman(scores)}
	for j, rank := range metric.MeanRanks(scores) {
		r.Ranks = append(r.Ranks, RankedMean{present[j], rank})
	}
	slices.SortStableFunc(r.Ranks, func(a, b RankedMean) int { return cmp.Compare(a.Rank, b.Rank) })
	r.group()
	return r
}

// group finds the runs of methods within a critical difference, but those inside another run.
func (r *Ranking) group() {
	reached := 0
	for from := range r.Ranks {
		to := from + 1
		for to < len(r.Ranks) && r.Ranks[to].Rank-r.Ranks[from].Rank < r.CriticalDifference {
			to++
		}
		if to-from > 1 && to > reached {
			var names []string
			for _, m := range r.Ranks[from:to] {
				names = append(names, m.Method)
			}
			r.Groups = append(r.Groups, names)
		}
		reached = max(reached, to)
	}
}

// Frequency is how often a feature was chosen, a number of splits for each method.
type Frequency struct {
	Name  string
	Times []int
}

// Frequencies counts how often the methods that select chose each feature of a data set with one K: the features that most splits of all
// methods together have first, equals by name. splits is on how many of them each method has selected. Rows with an error do not count.
func Frequencies(p *Plan, rows []Row, dataset string, k int) (methods []string, splits []int, features []Frequency) {
	for _, m := range p.Methods {
		if m.Selects {
			methods = append(methods, m.Name)
		}
	}
	splits = make([]int, len(methods))
	times := map[string][]int{}
	for _, row := range rows {
		m := slices.Index(methods, row.Method)
		if m < 0 || row.Dataset != dataset || row.K != k || row.Error != "" || len(row.Selected) == 0 {
			continue
		}
		splits[m]++
		for _, name := range row.Selected {
			if times[name] == nil {
				times[name] = make([]int, len(methods))
			}
			times[name][m]++
		}
	}
	total := func(f Frequency) (sum int) {
		for _, n := range f.Times {
			sum += n
		}
		return sum
	}
	for name, n := range times {
		features = append(features, Frequency{name, n})
	}
	slices.SortFunc(features, func(a, b Frequency) int { return cmp.Or(cmp.Compare(total(b), total(a)), cmp.Compare(a.Name, b.Name)) })
	return methods, splits, features
}

// ReplicaSummary is what the replicas of a plan say together.
type ReplicaSummary struct {
	AccuracyTest        *Spread          `json:"accuracy_test,omitempty"`  // on the test rows; left out for a quantity
	AccuracyTrain       *Spread          `json:"accuracy_train,omitempty"` // on the training rows; left out for a quantity
	R2Test              *Spread          `json:"r2_test,omitempty"`        // R² on the test rows, of a quantity
	R2Train             *Spread          `json:"r2_train,omitempty"`       // R² on the training rows, of a quantity
	ReconstructionError *Spread          `json:"reconstruction_error"`     // mean squared error over features and test rows, of scaled values
	MutualInformation   *Spread          `json:"mutual_information"`       // bits: mean over all pairs of the chosen features, test rows
	Stability           *Stability       `json:"stability"`                // of the selected sets; null of fewer than two replicas
	Features            []ReplicaFeature `json:"features"`                 // all that were selected at least once, the most frequent first
}

// ReplicaFeature is one that was selected in some of the replicas.
type ReplicaFeature struct {
	Index           int     `json:"index"`            // 0-based column of the file as read
	Name            string  `json:"name"`             // of the feature
	Selected        int     `json:"selected"`         // in how many replicas
	Frequency       float64 `json:"frequency"`        // in which share of them
	MeanProbability float64 `json:"mean_probability"` // of its selector in P, over the replicas that selected it
	MeanRank        float64 `json:"mean_rank"`        // over the same
}

// SummarizeReplicas puts results of one configuration together. Features come by how often they were selected, then by their mean rank,
// then by their column.
func SummarizeReplicas(results []fsnet.Result) ReplicaSummary {
	over := func(figure func(fsnet.Result) *float64) *Spread {
		var values []float64
		for _, r := range results {
			if x := figure(r); x != nil {
				values = append(values, *x)
			}
		}
		return spreadOf(values, math.NaN())
	}
	s := ReplicaSummary{
		Features:            replicaFeatures(results),
		AccuracyTest:        over(func(r fsnet.Result) *float64 { return r.AccuracyTest }),
		AccuracyTrain:       over(func(r fsnet.Result) *float64 { return r.AccuracyTrain }),
		R2Test:              over(func(r fsnet.Result) *float64 { return r.R2Test }),
		R2Train:             over(func(r fsnet.Result) *float64 { return r.R2Train }),
		ReconstructionError: over(func(r fsnet.Result) *float64 { return &r.ReconstructionError }),
		MutualInformation:   over(func(r fsnet.Result) *float64 { return &r.MutualInformation }),
	}
	if len(results) < 2 {
		return s
	}
	sets := make([][]int, len(results))
	for i, r := range results {
		for _, f := range r.Selected {
			sets[i] = append(sets[i], f.Index)
		}
	}
	d := results[0].D
	s.Stability = &Stability{Jaccard: metric.Jaccard(sets), Kuncheva: new(metric.Kuncheva(sets, d)), Nogueira: metric.Nogueira(sets, d)}
	return s
}

func replicaFeatures(results []fsnet.Result) []ReplicaFeature {
	byIndex := map[int]*ReplicaFeature{}
	list := []ReplicaFeature{} // [] and not null in JSON
	for _, r := range results {
		for _, f := range r.Selected {
			sum := byIndex[f.Index]
			if sum == nil {
				sum = &ReplicaFeature{Index: f.Index, Name: f.Name}
				byIndex[f.Index] = sum
			}
			sum.Selected++
			sum.MeanProbability += f.Probability
			sum.MeanRank += float64(f.Rank)
		}
	}
	for _, f := range byIndex {
		n := float64(f.Selected)
		f.Frequency, f.MeanProbability, f.MeanRank = n/float64(len(results)), f.MeanProbability/n, f.MeanRank/n
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b ReplicaFeature) int {
		return cmp.Or(cmp.Compare(b.Selected, a.Selected), cmp.Compare(a.MeanRank, b.MeanRank), cmp.Compare(a.Index, b.Index))
	})
	return list
}
