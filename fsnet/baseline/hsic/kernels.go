package hsic

import (
	"context"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
)

// kernels are the centred and normed kernel matrices K̄_j of d features over some blocks of rows. A matrix is symmetric: it is a list of
// its triangles, in 32 bits, the entries beside the diagonal times √2, so that the dot product of two lists is that of the matrices.
//
// They are computed and stay on a device, a slab of columns after the other. A slab is a tensor of the lists of its columns, which lie
// side by side, cut into pieces: pieces×length×columns.
type kernels struct {
	*baseline.Work
	device  *device.Scope
	columns [][]float64
	blocks  [][]int // of rows, all of one size
	limit   int     // bytes that the lists may take; where they would take more, they are computed again for each pass

	width  int                // columns of a slab
	shape  [3]*tensors.Tensor // what the kernels' program is told of the blocks: their rows, and which entries make up a list, how weighed
	kept   []*tensors.Tensor  // slabs
	pieces int                // of a list
	length int                // of a piece

	reported bool   // the first pass, which makes what is kept
	release  func() // lets the device go if it was opened here
}

// kernelMemory is what the kernels of one Fit may take.
const kernelMemory = 1 << 30

const (
	slabNumbers  = 5 << 18 // whole matrices of a slab take about so many numbers: five megabytes, which the caches hold
	mostNumbers  = 1 << 26 // they may take, where that is more than one column: a quarter of a gigabyte
	mostColumns  = 1024    // of a slab
	columnsAlign = 16      // of a slab, where there is room: whole vectors, so that a column's figures do not depend on its place
	longestPiece = 2048    // numbers summed in 32 bits; sums of pieces are added in 64
)

// openKernels are those of the columns, on the device of the options or one that is opened for them. Close them.
func openKernels(ctx context.Context, w *baseline.Work, blocks [][]int, limit int) (*kernels, error) {
	if _, err := entryCount(w.Entry, len(blocks), len(blocks[0])); err != nil {
		return nil, err
	}
	scope, done, err := w.OpenDevice(ctx)
	if err != nil {
		return nil, err
	}
	k := newKernels(w, scope, w.Columns(), blocks, limit)
	k.release = done
	return k, nil
}

// relevance is ⟨K̄_j, L̄⟩/blocks for every feature j.
func (k *kernels) relevance(ctx context.Context) ([]float64, error) {
	labels, err := k.ofLabels(k.Data)
	if err != nil {
		return nil, err
	}
	defer device.Free(labels)
	return k.with(ctx, labels)
}

// newKernels is told what nothing changes. Close it.
func newKernels(w *baseline.Work, device *device.Scope, columns [][]float64, blocks [][]int, limit int) *kernels {
	size := len(blocks[0])
	k := &kernels{Work: w, device: device, columns: columns, blocks: blocks, limit: limit}
	whole := len(blocks) * size * size // numbers of a column's matrices
	k.width = slabWidth(whole, len(columns))
	k.pieces, k.length = pieces(len(blocks), size)
	rows, entries := make([]int32, 0, len(blocks)*size), make([]int32, 0, k.pieces*k.length)
	weights := make([]float32, 0, k.pieces*k.length)
	for g, block := range blocks {
		for a, row := range block {
			rows = append(rows, int32(row))
			for b := range a + 1 {
				entries = append(entries, int32((g*size+a)*size+b)) // below entryCount
				weights = append(weights, math.Sqrt2)
			}
			weights[len(weights)-1] = 1
		}
	}
	for len(entries) < k.pieces*k.length {
		entries, weights = append(entries, 0), append(weights, 0)
	}
	k.shape = [3]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(rows, len(rows), 1),
		tensors.FromFlatDataAndDimensions(entries, len(entries), 1),
		nn.Tensor(weights, len(weights), 1),
	}
	return k
}

func (k *kernels) close() {
	device.Free(k.shape[:]...)
	device.Free(k.kept...)
	if k.release != nil {
		k.release()
	}
}

// slabs is how many there are.
func (k *kernels) slabs() int { return (len(k.columns) + k.width - 1) / k.width }

