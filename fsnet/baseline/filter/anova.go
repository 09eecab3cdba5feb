// Package filter holds the methods that look at one feature, at pairs of them, or at neighbours among the rows, and train nothing: [ANOVA],
// [ModeratedF], [MutualInformation], [MRMR], [ReliefF], and [Random], which every other one must beat.
package filter

import (
	"context"
	"math"
	"strconv"

	"fsnetlab/fsnet/baseline"
)

// ANOVA ranks features by how far the means of the classes lie apart, one feature at a time:
//
//	F_j = ( Σ_c n_c (x̄_jc − x̄_j)² / (C − 1) ) / ( Σ_c Σ_{i ∈ c} (x_ij − x̄_jc)² / (n − C) )
//
// For regression F_j = r_j²/(1 − r_j²) (n − 2), r_j being the correlation with the quantity. These are scikit-learn's f_classif and
// f_regression. A feature that tells the classes apart without any spread has the largest finite number as its score.
type ANOVA struct{}

// Entry is that of anova.
func (ANOVA) Entry() baseline.Entry {
	return baseline.Entry{Name: "anova", Version: 1, About: "F test of each feature", Selects: true, Regression: true}
}

// Memory is that of the columns.
func (ANOVA) Memory(s baseline.Sizes) []baseline.Use { return []baseline.Use{s.Transposed()} }

// Fit ranks the features. It refuses fewer rows than leave a spread: C + 1, or 3 for regression.
func (m ANOVA) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(ctx, m, data, o, "F test")
	if err != nil {
		return nil, err
	}
	statistic, freedom := F, data.Present()
	if data.Regression() {
		statistic, freedom = fOfTarget, 2
	}
	if n := len(data.Rows); n <= freedom {
		return nil, w.Refusal("give at least "+strconv.Itoa(freedom+1), "%d rows are too few", n)
	}
	columns := w.Columns()
	scores, err := w.ForEachColumn(ctx, func(j int) float64 { return statistic(data, columns[j]) })
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}

// F is the statistic F_j of [ANOVA] of a column, n numbers, for the n classes of data, whose Rows it does not look at; 0 where the column
// is constant.
func F(data baseline.Data, column []float64) float64 {
	sizes := data.ClassSizes()
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
	classes := float64(data.Present())
	return ratio(between/(classes-1), within/(n-classes))
}

// fOfTarget is F_j of a column for regression; 0 where it is constant.
func fOfTarget(data baseline.Data, column []float64) float64 {
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
