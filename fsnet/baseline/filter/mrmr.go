package filter

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
)

// MRMR selects features greedily, each for what it says about the class and against what it repeats of those selected before (Peng, Long,
// Ding 2005). With S the m features selected so far, the next one is the largest over the others of
//
//	MID: I(x_j, y) − (1/m) Σ_{i ∈ S} I(x_j, x_i)        MIQ: I(x_j, y) / ((1/m) Σ_{i ∈ S} I(x_j, x_i) + 0.0001)
//
// I is mutual information in bits between discrete values: every feature has three, below mean − t·s, above mean + t·s and between, s
// being its standard deviation (divided by n − 1). The pool is the 5000 features with the largest I(x_j, y). All this is as in the
// original program, and so are ties, of which there are many where rows are few: of criteria that differ by rounding alone, the earlier in
// the pool is taken, and the pool is in the order in which the original's quicksort leaves it.
//
// The score is the criterion at the time of selection (the relevance of the first). Where it would rise from one rank to the next, as
// it may when the mean redundancy falls, it stays.
type MRMR struct {
	Criterion string  `set:"criterion,mid,miq"`                // "mid" (also "") or "miq"
	Threshold float64 `set:"threshold,1e-6,100" default:"1"`   // t
	Pool      int     `set:"pool,1,1073741824" default:"5000"` // features considered, at least K
}

// Entry is that of mrmr.
func (MRMR) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "mrmr", Version: 1, About: "mutual information with the class against that among the selected",
		Selects: true,
	}
}

// Memory is that of the columns, and of a bit for each value of each row and feature.
func (MRMR) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "values of the features while they are cut, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 8)},
		{What: "the rows of each value of each feature, a bit each", Bytes: baseline.Bytes(3*((s.Rows+63)/64)+20, s.Features, 8)},
	}
}

// Fit selects K features for classes.
func (m MRMR) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "relevance")
	if err != nil {
		return nil, err
	}
	columns := w.Columns()
	target := statesOf(data.Y, data.Classes)
	information := newInformation(len(data.Y))
	features := make([]states, len(columns))
	relevance, err := w.ForEachColumn(ctx, func(j int) float64 {
		features[j] = threeStates(columns[j], m.Threshold)
		return information.between(features[j], target)
	})
	if err != nil {
		return nil, err
	}
	var candidates []baseline.Feature
	for _, j := range poolOrder(relevance)[:min(len(columns), max(m.Pool, o.K))] {
		if !baseline.Constant(columns[j]) {
			candidates = append(candidates, baseline.Feature{Index: j, Score: relevance[j]})
		}
	}
	w.Stage = "selection"
	selected, err := m.greedy(ctx, w, candidates, features, information)
	if err != nil {
		return nil, err
	}
	return w.Filled(selected, relevance), nil
}

// greedy selects up to K of the pool, which is in order and is used up.
func (m MRMR) greedy(ctx context.Context, w *baseline.Work, pool []baseline.Feature, features []states,
	in information) ([]baseline.Feature, error) {
	redundancy := make([]float64, len(features)) // of each feature with those selected, summed
	var selected []baseline.Feature
	for len(selected) < w.K && len(pool) > 0 {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		count := float64(len(selected))
		next, criterion := 0, -math.MaxFloat64
		for c, f := range pool {
			value := f.Score
			if count > 0 {
				last := selected[len(selected)-1].Index
				redundancy[f.Index] += in.between(features[f.Index], features[last])
				if m.Criterion == "miq" {
					value /= redundancy[f.Index]/count + 0.0001
				} else {
					value -= redundancy[f.Index] / count
				}
			}
			if value > criterion+tie*math.Abs(value) {
				next, criterion = c, value
			}
		}
		chosen := baseline.Feature{Index: pool[next].Index, Score: criterion}
		if count > 0 {
			chosen.Score = min(criterion, selected[len(selected)-1].Score)
		}
		selected = append(selected, chosen)
		pool = slices.Delete(pool, next, next+1)
		w.Report(len(selected), w.K)
	}
	return selected, nil
}

// tie is how far criteria lie apart, as a part of them, that are the same but for rounding.
const tie = 1e-9
