package nn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// inverseDigits is e^−16, about what a float32 can tell from 0.
const inverseDigits = 16

// Inverse is that of a symmetric matrix m×m whose eigenvalues lie between least and most, both above 0, by Newton and Schulz's iteration
// X ← X (2 − G X), which needs products alone: XLA has fast ones, and takes seconds to compile an elimination. Its gradient is
// −G⁻¹ dG G⁻¹.
func Inverse(matrix *graph.Node, least, most float64) *graph.Node {
	fixed := graph.StopGradient(matrix)
	inverse := graph.MulScalar(Identity(matrix), 2/(least+most))
	// What is missing to 1, (most − least)/(most + least) at first, is squared by each iteration.
	steps := math.Ceil(math.Log2(inverseDigits / -math.Log1p(-2*least/(least+most))))
	for range int(max(steps, 1)) {
		inverse = graph.Sub(graph.MulScalar(inverse, 2), graph.Einsum("ij,jk->ik", graph.Einsum("ij,jk->ik", inverse, fixed), inverse))
	}
	// Of the first order in the matrix, and of its value: so GoMLX need not differentiate the iteration.
	change := graph.Sub(matrix, fixed)
	return graph.Sub(inverse, graph.Einsum("ij,jk->ik", graph.Einsum("ij,jk->ik", inverse, change), inverse))
}

// Identity is the unit matrix of the shape of a square one.
func Identity(like *graph.Node) *graph.Node {
	at := func(axis int) *graph.Node {
		return graph.Iota(like.Graph(), shapes.Make(dtypes.Int32, like.Shape().Dimensions...), axis)
	}
	return graph.ConvertDType(graph.Equal(at(-2), at(-1)), dtypes.Float32)
}
