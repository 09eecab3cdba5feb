package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// The noise is counter-based: element i of a draw is a hash of (seed, purpose, step, i), computed element by element inside the graph,
// where XLA fuses it into what uses it. There is no generator state, so any step can be made again on its own.
//
// The hash is two rounds of Wellons's lowbias32 (an exhaustively searched 32-bit avalanche function of two multiplications and three
// xor-shifts), each keyed: mix(mix(i ⊕ k0) + k1), with (k0, k1) derived from (seed, purpose, step) by the same function.
const (
	mixMultiplier1 = uint32(0x7feb352d)
	mixMultiplier2 = uint32(0x846ca68b)
	golden         = uint32(0x9e3779b9) // 2³²/φ: sends small integers far apart
)

// A purpose separates draws of the same step.
type purpose uint32

const (
	purposeGumbel  purpose = 1
	purposeDropout purpose = 16 // plus the number of the hidden layer
)

// mix is lowbias32 on a graph node of unsigned integers.
func mix(x *graph.Node) *graph.Node {
	g := x.Graph()
	shift := func(x *graph.Node, bits uint32) *graph.Node {
		return graph.BitwiseXor(x, graph.BitwiseShiftRightLogical(x, graph.Const(g, bits)))
	}
	x = graph.Mul(shift(x, 16), graph.Const(g, mixMultiplier1))
	x = graph.Mul(shift(x, 15), graph.Const(g, mixMultiplier2))
	return shift(x, 16)
}

// noiseKey holds the two words that key a draw, as scalar nodes. A replica has its own: its draw is that of its seed alone.
type noiseKey struct{ k0, k1 *graph.Node }

// newNoiseKey derives a key from the seed (two words, shape [2]), the purpose and the step (a scalar), all uint32.
func newNoiseKey(seed, step *graph.Node, use purpose) noiseKey {
	g := seed.Graph()
	fold := func(k, v *graph.Node) *graph.Node {
		return mix(graph.Add(graph.Mul(k, graph.Const(g, mixMultiplier1)), graph.Mul(v, graph.Const(g, golden))))
	}
	k := fold(fold(element(seed, 0), element(seed, 1)), graph.Const(g, uint32(use)))
	k0 := fold(k, step)
	return noiseKey{k0: k0, k1: mix(graph.Add(k0, graph.Const(g, golden)))}
}

// uniform is a draw of the given dimensions in [2⁻²⁴, 1 − 2⁻²⁴], float32: the middles of 2²³ equal intervals.
func (k noiseKey) uniform(dims ...int) *graph.Node {
	g := k.k0.Graph()
	index := flatIndex(g, k.k0, dims...)
	bits := mix(graph.Add(mix(graph.BitwiseXor(index, spread(k.k0, index))), spread(k.k1, index)))
	// The upper 23 bits become the mantissa of a number in [1, 2).
	one := graph.Const(g, uint32(0x3f800000))
	x := graph.Bitcast(graph.BitwiseOr(graph.BitwiseShiftRightLogical(bits, graph.Const(g, uint32(9))), one), dtypes.Float32)
	return graph.Sub(x, graph.Const(g, float32(1-1.0/(1<<24))))
}

// gumbel is a draw from the standard Gumbel distribution, −log(−log u).
func (k noiseKey) gumbel(dims ...int) *graph.Node {
	return graph.Neg(graph.Log(graph.Neg(graph.Log(k.uniform(dims...)))))
}

// flatIndex numbers the elements of each replica's draw row by row, uint32. key is scalar, or has one word for each replica.
func flatIndex(g *graph.Graph, key *graph.Node, dims ...int) *graph.Node {
	shape := shapes.Make(dtypes.Uint32, replicated(key, 0, dims...)...)
	column := graph.Iota(g, shape, shape.Rank()-1)
	if len(dims) == 1 {
		return column
	}
	row := graph.Iota(g, shape, shape.Rank()-2)
	return graph.Add(graph.Mul(row, graph.Const(g, uint32(dims[1]))), column)
}

// seedWords splits a seed for the graph.
func seedWords(seed int64) []uint32 {
	return []uint32{uint32(uint64(seed)), uint32(uint64(seed) >> 32)}
}
