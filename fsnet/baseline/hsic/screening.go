package hsic

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// Screening ranks features by their dependence on the class, of whatever shape, one feature at a time: maximum relevance by the
// Hilbert-Schmidt independence criterion (Gretton et al. 2005; as sure independence screening: Balasubramanian, Sriperumbudur, Lebanon
// 2013), normed so that it is 1 where kernels agree. With the kernels of [Lasso], which are centred and divided by their norms, the score
// is
//
//	⟨K̄_j, L̄⟩ = tr(K̄_j L̄)
//
// Kernels of all rows are made once and not kept.
type Screening struct{}

// Entry is that of hsic.
func (Screening) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hsic", Version: 1, About: "kernel dependence of each feature on the class", Selects: true, Regression: true, Kernels: true,
	}
}

// Memory is that of a matrix of all rows for each feature of a slab.
func (Screening) Memory(s baseline.Sizes) []baseline.Use { return memory(s, 1, s.Rows, 0) }

// Fit ranks the features, for classes or a quantity.
func (m Screening) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, k, relevance, err := begin(ctx, m, data, o, [][]int{places.All(len(data.Rows))}, 0)
	if err != nil {
		return nil, err
	}
	defer k.close()
	return w.Ranked(relevance), nil
}
