package svm

import (
	"context"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
)

// radialProducts is about how many products of two numbers a call for a kernel makes: what an interrupt waits for.
const radialProducts = 1 << 31

// radialRows is how many rows of a kernel a call computes.
func radialRows(n, d int) int { return min(n, max(1, radialProducts/(n*d))) }

// kernel is K(x_i, x_j) of all pairs of rows, in 64 bits, on the device, some rows a call.
func (m SVM) kernel(ctx context.Context, w *baseline.Work) ([][]float64, error) {
	scope, done, err := w.OpenDevice(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	rows := w.Data.Rows
	n, d := len(rows), len(rows[0])
	flat := make([]float64, 0, n*d)
	for _, row := range rows {
		flat = append(flat, row...)
	}
	x, gamma := tensors.FromFlatDataAndDimensions(flat, n, d), tensors.FromScalar(m.Gamma)
	defer device.Free(x, gamma)
	count := radialRows(n, d)
	kernel := make([][]float64, 0, n)
	for from := 0; from < n; from += count {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		at := min(from, n-count) // the last ones again, rather than a program for fewer rows
		some := make([][]int32, count)
		for i := range some {
			some[i] = []int32{int32(at + i)}
		}
		values, err := device.Numbers[float64](scope, "radial kernel", radialKernel, x, gamma, some)
		if err != nil {
			return nil, err
		}
		for i := from; i < min(from+count, n); i++ {
			kernel = append(kernel, values[(i-at)*n:(i-at+1)*n])
		}
		w.Report(len(kernel), n)
	}
	for i := range kernel { // rounding may differ by the order of a pair
		for j := range i {
			kernel[j][i] = kernel[i][j]
		}
		kernel[i][i] = 1
	}
	return kernel, w.Interrupted(ctx)
}

// radialKernel is exp(−γ ‖x_i − x_j‖²) of some rows i with every row j: some×n, from x, n×d, γ, and the numbers of the rows, some×1.
func radialKernel(in []*graph.Node) []*graph.Node {
	x, gamma, rows := in[0], in[1], in[2]
	some := graph.Gather(x, rows)
	squares := func(x *graph.Node) *graph.Node { return graph.ReduceSum(graph.Square(x), 1) }
	distances := graph.Add(graph.ExpandAxes(squares(some), 1), graph.ExpandAxes(squares(x), 0))
	distances = graph.Sub(distances, graph.MulScalar(graph.Einsum("id,jd->ij", some, x), 2))
	return []*graph.Node{graph.Exp(graph.Neg(graph.Mul(gamma, graph.MaxScalar(distances, 0))))}
}
