package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

const (
	exclusiveRounds = 6   // a selector that gives way may meet another one
	excluded        = 1e9 // taken from a logit
)

// Exclusive takes from each selector the features that surer ones lead with, once the sharpness is above 1: else two of them settle on
// one feature, of which the unique argmax gives the second something that it was never trained with. z is σ log δ, K×d, −∞ for padding;
// sharpness is σ, a scalar. The surer of two selectors is that with the larger probability of its leader, and they are asked again after each
// taking, six times, for one that has moved may be surer then. That can leave two where they change places for ever, or many alike: at last
// each is gone through once, the surest first, and leads with the best of what those before it left. So no two lead with one feature, where
// there are enough that differ.
//
// groups, which may be nil, is the group of each feature, d, from 1, 0 for none: of a group that limit surer selectors lead in, a selector
// loses all features. Who is surer there is what z says, whatever is taken: a selector that left a group may be sure of what it found
// instead, and must not come back for that.
func Exclusive(z, sharpness, groups *graph.Node, limit int) *graph.Node {
	g := z.Graph()
	constant := func(v float64) *graph.Node { return graph.Const(g, float32(v)) }
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, dtypes.Float32) }
	sharp := nn.Spread(number(graph.GreaterThan(sharpness, graph.BroadcastToShape(constant(1), sharpness.Shape()))), z)
	weight := graph.Mul(sharp, constant(excluded))
	k := z.Shape().Dim(-2)
	pair := shapes.Make(dtypes.Int32, nn.Replicated(z, 2, k, k)...)
	earlier := number(graph.LessThan(graph.Iota(g, pair, -1), graph.Iota(g, pair, -2)))
	out, lost := z, z
	var first *graph.Node // surer, by z
	for range exclusiveRounds {
		fixed := graph.StopGradient(out)
		top := graph.ReduceAndKeep(fixed, graph.ReduceMax, -1)
		leads := number(graph.Equal(fixed, graph.BroadcastToShape(top, fixed.Shape())))
		sure := graph.Neg(graph.ReduceAndKeep(graph.Exp(graph.Sub(fixed, top)), graph.ReduceSum, -1)) // −1/P of the leader, K×1
		mine, theirs := graph.BroadcastToShape(sure, earlier.Shape()), graph.BroadcastToShape(graph.Transpose(sure, -2, -1), earlier.Shape())
		surer := graph.Add(number(graph.GreaterThan(theirs, mine)), graph.Mul(number(graph.Equal(theirs, mine)), earlier))
		taken := nn.Einsum("kl,ld->kd", surer, leads)
		if groups != nil {
			if first == nil {
				first = surer
			}
			full := graph.BroadcastToShape(constant(float64(limit)-0.5), z.Shape())
			taken = graph.Add(taken, number(graph.GreaterThan(nn.Einsum("kl,ld->kd", first, beside(leads, groups)), full)))
		}
		lost = graph.Min(taken, graph.BroadcastToShape(constant(1), z.Shape()))
		out = graph.Sub(z, graph.Mul(lost, weight))
	}
	lost = graph.Max(lost, walked(graph.StopGradient(out)))
	return graph.Sub(z, graph.Mul(lost, weight))
}

// walked goes through the selectors of z, the surest first, and is 1 for what those before a selector lead with, K×d.
func walked(z *graph.Node) *graph.Node {
	constant := func(v float64) *graph.Node { return graph.Const(z.Graph(), float32(v)) }
	order, place := surest(z)
	sorted := rowsAt(z, order)
	before := make([]*graph.Node, z.Shape().Dim(-2))
	var taken *graph.Node
	for k := range before {
		row := graph.SliceAxis(sorted, -2, graph.AxisElem(k))
		if k == 0 {
			taken = graph.BroadcastToShape(constant(0), row.Shape())
		}
		before[k] = taken
		row = graph.Sub(row, graph.Mul(taken, constant(excluded)))
		top := graph.BroadcastToShape(graph.ReduceAndKeep(row, graph.ReduceMax, -1), row.Shape())
		taken = graph.Max(taken, graph.ConvertDType(graph.Equal(row, top), dtypes.Float32))
	}
	return rowsAt(graph.Concatenate(before, -2), place)
}

// surest are the selectors of z by falling probability of their leaders, equal ones in their order, and the place of each selector there:
// K, int32.
func surest(z *graph.Node) (order, place *graph.Node) {
	g := z.Graph()
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, dtypes.Int32) }
	top := graph.ReduceAndKeep(z, graph.ReduceMax, -1)
	sure := graph.Neg(graph.ReduceAndKeep(graph.Exp(graph.Sub(z, top)), graph.ReduceSum, -1)) // −1/P of the leader, K×1
	k := z.Shape().Dim(-2)
	pair := shapes.Make(dtypes.Int32, nn.Replicated(z, 2, k, k)...)
	row, column := graph.Iota(g, pair, -2), graph.Iota(g, pair, -1)
	mine, theirs := graph.BroadcastToShape(sure, wide(pair)), graph.BroadcastToShape(graph.Transpose(sure, -2, -1), wide(pair))
	before := graph.Or(graph.GreaterThan(theirs, mine), graph.And(graph.Equal(theirs, mine), graph.LessThan(column, row)))
	place = graph.ReduceSum(number(before), -1)
	at := number(graph.Equal(graph.BroadcastToShape(graph.ExpandAxes(place, -1), pair), column)) // [k, r]: selector k is at place r
	return graph.ReduceSum(graph.Mul(at, row), -2), place
}

// wide is a shape with float32 in the place of its numbers.
func wide(s shapes.Shape) shapes.Shape { return shapes.Make(dtypes.Float32, s.Dimensions...) }

// rowsAt are the rows of m, K×d, at K indices, of each replica its own.
func rowsAt(m, indices *graph.Node) *graph.Node {
	k, d := m.Shape().Dim(-2), m.Shape().Dim(-1)
	if m.Rank() > 2 {
		first := graph.Mul(graph.Iota(m.Graph(), indices.Shape(), 0), graph.Const(m.Graph(), int32(k)))
		indices = graph.Add(indices, first)
	}
	flat := graph.Gather(graph.Reshape(m, m.Shape().Size()/d, d), graph.Reshape(indices, indices.Shape().Size(), 1))
	return graph.Reshape(flat, m.Shape().Dimensions...)
}

// beside is 1 for the features of the group that a selector's leader is of, K×d, and 0 everywhere where it is of none.
func beside(leads, groups *graph.Node) *graph.Node {
	g := leads.Graph()
	wide := graph.BroadcastToShape(graph.ExpandAxes(groups, -2), leads.Shape())
	own := graph.ReduceAndKeep(graph.Mul(leads, wide), graph.ReduceMax, -1)
	same := graph.ConvertDType(graph.Equal(wide, graph.BroadcastToShape(own, wide.Shape())), dtypes.Float32)
	some := graph.GreaterThan(own, graph.BroadcastToShape(graph.Const(g, float32(0)), own.Shape()))
	return graph.Mul(same, graph.BroadcastToShape(graph.ConvertDType(some, dtypes.Float32), wide.Shape()))
}
