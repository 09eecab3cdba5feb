package hsic

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// kernelGraph makes kernel matrices, blocks×size×size×columns, from the values of the blocks' rows.
type kernelGraph func(values *graph.Node, blocks, size int) *graph.Node

// key names a program for blocks of this number and size.
func (k *kernels) key(kernel string) string {
	return fmt.Sprintf("%s kernels of %d blocks of %d", kernel, len(k.blocks), len(k.blocks[0]))
}

// graph is the program of a kernel: from the values of all rows, the rows of the blocks, the entries of a list and their weights to a slab.
func (k *kernels) graph(kernel kernelGraph) func([]*graph.Node) []*graph.Node {
	blocks, size := len(k.blocks), len(k.blocks[0])
	return func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{lists(kernel(graph.Gather(in[0], in[1]), blocks, size), in[2], in[3], k.pieces)}
	}
}

// gaussianKernels is exp(−(a − a′)²) − 1 of every column. Centring takes the 1 away in any case; without it what is near 1 keeps its
// digits, and a column that is constant in a block has a kernel that is 0.
func gaussianKernels(values *graph.Node, blocks, size int) *graph.Node {
	columns := values.Shape().Dimensions[1]
	// Differences are of 64-bit numbers: a column with one row far off has the others close together.
	difference := graph.Sub(graph.Reshape(values, blocks, size, 1, columns), graph.Reshape(values, blocks, 1, size, columns))
	difference = graph.ConvertDType(difference, dtypes.Float32)
	return graph.Expm1(graph.Neg(graph.Square(difference)))
}

// deltaKernel is [y = y′]/n_y, of classes n×1, in 64 bits: centring a block of one class leaves next to nothing, and it must stay so.
func deltaKernel(classes *graph.Node, blocks, size int) *graph.Node {
	same := graph.Equal(graph.Reshape(classes, blocks, size, 1, 1), graph.Reshape(classes, blocks, 1, size, 1))
	kernel := graph.ConvertDType(same, dtypes.Float64)
	return graph.Div(kernel, graph.ReduceAndKeep(kernel, graph.ReduceSum, 2))
}

// lists is H K H/(‖H K H‖ + 1e-9), H = I − 1/size, of kernel matrices, blocks×size×size×columns: the entries with these weights, in pieces.
func lists(kernel, entries, weights *graph.Node, pieces int) *graph.Node {
	dims := kernel.Shape().Dimensions
	blocks, size, columns := dims[0], dims[1], dims[3]
	means := graph.ReduceMean(kernel, 1)
	all := graph.ReduceMean(means, 1)
	centred := graph.Sub(kernel, graph.Reshape(means, blocks, size, 1, columns))
	centred = graph.Sub(centred, graph.Reshape(means, blocks, 1, size, columns))
	centred = graph.Add(centred, graph.Reshape(all, blocks, 1, 1, columns))
	// Sums of rows are added in 64 bits, or those of many rows would lose digits.
	squares := graph.ReduceSum(graph.ConvertDType(graph.ReduceSum(graph.Square(centred), 1), dtypes.Float64), 1)
	scale := graph.Reciprocal(graph.AddScalar(graph.Sqrt(squares), 1e-9))
	normed := graph.Mul(centred, graph.Reshape(graph.ConvertDType(scale, kernel.DType()), blocks, 1, 1, columns))
	normed = graph.ConvertDType(graph.Reshape(normed, blocks*size*size, columns), dtypes.Float32)
	return graph.Reshape(graph.Mul(graph.Gather(normed, entries), weights), pieces, -1, columns)
}

// kernelProducts is the dot product, in 64 bits, of a list, pieces×1×length, with every list of a slab, pieces×length×columns.
func kernelProducts(in []*graph.Node) []*graph.Node {
	slab, list := in[0], in[1]
	pieces := graph.Einsum("por,prc->poc", list, slab)
	return []*graph.Node{graph.ReduceSum(graph.ConvertDType(pieces, dtypes.Float64), 0, 1)}
}

// kernelOfColumn is the list of a column of a slab, pieces×1×length. The column is marked by a 1 among zeros: GoMLX's own backend
// cannot slice where a number says.
func kernelOfColumn(in []*graph.Node) []*graph.Node {
	return []*graph.Node{graph.ExpandAxes(graph.Einsum("prc,c->pr", in[0], in[1]), 1)}
}
