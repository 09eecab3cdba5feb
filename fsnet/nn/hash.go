package nn

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// Everything random inside a graph is a hash.
//
// A draw is counter-based: element i is a hash of i and a [NoiseKey], which
// stands for (seed, purpose, step). The hash is computed element by element
// inside the graph, where XLA fuses it with its consumer. There is no
// generator state, so any step can be recomputed.
//
// The key is 64 bits: two rounds of SplitMix64's finaliser, mix64(mix64(seed
// + γ) + (purpose, step)). The finaliser is injective, so within a seed no
// two (purpose, step) share a key, and at one (purpose, step) no two seeds
// do. Other pairs collide only by chance, one in 2⁶⁴. K0 and K1 are its
// lower and upper word.
//
// The hash of an element is two keyed rounds of Wellons's lowbias32 (an
// exhaustively searched 32-bit avalanche function of two multiplications and
// three xor-shifts): mix(mix(i') + K1), where i' combines i with K0.
//
// The caller chooses how to combine i and K0. FsNet's step adds them, so
// that XLA keeps no table of indices.

const (
	mixMultiplier1 = uint32(0x7feb352d)
	mixMultiplier2 = uint32(0x846ca68b)

	mix64Multiplier1 = uint64(0xbf58476d1ce4e5b9)
	mix64Multiplier2 = uint64(0x94d049bb133111eb)
	golden           = uint64(0x9e3779b97f4a7c15) // 2⁶⁴/φ: without it seed 0 would be 0 after a round
)

// almostOne is 1 − 2⁻²⁴. Subtracted from a number in [1, 2) with 23 random
// bits, it gives the middle of one of 2²³ equal intervals of [0, 1).
const almostOne = float32(1 - 1.0/(1<<24))

// NoiseKey holds the two words that key a draw, scalars of uint32.
type NoiseKey struct{ K0, K1 *graph.Node }

// NewNoiseKey derives a key from the seed (two words, shape [2], lower
// first), the purpose and the step (a scalar), all uint32.
func NewNoiseKey(seed, step *graph.Node, purpose Purpose) NoiseKey {
	return newKey(Element(seed, 0), Element(seed, 1), step, uint32(purpose))
}

// newKey is NewNoiseKey with separate words of the seed.
func newKey(low, high, step *graph.Node, purpose uint32) NoiseKey {
	g := low.Graph()
	wide := func(word *graph.Node) *graph.Node { return graph.ConvertDType(word, dtypes.Uint64) }
	half := graph.Const(g, uint64(32))
	seed := graph.Add(wide(low), graph.BitwiseShiftLeft(wide(high), half))
	place := graph.Add(wide(step), graph.Const(g, uint64(purpose)<<32))
	key := mix64(graph.Add(mix64(graph.Add(seed, graph.Const(g, golden))), place))
	return NoiseKey{K0: graph.ConvertDType(key, dtypes.Uint32), K1: graph.ConvertDType(graph.BitwiseShiftRightLogical(key, half), dtypes.Uint32)}
}

// mantissa hashes indices already combined with K0 to float32 numbers in [1,
// 2). second is K1, in a shape that can be added to them.
func mantissa(indices, second *graph.Node) *graph.Node {
	g := indices.Graph()
	bits := mix(graph.Add(mix(indices), second))
	// The upper 23 bits become the mantissa.
	return graph.Bitcast(graph.BitwiseOr(graph.BitwiseShiftRightLogical(bits, graph.Const(g, uint32(9))), graph.Const(g, uint32(0x3f800000))),
		dtypes.Float32)
}

// uniform maps a mantissa to [2⁻²⁴, 1 − 2⁻²⁴].
func uniform(mantissa *graph.Node) *graph.Node {
	return graph.Sub(mantissa, graph.Const(mantissa.Graph(), almostOne))
}

// gumbel maps a mantissa to the standard Gumbel distribution, −log(−log u).
// almostOne is not a mantissa. It becomes −∞.
func gumbel(mantissa *graph.Node) *graph.Node {
	return graph.Neg(graph.Log(graph.Neg(graph.Log(uniform(mantissa)))))
}

// mix is lowbias32.
func mix(x *graph.Node) *graph.Node {
	return shiftXor(multiply(shiftXor(multiply(shiftXor(x, uint32(16)), mixMultiplier1), uint32(15)), mixMultiplier2), uint32(16))
}

// mix64 is SplitMix64's finaliser.
func mix64(x *graph.Node) *graph.Node {
	return shiftXor(multiply(shiftXor(multiply(shiftXor(x, uint64(30)), mix64Multiplier1), uint64(27)), mix64Multiplier2), uint64(31))
}

// shiftXor returns x ^ x>>bits.
func shiftXor[T uint32 | uint64](x *graph.Node, bits T) *graph.Node {
	return graph.BitwiseXor(x, graph.BitwiseShiftRightLogical(x, graph.Const(x.Graph(), bits)))
}

// multiply returns the product of x and a constant.
func multiply[T uint32 | uint64](x *graph.Node, by T) *graph.Node {
	return graph.Mul(x, graph.Const(x.Graph(), by))
}
