package nn

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// LeakySlope is the negative slope of LeakyReLU in the authors' program.
const LeakySlope = 0.2

// LeakyReLU is max(x, 0.2 x).
func LeakyReLU(x *graph.Node) *graph.Node {
	return graph.Max(x, graph.Mul(x, graph.Const(x.Graph(), float32(LeakySlope))))
}

// Dense is x W + b: x is B×in, W in×out, b out; the result is B×out.
func Dense(x, w, b *graph.Node) *graph.Node {
	return graph.Add(graph.Einsum("bi,io->bo", x, w), graph.ExpandAxes(b, -2))
}

// Dropout zeroes units with probability p and divides the others by 1 − p, so that the expectation stays. x is B×units, p a scalar node.
func Dropout(x *graph.Node, key NoiseKey, p *graph.Node) *graph.Node {
	return dropped(x, key.uniform(x.Shape().Dimensions...), p)
}

// dropped is dropout by a uniform draw.
func dropped(x, uniform, p *graph.Node) *graph.Node {
	keep := graph.GreaterOrEqual(uniform, p)
	return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
}

// LeakySlopeAt is LeakyReLU's derivative where it gave y.
func LeakySlopeAt(y *graph.Node) *graph.Node {
	constant := func(v float32) *graph.Node { return graph.BroadcastToShape(graph.Const(y.Graph(), v), y.Shape()) }
	return graph.Where(graph.GreaterThan(y, constant(0)), constant(1), constant(LeakySlope))
}

// LogSoftmax is over the last axis.
func LogSoftmax(scores *graph.Node) *graph.Node {
	shifted := graph.Sub(scores, graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, -1)))
	return graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
}
