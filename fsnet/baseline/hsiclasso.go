package baseline

import (
	"cmp"
	"context"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/stream"
)

// HSICLasso selects features that together say, nonlinearly, what the class says (Yamada et al. 2014):
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
type HSICLasso struct{}

// HSICLassoBlock is HSIC Lasso on blocks of B rows (Climente-González et al. 2019), whose kernels take n·B·M numbers and not n²: rows
// are permuted M times and cut into ⌊n/B⌋ blocks each time, the rest left out; a kernel matrix becomes the list of those of its blocks,
// each centred and normed. Where rows make up only one block, there is only one permutation, as in pyHSICLasso.
//
// The permutations are a function of the seed; pyHSICLasso's own are not used.
type HSICLassoBlock struct {
	B            int // rows of a block; 0 means 20
	Permutations int // M; 0 means 3

	permutations [][]int // of the rows, instead of drawn ones, for a test
}

var (
	_ Method = HSICLasso{}
	_ Method = HSICLassoBlock{}
)

// Name is "hsic-lasso".
func (HSICLasso) Name() string { return "hsic-lasso" }

// Version is that of its figures.
func (HSICLasso) Version() int { return 1 }

// Name is "hsic-lasso-block".
func (HSICLassoBlock) Name() string { return "hsic-lasso-block" }

// Version is that of its figures.
func (HSICLassoBlock) Version() int { return 1 }

func (m *HSICLassoBlock) settings() []setting {
	return []setting{countSetting("b", &m.B, 2, 1<<20), countSetting("permutations", &m.Permutations, 1, 1000)}
}

// Fit selects K features for classes or a quantity.
func (m HSICLasso) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	rows := make([]int, len(data.Rows))
	for i := range rows {
		rows[i] = i
	}
	return hsicLasso(ctx, m, data, o, [][]int{rows})
}

// forRows has the settings that count for n rows.
func (m HSICLassoBlock) forRows(n int) HSICLassoBlock {
	m.B, m.Permutations = cmp.Or(m.B, 20), cmp.Or(m.Permutations, 3)
	if n < 2*m.B {
		m.Permutations = 1
	}
	return m
}

// Memory is that of a matrix of all rows for each feature of a slab, and of the lists that are kept.
func (HSICLasso) Memory(s Sizes) []Use { return s.kernels(1, s.Rows) }

// Memory is that of the blocks' matrices for each feature of a slab, and of the lists that are kept.
func (m HSICLassoBlock) Memory(s Sizes) []Use {
	m = m.forRows(s.Rows)
	return s.kernels(s.Rows/m.B*m.Permutations, m.B)
}

// Fit selects K features for classes or a quantity. It refuses fewer than B rows.
func (m HSICLassoBlock) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	n := len(data.Rows)
	m = m.forRows(n)
	if n >= 2 && n < m.B {
		return nil, fault.New(fault.Request, "use a smaller b, or hsic-lasso", "%s: b = %d is more than the %d rows", m.Name(), m.B, n)
	}
	if m.permutations == nil {
		for p := range m.Permutations {
			m.permutations = append(m.permutations, stream.New(o.Seed, "hsic-lasso-block permutation", uint64(p)).Perm(n))
		}
	}
	var blocks [][]int
	for _, order := range m.permutations[:m.Permutations] {
		for ; len(order) >= m.B; order = order[m.B:] {
			blocks = append(blocks, order[:m.B])
		}
	}
	return hsicLasso(ctx, m, data, o, blocks)
}

func hsicLasso(ctx context.Context, m Method, data Data, o Options, blocks [][]int) (*Model, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	if _, err := entryCount(m.Name(), len(blocks), len(blocks[0])); err != nil {
		return nil, err
	}
	device, done, err := o.device(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	columns := data.columns()
	k := newKernels(work{m.Name(), "kernels", o}, device, columns, blocks, kernelMemory)
	defer k.close()
	labels, err := k.ofLabels(data)
	if err != nil {
		return nil, err
	}
	relevance, err := k.with(ctx, labels)
	neural.Free(labels)
	if err != nil {
		return nil, err
	}
	selected, err := nonNegativeLARS(relevance, o.K, func(feature, entered int) ([]float64, error) {
		k.stage = "path"
		list, err := k.of(feature)
		if err != nil {
			return nil, err
		}
		defer neural.Free(list)
		products, err := k.with(ctx, list)
		o.report("path", min(entered, o.K), o.K)
		return products, err
	})
	if err != nil {
		return nil, err
	}
	return &Model{Method: m.Name(), Features: len(columns), Selected: padded(selected, relevance, columns, o.K)}, nil
}
