package comparators

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"

	"gonum.org/v1/gonum/mathext"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// fitByColumn implements the FitPath of methods that score one column at a
// time. prepare returns the score, or an error if the data do not suit. The
// score is called concurrently.
func fitByColumn(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, ks []int, stage string,
	prepare func(*baseline.Work) (func(j int) float64, error)) ([]*baseline.Model, error) {
	o.K = ks[len(ks)-1]
	w, err := baseline.Begin(m, data, o, stage)
	if err != nil {
		return nil, err
	}

	score, err := prepare(w)
	if err != nil {
		return nil, err
	}

	scores, err := w.MapColumns(ctx, score)
	if err != nil {
		return nil, err
	}
	return w.RankedPath(scores, ks), nil
}

// ANOVA ranks features by how far the class means are apart, one feature at
// a time:
//
//	F_j = ( Σ_c n_c (x̄_jc − x̄_j)² / (C − 1) ) / ( Σ_c Σ_{i ∈ c} (x_ij − x̄_jc)² / (n − C) )
//
// For regression F_j = r_j²/(1 − r_j²) (n − 2), with the correlation r_j of
// feature and quantity. These are f_classif and f_regression of
// scikit-learn. A feature that separates the classes and does not vary
// within them scores the largest finite number.
type ANOVA struct{}

// Entry describes anova.
func (ANOVA) Entry() baseline.Entry {
	return baseline.Entry{Name: "anova", Version: 1, About: "F test of each feature", Selects: true, Regression: true}
}

// Fit ranks the features. It rejects data with too few rows to estimate a
// variance: it needs C + 1 rows, or 3 for regression.
func (m ANOVA) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m ANOVA) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	return fitByColumn(ctx, m, data, o, ks, "F test", func(w *baseline.Work) (func(j int) float64, error) {
		statistic, freedom := baseline.F, data.Present()
		if data.Regression() {
			statistic, freedom = baseline.FOfTarget, 2
		}
		if n := len(data.Rows); n <= freedom {
			return nil, w.Refusal("give at least "+strconv.Itoa(freedom+1), "%s %s too few", phrase.Count(n, "row"), phrase.Be(n))
		}
		columns := w.Columns()
		return func(j int) float64 { return statistic(data, columns[j]) }, nil
	})
}

// MutualInformation ranks features by their mutual information with the class,
// whatever the shape of the dependence: maximum relevance. Unlike [MRMR] it
// does not cut values into states. It estimates the information from distances
// to the nearest values of the same class (Ross 2014), in nats:
//
//	I(x_j, y) = ψ(n) + mean_i ψ(k_i) − mean_i ψ(n_{y_i}) − mean_i ψ(m_i),  not below 0
//
// For row i, m_i counts the rows (including i) that are nearer than the k-th
// nearest row of its class, or have the same value as i. k_i counts those of
// its class among them. It is k unless values are equal. In a class of fewer
// than k + 1 rows, the furthest row replaces the k-th nearest. A class of one
// row is left out. The results are those of mutual_info_classif in
// scikit-learn, except for equal values: scikit-learn adds noise to separate
// them.
type MutualInformation struct {
	Neighbours int `set:"neighbours,1,1048576" default:"3"` // k
}

// Entry describes mutual-information.
func (MutualInformation) Entry() baseline.Entry {
	return baseline.Entry{Name: "mutual-information", Version: 1, About: "mutual information of each feature with the class", Selects: true}
}

// Fit ranks the features for classes.
func (m MutualInformation) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m MutualInformation) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return fitByColumn(ctx, m, data, o, ks, "information", func(w *baseline.Work) (func(j int) float64, error) {
		columns, sizes := w.Columns(), data.ClassSizes()

		digamma := make([]float64, len(data.Rows)+1)
		for n := 1; n < len(digamma); n++ {
			digamma[n] = mathext.Digamma(float64(n))
		}
		return func(j int) float64 {
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
					distance := math.Nextafter(nearestDistance(values, at, k), 0)
					sum += digamma[countWithin(values, x, distance)] - digamma[len(values)] - digamma[countWithin(all, x, distance)]
				}
			}

			if len(all) == 0 {
				return 0
			}
			return max(digamma[len(all)]+sum/float64(len(all)), 0)
		}, nil
	})
}

// nearestDistance returns the distance from a value of a sorted list to the
// k-th nearest other value.
func nearestDistance(values []float64, index, k int) (distance float64) {
	below, above := index-1, index+1
	for range k {
		if above >= len(values) || below >= 0 && values[index]-values[below] <= values[above]-values[index] {
			distance = values[index] - values[below]
			below--
		} else {
			distance = values[above] - values[index]
			above++
		}
	}
	return distance
}

// countWithin counts the values of a sorted list within distance of x.
func countWithin(values []float64, x, distance float64) int {
	from := sort.Search(len(values), func(i int) bool { return x-values[i] <= distance })
	return sort.Search(len(values), func(i int) bool { return values[i]-x > distance }) - from
}

// Random selects features at random. The score of feature j is a uniform
// number in [0, 1), a function of (seed, j). Every other method should beat
// it.
type Random struct{}

// Entry describes random.
func (Random) Entry() baseline.Entry {
	return baseline.Entry{Name: "random", Version: 1, About: "features at random", Selects: true, Regression: true}
}

// Fit draws K features. It ignores the labels but requires them, like every
// method.
func (m Random) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m Random) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	return fitByColumn(ctx, m, data, o, ks, "draws", func(*baseline.Work) (func(j int) float64, error) {
		return func(j int) float64 { return num.RNG(o.Seed, "baseline random", uint64(j)).Float64() }, nil
	})
}
