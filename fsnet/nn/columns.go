package nn

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Element is element i of the last axis of a vector, as a scalar.
func Element(x *graph.Node, i int) *graph.Node {
	return graph.Reshape(graph.SliceAxis(x, -1, graph.AxisElem(i)))
}

// WithoutPadding has another number where m, the columns from first on, has columns from d on (scalars, int32).
func WithoutPadding(m, first, d *graph.Node, instead float32) *graph.Node {
	g := m.Graph()
	at := graph.Iota(g, shapes.Make(dtypes.Int32, m.Shape().Dimensions...), -1)
	at = graph.Add(at, graph.BroadcastToShape(first, at.Shape()))
	return graph.Where(graph.LessThan(at, graph.BroadcastToShape(d, at.Shape())), m,
		graph.BroadcastToShape(graph.Const(g, instead), m.Shape()))
}
