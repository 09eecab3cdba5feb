package nn

import (
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// The functions of the step are written for one training. What they read and return may have one axis more in front, of R replicas, each
// with its own parameters, data, seed and hyperparameters: nothing is added up over that axis. Axes are therefore counted from the end,
// and these few helpers carry the leading axis along; without it they are the plain operations.

// leading are the dimensions before the last rank ones: those of the replicas, or none.
func leading(x *graph.Node, rank int) []int { return x.Shape().Dimensions[:x.Rank()-rank] }

// Replicated are dims behind the leading dimensions of like, which has the given rank in a single training.
func Replicated(like *graph.Node, rank int, dims ...int) []int {
	return slices.Concat(leading(like, rank), dims)
}

// Reshape changes the shape of each replica's part of x, which has the given rank in a single training.
func Reshape(x *graph.Node, rank int, dims ...int) *graph.Node {
	return graph.Reshape(x, Replicated(x, rank, dims...)...)
}

// Element is element i of the last axis.
func Element(x *graph.Node, i int) *graph.Node {
	return Reshape(graph.SliceAxis(x, -1, graph.AxisElem(i)), 1)
}

// Spread lets a scalar of each replica be combined with what has more axes.
func Spread(scalar, with *graph.Node) *graph.Node {
	if scalar.IsScalar() {
		return scalar
	}
	for scalar.Rank() < with.Rank() {
		scalar = graph.ExpandAxes(scalar, -1)
	}
	return scalar
}

// Einsum is graph.Einsum within each replica: the equation is that of a single training.
func Einsum(equation string, lhs, rhs *graph.Node) *graph.Node {
	operands, result, _ := strings.Cut(equation, "->")
	first, second, _ := strings.Cut(operands, ",")
	if lhs.Rank() > len(first) {
		equation = "r" + first + ",r" + second + "->r" + result
	}
	return graph.Einsum(equation, lhs, rhs)
}

// WithoutPadding has another number where m, the columns from first on, has columns from d on (scalars, int32).
func WithoutPadding(m, first, d *graph.Node, instead float32) *graph.Node {
	g := m.Graph()
	at := graph.Iota(g, shapes.Make(dtypes.Int32, m.Shape().Dimensions...), -1)
	at = graph.Add(at, graph.BroadcastToShape(first, at.Shape()))
	return graph.Where(graph.LessThan(at, graph.BroadcastToShape(d, at.Shape())), m,
		graph.BroadcastToShape(graph.Const(g, instead), m.Shape()))
}
