package study

import (
	"cmp"
	"math"
	"slices"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/metric"
)

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
