package filter

import (
	"context"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"

	"fsnetlab/fsnet/baseline"
)

// MutualInformation ranks features by what each says of the class, whatever the shape: maximum relevance. Values are not cut into
// states, as [MRMR] does; information is estimated from distances to the nearest values of the same class (Ross 2014), in nats:
//
//	I(x_j, y) = ψ(n) + mean_i ψ(k_i) − mean_i ψ(n_{y_i}) − mean_i ψ(m_i),  not below 0
//
// where m_i counts the rows, i among them, whose value is the same as that of row i, or nearer to it than the k-th nearest of its class,
// and k_i those of its class among them: k, where no values are equal. Of classes of fewer than k + 1 rows the furthest row counts, and a
// class of one row is left out. These are the figures of scikit-learn's mutual_info_classif, but for equal values, which it sets apart by
// noise.
type MutualInformation struct {
	Neighbours int `set:"neighbours,1,1048576" default:"3"` // k
}

// Entry is that of mutual-information.
func (MutualInformation) Entry() baseline.Entry {
	return baseline.Entry{Name: "mutual-information", Version: 1, About: "mutual information of each feature with the class", Selects: true}
}

// Memory is that of the columns.
func (MutualInformation) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{s.Transposed()}
}

// Fit ranks the features.
func (m MutualInformation) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "information")
	if err != nil {
		return nil, err
	}
	columns, sizes := w.Columns(), data.ClassSizes()
	digamma := make([]float64, len(data.Rows)+1)
	for n := 1; n < len(digamma); n++ {
		digamma[n] = mathext.Digamma(float64(n))
	}
	scores, err := w.ForEachColumn(ctx, func(j int) float64 {
		var all []float64
		byClass := make([][]float64, data.Classes)
		for i, x := range columns[j] {
			if y := data.Y[i]; sizes[y] > 1 {
				all, byClass[y] = append(all, x), append(byClass[y], x)
			}
		}
		slices.Sort(all)
		sum := 0.0
		for _, values := range byClass {
			slices.Sort(values)
			k := min(m.Neighbours, len(values)-1)
			for at, x := range values {
				distance := math.Nextafter(nearest(values, at, k), 0)
				sum += digamma[within(values, x, distance)] - digamma[len(values)] - digamma[within(all, x, distance)]
			}
		}
		if len(all) == 0 {
			return 0
		}
		return max(digamma[len(all)]+sum/float64(len(all)), 0)
	})
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}

// nearest is the distance of a value from the k-th nearest other one of a sorted list.
func nearest(values []float64, at, k int) (distance float64) {
	below, above := at-1, at+1
	for range k {
		if above >= len(values) || below >= 0 && values[at]-values[below] <= values[above]-values[at] {
			distance = values[at] - values[below]
			below--
		} else {
			distance = values[above] - values[at]
			above++
		}
	}
	return distance
}

// within counts the values of a sorted list that are no further from x.
func within(values []float64, x, distance float64) int {
	from := sort.Search(len(values), func(i int) bool { return x-values[i] <= distance })
	return sort.Search(len(values), func(i int) bool { return values[i]-x > distance }) - from
}
