package forest

import (
	"context"
	"math/rand/v2"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// table is what trees are grown on: features, by their contents, with ranks for values, which is all that a split looks at.
type table struct {
	order   []int     // the column of each feature
	ranks   [][]int32 // of the rows' values in each feature, equal values alike
	y       []int
	classes int
}

// begin has the table, and goes on to a stage.
func begin(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, stage string) (*baseline.Work, *table, error) {
	w, err := baseline.Begin(ctx, m, data, o, "ranks")
	if err != nil {
		return nil, nil, err
	}
	t, err := newTable(ctx, w)
	w.Stage = stage
	return w, t, err
}

func newTable(ctx context.Context, w *baseline.Work) (*table, error) {
	t := &table{order: w.Varying(), y: w.Data.Y, classes: w.Data.Classes}
	t.ranks = make([][]int32, len(t.order))
	_, err := w.ForEach(ctx, len(t.order), 256, func(f int) float64 {
		t.ranks[f] = ranksOf(w.Columns()[t.order[f]])
		return 0
	})
	return t, err
}

// ranksOf is, for each row, how many different values lie below its own.
func ranksOf(column []float64) []int32 {
	rows := places.Rising(column)
	ranks := make([]int32, len(column))
	for at, row := range rows[1:] {
		before := rows[at]
		ranks[row] = ranks[before]
		if column[row] != column[before] {
			ranks[row]++
		}
	}
	return ranks
}

// node is a split, or a leaf, whose feature is −1.
type node struct {
	feature      int32
	limit        int32 // rows whose rank is not above it go left
	below, above int32 // rows of the node between whose values it lies
	left, right  int32 // nodes
	class        int32 // the most frequent of the rows here, the first of several
	gain         float64
}

// tree is its nodes, the root first.
type tree []node

// grower grows one tree, depth first, left before right.
type grower struct {
	*table
	random     *rand.Rand
	weights    []int64 // of the rows: how often each was drawn
	candidates int     // features that a node draws
	depth      int     // at most; 0: as deep as it gets
	drawn      []int32 // features, the first of which a node has drawn
	keys       []uint64
	counts     []int64 // of the classes in a node
	left       []int64 // of those in its left part
	tree       tree
}

// grow grows a tree on rows with weights. What it draws comes from random alone.
func (t *table) grow(random *rand.Rand, weights []int64, candidates, depth int) tree {
	g := &grower{table: t, random: random, weights: weights, candidates: candidates, depth: depth}
	g.drawn = make([]int32, len(t.ranks))
	for f := range g.drawn {
		g.drawn[f] = int32(f)
	}
	g.counts, g.left = make([]int64, t.classes), make([]int64, t.classes)
	var rows []int32
	for i, weight := range weights {
		if weight > 0 {
			rows = append(rows, int32(i))
		}
	}
	g.node(rows, 1)
	return g.tree
}

// node grows what is below these rows, whose order it changes, and says where in the tree it is.
func (g *grower) node(rows []int32, level int) int32 {
	clear(g.counts)
	for _, i := range rows {
		g.counts[g.y[i]] += g.weights[i]
	}
	most, present := 0, 0
	for c, count := range g.counts {
		if count > g.counts[most] {
			most = c
		}
		if count > 0 {
			present++
		}
	}
	n := node{feature: -1, class: int32(most)}
	if present > 1 && (g.depth == 0 || level <= g.depth) {
		g.split(rows, &n)
	}
	at := int32(len(g.tree))
	g.tree = append(g.tree, n)
	if n.feature >= 0 {
		ranks, middle := g.ranks[n.feature], 0
		for k, i := range rows {
			if ranks[i] <= n.limit {
				rows[k], rows[middle] = rows[middle], rows[k]
				middle++
			}
		}
		g.tree[at].left = g.node(rows[:middle], level+1)
		g.tree[at].right = g.node(rows[middle:], level+1)
	}
	return at
}

// split finds the split of these rows that leaves the least impurity, the first of several, among features that are drawn: so many, and
// more until one tells any of the rows apart.
func (g *grower) split(rows []int32, n *node) {
	total, squares := int64(0), int64(0)
	for _, count := range g.counts {
		total += count
		squares += count * count
	}
	before, best, found := float64(squares)/float64(total), -1.0, false
	for v := range g.drawn {
		if v >= g.candidates && found {
			return
		}
		pick := v + g.random.IntN(len(g.drawn)-v)
		g.drawn[v], g.drawn[pick] = g.drawn[pick], g.drawn[v]
		f := g.drawn[v]
		g.keys = g.keys[:0]
		for _, i := range rows {
			g.keys = append(g.keys, uint64(g.ranks[f][i])<<32|uint64(i))
		}
		slices.Sort(g.keys)
		if g.keys[0]>>32 == g.keys[len(g.keys)-1]>>32 {
			continue
		}
		found = true
		clear(g.left)
		weight, inLeft, inRight := int64(0), int64(0), squares // Σ of the squares of the classes' counts
		for k, key := range g.keys[:len(g.keys)-1] {
			row, next := uint32(key), g.keys[k+1]
			c, by := g.y[row], g.weights[row]
			inRight -= by * (2*(g.counts[c]-g.left[c]) - by)
			inLeft += by * (2*g.left[c] + by)
			g.left[c] += by
			weight += by
			if key>>32 == next>>32 {
				continue
			}
			if gain := float64(inLeft)/float64(weight) + float64(inRight)/float64(total-weight) - before; gain > best {
				best = gain
				n.feature, n.limit, n.below, n.above = f, int32(key>>32), int32(row), int32(uint32(next))
				n.gain = max(gain, 0)
			}
		}
	}
}
