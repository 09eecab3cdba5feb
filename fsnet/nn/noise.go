package nn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Purpose separates draws of the same step.
type Purpose uint32

// uniform draws float32 numbers in [2⁻²⁴, 1 − 2⁻²⁴], the middles of 2²³
// equal intervals, in one or two dimensions.
func (k NoiseKey) uniform(dims ...int) *graph.Node {
	stride := graph.Const(k.K0.Graph(), uint32(dims[len(dims)-1]))
	return uniform(k.mantissa(nil, stride, dims...))
}

// Gumbel returns some columns of a K×d draw from the standard Gumbel
// distribution, −log(−log u), beginning at column first. first and d are
// int32 scalars. If padded is true, columns from d on are −∞.
func (k NoiseKey) Gumbel(rows int, d, first *graph.Node, columns int, padded bool) *graph.Node {
	x := k.mantissa(first, graph.ConvertDType(d, dtypes.Uint32), rows, columns)
	if padded {
		x = WithoutPadding(x, first, d, almostOne)
	}
	return gumbel(x)
}

// mantissa draws numbers in [1, 2) for elements numbered row by row with the
// given stride, beginning at column first. If first is nil, it begins at
// column 0. Element numbers never form a separate matrix: their part for a
// row depends on the step, so XLA does not keep them in memory.
func (k NoiseKey) mantissa(first, stride *graph.Node, dims ...int) *graph.Node {
	g := k.K0.Graph()
	shape := shapes.Make(dtypes.Uint32, dims...)
	start := k.K0
	if first != nil {
		start = graph.Add(start, graph.ConvertDType(first, dtypes.Uint32))
	}
	if len(dims) == 2 {
		rows := graph.Mul(graph.Iota(g, shapes.Make(dtypes.Uint32, dims[0]), -1), stride)
		start = graph.ExpandAxes(graph.Add(start, rows), -1)
	}
	column := graph.Iota(g, shape, -1)
	number := graph.Add(column, start)
	return mantissa(number, k.K1)
}

// SeedWords splits a seed into its lower and upper word for the graph.
func SeedWords(seed int64) []uint32 {
	return []uint32{uint32(uint64(seed)), uint32(uint64(seed) >> 32)}
}

// Noise keys the draws of a step. They are counter-based like FsNet's
// (hash.go).
type Noise struct{ key NoiseKey }

// Noise returns the noise of the step for a purpose. Draws for different
// purposes are independent.
func (in In) Noise(purpose uint32) Noise {
	return Noise{NewNoiseKey(in.Seed, in.Step, Purpose(purpose))}
}

// Uniform draws one or two dimensions from [2⁻²⁴, 1 − 2⁻²⁴]: the middles of
// 2²³ equal intervals.
func (n Noise) Uniform(dims ...int) *graph.Node { return uniform(n.mantissa(dims...)) }

// Gumbel draws from the standard Gumbel distribution, −log(−log u).
func (n Noise) Gumbel(dims ...int) *graph.Node { return gumbel(n.mantissa(dims...)) }

// mantissa draws numbers in [1, 2) for elements numbered row by row. Unlike
// FsNet's step it combines number and key by xor.
func (n Noise) mantissa(dims ...int) *graph.Node {
	g := n.key.K0.Graph()
	shape := shapes.Make(dtypes.Uint32, dims...)
	index := graph.Iota(g, shape, len(dims)-1)
	if len(dims) == 2 {
		index = graph.Add(graph.Mul(graph.Iota(g, shape, 0), graph.Const(g, uint32(dims[1]))), index)
	}
	return mantissa(graph.BitwiseXor(index, n.key.K0), n.key.K1)
}

// Normal draws from the standard normal distribution, √(−2 log u) cos(2π v),
// with v drawn for purpose+1 (Box and Muller).
func (in In) Normal(purpose uint32, dims ...int) *graph.Node {
	u, v := in.Noise(purpose).Uniform(dims...), in.Noise(purpose+1).Uniform(dims...)
	g := u.Graph()
	radius := graph.Sqrt(graph.Mul(graph.Log(u), graph.Const(g, float32(-2))))
	return graph.Mul(radius, graph.Cos(graph.Mul(v, graph.Const(g, float32(2*math.Pi)))))
}

// Dropout zeroes the units of x, B×units, with probability p, a scalar, and
// divides the others by 1 − p, so that the expectation doesn't change.
func (in In) Dropout(purpose uint32, x, p *graph.Node) *graph.Node {
	return dropout(x, in.Noise(purpose).Uniform(x.Shape().Dimensions...), p)
}
