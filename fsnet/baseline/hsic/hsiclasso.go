// Package hsic holds the methods that ask kernels how a feature depends on the class or the quantity, whatever the shape of the dependence.
//
// # Nouns
//
//   - [Screening] ranks features by that dependence, one at a time.
//   - [Lasso] is HSIC Lasso: of features that say the same it takes one.
//   - [BlockLasso] is the same on blocks of rows, which takes far less memory.
//
// # Basics
//
//	model, err := hsic.Lasso{}.Fit(ctx, train, baseline.Options{K: 10})
//	columns := model.Columns() // by rank
//
// Kernels are computed on Options.Device, or on a device that Fit opens for itself.
//
// # Caveats
//
// [Lasso] keeps kernels of n×n numbers, so its memory grows with the square of the rows; where that does not fit, the error names
// [BlockLasso]. Its path can end before K features have entered: the most relevant of the others fill up K, marked as padding. Kernels are
// computed in 32 bits, so results are those of the device.
package hsic

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// Lasso selects features that together say, nonlinearly, what the class says (Yamada et al. 2014):
//
//	min_β ½ ‖L̄ − Σ_j β_j K̄_j‖² + λ Σ_j β_j,  β ≥ 0
//
// K̄_j is the Gaussian kernel exp(−(x_i − x_i′)²/2) of feature j divided by its standard deviation, centred and divided by its norm
// (n×n); L̄ the same of the delta kernel [y_i = y_i′]/n_y of the classes, or of the Gaussian one of a quantity. λ falls from where β = 0
// by least angle regression until K features have entered, as in pyHSICLasso, whose figures these are. Kernels and their products are
// computed on the device, in 32 bits with sums in 64; the path is followed in 64.
//
// The score is β_j. Where the path ends before (nothing more lowers the error, or λ = 0 is reached), the features with the largest
// ⟨K̄_j, L̄⟩ fill up K, marked as padding.
type Lasso struct{}

// BlockLasso is HSIC Lasso on blocks of B rows (Climente-González et al. 2019), whose kernels take n·B·M numbers and not n²: rows
// are permuted M times and cut into ⌊n/B⌋ blocks each time, the rest left out; a kernel matrix becomes the list of those of its blocks,
// each centred and normed. Where rows make up only one block, there is only one permutation, as in pyHSICLasso;
// fewer than B are a block, which is [Lasso].
//
// The permutations are a function of the seed; pyHSICLasso's own are not used.
type BlockLasso struct {
	B            int `set:"b,2,1048576" default:"20"`        // rows of a block
	Permutations int `set:"permutations,1,1000" default:"3"` // M

	permutations [][]int // of the rows, instead of drawn ones, for a test
}

// Entry is that of hsic-lasso.
func (Lasso) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic-lasso", Version: 1, About: "kernel dependence on the class, non-negative lasso",
		Selects: true, Regression: true, Kernels: true,
	}
}

// Entry is that of hsic-lasso-block.
func (BlockLasso) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic-lasso-block", Version: 1, About: "HSIC Lasso on blocks of rows",
		Selects: true, Regression: true, Kernels: true,
	}
}

// forRows has the settings that count for n rows.
func (m BlockLasso) forRows(n int) BlockLasso {
	m = baseline.Defaulted(m)
	m.B = min(m.B, max(n, 1))
	if n < 2*m.B {
		m.Permutations = 1
	}
	return m
}

// Memory is that of a matrix of all rows for each feature of a slab, and of the lists that are kept.
func (Lasso) Memory(s baseline.Sizes) []baseline.Use { return memory(s, 1, s.Rows, kernelMemory) }

// Instead is what takes less memory.
func (Lasso) Instead() baseline.Method { return BlockLasso{} }

// Memory is that of the blocks' matrices for each feature of a slab, and of the lists that are kept.
func (m BlockLasso) Memory(s baseline.Sizes) []baseline.Use {
	m = m.forRows(s.Rows)
	return memory(s, s.Rows/m.B*m.Permutations, m.B, kernelMemory)
}

// Fit selects K features for classes or a quantity.
func (m Lasso) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return fit(ctx, m, data, o, [][]int{places.All(len(data.Rows))})
}

// Fit selects K features for classes or a quantity.
func (m BlockLasso) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	n := len(data.Rows)
	m = m.forRows(n)
	if m.permutations == nil {
		for p := range m.Permutations {
			m.permutations = append(m.permutations, rng.New(o.Seed, "hsic-lasso-block permutation", uint64(p)).Perm(n))
		}
	}
	var blocks [][]int
	for _, order := range m.permutations[:m.Permutations] {
		for ; len(order) >= m.B; order = order[m.B:] {
			blocks = append(blocks, order[:m.B])
		}
	}
	return fit(ctx, m, data, o, blocks)
}

// begin has the kernels of blocks of rows, of which as many bytes as limit are kept, and each feature's dependence on the class. Close
// them.
func begin(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, blocks [][]int, limit int) (
	w *baseline.Work, k *kernels, relevance []float64, err error) {
	if w, err = baseline.Begin(ctx, m, data, o, "kernels"); err != nil {
		return nil, nil, nil, err
	}
	if k, err = openKernels(ctx, w, blocks, limit); err != nil {
		return nil, nil, nil, err
	}
	if relevance, err = k.relevance(ctx); err != nil {
		k.close()
		return nil, nil, nil, err
	}
	return w, k, relevance, nil
}

func fit(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, blocks [][]int) (*baseline.Model, error) {
	w, k, relevance, err := begin(ctx, m, data, o, blocks, kernelMemory)
	if err != nil {
		return nil, err
	}
	defer k.close()
	w.Stage = "path"
	selected, err := nonNegativeLARS(relevance, w.K, func(feature, entered int) ([]float64, error) {
		list, err := k.of(feature)
		if err != nil {
			return nil, err
		}
		defer device.Free(list)
		products, err := k.with(ctx, list)
		w.Report(min(entered, w.K), w.K)
		return products, err
	})
	if err != nil {
		return nil, err
	}
	return w.Filled(selected, relevance), nil
}
