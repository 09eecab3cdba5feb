package fsnet

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/internal/loop"
)

// The wide matrices of a step, K×d and h'×d, do not fit into a processor's caches when d is large. A step therefore works on one block
// of columns after the other: all that it computes about a feature is computed while it is near. Up to wholeWidth one block is faster
// (docs/performance.md).
const (
	wholeWidth = 32_000
	blockWidth = 12_000
	lane       = 16   // XLA's loops take 16 numbers at once, and the rest of a row slowly
	alias      = 1024 // rows whose distance is a multiple of 4 KB fight over the same places in a cache

	dividedSelectors = 16      // with fewer, a selector's gradient is not worth dividing into parts
	dividedRows      = 4 << 20 // numbers: more training rows than that are not copied to be divided before the steps of a call
)

// blockFor is how many columns a step takes at once. On a GPU that is all of them.
func (d *Device) blockFor(features int) int {
	switch {
	case !d.loops:
		return features
	case d.Name != "xla:cpu" || features <= wholeWidth:
		parts := d.partsFor(features)
		return parts * padded(features, parts)
	}
	return padded(features, (features+blockWidth-1)/blockWidth)
}

// partsFor is into how many parts a step divides the features of its only block to reconstruct them. XLA's threads wait for one another
// at the end of each operation; two chains of operations that need nothing of each other keep both busy (docs/performance.md).
func (d *Device) partsFor(features int) int {
	if d.Name == "xla:cpu" && features <= wholeWidth {
		return 2
	}
	return 1
}

// holdsSteps reports whether one call can make many steps. GoMLX has no loop within a loop: a step of several blocks is a call.
func (d *Device) holdsSteps(a Architecture) bool { return d.loops && a.blocks() == 1 }

// padded is the width of each of count equal blocks that hold the features: full lanes, and no distance of rows that is bad.
func padded(features, count int) int {
	width := (features + count - 1) / count
	width += (lane - width%lane) % lane
	for width%alias == 0 || width*count%alias == 0 {
		width += lane
	}
	return width
}

// blocks is the number of blocks, width the number of columns with the padding of the last one: Φ and x are 0 there, and no selector's
// softmax sees it.
func (a Architecture) blocks() int { return (a.D + a.Block - 1) / a.Block }

func (a Architecture) width() int { return a.blocks() * a.Block }

// shape is the architecture that a program is built for: it has as many columns as the widest with which it shares its padding, and
// reads how many of them are features.
func (a Architecture) shape() Architecture {
	a.D = a.width()
	return a
}

// logDeltaOf is log δ of all columns at once, K×width from Φ, and −∞ where there is no feature: d (a scalar, int32) is how many there are.
func (a Architecture) logDeltaOf(theta, phi, d *graph.Node) *graph.Node {
	logDelta := a.network(theta).logDelta(phi)
	if !a.Padded {
		return logDelta
	}
	return withoutPadding(logDelta, graph.Const(phi.Graph(), int32(0)), d, float32(math.Inf(-1)))
}

// overBlocks calls work for each block, from the left, with the number of the block and of its first column (scalars, int32). What work
// returns takes the place of the carried nodes for the next block, and is the result after the last; fixed nodes it may read. It can
// read no others, nor GoMLX's constants that a graph shares: with several blocks it is the body of a loop.
func (a Architecture) overBlocks(carried, fixed []*graph.Node, work func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node) []*graph.Node {
	g := carried[0].Graph()
	if a.blocks() == 1 {
		zero := graph.Const(g, int32(0))
		return work(zero, zero, carried, fixed)
	}
	more := func(i *graph.Node, _ []*graph.Node) *graph.Node {
		return graph.LessThan(i, graph.Const(i.Graph(), int32(a.blocks())))
	}
	one := func(i *graph.Node, s []*graph.Node) []*graph.Node {
		carried, fixed := s[:len(carried)], s[len(carried):]
		next := work(i, graph.Mul(i, graph.Const(i.Graph(), int32(a.Block))), carried, fixed)
		return append(slices.Clone(next), fixed...)
	}
	out, _ := loop.While(slices.Concat(carried, fixed), more, one)
	return out[:len(carried)]
}

// part is Φ and the batch of one of a block's Parts.
type part struct{ phi, x *graph.Node }

