package repair

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

const (
	exclusiveRounds = 6   // a selector that is displaced may meet another one
	excluded        = 1e9 // subtracted from a logit
)

// Exclusive masks, for each selector, the features that more confident
// selectors lead with, once the sharpness exceeds 1. Without it two selectors
// may settle on one feature, and the unique argmax would give the second one a
// feature that its network was never trained with. z is σ log δ (K×d, −∞ for
// padding), and sharpness is σ, a scalar. A selector is more confident than
// another if its leader has a larger probability.
//
// groups (d) holds the group of each feature from 1, or 0; nil means that there
// are no groups. If limit more confident selectors lead in a group, a selector
// loses all features of the group. For groups we compare the confidence by z,
// regardless of masks. Otherwise a selector that left a group might be
// confident of its new feature and come back for that reason.
func Exclusive(z, sharpness, groups *graph.Node, limit int) *graph.Node {
	g := z.Graph()
	constant := func(v float64) *graph.Node { return graph.Const(g, float32(v)) }
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, dtypes.Float32) }
	sharp := number(graph.GreaterThan(sharpness, graph.BroadcastToShape(constant(1), sharpness.Shape())))
	weight := graph.Mul(sharp, constant(excluded))
	k := z.Shape().Dim(-2)
	wide := func(n *graph.Node) *graph.Node { return graph.BroadcastToShape(n, z.Shape()) }
	pair := shapes.Make(dtypes.Int32, k, k)
	earlier := number(graph.LessThan(graph.Iota(g, pair, -1), graph.Iota(g, pair, -2)))
	last := constant(float64(k))

	out := z
	var first *graph.Node // more confident by z
	for range exclusiveRounds {
		fixed := graph.StopGradient(out)
		top := graph.ReduceAndKeep(fixed, graph.ReduceMax, -1)
		leads := graph.Equal(fixed, wide(top))
		// −1/P of the leader, K×1.
		sure := graph.Neg(graph.ReduceAndKeep(graph.Exp(graph.Sub(fixed, top)), graph.ReduceSum, -1))
		mine, theirs := graph.BroadcastToShape(sure, earlier.Shape()), graph.BroadcastToShape(graph.Transpose(sure, -2, -1), earlier.Shape())
		surer := graph.Add(number(graph.GreaterThan(theirs, mine)), graph.Mul(number(graph.Equal(theirs, mine)), earlier))
		// Selectors have places from 0, the most confident, to K−1. A selector
		// loses every feature that a selector in an earlier place leads with. A
		// selector that has lost all features leads with none.
		place := graph.ReduceAndKeep(surer, graph.ReduceSum, -1)
		leader := graph.Where(graph.Equal(sure, sure), place, graph.BroadcastToShape(last, place.Shape()))
		lowest := graph.ReduceAndKeep(graph.Where(leads, wide(leader), wide(last)), graph.ReduceMin, -2)
		taken := number(graph.LessThan(wide(lowest), wide(place)))
		if groups != nil {
			if first == nil {
				first = surer
			}
			full := wide(constant(float64(limit) - 0.5))
			taken = graph.Max(taken, number(graph.GreaterThan(graph.Einsum("kl,ld->kd", first, sameGroup(number(leads), groups)), full)))
		}
		out = graph.Sub(z, graph.Mul(taken, weight))
	}
	return out
}

// sameGroup returns 1 for the features in the group of a selector's leader and
// 0 for all others, K×d. If the leader has no group, the row is 0.
func sameGroup(leads, groups *graph.Node) *graph.Node {
	g := leads.Graph()
	wide := graph.BroadcastToShape(graph.ExpandAxes(groups, -2), leads.Shape())
	own := graph.ReduceAndKeep(graph.Mul(leads, wide), graph.ReduceMax, -1)
	same := graph.ConvertDType(graph.Equal(wide, graph.BroadcastToShape(own, wide.Shape())), dtypes.Float32)
	some := graph.GreaterThan(own, graph.BroadcastToShape(graph.Const(g, float32(0)), own.Shape()))
	return graph.Mul(same, graph.BroadcastToShape(graph.ConvertDType(some, dtypes.Float32), wide.Shape()))
}
