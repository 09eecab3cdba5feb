package nn

import (
	"fmt"
	"math/bits"

	"github.com/gomlx/gomlx/core/graph"
)

// KnownCounts reports whether the programs of a backend know how many steps
// a call makes when they are compiled. If a GPU has to compute that number,
// it copies it to the host and waits there before each round of the loop. On
// a processor one program for all numbers is as fast, and is compiled once.
func KnownCounts(backend string) bool { return backend == "xla:cuda" }

// CallOf returns the number of steps in the next call, out of remaining and no
// more than most, and the number of steps that its inputs have room for. If
// counts are known at compile time, a call of several steps takes a power of
// two below most, and its inputs have exactly that room, so that a few programs
// cover every count. A single step uses the program with room for most steps,
// whose count is not known at compile time: XLA would unroll a loop of one
// round, fuse it with the code around it, and then round differently.
func CallOf(known bool, remaining, most int) (steps, room int) {
	steps = min(remaining, most)
	if !known {
		return steps, most
	}
	if steps = min(steps, most-1); steps > 1 {
		steps = 1 << (bits.Len(uint(steps)) - 1)
		return steps, steps
	}
	return 1, most
}

// Count returns how many rounds a loop over the rows of a table makes if a
// call makes at most most: count, an int32 scalar, or all rows if they are
// fewer than most (CallOf).
func Count(table *graph.Node, most int, count *graph.Node) *graph.Node {
	if rows := table.Shape().Dim(0); rows < most {
		return graph.Const(table.Graph(), int32(rows))
	}
	return count
}

// While makes as many rounds as count says, an int32 scalar. round gets the
// number of the round, an int32 scalar from 0, and the state, and returns
// the next state, with the same shapes. count may depend on what round does
// not change. While returns the last state.
//
// A round sees only its state: it cannot capture nodes of the surrounding
// graph. GoMLX caches the scalars of Scalar, Zeros, AddScalar and similar
// functions for a graph and its closures together. If you make one first
// outside, or in the condition, it does not belong to the function of the
// round. So use graph.Const there.
func While(state []*graph.Node, count func(state []*graph.Node) *graph.Node,
	round func(i *graph.Node, state []*graph.Node) []*graph.Node) []*graph.Node {
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
		return []*graph.Node{graph.LessThan(s[0], count(s[1:]))}
	})
	body := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := parameters(g)
		next := round(s[0], s[1:])
		return append([]*graph.Node{graph.Add(s[0], graph.Const(g, int32(1)))}, next...)
	})
	return graph.While(condition, body, all...)[1:]
}

// Row returns row i of a table of rank 1 or more, in the shape of the table
// without the first axis.
func Row(table, i *graph.Node) *graph.Node {
	dims := append([]int{}, table.Shape().Dimensions...)
	dims[0] = 1
	return graph.Reshape(graph.DynamicSlice(table, first(table, i), dims), dims[1:]...)
}

// SetRow returns the table with row i replaced by row. row has the shape of
// the table without the first axis.
func SetRow(table, row, i *graph.Node) *graph.Node {
	return graph.DynamicUpdateSlice(table, graph.ExpandAxes(row, 0), first(table, i))
}

// first returns the position i on the first axis and 0 on the others.
func first(table, i *graph.Node) []*graph.Node {
	index := make([]*graph.Node, table.Rank())
	for axis := range index {
		index[axis] = graph.Const(i.Graph(), int32(0))
	}
	index[0] = i
	return index
}
