package nn

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// While makes rounds as long as more, a scalar bool, says so, which is also asked before the first one: the number of the round, a
// scalar int32 from 0, and the state go in, what round returns is the next state, of the same shapes. It returns the last state and how
// many rounds were made.
//
// A round sees its state alone: nodes of the graph around it cannot be captured. GoMLX keeps the scalars of Scalar, Zeros, AddScalar and the
// like once for a graph and its closures; one that was first made outside, or in the condition, is not of the round's function: use
// graph.Const there.
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

// Row is row i of a table of any rank from 1 on: its shape without the first axis.
func Row(table, i *graph.Node) *graph.Node {
	dims := append([]int{}, table.Shape().Dimensions...)
	dims[0] = 1
	return graph.Reshape(graph.DynamicSlice(table, first(table, i), dims), dims[1:]...)
}

// SetRow is the table with another row i.
func SetRow(table, row, i *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(table, graph.ExpandAxes(row, 0), first(table, i))
}

// first is position i on the first axis, and 0 on the others.
func first(table, i *graph.Node) []*graph.Node {
	at := make([]*graph.Node, table.Rank())
	for axis := range at {
		at[axis] = graph.Const(i.Graph(), int32(0))
	}
	at[0] = i
	return at
}
