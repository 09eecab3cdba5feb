package baseline

import (
	"context"
	"math"
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
	Criterion string  // "mid" (also "") or "miq"
	Threshold float64 // t; 0 means 1
	Pool      int     // features considered, at least K; 0 means 5000
}

var _ Method = MRMR{}

// Name is "mrmr".
func (MRMR) Name() string { return "mrmr" }

// Version is that of its figures.
func (MRMR) Version() int { return 1 }

func (m *MRMR) settings() []setting {
	return []setting{
		wordSetting("criterion", &m.Criterion, "mid", "miq"),
		numberSetting("threshold", &m.Threshold, 1e-6, 100),
		countSetting("pool", &m.Pool, 1, 1<<30),
	}
}

// Memory is that of the columns, and of a bit for each value of each row and feature.
func (MRMR) Memory(s Sizes) []Use {
	return []Use{s.transposed(), {"values of the features while they are cut, n×d", bytesOf(s.Rows, s.Features, 8)}, {"the rows of each value of each feature, a bit each", bytesOf(3*((s.Rows+63)/64)+20, s.Features, 8)}}
}

// Fit selects K features for classes.
func (m MRMR) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	d := data.width()
	threshold, pool := m.Threshold, m.Pool
	if threshold == 0 {
		threshold = 1
	}
	if pool == 0 {
		pool = 5000
	}
	columns := data.columns()
	target := statesOf(data.Y, data.Classes)
	information := newInformation(len(data.Y))
	features := make([]states, d)
	relevance := make([]float64, d)
	err := work{m.Name(), "relevance", o}.forEach(ctx, d, 256, func(from, to int) {
		for j := from; j < to; j++ {
			features[j] = threeStates(columns[j], threshold)
			relevance[j] = information.between(features[j], target)
		}
	})
	if err != nil {
		return nil, err
	}
	var candidates []Feature
	for _, j := range poolOrder(relevance)[:min(d, max(pool, o.K))] {
		if !constant(columns[j]) {
			candidates = append(candidates, Feature{Index: j, Score: relevance[j]})
		}
	}
	selected, err := m.greedy(ctx, candidates, features, information, o)
	if err != nil {
		return nil, err
	}
	return &Model{Method: m.Name(), Features: d, Selected: padded(selected, relevance, columns, o.K)}, nil
}

// greedy selects up to K of the candidates, which come in the order of the pool and are used up.
func (m MRMR) greedy(ctx context.Context, candidates []Feature, features []states, information information, o Options) ([]Feature, error) {
	redundancy := make([]float64, len(features)) // of each feature with those selected, summed
	var selected []Feature
	for len(selected) < o.K && len(candidates) > 0 {
		if err := (work{m.Name(), "selection", o}).interrupted(ctx); err != nil {
			return nil, err
		}
		count := float64(len(selected))
		next, criterion := 0, -math.MaxFloat64
		for c, f := range candidates {
			value := f.Score
			if count > 0 {
				last := selected[len(selected)-1].Index
				redundancy[f.Index] += information.between(features[f.Index], features[last])
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
		chosen := Feature{Index: candidates[next].Index, Score: criterion}
		if count > 0 {
			chosen.Score = min(criterion, selected[len(selected)-1].Score)
		}
		selected = append(selected, chosen)
		candidates = append(candidates[:next], candidates[next+1:]...)
		o.report("selection", len(selected), o.K)
	}
	return selected, nil
}

// tie is how far criteria lie apart, as a part of them, that are the same but for rounding.
const tie = 1e-9
