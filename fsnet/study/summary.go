package study

import (
	"cmp"
	"math"
	"slices"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
)

// Summarize summarises rows of a plan: one table for each data set and K,
// with an entry for each method. The rows of a method that uses every
// feature count in the tables of all K. Missing rows, e.g. after an
// interruption, count neither as splits nor as failed.
func Summarize(p *Plan, rows []Row) []results.Table {
	groups := map[cellKey][]Row{}
	for _, row := range rows {
		groups[cellKind(row)] = append(groups[cellKind(row)], row)
	}

	var tables []results.Table
	reference := p.reference()
	for _, d := range p.Data {
		ratio, one := p.testPerTraining(d), p.OneSplit()
		if one {
			ratio = math.NaN()
		}
		for _, k := range p.K {
			table := results.Table{Dataset: d.Name, K: k, Metric: p.Metric(), Reference: reference, Judge: p.Judge()}
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
				if !one && entry.Splits > 1 && !p.Metric().Quantity() {
					for _, share := range []*metric.Spread{entry.Score, entry.Own, entry.BalancedAccuracy} {
						share.Share(p.tested(d, entry.Splits))
					}
				}
				if m.Name != reference {
					entry.AgainstFsNet = pairScores(of, fsnet, one)
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

// tested returns about how many rows of a data set are test rows in at least
// one of the splits. If rows belong together, it counts groups or pairs.
func (p *Plan) tested(d *dataset.Dataset, splits int) float64 {
	n := float64(d.N)
	if units := p.units(d); units > 0 {
		n = float64(units)
	}
	if p.folds != nil && splits >= p.Folds { // Each row is tested by one fold.
		return n
	}
	return n * (1 - math.Pow(1-p.TestFraction(d), float64(splits)))
}

// units counts the groups or pairs of a data set. It returns 0 if rows do
// not belong together.
func (p *Plan) units(d *dataset.Dataset) int {
	switch {
	case p.listing != nil:
		return p.listing.Data[slices.Index(p.Data, d)].Units
	case d.Groups != nil:
		return len(d.Groups.Names)
	}
	return 0
}

// reference returns the name of the first FsNet of the plan, or "" if it has no
// FsNet.
func (p *Plan) reference() string {
	for _, m := range p.Methods {
		if m.fitter == nil {
			return m.Name
		}
	}
	return ""
}

// entryOf summarises the rows of one method. It does not set Method and K. It
// counts a row with an error as failed and otherwise ignores it. ratio is
// n_test/n_train, or NaN if all rows share one split.
func entryOf(d *dataset.Dataset, ratio float64, rows []Row) results.Entry {
	var e results.Entry
	var good []Row
	for _, row := range rows {
		if row.Error != "" {
			e.Failed++
			continue
		}
		good = append(good, row)
	}

	e.Splits = len(good)
	over := func(figure func(Row) *float64) *metric.Spread {
		var values []float64
		for _, row := range good {
			if x := figure(row); x != nil {
				values = append(values, *x)
			}
		}
		return metric.SpreadOf(values, ratio)
	}

	e.Score = over(func(r Row) *float64 { return r.Score })
	e.Own = over(func(r Row) *float64 { return r.Own })
	e.BalancedAccuracy = over(func(r Row) *float64 { return r.BalancedAccuracy })
	e.MutualInformation = over(func(r Row) *float64 { return r.MutualInformation })
	e.ModelKB = over(func(r Row) *float64 { return r.ModelKB })
	e.Seconds = over(func(r Row) *float64 { return &r.Seconds })
	e.Agreement = agreementOf(d, good)
	return e
}

// agreementOf returns how much the selections of splits agree, or nil if
// fewer than two splits have selected features.
func agreementOf(d *dataset.Dataset, rows []Row) *results.Agreement {
	var sets [][]int
	var names []string
	for _, row := range rows {
		names = append(names, row.Selected...)
	}
	slices.Sort(names) // Sum over features by name, because rows have names but not columns.
	names = slices.Compact(names)

	for _, row := range rows {
		if len(row.Selected) == 0 {
			continue
		}
		set := make([]int, len(row.Selected))
		for i, name := range row.Selected {
			set[i], _ = slices.BinarySearch(names, name)
		}
		sets = append(sets, set)
	}
	if len(sets) < 2 {
		return nil
	}
	return &results.Agreement{Jaccard: metric.Jaccard(sets), Nogueira: metric.Nogueira(sets, d.D)}
}

// pairScores compares a method with FsNet by the score of the judge, over the
// splits that have both scores. If no split has both, it returns nil. If all
// splits are the same (one), there is no p-value, because it would reflect only
// the randomness of training.
func pairScores(rows, fsnet []Row, one bool) *metric.Paired {
	theirs := map[int]float64{}
	for _, row := range fsnet {
		if row.Score != nil {
			theirs[row.Split] = *row.Score
		}
	}

	var a, b []float64
	for _, row := range rows {
		if reference, ok := theirs[row.Split]; ok && row.Score != nil {
			a, b = append(a, *row.Score), append(b, reference)
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

// ranking ranks the methods that have scores, over the splits that they
// share, with Friedman's p and the groups within a critical difference. It
// returns nil unless two to forty methods share at least two splits.
func ranking(methods []string, of map[string][]Row) *results.Ranking {
	scores := map[int]map[string]float64{}
	var present []string
	for _, m := range methods {
		some := false
		for _, row := range of[m] {
			if row.Score == nil || row.Error != "" {
				continue
			}
			if scores[row.Split] == nil {
				scores[row.Split] = map[string]float64{}
			}
			scores[row.Split][m] = *row.Score
			some = true
		}
		if some {
			present = append(present, m)
		}
	}

	var table [][]float64
	for _, by := range scores {
		if len(by) < len(present) {
			continue
		}
		row := make([]float64, len(present))
		for j, m := range present {
			row[j] = by[m]
		}
		table = append(table, row)
	}
	// Sort, because maps have no order and sums of ranks must not depend on
	// it.
	slices.SortFunc(table, slices.Compare)
	const most = 40
	if len(table) < 2 || len(present) < 2 || len(present) > most {
		return nil
	}
	r := &results.Ranking{Splits: len(table), CriticalDifference: metric.CriticalDifference(len(present), len(table)), P: metric.Friedman(table)}
	for j, rank := range metric.MeanRanks(table) {
		r.Ranks = append(r.Ranks, results.RankedMean{Method: present[j], Rank: rank})
	}
	slices.SortStableFunc(r.Ranks, func(a, b results.RankedMean) int { return cmp.Compare(a.Rank, b.Rank) })
	groupRanks(r)
	return r
}

// groupRanks sets r.Groups to the maximal runs of two or more methods, ordered
// by mean rank, that lie within a critical difference.
func groupRanks(r *results.Ranking) {
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

// Frequency counts the splits in which each method chose a feature.
type Frequency struct {
	Name  string
	Times []int
}

// Frequencies counts how often the methods that select chose each feature of
// a data set with one K. The most frequent features over all methods come
// first, equally frequent ones by name. splits holds the number of splits on
// which each method has selected. Rows with an error don't count.
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

// SummarizeReplicas summarises the results of one configuration, at least
// one. A single result has no agreement. Features are sorted by how often
// they were selected, then by mean rank, then by column.
func SummarizeReplicas(made []fsnet.Result) results.Replicas {
	over := func(figure func(fsnet.Result) float64) *metric.Spread {
		var values []float64
		for _, r := range made {
			values = append(values, figure(r))
		}
		return metric.SpreadOf(values, math.NaN())
	}
	s := results.Replicas{
		Metric:              made[0].TestScore.Metric,
		Features:            replicaFeatures(made),
		TestScore:           over(func(r fsnet.Result) float64 { return r.TestScore.Value }),
		TrainScore:          over(func(r fsnet.Result) float64 { return r.TrainScore.Value }),
		ReconstructionError: over(func(r fsnet.Result) float64 { return r.ReconstructionError }),
		MutualInformation:   over(func(r fsnet.Result) float64 { return r.MutualInformation }),
	}
	if len(made) < 2 {
		return s
	}

	sets := make([][]int, len(made))
	for i, r := range made {
		for _, f := range r.Selected {
			sets[i] = append(sets[i], f.Index)
		}
	}
	d := made[0].D
	s.Agreement = &results.Agreement{Jaccard: metric.Jaccard(sets), Nogueira: metric.Nogueira(sets, d)}
	return s
}

// replicaFeatures returns every feature that a replica selected, with the
// share of the replicas and its mean rank and probability over them.
func replicaFeatures(made []fsnet.Result) []results.ReplicaFeature {
	byIndex := map[int]*results.ReplicaFeature{}
	list := []results.ReplicaFeature{} // In JSON it must be [], not null.
	for _, r := range made {
		for _, f := range r.Selected {
			sum := byIndex[f.Index]
			if sum == nil {
				sum = &results.ReplicaFeature{Index: f.Index, Name: f.Name}
				byIndex[f.Index] = sum
			}
			sum.Selected++
			sum.MeanProbability += f.Probability
			sum.MeanRank += float64(f.Rank)
		}
	}
	for _, f := range byIndex {
		n := float64(f.Selected)
		f.Frequency, f.MeanProbability, f.MeanRank = n/float64(len(made)), f.MeanProbability/n, f.MeanRank/n
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b results.ReplicaFeature) int {
		return cmp.Or(cmp.Compare(b.Selected, a.Selected), cmp.Compare(a.MeanRank, b.MeanRank), cmp.Compare(a.Index, b.Index))
	})
	return list
}
