package replica

import (
	"cmp"
	"encoding/json"
	"slices"

	"fsnetlab/fsnet/metric"
)

// Summary is what many trainings of one configuration say together.
type Summary struct {
	AccuracyTest        Spread     `json:"accuracy_test"`        // on the test rows; left out for a quantity
	AccuracyTrain       Spread     `json:"accuracy_train"`       // on the training rows; left out for a quantity
	R2Test              *Spread    `json:"r2_test,omitempty"`    // R² on the test rows, of a quantity
	R2Train             *Spread    `json:"r2_train,omitempty"`   // R² on the training rows, of a quantity
	ReconstructionError Spread     `json:"reconstruction_error"` // mean squared error over features and test rows, of scaled values
	MutualInformation   Spread     `json:"mutual_information"`   // bits: mean over all pairs of the chosen features, test rows
	Stability           *Stability `json:"stability"`            // of the selected sets; null of fewer than two replicas
	Features            []Feature  `json:"features"`             // all that were selected at least once; see Summarize for their order
}

// MarshalJSON leaves the accuracies out where the label is a quantity.
func (s Summary) MarshalJSON() ([]byte, error) {
	type all Summary // without this method
	if s.R2Test == nil {
		return json.Marshal(all(s))
	}
	return json.Marshal(struct { // a field here goes before one of the same name in all
		all
		AccuracyTest  *Spread `json:"accuracy_test,omitempty"`
		AccuracyTrain *Spread `json:"accuracy_train,omitempty"`
	}{all: all(s)})
}

// Spread is how a figure varies over the replicas.
type Spread struct {
	Mean float64 `json:"mean"` // over the replicas
	SD   float64 `json:"sd"`   // standard deviation, divided by R − 1; 0 of one replica
	Min  float64 `json:"min"`  // the smallest
	Max  float64 `json:"max"`  // the largest
}

// Stability is how much the replicas agree on the features; see the functions of these names in package metric.
type Stability struct {
	Jaccard  float64 `json:"jaccard"`  // mean Jaccard index of two sets, 0…1
	Kuncheva float64 `json:"kuncheva"` // Kuncheva's index, corrected for chance, at most 1
	Nogueira float64 `json:"nogueira"` // Nogueira's measure, corrected for chance, at most 1
}

// Feature is one that was selected in some of the replicas.
type Feature struct {
	Index           int     `json:"index"`            // 0-based column of the file as read
	Name            string  `json:"name"`             // of the feature
	Selected        int     `json:"selected"`         // in how many replicas
	Frequency       float64 `json:"frequency"`        // in which share of them
	MeanProbability float64 `json:"mean_probability"` // of its selector in P, over the replicas that selected it
	MeanRank        float64 `json:"mean_rank"`        // over the same
}

// Summarize puts results of one configuration together. Features come by how often they were selected, then by their mean rank, then by
// their column. Of no results it is the zero Summary.
func Summarize(results []Result) Summary {
	s := Summary{Features: features(results)}
	if len(results) == 0 {
		return s
	}
	over := func(figure func(Result) float64) Spread {
		values := make([]float64, len(results))
		for i, r := range results {
			values[i] = figure(r)
		}
		return spread(values)
	}
	if results[0].Regression() {
		s.R2Test, s.R2Train = new(over(func(r Result) float64 { return *r.R2Test })), new(over(func(r Result) float64 { return *r.R2Train }))
	} else {
		s.AccuracyTest = over(func(r Result) float64 { return r.AccuracyTest })
		s.AccuracyTrain = over(func(r Result) float64 { return r.AccuracyTrain })
	}
	s.ReconstructionError = over(func(r Result) float64 { return r.ReconstructionError })
	s.MutualInformation = over(func(r Result) float64 { return r.MutualInformation })
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
	s.Stability = &Stability{metric.Jaccard(sets), metric.Kuncheva(sets, d), metric.Nogueira(sets, d)}
	return s
}

func features(results []Result) []Feature {
	byIndex := map[int]*Feature{}
	list := []Feature{} // [] and not null in JSON
	for _, r := range results {
		for _, f := range r.Selected {
			sum := byIndex[f.Index]
			if sum == nil {
				sum = &Feature{Index: f.Index, Name: f.Name}
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
	slices.SortFunc(list, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(b.Selected, a.Selected), cmp.Compare(a.MeanRank, b.MeanRank), cmp.Compare(a.Index, b.Index))
	})
	return list
}

func spread(values []float64) Spread {
	s := Spread{Min: slices.Min(values), Max: slices.Max(values)}
	s.Mean = min(max(metric.Mean(values), s.Min), s.Max) // rounding
	s.SD = metric.Deviation(values, s.Mean)
	return s
}
