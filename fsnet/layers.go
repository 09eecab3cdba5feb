package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// leakySlope is the negative slope of LeakyReLU in the authors' program.
const leakySlope = 0.2

// LeakyReLU is max(x, 0.2 x).
func LeakyReLU(x *graph.Node) *graph.Node {
	return graph.Max(x, graph.Mul(x, graph.Const(x.Graph(), float32(leakySlope))))
}

// Dense is x W + b: x is B×in, W in×out, b out; the result is B×out.
func Dense(x, w, b *graph.Node) *graph.Node {
	return graph.Add(einsum("bi,io->bo", x, w), graph.ExpandAxes(b, -2))
}

// dropout zeroes units with probability p and divides the others by 1 − p, so that the expectation stays. x is B×units, p a scalar node.
func dropout(x *graph.Node, key noiseKey, p *graph.Node) *graph.Node {
	p = spread(p, x)
	keep := graph.GreaterOrEqual(key.uniform(x.Shape().Dimensions[x.Rank()-2:]...), p)
	return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
}

// leakySlopeAt is LeakyReLU's derivative where it gave y.
func leakySlopeAt(y *graph.Node) *graph.Node {
	constant := func(v float32) *graph.Node { return graph.BroadcastToShape(graph.Const(y.Graph(), v), y.Shape()) }
	return graph.Where(graph.GreaterThan(y, constant(0)), constant(1), constant(leakySlope))
}

// logSoftmax is over the last axis.
func logSoftmax(scores *graph.Node) *graph.Node {
	shifted := graph.Sub(scores, graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, -1)))
	return graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
}
