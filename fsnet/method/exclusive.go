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
// sharpness is σ, a scalar. The surer of two selectors is that with the larger probability of its leader.
func Exclusive(z, sharpness *graph.Node) *graph.Node {
	g := z.Graph()
	constant := func(v float64) *graph.Node { return graph.Const(g, float32(v)) }
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, dtypes.Float32) }
	sharp := nn.Spread(number(graph.GreaterThan(sharpness, graph.BroadcastToShape(constant(1), sharpness.Shape()))), z)
	weight := graph.Mul(sharp, constant(excluded))
	k := z.Shape().Dim(-2)
	pair := shapes.Make(dtypes.Int32, nn.Replicated(z, 2, k, k)...)
	earlier := number(graph.LessThan(graph.Iota(g, pair, -1), graph.Iota(g, pair, -2)))
	out := z
	for range exclusiveRounds {
		fixed := graph.StopGradient(out)
		top := graph.ReduceAndKeep(fixed, graph.ReduceMax, -1)
		leads := number(graph.Equal(fixed, graph.BroadcastToShape(top, fixed.Shape())))
		sure := graph.Neg(graph.ReduceAndKeep(graph.Exp(graph.Sub(fixed, top)), graph.ReduceSum, -1)) // −1/P of the leader, K×1
		mine, theirs := graph.BroadcastToShape(sure, earlier.Shape()), graph.BroadcastToShape(graph.Transpose(sure, -2, -1), earlier.Shape())
		surer := graph.Add(number(graph.GreaterThan(theirs, mine)), graph.Mul(number(graph.Equal(theirs, mine)), earlier))
		taken := graph.Min(nn.Einsum("kl,ld->kd", surer, leads), graph.BroadcastToShape(constant(1), z.Shape()))
		out = graph.Sub(z, graph.Mul(taken, weight))
	}
	return out
}
