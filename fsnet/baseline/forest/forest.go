// Package forest holds the methods that ask decision trees: [RandomForest], by how much a feature helps them, and [Boruta], which of them
// help more than chance.
package forest

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/rng"
)

// RandomForest ranks features by how much they help the trees of a random forest (Breiman 2001). Each tree is grown on n rows drawn with
// replacement, and each of its nodes splits them at x_j ≤ t, with the one of √d features drawn for it, and the t, that leave the classes
// the least mixed:
//
//	I = 1 − Σ_c p_c²,  gain = n_node I − n_left I_left − n_right I_right
//
// down to nodes of one class. The score of a feature is one of two:
//
//	impurity      the gains of its splits, as a part of all gains of the tree, mean over the trees: scikit-learn's feature_importances_
//	permutation   by how much the share of rows that a tree did not draw and classifies rightly falls when the feature's values
//	              change places among them, mean over the trees (Breiman's; it may be below 0)
//
// The first favours features that say nothing and have many values, the less the more trees there are; the second does not. Features that
// no tree asks fill up K, marked as padding. A row's class is that for which most trees vote, the first of several.
type RandomForest struct {
	Trees      int    `set:"trees,1,100000" default:"500"`
	Candidates int    `set:"candidates,1,1073741824"`         // features drawn for a node; 0 means √d, rounded down
	Depth      int    `set:"depth,1,1000"`                    // splits above a leaf, at most; 0 means as many as it takes
	Importance string `set:"importance,impurity,permutation"` // "impurity" (also "") or "permutation"
}

// Entry is that of random-forest.
func (RandomForest) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "random-forest", Version: 1, About: "how much each feature helps the trees of a random forest", Selects: true, Predicts: true,
	}
}

// Memory is that of the columns, their ranks, and the trees at their largest.
func (m RandomForest) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "ranks of the values, d×n", Bytes: baseline.Bytes(s.Rows, s.Features, 4)},
		{What: "trees, of up to 2n nodes", Bytes: baseline.Bytes(baseline.Defaulted(m).Trees, 2*s.Rows, 32)},
	}
}

// Fit selects K features for classes, and learns to predict them from all. The Predictor of the model is a *[Trees].
func (m RandomForest) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, t, err := begin(ctx, m, data, o, "trees")
	if err != nil {
		return nil, err
	}
	predictor, shares := &Trees{make([][]question, m.Trees), data.Classes}, make([][]share, m.Trees)
	if _, err := w.ForEach(ctx, m.Trees, 1, func(k int) float64 {
		random := rng.New(o.Seed, "random-forest tree", uint64(k))
		weights := t.draw(random)
		grown := t.grow(random, weights, t.candidates(m.Candidates), m.Depth)
		predictor.trees[k] = t.questions(grown, w.Columns())
		if m.Importance == "permutation" {
			shares[k] = t.permuted(grown, w.Columns(), weights, random)
		} else {
			shares[k] = t.gains(grown)
		}
		return 0
	}); err != nil {
		return nil, err
	}
	scores, asked := make([]float64, data.Width()), make([]bool, data.Width())
	for _, of := range shares {
		for _, s := range of {
			scores[t.order[s.feature]] += s.value / float64(m.Trees)
			asked[t.order[s.feature]] = true
		}
	}
	var selected []baseline.Feature
	for j, score := range scores {
		if asked[j] {
			selected = append(selected, baseline.Feature{Index: j, Score: score})
		}
	}
	slices.SortFunc(selected, baseline.ByScore)
	model := w.Filled(selected[:min(o.K, len(selected))], nil)
	model.Predictor = predictor
	return model, nil
}

// candidates is how many features a node draws where so many are set.
func (t *table) candidates(set int) int {
	if set > 0 {
		return set
	}
	return max(1, int(math.Sqrt(float64(len(t.ranks)))))
}
