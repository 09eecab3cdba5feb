package nn

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Inverse is that of a symmetric, positive definite matrix m×m, by Gauss and Jordan's elimination without a search for pivots. It takes
// m steps of m² numbers, so it is for small matrices. Its gradient is −G⁻¹ dG G⁻¹.
func Inverse(matrix *graph.Node) *graph.Node {
	inverse := eliminated(graph.StopGradient(matrix))
	// Of the first order in the matrix, and of its value: so GoMLX differentiates what it cannot see through.
	change := graph.Sub(matrix, graph.StopGradient(matrix))
	return graph.Sub(inverse, Einsum("ij,jk->ik", Einsum("ij,jk->ik", inverse, change), inverse))
}

// eliminated is the inverse in place: step i makes row and column i those of the inverse, and takes their product from all others.
func eliminated(a *graph.Node) *graph.Node {
	g, m := a.Graph(), a.Shape().Dim(-1)
	one := graph.Const(g, float32(1))
	at := func(axis int) *graph.Node {
		return graph.Iota(g, shapes.Make(dtypes.Int32, a.Shape().Dimensions...), axis)
	}
	rows, columns := at(-2), at(-1)
	for i := range m {
		here := graph.Const(g, int32(i))
		isRow := graph.ConvertDType(graph.Equal(rows, here), dtypes.Float32)
		column := graph.SliceAxis(a, -1, graph.AxisRange(i, i+1))
		unit := graph.SliceAxis(isRow, -1, graph.AxisRange(i, i+1))
		pivot := graph.SliceAxis(column, -2, graph.AxisRange(i, i+1))
		a = graph.Where(graph.Equal(columns, here), isRow, a) // column i becomes that of the unit matrix
		row := graph.Div(graph.SliceAxis(a, -2, graph.AxisRange(i, i+1)), pivot)
		a = graph.Sub(a, graph.Mul(graph.Sub(column, graph.Mul(unit, one)), row))
	}
	return a
}
