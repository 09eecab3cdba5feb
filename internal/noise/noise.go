// Package noise is the hash behind all that is random inside a graph.
//
// # Basics
//
// A draw is counter-based: its element i is a hash of a [Key], which stands for (seed, purpose, step), and of i, computed element by element
// inside the graph, where XLA merges it with what uses it. There is no generator state, so any step can be made again on its own.
//
// The hash is two rounds of Wellons's lowbias32 (an exhaustively searched 32-bit avalanche function of two multiplications and three
// xor-shifts), each keyed: mix(mix(i') + K1), where i' combines i with K0.
//
// # Caveats
//
// How i and K0 are combined is the caller's: FsNet's step adds them, so that XLA keeps no table of the indices.
package noise

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

const (
	mixMultiplier1 = uint32(0x7feb352d)
	mixMultiplier2 = uint32(0x846ca68b)
	golden         = uint32(0x9e3779b9) // 2³²/φ: sends small integers far apart
)

// AlmostOne is 1 − 2⁻²⁴: a number in [1, 2) of 23 random bits less it is the middle of one of 2²³ equal intervals of [0, 1).
const AlmostOne = float32(1 - 1.0/(1<<24))

// Key holds the two words that key a draw, uint32: scalars, or with an axis of replicas.
type Key struct{ K0, K1 *graph.Node }

// NewKey derives a key from the two words of a seed, the purpose and the step, all uint32.
func NewKey(low, high, step *graph.Node, purpose uint32) Key {
	g := low.Graph()
	fold := func(k, v *graph.Node) *graph.Node {
		return mix(graph.Add(graph.Mul(k, graph.Const(g, mixMultiplier1)), graph.Mul(v, graph.Const(g, golden))))
	}
	k0 := fold(fold(fold(low, high), graph.Const(g, purpose)), step)
	return Key{K0: k0, K1: mix(graph.Add(k0, graph.Const(g, golden)))}
}

// Mantissa hashes indices that are combined with K0 to numbers in [1, 2), float32. second is K1, in a shape that can be added to them.
func Mantissa(indices, second *graph.Node) *graph.Node {
	g := indices.Graph()
	bits := mix(graph.Add(mix(indices), second))
	// The upper 23 bits become the mantissa.
	return graph.Bitcast(graph.BitwiseOr(graph.BitwiseShiftRightLogical(bits, graph.Const(g, uint32(9))), graph.Const(g, uint32(0x3f800000))), dtypes.Float32)
}

// Uniform makes [2⁻²⁴, 1 − 2⁻²⁴] of a mantissa.
func Uniform(mantissa *graph.Node) *graph.Node {
	return graph.Sub(mantissa, graph.Const(mantissa.Graph(), AlmostOne))
}

// Gumbel makes the standard Gumbel distribution, −log(−log u), of a mantissa. What is AlmostOne, and no mantissa, becomes −∞.
func Gumbel(mantissa *graph.Node) *graph.Node {
	return graph.Neg(graph.Log(graph.Neg(graph.Log(Uniform(mantissa)))))
}

// mix is lowbias32.
func mix(x *graph.Node) *graph.Node {
	g := x.Graph()
	shift := func(x *graph.Node, bits uint32) *graph.Node {
		return graph.BitwiseXor(x, graph.BitwiseShiftRightLogical(x, graph.Const(g, bits)))
	}
	x = graph.Mul(shift(x, 16), graph.Const(g, mixMultiplier1))
	x = graph.Mul(shift(x, 15), graph.Const(g, mixMultiplier2))
	return shift(x, 16)
}
