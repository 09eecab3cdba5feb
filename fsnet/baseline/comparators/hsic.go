package comparators

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
)

// HSIC ranks features by how much the class depends on them, whatever the
// shape of the dependence, one feature at a time. This is maximum relevance
// by the Hilbert-Schmidt independence criterion (Gretton et al. 2005), also
// known as sure independence screening (Balasubramanian, Sriperumbudur,
// Lebanon 2013). It is normed so that equal kernels score 1. With the
// centred and normed kernels of [HSICLasso], the score is
//
//	⟨K̄_j, L̄⟩ = tr(K̄_j L̄)
//
// Kernels of all rows are computed once and not kept.
type HSIC struct{}

// Entry describes hsic.
func (HSIC) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic", Version: 1, About: "kernel dependence of each feature on the class", Selects: true, Regression: true,
		Kernels: true, Square: true,
	}
}

// Fit ranks the features, for classes or a quantity.
func (m HSIC) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m HSIC) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	o.K = ks[len(ks)-1]
	k, relevance, err := beginKernels(ctx, m, data, o, [][]int{num.Indices(len(data.Rows))}, 0)
	if err != nil {
		return nil, err
	}
	defer k.close()
	return k.RankedPath(relevance, ks), nil
}

// kernels holds the centred and normed kernel matrices K̄_j of d features
// over blocks of rows. A symmetric matrix is stored as a list: its lower
// triangle in 32 bits. Entries off the diagonal are multiplied by √2, so
// that the dot product of two lists is that of the matrices.
//
// The matrices are computed and stay on a device, one slab of columns after
// another. A slab is a tensor with the lists of its columns side by side,
// cut into pieces: pieces×length×columns.
type kernels struct {
	*baseline.Work
	device  *device.Scope
	columns [][]float64
	blocks  [][]int // rows of each block; all blocks have one size
	limit   int     // bytes for the lists; if they need more, each pass recomputes them

	width int // number of columns in a slab
	// shape describes the blocks to the program that computes kernels: their
	// rows, the entries that form a list, and the weights of the entries.
	shape  [3]*tensors.Tensor
	kept   []*tensors.Tensor // the first slabs
	pieces int               // number of pieces of a list
	length int               // length of a piece

	reported bool   // the first pass, which computes the slabs, has been reported
	release  func() // releases the device if it was opened here
}

// kernelMemory limits the bytes that the kept kernels of one Fit take.
const kernelMemory = 1 << 30

const (
	// slabNumbers is the approximate number of values in the full matrices
	// of a slab. They take five megabytes and fit into caches.
	slabNumbers = 5 << 18
	// mostNumbers limits these values to a quarter of a gigabyte, unless a
	// single column has more.
	mostNumbers = 1 << 26
	mostColumns = 1024 // limits the columns of a slab
	// Columns of a slab fill whole vectors if there is room, so that the
	// results of a column do not depend on its place.
	columnsAlign = 16
	// longestPiece is how many values are summed in 32 bits. The sums of
	// pieces are added in 64 bits.
	longestPiece = 2048
)

// beginKernels opens the kernels of all columns over blocks of rows and
// computes the relevance of each feature. It keeps at most limit bytes of
// kernels. The caller must close the kernels.
func beginKernels(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, blocks [][]int, limit int) (
	k *kernels, relevance []float64, err error) {
	w, err := baseline.Begin(m, data, o, "kernels")
	if err == nil {
		err = checkEntries(w.Entry, len(blocks), len(blocks[0]))
	}
	if err != nil {
		return nil, nil, err
	}
	scope, done, err := w.OpenDevice(ctx)
	if err != nil {
		return nil, nil, err
	}
	k = newKernels(w, scope, w.Columns(), blocks, limit)
	k.release = done
	if relevance, err = k.relevance(ctx); err != nil {
		k.close()
		return nil, nil, err
	}
	return k, relevance, nil
}

// relevance returns ⟨K̄_j, L̄⟩/blocks of every feature j, in the order of
// the columns.
func (k *kernels) relevance(ctx context.Context) ([]float64, error) {
	labels, err := k.ofLabels(k.Data)
	if err != nil {
		return nil, err
	}
	defer device.Free(labels)
	return k.productsWith(ctx, labels)
}

