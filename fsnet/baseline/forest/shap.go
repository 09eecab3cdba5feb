package forest

import (
	"context"
	"math"

	"fsnetlab/fsnet/baseline"
)

// The importance "shap" is that of TreeSHAP (Lundberg, Erion, Chen et al. 2020), path-dependent: of a row x, the Shapley values
//
//	φ_j(x) = Σ over S ⊆ features without j of |S|! (d − |S| − 1)! / d! · (v(S ∪ {j}) − v(S))
//
// where v(S) is what the tree says of x when only the features of S are known: at a split on another one it goes both ways, each as often
// as the rows went that the tree was grown on. What a leaf says is the shares of the classes among its rows; a forest says the mean of its
// trees, and φ of it is the mean of theirs.

// explained is a tree as its values need it: for each node the rows that it was grown on, and for each leaf their classes' shares.
type explained struct {
	tree
	cover  []float64
	shares [][]float64 // of the classes; nil of a split
}

// explain counts the rows that a tree was grown on, with their weights, at its nodes.
func (t *table) explain(of tree, weights []int64) *explained {
	e := &explained{of, make([]float64, len(of)), make([][]float64, len(of))}
	for k, n := range of {
		if n.feature < 0 {
			e.shares[k] = make([]float64, t.classes)
		}
	}
	for i, weight := range weights {
		if weight == 0 {
			continue
		}
		at := int32(0)
		for e.cover[0] += float64(weight); e.tree[at].feature >= 0; e.cover[at] += float64(weight) {
			at = e.next(at, t.ranks[e.tree[at].feature][i])
		}
		e.shares[at][t.y[i]] += float64(weight)
	}
	for k, list := range e.shares {
		for c := range list {
			list[c] /= e.cover[k]
		}
	}
	return e
}

// next is the node below a split that a row of this rank comes to.
func (e *explained) next(at, rank int32) int32 {
	if rank <= e.tree[at].limit {
		return e.tree[at].left
	}
	return e.tree[at].right
}

// step is a feature of the way to a node: which part of the rows goes on where it is not known, whether x does (1 or 0), and, at place i,
// the weight of all sets of i features of the way.
type step struct {
	feature           int32
	zero, one, weight float64
}

// extended is a way with a feature more.
func extended(way []step, zero, one float64, feature int32) []step {
	n := len(way)
	out := make([]step, n+1)
	copy(out, way)
	out[n] = step{feature, zero, one, 0}
	if n == 0 {
		out[n].weight = 1
	}
	for i := n - 1; i >= 0; i-- {
		out[i+1].weight += one * out[i].weight * float64(i+1) / float64(n+1)
		out[i].weight *= zero * float64(n-i) / float64(n+1)
	}
	return out
}

// unwound is a way without the feature at a place.
func unwound(way []step, place int) []step {
	last := len(way) - 1
	out := make([]step, last)
	copy(out, way[:last])
	zero, one := way[place].zero, way[place].one
	for i, next := last-1, way[last].weight; i >= 0; i-- {
		if one != 0 {
			weight := next * float64(last+1) / (float64(i+1) * one)
			next = way[i].weight - weight*zero*float64(last-i)/float64(last+1)
			out[i].weight = weight
		} else {
			out[i].weight = way[i].weight * float64(last+1) / (zero * float64(last-i))
		}
	}
	for i := place; i < last; i++ {
		out[i].feature, out[i].zero, out[i].one = way[i+1].feature, way[i+1].zero, way[i+1].one
	}
	return out
}

// values adds what each feature contributes of a row to what the tree says of each class: add gets feature, class and value.
func (e *explained) values(rank func(feature int32) int32, add func(feature int32, class int, value float64)) {
	var walk func(at int32, way []step, zero, one float64, feature int32)
	walk = func(at int32, way []step, zero, one float64, feature int32) {
		way = extended(way, zero, one, feature)
		n := e.tree[at]
		if n.feature < 0 {
			for place := 1; place < len(way); place++ {
				weight := 0.0
				for _, s := range unwound(way, place) {
					weight += s.weight
				}
				for class, share := range e.shares[at] {
					add(way[place].feature, class, weight*(way[place].one-way[place].zero)*share)
				}
			}
			return
		}
		hot := e.next(at, rank(n.feature))
		cold := n.left + n.right - hot
		zero, one = 1, 1
		for place := 1; place < len(way); place++ {
			if way[place].feature == n.feature {
				zero, one = way[place].zero, way[place].one
				way = unwound(way, place)
				break
			}
		}
		walk(hot, way, zero*e.cover[hot]/e.cover[at], one, n.feature)
		walk(cold, way, zero*e.cover[cold]/e.cover[at], 0, n.feature)
	}
	walk(0, nil, 1, 1, -1)
}

// shapBlock is the rows that are explained in one go.
const shapBlock = 8

// shap is, for each feature, the mean over the training rows and the classes of |φ_j|, φ being those of the forest.
func (t *table) shap(ctx context.Context, w *baseline.Work, trees []*explained) ([]float64, error) {
	n := len(t.y)
	blocks := make([][]float64, (n+shapBlock-1)/shapBlock)
	if _, err := w.ForEach(ctx, len(blocks), 1, func(b int) float64 {
		sums, phi := make([]float64, len(t.ranks)), make([]float64, len(t.ranks)*t.classes)
		for i := b * shapBlock; i < min(n, (b+1)*shapBlock); i++ {
			clear(phi)
			for _, e := range trees {
				if ctx.Err() != nil {
					return 0
				}
				e.values(func(feature int32) int32 { return t.ranks[feature][i] }, func(feature int32, class int, value float64) {
					phi[int(feature)*t.classes+class] += value / float64(len(trees))
				})
			}
			for at, v := range phi {
				sums[at/t.classes] += math.Abs(v) / float64(n*t.classes)
			}
		}
		blocks[b] = sums
		return 0
	}); err != nil {
		return nil, err
	}
	total := make([]float64, len(t.ranks))
	for _, sums := range blocks {
		for f, v := range sums {
			total[f] += v
		}
	}
	return total, nil
}
