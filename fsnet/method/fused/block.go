package fused

import (
	"slices"

	"fsnetlab/fsnet/nn"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// overBlocks calls work for each block, from left to right, with the numbers of
// the block and of its first column (scalars, int32). work receives the carried
// nodes and returns those for the next block. overBlocks returns the carried
// nodes after the last block. work may also use the fixed nodes. If there are
// several blocks, work builds the body of a loop, so it must not use any other
// node or GoMLX's shared constants.
func (l Layout) overBlocks(carried, fixed []*graph.Node,
	work func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node) []*graph.Node {
	g := carried[0].Graph()
	if l.Blocks() == 1 {
		zero := graph.Const(g, int32(0))
		return work(zero, zero, carried, fixed)
	}
	blocks := func(s []*graph.Node) *graph.Node { return graph.Const(s[0].Graph(), int32(l.Blocks())) }
	one := func(i *graph.Node, s []*graph.Node) []*graph.Node {
		carried, fixed := s[:len(carried)], s[len(carried):]
		next := work(i, graph.Mul(i, graph.Const(i.Graph(), int32(l.Block))), carried, fixed)
		return append(slices.Clone(next), fixed...)
	}
	return nn.While(slices.Concat(carried, fixed), blocks, one)[:len(carried)]
}

// Part holds Φ and the batch for one of the Parts of a block.
type Part struct{ phi, x *graph.Node }

// Divide splits the columns of m into the Parts of the block, from left to
// right.
func (l Layout) Divide(m *graph.Node) []*graph.Node {
	if l.Parts == 1 {
		return []*graph.Node{m}
	}
	list := make([]*graph.Node, l.Parts)
	for i := range list {
		list[i] = graph.SliceAxis(m, -1, graph.AxisRange(i*l.Block/l.Parts, (i+1)*l.Block/l.Parts))
	}
	return list
}

// PartsOf pairs each part of Φ with its part of the batch.
func PartsOf(phis, xs []*graph.Node) []Part {
	parts := make([]Part, len(phis))
	for i := range parts {
		parts[i] = Part{phis[i], xs[i]}
	}
	return parts
}

// Tiles returns the independent rows of Φ, e×d, in T = l.Parts tiles of w
// columns, twice: as T×e×w and transposed as T×w×e. If the layout is not tiled,
// it returns nil.
func (l Layout) Tiles(phi *graph.Node) []*graph.Node {
	if !l.Tiled {
		return nil
	}
	phi = l.IndependentRows(phi)
	tiles := graph.Reshape(phi, phi.Shape().Dim(0), l.Parts, l.Block/l.Parts)
	return []*graph.Node{graph.TransposeAllAxes(tiles, 1, 0, 2), graph.TransposeAllAxes(tiles, 1, 2, 0)}
}

// embedding returns the columns of Φ in the block that begins at column first,
// without the rows that a step need not read.
func (l Layout) embedding(phi, first *graph.Node) *graph.Node {
	if l.Blocks() == 1 {
		return l.IndependentRows(phi)
	}
	dims := []int{l.phiRows(), l.Block}
	return graph.DynamicSlice(phi, lastAxis(phi, first), dims)
}

// columns returns size columns of m beginning at column first. If there is only
// one block, it returns m.
func (l Layout) columns(m, first *graph.Node, size int) *graph.Node {
	if l.Blocks() == 1 {
		return m
	}
	dims := append([]int{}, m.Shape().Dimensions...)
	dims[len(dims)-1] = size
	return graph.DynamicSlice(m, lastAxis(m, first), dims)
}

// replaceColumns replaces the columns of m beginning at column first by values.
// If there is only one block, it returns values.
func (l Layout) replaceColumns(m, values, first *graph.Node) *graph.Node {
	if l.Blocks() == 1 {
		return values
	}
	return graph.DynamicUpdateSlice(m, values, lastAxis(m, first))
}

// lastAxis returns the start indices of a slice that begins at index of the
// last axis, and at 0 on all other axes.
func lastAxis(m, index *graph.Node) []*graph.Node {
	position := make([]*graph.Node, m.Rank())
	for i := range position {
		position[i] = graph.Const(m.Graph(), int32(0))
	}
	position[m.Rank()-1] = index
	return position
}

// Zeros returns a float32 node of zeros, such as the initial value of a carried
// node.
func Zeros(g *graph.Graph, dims ...int) *graph.Node {
	return graph.BroadcastToShape(graph.Const(g, float32(0)), shapes.Make(dtypes.Float32, dims...))
}

// zerosLike returns zeros in the shapes of nodes, as initial values of their
// sums.
func zerosLike(nodes ...*graph.Node) []*graph.Node {
	list := make([]*graph.Node, len(nodes))
	for i, n := range nodes {
		list[i] = Zeros(n.Graph(), n.Shape().Dimensions...)
	}
	return list
}

// addEach adds each value to its sum and returns the new sums. If sums is nil,
// it returns values.
func addEach(sums, values []*graph.Node) []*graph.Node {
	if sums == nil {
		return values
	}
	for i := range values {
		values[i] = graph.Add(sums[i], values[i])
	}
	return values
}

// A loop body cannot share a reduction with the code around it, because go-xla
// keeps one reduction of each kind per program, in the function that used it
// first. So with several blocks we write sums as products with ones. And we
// write a maximum as a negated minimum, because a step uses no other minimum.

// sumOverFeatures sums the last axis of m. letters names the axes of m, one
// letter each, for Einsum.
func (l Layout) sumOverFeatures(m *graph.Node, letters string) *graph.Node {
	if l.Blocks() == 1 {
		return graph.ReduceSum(m, -1)
	}
	columns := letters[len(letters)-1:]
	ones := graph.BroadcastToShape(graph.Const(m.Graph(), float32(1)),
		shapes.Make(dtypes.Float32, m.Shape().Dim(-1)))
	return graph.Einsum(letters+","+columns+"->"+letters[:len(letters)-1], m, ones)
}

// maxOverFeatures returns the largest entry of each row. It keeps the axis.
func (l Layout) maxOverFeatures(m *graph.Node) *graph.Node {
	if l.Blocks() == 1 {
		return graph.ReduceAndKeep(m, graph.ReduceMax, -1)
	}
	return graph.Neg(graph.ReduceAndKeep(graph.Neg(m), graph.ReduceMin, -1))
}
