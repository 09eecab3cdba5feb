package study

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/metric"
)

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
