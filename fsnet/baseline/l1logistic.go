package baseline

import (
	"context"
	"math"
	"slices"
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
// Without C, that one is sought, by bisection, at which K features have a weight that is not 0 for any class: the score is the largest
// |w_j| over the classes. Where the count jumps over K, the K largest are taken. Where it never reaches K, down to a thousandth of the
// penalty at which the first feature enters (a lasso has at most as many features as rows), those with the largest gradient fill up K,
// marked as padding. Features should be of one scale.
type L1Logistic struct {
	C float64 // 0 means: such that K features are selected
}

var _ Method = L1Logistic{}

// Name is "l1-logistic".
func (L1Logistic) Name() string { return "l1-logistic" }

// Version is that of its figures.
func (L1Logistic) Version() int { return 1 }

func (m *L1Logistic) settings() []setting { return []setting{numberSetting("c", &m.C, 1e-9, 1e9)} }

// Memory is that of the columns, and of the weights of each class at three penalties.
func (L1Logistic) Memory(s Sizes) []Use {
	return []Use{s.transposed(), {"weights and slopes of each class", bytesOf(4*s.Classes, 2*s.Features+s.Rows, 8)}}
}

// Fit selects K features, and learns to predict with all that have weights. The Predictor of the model is a *[Logistic].
func (m L1Logistic) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	columns := data.columns()
	lassos := oneAgainstRest(data, columns)
	solve := func(penalty float64, o Options) error {
		for i, l := range lassos {
			if err := l.solve(ctx, work{m.Name(), "weights", Options{}}, penalty); err != nil {
				return err
			}
			o.report("classes", i+1, len(lassos))
		}
		return nil
	}
	var err error
	if m.C > 0 {
		err = solve(1/m.C, o)
	} else {
		err = bisect(lassos, o, solve)
	}
	if err != nil {
		return nil, err
	}
	weights, gradients := make([]float64, len(columns)), make([]float64, len(columns))
	model := &Logistic{classes: data.Classes}
	for _, l := range lassos {
		for j, w := range l.weights {
			weights[j] = max(weights[j], math.Abs(w))
			gradients[j] = max(gradients[j], math.Abs(l.slopes[j]))
		}
		model.add(l)
	}
	selected := best(weights, columns, min(o.K, selectedBy(lassos)))
	return &Model{Method: m.Name(), Features: len(columns), Selected: padded(selected, gradients, columns, o.K), Predictor: model}, nil
}

// oneAgainstRest is a problem for each class that has rows; for two classes one, whose positive class is the second.
func oneAgainstRest(data Data, columns [][]float64) []*lasso {
	var lassos []*lasso
	for c, size := range data.sizes() {
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
func bisect(lassos []*lasso, o Options, solve func(penalty float64, o Options) error) error {
	const (
		factor = 0.7
		least  = 1e-3 // of the largest penalty
		steps  = 30   // of the bisection
	)
	high := 0.0 // fewer than K here
	for _, l := range lassos {
		high = max(high, l.largestPenalty())
	}
	floor := high * least
	few := snapshot(lassos)
	low := high
	for count := 0; count < o.K; {
		if low <= floor {
			return nil // at the last penalty
		}
		high, few = low, snapshot(lassos)
		low *= factor
		if err := solve(low, Options{}); err != nil {
			return err
		}
		count = selectedBy(lassos)
		o.report("penalty", min(count, o.K), o.K)
	}
	enough, most := snapshot(lassos), selectedBy(lassos)
	for range steps {
		if most == o.K {
			break
		}
		middle := math.Sqrt(low * high)
		restore(lassos, few)
		if err := solve(middle, Options{}); err != nil {
			return err
		}
		if count := selectedBy(lassos); count >= o.K {
			low, enough, most = middle, snapshot(lassos), count
		} else {
			high, few = middle, snapshot(lassos)
		}
	}
	restore(lassos, enough)
	return nil
}

func snapshot(lassos []*lasso) []lasso {
	copies := make([]lasso, len(lassos))
	for i, l := range lassos {
		copies[i] = *l
		copies[i].weights, copies[i].slopes, copies[i].margins = slices.Clone(l.weights), slices.Clone(l.slopes), slices.Clone(l.margins)
	}
	return copies
}

func restore(lassos []*lasso, copies []lasso) {
	for i, l := range lassos {
		copy(l.weights, copies[i].weights)
		copy(l.slopes, copies[i].slopes)
		copy(l.margins, copies[i].margins)
		l.intercept = copies[i].intercept
	}
}
