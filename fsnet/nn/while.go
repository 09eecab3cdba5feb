package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// While runs round as long as more, a bool scalar, is true; more is asked before the first round,
// too. Both get the number of the round, an int32 scalar from 0, and the state; round returns the
// next state, of the same shapes. While returns the last state and the number of rounds.
//
// A round sees only its state: it cannot capture nodes of the surrounding graph. GoMLX caches the
// scalars of Scalar, Zeros, AddScalar and the like for a graph and its closures together, and one
// first made outside, or in the condition, does not belong to the round's function: use graph.Const
// there.
func While(state []*graph.Node, more func(i *graph.Node, state []*graph.Node) *graph.Node,
	round func(i *graph.Node, state []*graph.Node) []*graph.Node) (last []*graph.Node, made *graph.Node) {
	g := state[0].Graph()
	all := append([]*graph.Node{graph.Const(g, int32(0))}, state...)
	parameters := func(g *graph.Graph) []*graph.Node {
		nodes := make([]*graph.Node, len(all))
		for i, s := range all {
			nodes[i] = graph.Parameter(g, fmt.Sprintf("state%d", i), s.Shape())
		}
		return nodes
	}
	condition := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := parameters(g)
		return []*graph.Node{more(s[0], s[1:])}
	})
	body := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := parameters(g)
		next := round(s[0], s[1:])
		return append([]*graph.Node{graph.Add(s[0], graph.Const(g, int32(1)))}, next...)
	})
	out := graph.While(condition, body, all...)
	return out[1:], out[0]
}

// Row returns row i of a table of rank 1 or more: the table's shape without the first axis.
func Row(table, i *graph.Node) *graph.Node {
	dims := append([]int{}, table.Shape().Dimensions...)
	dims[0] = 1
	return graph.Reshape(graph.DynamicSlice(table, first(table, i), dims), dims[1:]...)
}

// SetRow returns the table with row i replaced by row, which has the table's shape without the
// first axis.
func SetRow(table, row, i *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(table, graph.ExpandAxes(row, 0), first(table, i))
}

// first returns the position i on the first axis and 0 on the others.
func first(table, i *graph.Node) []*graph.Node {
	at := make([]*graph.Node, table.Rank())
	for axis := range at {
		at[axis] = graph.Const(i.Graph(), int32(0))
	}
	at[0] = i
	return at
}
