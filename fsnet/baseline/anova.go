package baseline

import (
	"context"
	"math"
)

// ANOVA ranks features by how far the means of the classes lie apart, one feature at a time:
//
//	F_j = ( Σ_c n_c (x̄_jc − x̄_j)² / (C − 1) ) / ( Σ_c Σ_{i ∈ c} (x_ij − x̄_jc)² / (n − C) )
//
// For regression F_j = r_j²/(1 − r_j²) (n − 2), r_j being the correlation with the quantity. These are scikit-learn's f_classif and
// f_regression. A feature that tells the classes apart without any spread has the largest finite number as its score.
type ANOVA struct{}

var _ Method = ANOVA{}

// Name is "anova".
func (ANOVA) Name() string { return "anova" }

// Version is that of its figures.
func (ANOVA) Version() int { return 1 }

// Memory is that of the columns.
func (ANOVA) Memory(s Sizes) []Use { return []Use{s.transposed()} }

// Fit ranks the features. It refuses fewer rows than leave a spread: C + 1, or 3 for regression.
func (m ANOVA) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	statistic, freedom := data.fOfClasses, data.present()
	if data.regression() {
		statistic, freedom = data.fOfTarget, 2
	}
	if len(data.Rows) <= freedom {
		return nil, tooFew(m.Name(), len(data.Rows), freedom+1)
	}
	columns := data.columns()
	scores := make([]float64, len(columns))
	err := work{m.Name(), "F test", o}.forEach(ctx, len(columns), 256, func(from, to int) {
		for j := from; j < to; j++ {
			scores[j] = statistic(columns[j])
		}
	})
	if err != nil {
		return nil, err
	}
	return &Model{Method: m.Name(), Features: len(columns), Selected: best(scores, columns, o.K)}, nil
}

// fOfClasses is F_j of a column; 0 where it is constant.
func (data Data) fOfClasses(column []float64) float64 {
	sizes := data.sizes()
	sums := make([]float64, data.Classes)
	total := 0.0
	for i, x := range column {
		sums[data.Y[i]] += x
		total += x
	}
	n := float64(len(column))
	mean := total / n
	between, within := 0.0, 0.0
	for c, size := range sizes {
		if size > 0 {
			sums[c] /= float64(size)
			between += float64(size) * (sums[c] - mean) * (sums[c] - mean)
		}
	}
	for i, x := range column {
		within += (x - sums[data.Y[i]]) * (x - sums[data.Y[i]])
	}
	classes := float64(data.present())
	return ratio(between/(classes-1), within/(n-classes))
}

// fOfTarget is F_j of a column for regression; 0 where it is constant.
func (data Data) fOfTarget(column []float64) float64 {
	n := float64(len(column))
	meanX, meanT := 0.0, 0.0
	for i, x := range column {
		meanX += x / n
		meanT += data.Target[i] / n
	}
	xx, tt, xt := 0.0, 0.0, 0.0
	for i, x := range column {
		xx += (x - meanX) * (x - meanX)
		tt += (data.Target[i] - meanT) * (data.Target[i] - meanT)
		xt += (x - meanX) * (data.Target[i] - meanT)
	}
	if xx == 0 {
		return 0
	}
	r2 := xt / xx * xt / tt
	return ratio(r2*(n-2), 1-r2)
}

// ratio is a/b for a, b ≥ 0, kept finite.
func ratio(a, b float64) float64 {
	switch {
	case !(a > 0):
		return 0
	case !(b > 0):
		return math.MaxFloat64
	}
	return min(a/b, math.MaxFloat64)
}

// present counts the classes that have rows.
func (data Data) present() int {
	count := 0
	for _, size := range data.sizes() {
		if size > 0 {
			count++
		}
	}
	return count
}
