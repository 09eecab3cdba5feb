// Package filter holds the methods that score features by formulas, without training anything.
//
// # Nouns
//
//   - One feature at a time: [ANOVA], the F test; [MutualInformation], dependence of any shape.
//   - Features together: [MRMR], which takes one after the other and avoids those that repeat the ones it has.
//   - [Random], which every other method must beat.
//
// # Basics
//
//	model, err := filter.MRMR{}.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10})
//	columns := model.Columns() // by rank
//
// The zero value of each struct has the usual settings. All of them select and none predicts; [ANOVA] and [Random] also take quantities.
//
// # Caveats
//
// A method that looks at one feature at a time often takes many that say the same. [MRMR] cuts each feature into three states and looks
// only at a pool of the most relevant ones.
package filter

import (
	"context"
	"strconv"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/count"
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
	statistic, freedom := baseline.F, data.Present()
	if data.Regression() {
		statistic, freedom = baseline.FOfTarget, 2
	}
	if n := len(data.Rows); n <= freedom {
		return nil, w.Refusal("give at least "+strconv.Itoa(freedom+1), "%s %s too few", count.Of(n, "row"), count.Be(n))
	}
	columns := w.Columns()
	scores, err := w.ForEachColumn(ctx, func(j int) float64 { return statistic(data, columns[j]) })
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}
