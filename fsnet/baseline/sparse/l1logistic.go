// Package sparse holds [L1Logistic], a logistic regression whose penalty leaves most features without a weight; of a quantity it is the Lasso.
//
// # Nouns
//
//   - [L1Logistic] selects the features that keep a weight, and predicts with them.
//   - [Logistic] is what it fits: a linear function for each class against the others; [Linear] that of a quantity.
//
// # Basics
//
//	model, err := sparse.L1Logistic{}.Fit(ctx, train, baseline.Options{K: 10})
//	columns := model.Columns() // by rank
//
// Without C it looks for the penalty at which K features are left; with C it takes the K largest weights of that penalty.
//
// # Caveats
//
// Features should be of one scale, since all weights share one penalty. At most as many features as rows can have a weight; others fill up
// K, marked as padding. Of features that say the same it takes one, more or less by chance.
package sparse

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
)

// L1Logistic selects the features that a sparse logistic regression leans on. For each class c against the others (for two classes, once),
// with t_i = ±1,
//
//	min_{w, b} ‖w‖₁ + C Σ_i log(1 + exp(−t_i (w·x_i + b)))
//
// as scikit-learn's OneVsRestClassifier(LogisticRegression(l1_ratio=1, solver="saga")); the intercept b is not penalised. One class against
// the others, and not the softmax of all, because the latter does not determine its weights: for an even number of classes many sets
// of weights, and of features, are equally good.
//
// Of a quantity, less its mean and divided by its standard deviation, it is the Lasso (Tibshirani 1996), as scikit-learn's Lasso with
// alpha = 1/(n C):
//
//	min_{w, b} ‖w‖₁ + C Σ_i ½ (t_i − w·x_i − b)²
//
// Without C, that one is sought, by bisection, at which K features have a weight that is not 0 for any class: the score is the largest
// |w_j| over the classes. Where the count jumps over K, the K largest are taken. Where it never reaches K, down to a thousandth of the
// penalty at which the first feature enters (a lasso has at most as many features as rows), those with the largest gradient fill up K,
// marked as padding. Features should be of one scale.
type L1Logistic struct {
	C float64 `set:"c,1e-9,1e9"` // 0 means: such that K features are selected
}

// Entry is that of l1-logistic.
func (L1Logistic) Entry() baseline.Entry {
	return baseline.Entry{Name: "l1-logistic", Version: 1, About: "logistic regression with an L1 penalty; of a quantity the Lasso",
		Selects: true, Predicts: true, Regression: true}
}

// Memory is that of the columns, and of the weights of each class at three penalties.
func (L1Logistic) Memory(s baseline.Sizes) []baseline.Use {
	weights := baseline.Bytes(4*s.Classes, 2*s.Features+s.Rows, 8)
	return []baseline.Use{s.Transposed(), {What: "weights and slopes of each class", Bytes: weights}}
}

// Fit selects K features, and learns to predict with all that have weights. The Predictor of the model is a *[Logistic], of a quantity the Regressor
// a *[Linear].
func (m L1Logistic) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(ctx, m, data, o, "weights")
	if err != nil {
		return nil, err
	}
	lassos := problems(data, w.Columns())
	if m.C > 0 {
		err = solve(ctx, w, lassos, 1/m.C)
	} else {
		lassos, err = bisect(ctx, w, lassos)
	}
	if err != nil {
		return nil, err
	}
	weights, gradients := make([]float64, len(w.Columns())), make([]float64, len(w.Columns()))
	predictor := new(Logistic)
	for _, l := range lassos {
		for j, weight := range l.weights {
			weights[j] = max(weights[j], math.Abs(weight))
			gradients[j] = max(gradients[j], math.Abs(l.slopes[j]))
		}
		predictor.add(l)
	}
	model := w.Filled(w.Top(weights, min(o.K, selectedBy(lassos))), gradients)
	if data.Regression() {
		mean, spread := baseline.MeanAndSpread(data.Target)
		model.Regressor = &Linear{*predictor, mean, spread}
	} else {
		model.Predictor = predictor
	}
	return model, nil
}

// solve goes on with every problem to its optimum for a penalty.
func solve(ctx context.Context, w *baseline.Work, lassos []*lasso, penalty float64) error {
	w.Stage = "classes"
	for i, l := range lassos {
		if err := l.solve(ctx, w.Quiet(), penalty); err != nil {
			return err
		}
		w.Report(i+1, len(lassos))
	}
	return w.Interrupted(ctx)
}

// problems are those of the classes, or of the quantity.
func problems(data baseline.Data, columns [][]float64) []*lasso {
	if data.Regression() {
		mean, spread := baseline.MeanAndSpread(data.Target)
		scaled := make([]float64, len(data.Target))
		for i, t := range data.Target {
			scaled[i] = (t - mean) / spread
		}
		return []*lasso{newQuantity(columns, scaled)}
	}
	return oneAgainstRest(data, columns)
}

// oneAgainstRest is a problem for each class that has rows; for two classes one, whose positive class is the second.
func oneAgainstRest(data baseline.Data, columns [][]float64) []*lasso {
	var lassos []*lasso
	for c, size := range data.ClassSizes() {
		if size == 0 {
			continue
		}
		positive := make([]bool, len(data.Y))
		for i, y := range data.Y {
			positive[i] = y == c
		}
		lassos = append(lassos, newLasso(columns, c, positive))
	}
	if len(lassos) == 2 {
		lassos[1].other = lassos[0].class
		return lassos[1:]
	}
	return lassos
}

// selectedBy counts the features that have a weight in any problem.
func selectedBy(lassos []*lasso) int {
	count := 0
	for j := range lassos[0].weights {
		if slices.ContainsFunc(lassos, func(l *lasso) bool { return l.weights[j] != 0 }) {
			count++
		}
	}
	return count
}

// bisect lowers the penalty until K features are selected: by a factor at a time, then between the last two.
func bisect(ctx context.Context, w *baseline.Work, lassos []*lasso) ([]*lasso, error) {
	const (
		factor = 0.7
		least  = 1e-3 // of the largest penalty
		steps  = 30   // of the bisection
	)
	high := 0.0 // fewer than K here
	for _, l := range lassos {
		high = max(high, l.largestPenalty())
	}
	w.Stage = "penalty"
	low, floor := high, high*least
	few, enough, most := lassos, lassos, 0
	for most < w.K {
		if low <= floor {
			return enough, nil // at the last penalty
		}
		high, few, enough = low, enough, clone(enough)
		low *= factor
		if err := solve(ctx, w.Quiet(), enough, low); err != nil {
			return nil, err
		}
		most = selectedBy(enough)
		w.Report(min(most, w.K), w.K)
	}
	for range steps {
		if most == w.K {
			break
		}
		middle, next := math.Sqrt(low*high), clone(few)
		if err := solve(ctx, w.Quiet(), next, middle); err != nil {
			return nil, err
		}
		if count := selectedBy(next); count >= w.K {
			low, enough, most = middle, next, count
		} else {
			high, few = middle, next
		}
	}
	return enough, nil
}

func clone(lassos []*lasso) []*lasso {
	copies := make([]*lasso, len(lassos))
	for i, l := range lassos {
		c := *l
		c.weights, c.slopes, c.margins = slices.Clone(l.weights), slices.Clone(l.slopes), slices.Clone(l.margins)
		copies[i] = &c
	}
	return copies
}