// divided are the columns of the block's Parts.
func (a Architecture) divided(m *graph.Node) []*graph.Node {
	if a.Parts == 1 {
		return []*graph.Node{m}
	}
	list := make([]*graph.Node, a.Parts)
	for i := range list {
		list[i] = graph.SliceAxis(m, -1, graph.AxisRange(i*a.Block/a.Parts, (i+1)*a.Block/a.Parts))
	}
	return list
}

// partsOf pairs them.
func partsOf(phis, xs []*graph.Node) []part {
	parts := make([]part, len(phis))
	for i := range parts {
		parts[i] = part{phis[i], xs[i]}
	}
	return parts
}

// embedding is a.columns of Φ, its independent rows alone.
func (a Architecture) embedding(phi, first *graph.Node) *graph.Node {
	if a.blocks() == 1 {
		return a.independentRows(phi)
	}
	dims := replicated(phi, 2, a.independent(), a.Block)
	return graph.DynamicSlice(phi, lastAxis(phi, first), dims)
}

// withoutPadding has another number where m, the columns from first on, has columns from d on (scalars, int32).
func withoutPadding(m, first, d *graph.Node, instead float32) *graph.Node {
	g := m.Graph()
	at := graph.Iota(g, shapes.Make(dtypes.Int32, m.Shape().Dimensions...), -1)
	at = graph.Add(at, graph.BroadcastToShape(first, at.Shape()))
	return graph.Where(graph.LessThan(at, graph.BroadcastToShape(d, at.Shape())), m, graph.BroadcastToShape(graph.Const(g, instead), m.Shape()))
}

// columns are the size columns of m from the given one on, of all of them.
func (a Architecture) columns(m, first *graph.Node, size int) *graph.Node {
	if a.blocks() == 1 {
		return m
	}
	dims := append([]int{}, m.Shape().Dimensions...)
	dims[len(dims)-1] = size
	return graph.DynamicSlice(m, lastAxis(m, first), dims)
}

// put writes values over the columns of m from the given one on.
func (a Architecture) put(m, values, first *graph.Node) *graph.Node {
	if a.blocks() == 1 {
		return values
	}
	return graph.DynamicUpdateSlice(m, values, lastAxis(m, first))
}

// lastAxis is a position on the last axis, and 0 on the others.
func lastAxis(m, at *graph.Node) []*graph.Node {
	position := make([]*graph.Node, m.Rank())
	for i := range position {
		position[i] = graph.Const(m.Graph(), int32(0))
	}
	position[m.Rank()-1] = at
	return position
}

// zeros is a carried node to begin with.
func zeros(g *graph.Graph, dims ...int) *graph.Node {
	return graph.BroadcastToShape(graph.Const(g, float32(0)), shapes.Make(dtypes.Float32, dims...))
}

// zerosLike are carried nodes to begin with, in the shapes of what is summed up.
func zerosLike(nodes ...*graph.Node) []*graph.Node {
	list := make([]*graph.Node, len(nodes))
	for i, n := range nodes {
		list[i] = zeros(n.Graph(), n.Shape().Dimensions...)
	}
	return list
}

// addEach adds values to sums, one by one; no sums are zeros.
func addEach(sums, values []*graph.Node) []*graph.Node {
	if sums == nil {
		return values
	}
	for i := range values {
		values[i] = graph.Add(sums[i], values[i])
	}
	return values
}

// A loop's body cannot share a reduction with what is around it (go-xla keeps one of each kind for a program, in the function that used
// it first). Where there are blocks, sums are therefore products with ones, and the largest value is found as the least: nothing else in
// a step asks for one.

// sumOverFeatures sums up the last axis of m, which has the given letters for its axes in a single training.
func (a Architecture) sumOverFeatures(m *graph.Node, letters string) *graph.Node {
	if a.blocks() == 1 {
		return graph.ReduceSum(m, -1)
	}
	columns := letters[len(letters)-1:]
	ones := graph.BroadcastToShape(graph.Const(m.Graph(), float32(1)), shapes.Make(dtypes.Float32, replicated(m, len(letters), m.Shape().Dim(-1))...))
	return einsum(letters+","+columns+"->"+letters[:len(letters)-1], m, ones)
}

// maxOverFeatures is the largest of each row, with an axis of 1 in its place.
func (a Architecture) maxOverFeatures(m *graph.Node) *graph.Node {
	if a.blocks() == 1 {
		return graph.ReduceAndKeep(m, graph.ReduceMax, -1)
	}
	return graph.Neg(graph.ReduceAndKeep(graph.Neg(m), graph.ReduceMin, -1))
}
