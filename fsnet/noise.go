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
// xor-shifts), each keyed: mix(mix(i + k0) + k1), with (k0, k1) derived from (seed, purpose, step) by the same function.
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

// uniform is a draw of the given dimensions, one or two, in [2⁻²⁴, 1 − 2⁻²⁴], float32: the middles of 2²³ equal intervals.
func (k noiseKey) uniform(dims ...int) *graph.Node {
	stride := dims[len(dims)-1]
	return minusAlmostOne(k.mantissa(nil, stride, dims...))
}

// gumbel is a part of a draw from the standard Gumbel distribution, −log(−log u), of K×d numbers: the given columns from the first one
// on (a scalar, int32). Columns that the draw does not have are −∞.
func (k noiseKey) gumbel(rows, d int, first *graph.Node, columns int) *graph.Node {
	g := k.k0.Graph()
	x := k.mantissa(first, d, rows, columns)
	if columns*((d+columns-1)/columns) > d { // padding
		at := graph.Add(graph.Iota(g, shapes.Make(dtypes.Int32, x.Shape().Dimensions...), -1), graph.BroadcastToShape(first, shapes.Make(dtypes.Int32, x.Shape().Dimensions...)))
		x = graph.Where(graph.LessThan(at, graph.BroadcastToShape(graph.Const(g, int32(d)), at.Shape())), x, graph.BroadcastToShape(graph.Const(g, almostOne), x.Shape()))
	}
	return graph.Neg(graph.Log(graph.Neg(graph.Log(minusAlmostOne(x)))))
}

// almostOne is 1 − 2⁻²⁴.
const almostOne = float32(1 - 1.0/(1<<24))

func minusAlmostOne(x *graph.Node) *graph.Node {
	return graph.Sub(x, graph.Const(x.Graph(), almostOne))
}

// mantissa is a uniform draw in [1, 2), of elements that are numbered row by row with the given stride, from a column on (nil: the first).
// The number of an element is never a matrix of its own: a row's part of it depends on the step, so that XLA does not keep it in memory.
func (k noiseKey) mantissa(first *graph.Node, stride int, dims ...int) *graph.Node {
	g := k.k0.Graph()
	shape := shapes.Make(dtypes.Uint32, replicated(k.k0, 0, dims...)...)
	start := k.k0
	if first != nil {
		start = graph.Add(start, graph.ConvertDType(first, dtypes.Uint32))
	}
	if len(dims) == 2 {
		rows := graph.Mul(graph.Iota(g, shapes.Make(dtypes.Uint32, replicated(k.k0, 0, dims[0])...), -1), graph.Const(g, uint32(stride)))
		start = graph.ExpandAxes(graph.Add(spread(start, rows), rows), -1)
	}
	column := graph.Iota(g, shape, -1)
	number := graph.Add(column, spread(start, column))
	bits := mix(graph.Add(mix(number), spread(k.k1, number)))
	// The upper 23 bits become the mantissa of a number in [1, 2).
	return graph.Bitcast(graph.BitwiseOr(graph.BitwiseShiftRightLogical(bits, graph.Const(g, uint32(9))), graph.Const(g, uint32(0x3f800000))), dtypes.Float32)
}

// seedWords splits a seed for the graph.
func seedWords(seed int64) []uint32 {
	return []uint32{uint32(uint64(seed)), uint32(uint64(seed) >> 32)}
}
