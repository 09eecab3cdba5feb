// Package forest holds the methods that ask decision trees.
//
// # Nouns
//
//   - [RandomForest] ranks features by how much they help the trees, in one of three measures, and predicts classes.
//   - [Boruta] selects the features that help more than permuted copies of features do.
//   - [Trees] are the trees of a fitted forest, [Importances] what they owe to each column.
//
// # Basics
//
//	model, err := forest.RandomForest{Importance: "shap"}.Fit(ctx, train, baseline.Options{K: 10, Seed: 1})
//	columns := model.Columns() // by rank
//
// Every tree has a stream of random numbers of its own, so neither the number of processors nor their order changes the result.
//
// # Caveats
//
// Impurity, the default measure, favours features with many values; "permutation" does not, but takes longer. Features that say the same
// share their importance, so each may look unimportant. [Boruta] finds all relevant features: where there are more than K, the first K are
// not the whole answer, and where there are fewer the rest is padding.
package forest

import (
	"context"
	"math"
	"runtime"
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
// down to nodes of one class. The score of a feature is one of three:
//
//	impurity      the gains of its splits, as a part of all gains of the tree, mean over the trees: scikit-learn's feature_importances_
//	permutation   by how much the share of rows that a tree did not draw and classifies rightly falls when the feature's values
//	              change places among them, mean over the trees (Breiman's; it may be below 0)
//	shap          how far it moves what the forest says of a training row, mean over rows and classes of |φ_j|: path-dependent
//	              TreeSHAP (Lundberg et al. 2020)
//
// The first favours features that say nothing and have many values, the less the more trees there are, and so does the third, which looks
// at the rows that the trees were grown on; the second does not. Features that
// no tree asks fill up K, marked as padding. A row's class is that for which most trees vote, the first of several.
type RandomForest struct {
	Trees      int    `set:"trees,1,100000" default:"500"`
	Candidates int    `set:"candidates,1,1073741824"`              // features drawn for a node; 0 means √d, rounded down
	Depth      int    `set:"depth,1,1000"`                         // splits above a leaf, at most; 0 means as many as it takes
	Importance string `set:"importance,impurity,permutation,shap"` // "impurity" (also ""), "permutation" or "shap"
}

// Entry is that of random-forest.
func (RandomForest) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "random-forest", Version: 1, About: "how much each feature helps the trees of a random forest", Selects: true, Predicts: true,
	}
}

// Memory is that of the columns, their ranks, and the trees at their largest.
func (m RandomForest) Memory(s baseline.Sizes) []baseline.Use {
	uses := []baseline.Use{
		s.Transposed(),
		{What: "ranks of the values, d×n", Bytes: baseline.Bytes(s.Rows, s.Features, 4)},
		{What: "trees, of up to 2n nodes", Bytes: baseline.Bytes(baseline.Defaulted(m).Trees, 2*s.Rows, 32)},
	}
	if m.Importance == "shap" {
		uses = append(uses, baseline.Use{What: "trees to explain, and values of rows", Bytes: baseline.Bytes(
			baseline.Defaulted(m).Trees, 2*s.Rows, 48+8*s.Classes) + baseline.Bytes(s.Rows/shapBlock+1+runtime.NumCPU()*s.Classes, s.Features, 8)})
	}
	return uses
}

// Fit selects K features for classes, and learns to predict them from all. The Predictor of the model is a *[Trees].
func (m RandomForest) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, t, err := begin(ctx, m, data, o, "trees")
	if err != nil {
		return nil, err
	}
	predictor, shares := &Trees{make([][]question, m.Trees), data.Classes}, make([][]share, m.Trees)
	trees := make([]*explained, m.Trees) // for shap
	if _, err := w.ForEach(ctx, m.Trees, 1, func(k int) float64 {
		random := rng.New(o.Seed, "random-forest tree", uint64(k))
		weights := t.draw(random)
		grown := t.grow(random, weights, t.candidates(m.Candidates), m.Depth)
		predictor.trees[k] = t.questions(grown, w.Columns())
		switch m.Importance {
		case "permutation":
			shares[k] = t.permuted(grown, w.Columns(), weights, random)
		case "shap":
			trees[k] = t.explain(grown, weights)
		default:
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
	if m.Importance == "shap" {
		w.Stage = "values"
		values, err := t.shap(ctx, w, trees)
		if err != nil {
			return nil, err
		}
		for f, v := range values {
			scores[t.order[f]], asked[t.order[f]] = v, v > 0
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
