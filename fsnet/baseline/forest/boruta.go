package forest

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/rng"
)

// Boruta selects the features that help a random forest more than chance does (Kursa, Rudnicki 2010). In each round the values of every
// feature still in play are permuted among the rows, which gives its shadow, and a forest is grown on features and shadows together. A
// feature has a hit where its importance ([RandomForest]'s impurity) is above that of every shadow. After r rounds with h hits it is
//
//	confirmed   where Σ_{i ≥ h} C(r, i) 2^{−r} ≤ p/d
//	rejected    where Σ_{i ≤ h} C(r, i) 2^{−r} ≤ p/d, and leaves
//
// d being the features that vary (Bonferroni's correction). It ends when nothing is undecided, or after the last round. Those that are
// confirmed are ranked by their score, which is their hits and, below 1, their mean importance; where there are more than K the first K are
// not all that is relevant. What is undecided, and then what was rejected, fills up K, marked as padding. All rounds are of the same rows,
// so that p says nothing of other rows: with few of them features that tell these by chance are confirmed.
type Boruta struct {
	Rounds int     `set:"rounds,1,10000" default:"100"`
	Trees  int     `set:"trees,1,100000" default:"500"`
	P      float64 `set:"p,1e-9,0.5" default:"0.05"`
}

// Entry is that of boruta.
func (Boruta) Entry() baseline.Entry {
	return baseline.Entry{Name: "boruta", Version: 1, About: "features that help a random forest more than permuted ones do", Selects: true}
}

// Memory is that of the columns, their ranks and those of their shadows, and the largest tree of each.
func (m Boruta) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "ranks of the values and of their shadows, 2d×n", Bytes: 2 * baseline.Bytes(s.Rows, s.Features, 4)},
		{What: "what each tree owes to features", Bytes: baseline.Bytes(baseline.Defaulted(m).Trees, s.Rows, 16)},
		{What: "trees under way", Bytes: baseline.Bytes(64, 2*s.Rows, 64)},
	}
}

// candidate is a feature in play.
type candidate struct {
	feature    int // of the table
	hits       int
	importance float64 // sum over the rounds
	confirmed  bool
	rejected   bool
}

// Fit selects K features for classes.
func (m Boruta) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, t, err := begin(ctx, m, data, o, "rounds")
	if err != nil {
		return nil, err
	}
	all := make([]candidate, len(t.order))
	inPlay := make([]*candidate, len(all))
	for f := range all {
		all[f].feature = f
		inPlay[f] = &all[f]
	}
	limit := m.P / float64(max(1, len(all)))
	undecided := len(all)
	for round := 1; round <= m.Rounds && undecided > 0; round++ {
		if err := m.round(ctx, w, t, inPlay, round); err != nil {
			return nil, err
		}
		undecided = 0
		for _, c := range inPlay {
			switch {
			case c.confirmed:
			case atLeast(round, c.hits) <= limit:
				c.confirmed = true
			case atLeast(round, round-c.hits) <= limit: // as many misses, which are as likely
				c.rejected = true
			default:
				undecided++
			}
		}
		inPlay = slices.DeleteFunc(inPlay, func(c *candidate) bool { return c.rejected })
		w.Report(round, m.Rounds)
	}
	var confirmed []baseline.Feature
	scores := make([]float64, data.Width())
	for _, c := range all {
		j := t.order[c.feature]
		if scores[j] = c.importance / float64(m.Rounds); !c.rejected {
			scores[j] += float64(c.hits)
		}
		if c.confirmed {
			confirmed = append(confirmed, baseline.Feature{Index: j, Score: scores[j]})
		}
	}
	slices.SortFunc(confirmed, baseline.ByScore)
	return w.Filled(confirmed[:min(o.K, len(confirmed))], scores), nil
}

// round gives every feature in play what a forest with shadows owes to it, and a hit where that is more than any shadow has.
func (m Boruta) round(ctx context.Context, w *baseline.Work, t *table, inPlay []*candidate, round int) error {
	count := len(inPlay)
	shadowed := &table{ranks: make([][]int32, 2*count), y: t.y, classes: t.classes}
	if _, err := w.Quiet().ForEach(ctx, count, 256, func(k int) float64 {
		ranks := t.ranks[inPlay[k].feature]
		shadow := slices.Clone(ranks)
		random := rng.New(w.Seed, "boruta shadow", uint64(round), uint64(inPlay[k].feature))
		random.Shuffle(len(shadow), func(a, b int) { shadow[a], shadow[b] = shadow[b], shadow[a] })
		shadowed.ranks[k], shadowed.ranks[count+k] = ranks, shadow
		return 0
	}); err != nil {
		return err
	}
	importances, err := shadowed.importances(ctx, w.Quiet(), m.Trees, 0, func(tree int) *rand.Rand {
		return rng.New(w.Seed, "boruta tree", uint64(round), uint64(tree))
	})
	if err != nil {
		return err
	}
	best := slices.Max(importances[count:])
	for k, c := range inPlay {
		c.importance += importances[k]
		if importances[k] > best {
			c.hits++
		}
	}
	return nil
}

// importances are those of a forest by impurity, of each feature of a table.
func (t *table) importances(ctx context.Context, w *baseline.Work, trees, candidates int,
	random func(tree int) *rand.Rand) ([]float64, error) {
	shares := make([][]share, trees)
	if _, err := w.ForEach(ctx, trees, 1, func(k int) float64 {
		r := random(k)
		shares[k] = t.gains(t.grow(r, t.draw(r), t.candidates(candidates), 0))
		return 0
	}); err != nil {
		return nil, err
	}
	sums := make([]float64, len(t.ranks))
	for _, of := range shares {
		for _, s := range of {
			sums[s.feature] += s.value / float64(trees)
		}
	}
	return sums, nil
}

// Importances are those of the columns of w by impurity, of a forest of so many trees, whose nodes draw so many features; those that do not
// vary have none. random is the stream of a tree. Where all rows are of one class nothing is of importance.
func Importances(ctx context.Context, w *baseline.Work, trees, candidates int, random func(tree int) *rand.Rand) ([]float64, error) {
	t, err := newTable(ctx, w)
	if err != nil {
		return nil, err
	}
	sums, err := t.importances(ctx, w, trees, candidates, random)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(w.Columns()))
	for f, j := range t.order {
		scores[j] = sums[f]
	}
	return scores, nil
}

// atLeast is the chance of so many heads or more in n throws of a coin.
func atLeast(n, heads int) float64 {
	if heads <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(heads), float64(n-heads+1), 0.5)
}
