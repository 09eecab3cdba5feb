package nn

import "github.com/gomlx/gomlx/core/graph"

// Replicated are dims.
func Replicated(_ *graph.Node, _ int, dims ...int) []int { return dims }

// Reshape is graph.Reshape.
func Reshape(x *graph.Node, _ int, dims ...int) *graph.Node { return graph.Reshape(x, dims...) }

// Spread is the scalar.
func Spread(scalar, _ *graph.Node) *graph.Node { return scalar }

// Einsum is graph.Einsum.
func Einsum(equation string, lhs, rhs *graph.Node) *graph.Node {
	return graph.Einsum(equation, lhs, rhs)
}
