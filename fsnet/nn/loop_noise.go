package nn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/internal/noise"
)

// Noise keys the draws of a step, which are counter-based, as FsNet's (internal/noise).
type Noise struct{ key noise.Key }

// Noise is that of the step for a purpose; draws of different purposes do not depend on one another.
func (in In) Noise(purpose uint32) Noise {
	return Noise{NewNoiseKey(in.Seed, in.Step, Purpose(purpose)).Key}
}

// Uniform is a draw of one or two dimensions from [2⁻²⁴, 1 − 2⁻²⁴]: the middles of 2²³ equal intervals.
func (n Noise) Uniform(dims ...int) *graph.Node { return noise.Uniform(n.mantissa(dims...)) }

// Gumbel is a draw from the standard Gumbel distribution, −log(−log u).
func (n Noise) Gumbel(dims ...int) *graph.Node { return noise.Gumbel(n.mantissa(dims...)) }

func (n Noise) mantissa(dims ...int) *graph.Node {
	g := n.key.K0.Graph()
	shape := shapes.Make(dtypes.Uint32, dims...)
	index := graph.Iota(g, shape, len(dims)-1)
	if len(dims) == 2 {
		index = graph.Add(graph.Mul(graph.Iota(g, shape, 0), graph.Const(g, uint32(dims[1]))), index)
	}
	return noise.Mantissa(graph.BitwiseXor(index, n.key.K0), n.key.K1)
}

// Normal is a draw from the standard normal distribution, √(−2 log u) cos(2π v) with the v of another purpose (Box and Muller).
func (in In) Normal(purpose uint32, dims ...int) *graph.Node {
	u, v := in.Noise(purpose).Uniform(dims...), in.Noise(purpose+1).Uniform(dims...)
	g := u.Graph()
	radius := graph.Sqrt(graph.Mul(graph.Log(u), graph.Const(g, float32(-2))))
	return graph.Mul(radius, graph.Cos(graph.Mul(v, graph.Const(g, float32(2*math.Pi)))))
}

// Dropout zeroes the units of x, B×units, with probability p, a scalar, and divides the others by 1 − p, so that the expectation stays.
func (in In) Dropout(purpose uint32, x, p *graph.Node) *graph.Node {
	return dropped(x, in.Noise(purpose).Uniform(x.Shape().Dimensions...), p)
}
