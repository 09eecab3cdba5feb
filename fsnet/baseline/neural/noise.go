package neural

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Noise is counter-based, as FsNet's: element i of a draw is a hash of (seed, purpose, step, i), computed element by element in the graph,
// so that there is no generator state and XLA merges it with what uses it. The hash is two keyed rounds of Wellons's lowbias32.
type Noise struct{ k0, k1 *graph.Node }

const (
	mixMultiplier1 = uint32(0x7feb352d)
	mixMultiplier2 = uint32(0x846ca68b)
	golden         = uint32(0x9e3779b9) // 2³²/φ: sends small integers far apart
)

func mix(x *graph.Node) *graph.Node {
	g := x.Graph()
	shift := func(x *graph.Node, bits uint32) *graph.Node {
		return graph.BitwiseXor(x, graph.BitwiseShiftRightLogical(x, graph.Const(g, bits)))
	}
	x = graph.Mul(shift(x, 16), graph.Const(g, mixMultiplier1))
	x = graph.Mul(shift(x, 15), graph.Const(g, mixMultiplier2))
	return shift(x, 16)
}

// Noise is that of the step for a purpose; draws of different purposes do not depend on one another.
func (in In) Noise(purpose uint32) Noise {
	g := in.Seed.Graph()
	word := func(i int) *graph.Node { return graph.Reshape(graph.SliceAxis(in.Seed, 0, graph.AxisElem(i))) }
	fold := func(k, v *graph.Node) *graph.Node {
		return mix(graph.Add(graph.Mul(k, graph.Const(g, mixMultiplier1)), graph.Mul(v, graph.Const(g, golden))))
	}
	k0 := fold(fold(fold(word(0), word(1)), graph.Const(g, purpose)), in.Step)
	return Noise{k0, mix(graph.Add(k0, graph.Const(g, golden)))}
}

// Uniform is a draw of one or two dimensions from [2⁻²⁴, 1 − 2⁻²⁴]: the middles of 2²³ equal intervals.
func (n Noise) Uniform(dims ...int) *graph.Node {
	g := n.k0.Graph()
	shape := shapes.Make(dtypes.Uint32, dims...)
	index := graph.Iota(g, shape, len(dims)-1)
	if len(dims) == 2 {
		index = graph.Add(graph.Mul(graph.Iota(g, shape, 0), graph.Const(g, uint32(dims[1]))), index)
	}
	bits := mix(graph.Add(mix(graph.BitwiseXor(index, n.k0)), n.k1))
	// The upper 23 bits become the mantissa of a number in [1, 2).
	x := graph.Bitcast(graph.BitwiseOr(graph.BitwiseShiftRightLogical(bits, graph.Const(g, uint32(9))), graph.Const(g, uint32(0x3f800000))), dtypes.Float32)
	return graph.Sub(x, graph.Const(g, float32(1-1.0/(1<<24))))
}

// Gumbel is a draw from the standard Gumbel distribution, −log(−log u).
func (n Noise) Gumbel(dims ...int) *graph.Node {
	return graph.Neg(graph.Log(graph.Neg(graph.Log(n.Uniform(dims...)))))
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
	keep := graph.GreaterOrEqual(in.Noise(purpose).Uniform(x.Shape().Dimensions...), p)
	return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
}