// keeps reports whether all lists fit into memory.
func (k *kernels) keeps() bool {
	return k.slabs()*k.width*k.pieces*k.length*4 <= k.limit
}

// with is ⟨K̄_j, other⟩/blocks for every feature j. other is a list, pieces×1×length.
func (k *kernels) with(ctx context.Context, other *tensors.Tensor) ([]float64, error) {
	products := make([]float64, 0, k.slabs()*k.width)
	for s := range k.slabs() {
		if err := k.Interrupted(ctx); err != nil {
			return nil, err
		}
		slab, free, err := k.slab(s)
		if err != nil {
			return nil, err
		}
		values, err := device.Numbers[float64](k.device, "kernel products", kernelProducts, slab, other)
		free()
		if err != nil {
			return nil, err
		}
		products = append(products, values...)
		if !k.reported { // the caller reports further passes
			k.Report(min((s+1)*k.width, len(k.columns)), len(k.columns))
		}
	}
	k.reported = true
	products = products[:len(k.columns)]
	for j := range products {
		products[j] /= float64(len(k.blocks))
	}
	return products, k.Interrupted(ctx)
}

// slab is the tensor of a slab, and what lets it go unless it is kept.
func (k *kernels) slab(s int) (*tensors.Tensor, func(), error) {
	if s < len(k.kept) {
		return k.kept[s], func() {}, nil
	}
	from := s * k.width
	out, err := k.gaussian(k.columns[from:min(from+k.width, len(k.columns))])
	if err != nil {
		return nil, nil, err
	}
	if !k.keeps() {
		return out, func() { device.Free(out) }, nil
	}
	k.kept = append(k.kept, out)
	return out, func() {}, nil
}

// gaussian is the slab of exp(−(x_i − x_i′)²/2) of columns divided by their standard deviation; 0 for a constant column.
func (k *kernels) gaussian(columns [][]float64) (*tensors.Tensor, error) {
	n := len(columns[0])
	values := make([]float64, n*k.width)
	for j, column := range columns {
		if baseline.Constant(column) {
			continue
		}
		mean, spread := baseline.MeanAndSpread(column)
		for i, x := range column {
			values[i*k.width+j] = (x - mean) / (math.Sqrt2 * spread)
		}
	}
	return k.compute("gaussian", gaussianKernels, tensors.FromFlatDataAndDimensions(values, n, k.width))
}

// of is the list of a feature.
func (k *kernels) of(feature int) (*tensors.Tensor, error) {
	slab, free, err := k.slab(feature / k.width)
	if err != nil {
		return nil, err
	}
	defer free()
	return k.list(slab, feature%k.width)
}

// list is one column of a slab.
func (k *kernels) list(slab *tensors.Tensor, column int) (*tensors.Tensor, error) {
	marks := make([]float32, slab.Shape().Dimensions[2])
	marks[column] = 1
	return k.device.One("kernel of a column", kernelOfColumn, slab, marks)
}

// ofLabels is the list of the classes, or of the quantity.
func (k *kernels) ofLabels(data baseline.Data) (*tensors.Tensor, error) {
	var slab *tensors.Tensor
	var err error
	if data.Regression() {
		slab, err = k.gaussian([][]float64{data.Target})
	} else {
		slab, err = k.delta(data)
	}
	if err != nil {
		return nil, err
	}
	defer device.Free(slab)
	return k.list(slab, 0)
}

// delta is the slab of [y_i = y_i′]/n_y, n_y the rows of the class in the block.
func (k *kernels) delta(data baseline.Data) (*tensors.Tensor, error) {
	y := make([]int32, len(data.Y))
	for i, class := range data.Y {
		y[i] = int32(class)
	}
	return k.compute("delta", deltaKernel, tensors.FromFlatDataAndDimensions(y, len(y), 1))
}

// compute is the slab of a kernel of all rows' values, n×columns, which it lets go.
func (k *kernels) compute(name string, kernel kernelGraph, values *tensors.Tensor) (*tensors.Tensor, error) {
	defer device.Free(values)
	return k.device.One(k.key(name), k.graph(kernel), values, k.shape[0], k.shape[1], k.shape[2])
}