// newKernels prepares what all slabs have in common. The caller must close
// the kernels.
func newKernels(w *baseline.Work, device *device.Scope, columns [][]float64, blocks [][]int, limit int) *kernels {
	size := len(blocks[0])
	k := &kernels{Work: w, device: device, columns: columns, blocks: blocks, limit: limit}
	whole := len(blocks) * size * size // values in the matrices of a column
	k.width = slabWidth(whole, len(columns))

	k.pieces, k.length = pieces(len(blocks), size)
	rows, entries := make([]int32, 0, len(blocks)*size), make([]int32, 0, k.pieces*k.length)
	weights := make([]float32, 0, k.pieces*k.length)

	for g, block := range blocks {
		for a, row := range block {
			rows = append(rows, int32(row))
			for b := range a + 1 {
				entries = append(entries, int32((g*size+a)*size+b)) // fits in 32 bits: see checkEntries
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

// close frees all tensors, and the device if it was opened here.
func (k *kernels) close() {
	device.Free(k.shape[:]...)
	device.Free(k.kept...)
	if k.release != nil {
		k.release()
	}
}

// slabs returns the number of slabs that the columns are divided into.
func (k *kernels) slabs() int { return (len(k.columns) + k.width - 1) / k.width }

// fitsMemory reports whether all lists fit into the limit.
func (k *kernels) fitsMemory() bool {
	return k.slabs()*k.width*k.pieces*k.length*4 <= k.limit
}

// productsWith returns ⟨K̄_j, other⟩/blocks of every feature j. other is a
// list, pieces×1×length.
func (k *kernels) productsWith(ctx context.Context, other *tensors.Tensor) ([]float64, error) {
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
		if !k.reported { // the caller reports later passes
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

// slab returns the tensor of a slab, and a function that frees it unless it
// is kept.
func (k *kernels) slab(s int) (*tensors.Tensor, func(), error) {
	if s < len(k.kept) {
		return k.kept[s], func() {}, nil
	}
	from := s * k.width
	out, err := k.gaussian(k.columns[from:min(from+k.width, len(k.columns))])
	if err != nil {
		return nil, nil, err
	}
	if !k.fitsMemory() {
		return out, func() { device.Free(out) }, nil
	}
	k.kept = append(k.kept, out)
	return out, func() {}, nil
}

// gaussian returns the slab of exp(−(x_i − x_i′)²/2) of columns divided by
// their standard deviation. A constant column becomes 0.
func (k *kernels) gaussian(columns [][]float64) (*tensors.Tensor, error) {
	n := len(columns[0])
	values := make([]float64, n*k.width)
	for j, column := range columns {
		if baseline.Constant(column) {
			continue
		}
		mean, spread := baseline.MeanAndStd(column)
		for i, x := range column {
			values[i*k.width+j] = (x - mean) / (math.Sqrt2 * spread)
		}
	}
	return k.compute("gaussian", gaussianKernels, tensors.FromFlatDataAndDimensions(values, n, k.width))
}

// listOf returns the list of a feature. The caller must free it.
func (k *kernels) listOf(feature int) (*tensors.Tensor, error) {
	slab, free, err := k.slab(feature / k.width)
	if err != nil {
		return nil, err
	}
	defer free()
	return k.list(slab, feature%k.width)
}

// list returns the list of one column of a slab, pieces×1×length. The caller
// must free it.
func (k *kernels) list(slab *tensors.Tensor, column int) (*tensors.Tensor, error) {
	marks := make([]float32, slab.Shape().Dimensions[2])
	marks[column] = 1
	return k.device.One("kernel of a column", kernelOfColumn, slab, marks)
}

// ofLabels returns the list of the classes, or of the quantity. The caller
// must free it.
func (k *kernels) ofLabels(data baseline.Data) (*tensors.Tensor, error) {
	var slab *tensors.Tensor
	var err error
	if data.Regression() {
		slab, err = k.gaussian([][]float64{data.Target})
	} else {
		y := make([]int32, len(data.Y))
		for i, class := range data.Y {
			y[i] = int32(class)
		}
		slab, err = k.compute("delta", deltaKernel, tensors.FromFlatDataAndDimensions(y, len(y), 1))
	}
	if err != nil {
		return nil, err
	}
	defer device.Free(slab)
	return k.list(slab, 0)
}

// compute returns the slab of lists (see [kernels]) of the columns of values,
// n×columns, and frees values, even if it fails. kernel computes matrices, blocks×size×size×columns,
// from the values of the rows of the blocks.
func (k *kernels) compute(name string, kernel func(values *graph.Node, blocks, size int) *graph.Node,
	values *tensors.Tensor) (*tensors.Tensor, error) {
	defer device.Free(values)
	blocks, size := len(k.blocks), len(k.blocks[0])
	return k.device.One(fmt.Sprintf("%s kernels of %d blocks of %d", name, blocks, size), func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{lists(kernel(graph.Gather(in[0], in[1]), blocks, size), in[2], in[3], k.pieces)}
	}, values, k.shape[0], k.shape[1], k.shape[2])
}

// gaussianKernels computes exp(−(a − a′)²) − 1 of every column. Centring
// would remove the 1 anyway. Without it values near 1 keep their digits, and
// a column that is constant in a block has a zero kernel.
func gaussianKernels(values *graph.Node, blocks, size int) *graph.Node {
	columns := values.Shape().Dimensions[1]
	// Subtract in 64 bits: if a column has one distant row, all others lie
	// close together.
	difference := graph.Sub(graph.Reshape(values, blocks, size, 1, columns), graph.Reshape(values, blocks, 1, size, columns))
	difference = graph.ConvertDType(difference, dtypes.Float32)
	return graph.Expm1(graph.Neg(graph.Square(difference)))
}

// deltaKernel computes [y = y′]/n_y of classes n×1, where n_y is the number
// of rows of the class in the block. It does so in 64 bits, because centring
// a block of one class must leave next to nothing.
func deltaKernel(classes *graph.Node, blocks, size int) *graph.Node {
	same := graph.Equal(graph.Reshape(classes, blocks, size, 1, 1), graph.Reshape(classes, blocks, 1, size, 1))
	kernel := graph.ConvertDType(same, dtypes.Float64)
	return graph.Div(kernel, graph.ReduceAndKeep(kernel, graph.ReduceSum, 2))
}

// lists computes H K H/(‖H K H‖ + 1e-9), H = I − 1/size, of kernel matrices,
// blocks×size×size×columns. It returns the weighted entries in pieces.
func lists(kernel, entries, weights *graph.Node, pieces int) *graph.Node {
	dims := kernel.Shape().Dimensions
	blocks, size, columns := dims[0], dims[1], dims[3]

	means := graph.ReduceMean(kernel, 1)
	all := graph.ReduceMean(means, 1)
	centred := graph.Sub(kernel, graph.Reshape(means, blocks, size, 1, columns))
	centred = graph.Sub(centred, graph.Reshape(means, blocks, 1, size, columns))
	centred = graph.Add(centred, graph.Reshape(all, blocks, 1, 1, columns))
	// Add the sums of the rows in 64 bits. Many rows would lose digits in 32
	// bits.
	squares := graph.ReduceSum(graph.ConvertDType(graph.ReduceSum(graph.Square(centred), 1), dtypes.Float64), 1)
	scale := graph.Reciprocal(graph.AddScalar(graph.Sqrt(squares), 1e-9))
	normed := graph.Mul(centred, graph.Reshape(graph.ConvertDType(scale, kernel.DType()), blocks, 1, 1, columns))
	normed = graph.ConvertDType(graph.Reshape(normed, blocks*size*size, columns), dtypes.Float32)
	return graph.Reshape(graph.Mul(graph.Gather(normed, entries), weights), pieces, -1, columns)
}

// kernelProducts computes the dot product, in 64 bits, of a list,
// pieces×1×length, with every list of a slab, pieces×length×columns.
func kernelProducts(in []*graph.Node) []*graph.Node {
	slab, list := in[0], in[1]
	pieces := graph.Einsum("por,prc->poc", list, slab)
	return []*graph.Node{graph.ReduceSum(graph.ConvertDType(pieces, dtypes.Float64), 0, 1)}
}

// kernelOfColumn extracts the list of a column of a slab, pieces×1×length.
// The column is marked by a 1 among zeros, because the Go backend of GoMLX
// cannot slice at a computed position.
func kernelOfColumn(in []*graph.Node) []*graph.Node {
	return []*graph.Node{graph.ExpandAxes(graph.Einsum("prc,c->pr", in[0], in[1]), 1)}
}

// checkEntries rejects kernels with more entries than the 32-bit indices of
// the device allow.
func checkEntries(e baseline.Entry, blocks, size int) error {
	if size == 0 || blocks <= math.MaxInt32/size/size {
		return nil
	}
	return e.Refusal("use fewer rows, or hsic-lasso-block with a smaller b or fewer permutations",
		"the kernel of a feature has %.3g entries, %d × %d × %d, and no more than %d can be computed with",
		float64(blocks)*float64(size)*float64(size), blocks, size, size, math.MaxInt32)
}

// slabWidth returns the number of columns in a slab, given the number of
// values in the matrices of a column.
func slabWidth(whole, columns int) int {
	width := (max(1, min(mostColumns, slabNumbers/whole, columns)) + columnsAlign - 1) / columnsAlign * columnsAlign
	return min(width, max(1, mostNumbers/whole))
}

// pieces returns the number and length of the pieces of a list.
func pieces(blocks, size int) (count, length int) {
	entries := blocks * (size * (size + 1) / 2)
	count = (entries + longestPiece - 1) / longestPiece
	return count, (entries + count - 1) / count
}
