package comparators

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/num"
)

// L1Logistic selects the features of a sparse logistic regression. For each
// class c against the others (once if there are two classes), with t_i = ±1,
// it solves
//
//	min_{w, b} ‖w‖₁ + C Σ_i log(1 + exp(−t_i (w·x_i + b)))
//
// like OneVsRestClassifier(LogisticRegression(l1_ratio=1, solver="saga")) of
// scikit-learn. The intercept b is not penalised. We use one class against
// the others rather than the softmax of all classes because the softmax does
// not determine its weights: for an even number of classes, many sets of
// weights, and of features, are equally good.
//
// For a quantity, minus its mean and divided by its standard deviation, it
// is the Lasso (Tibshirani 1996), like Lasso of scikit-learn with alpha =
// 1/(n C):
//
//	min_{w, b} ‖w‖₁ + C Σ_i ½ (t_i − w·x_i − b)²
//
// If C is 0, bisection finds a C at which K features have a nonzero weight
// for some class. The score is the largest |w_j| over the classes. If the
// count jumps past K, the K largest are taken. It may also never reach K,
// down to a thousandth of the penalty at which the first feature enters,
// since a lasso has at most as many features as rows. Then those with the
// largest gradient fill up K, marked as padding. Features should share one
// scale.
type L1Logistic struct {
	C float64 `set:"c,1e-9,1e9"` // 0 chooses it so that K features are selected
}

// Entry describes l1-logistic.
func (L1Logistic) Entry() baseline.Entry {
	return baseline.Entry{Name: "l1-logistic", Version: 1, About: "logistic regression with an L1 penalty; of a quantity the Lasso",
		Selects: true, Predicts: true, Regression: true}
}

// Fit selects K features, and learns to predict with all features that have
// weights. The Predictor of the model is a *[logisticModel]. For a quantity,
// its Regressor is a *[linearEstimator].
func (m L1Logistic) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(m, data, o, "weights")
	if err != nil {
		return nil, err
	}

	lassos := lassoProblems(data, w.Columns())
	if m.C > 0 {
		err = solveLassos(ctx, w, lassos, 1/m.C)
	} else {
		lassos, err = bisectPenalty(ctx, w, lassos)
	}
	if err != nil {
		return nil, err
	}

	weights, gradients := make([]float64, len(w.Columns())), make([]float64, len(w.Columns()))
	predictor := new(logisticModel)
	for _, l := range lassos {
		f := classFunction{class: l.class, other: l.other, intercept: l.intercept}
		for j, weight := range l.weights {
			weights[j] = max(weights[j], math.Abs(weight))
			gradients[j] = max(gradients[j], math.Abs(l.slopes[j]))
			if weight != 0 {
				f.columns, f.weights = append(f.columns, j), append(f.weights, weight)
			}
		}
		predictor.functions = append(predictor.functions, f)
	}

	model := w.Filled(w.Top(weights, min(o.K, selectedBy(lassos))), gradients)
	if data.Regression() {
		mean, spread := baseline.MeanAndStd(data.Target)
		model.Regressor = &linearEstimator{*predictor, mean, spread}
	} else {
		model.Predictor = predictor
	}
	return model, nil
}

// solveLassos continues every problem to its optimum for a penalty.
func solveLassos(ctx context.Context, w *baseline.Work, lassos []*lasso, penalty float64) error {
	w.Stage = "classes"
	for i, l := range lassos {
		if err := l.solve(ctx, w.Quiet(), penalty); err != nil {
			return err
		}
		w.Report(i+1, len(lassos))
	}
	return w.Interrupted(ctx)
}

// lassoProblems returns the problem of each class, or of the quantity.
func lassoProblems(data baseline.Data, columns [][]float64) []*lasso {
	if !data.Regression() {
		return oneAgainstRest(data, columns)
	}
	scaled := slices.Clone(data.Target)
	baseline.Standardize(scaled)
	return []*lasso{newLasso(columns, lasso{other: -1, target: scaled, intercept: floats.Sum(scaled) / float64(len(scaled))})}
}

// oneAgainstRest returns a problem for each class that has rows. For two
// classes it returns one problem, with the second as the positive class.
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
		intercept := math.Log(float64(size) / float64(len(data.Y)-size))
		lassos = append(lassos, newLasso(columns, lasso{class: c, other: -1, positive: positive, intercept: intercept}))
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

// bisectPenalty returns the problems solved at a penalty that selects K
// features. The penalty falls by a constant factor until K or more features
// are selected, and then bisection looks for exactly K. If bisection fails,
// more than K are selected. At a thousandth of the largest penalty it gives
// up, with fewer than K. The given problems must be at w = 0 and stay
// unchanged.
func bisectPenalty(ctx context.Context, w *baseline.Work, lassos []*lasso) ([]*lasso, error) {
	const (
		factor = 0.7
		least  = 1e-3 // share of the largest penalty
		steps  = 30   // steps of the bisection
	)

	high := 0.0 // too high: fewer than K are selected
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
		high, few, enough = low, enough, cloneLassos(enough)
		low *= factor
		if err := solveLassos(ctx, w.Quiet(), enough, low); err != nil {
			return nil, err
		}
		most = selectedBy(enough)
		w.Report(min(most, w.K), w.K)
	}

	for range steps {
		if most == w.K {
			break
		}
		middle, next := math.Sqrt(low*high), cloneLassos(few)
		if err := solveLassos(ctx, w.Quiet(), next, middle); err != nil {
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

// cloneLassos returns copies that can be solved further without changing the
// originals.
func cloneLassos(lassos []*lasso) []*lasso {
	copies := make([]*lasso, len(lassos))
	for i, l := range lassos {
		c := *l
		c.weights, c.slopes, c.margins = slices.Clone(l.weights), slices.Clone(l.slopes), slices.Clone(l.margins)
		copies[i] = &c
	}
	return copies
}

// logisticModel predicts with linear functions, one for each class against
// the others. For two classes there is only one.
type logisticModel struct {
	functions []classFunction
}

// classFunction is w·x + b. It is above 0 for class. If there are two
// classes, other is the second one, otherwise −1.
type classFunction struct {
	class, other int
	columns      []int // columns with a nonzero weight
	weights      []float64
	intercept    float64
}

var _ baseline.Predictor = (*logisticModel)(nil)

// Decision returns w·x + b of a row for each class that had rows, in the
// order of the classes. For two classes it returns one value, above 0 for
// the second.
func (m *logisticModel) Decision(row []float64) []float64 {
	values := make([]float64, len(m.functions))
	for i, f := range m.functions {
		values[i] = f.intercept
		for k, j := range f.columns {
			values[i] += f.weights[k] * row[j]
		}
	}
	return values
}

// Predict returns the class with the largest value. If several have it, it
// returns the first of them.
func (m *logisticModel) Predict(row []float64) int {
	values := m.Decision(row)
	if f := m.functions[0]; len(m.functions) == 1 {
		if values[0] > 0 {
			return f.class
		}
		return f.other
	}
	return m.functions[num.Argmax(values)].class
}

// linearEstimator estimates a quantity by m + s (w·x + b), with the mean m
// and standard deviation s of the training quantities.
type linearEstimator struct {
	fitted       logisticModel
	mean, spread float64
}

var _ baseline.Regressor = (*linearEstimator)(nil)

// Estimate returns the quantity of a row.
func (m *linearEstimator) Estimate(row []float64) float64 {
	return m.mean + m.spread*m.fitted.Decision(row)[0]
}

// Parameters counts the nonzero weights and the intercept.
func (m *linearEstimator) Parameters() int { return m.fitted.Parameters() }

// Parameters counts the nonzero weights and the intercepts.
func (m *logisticModel) Parameters() int {
	count := len(m.functions)
	for _, f := range m.functions {
		count += len(f.weights)
	}
	return count
}

// lasso solves min_{w, b} Σ_i log(1 + exp(−t_i (w·x_i + b))) + λ ‖w‖₁ for one
// class against others, by Newton steps on the loss. Each step minimises the
// quadratic model of the loss by coordinate descent over the relevant features,
// followed by a line search. For a quantity the loss of a row is ½ (t_i − w·x_i
// − b)², and that equals its quadratic model.
type lasso struct {
	columns      [][]float64
	class, other int
	positive     []bool    // t_i > 0
	target       []float64 // t_i of a quantity; otherwise nil

	weights   []float64 // w
	intercept float64   // b
	margins   []float64 // w·x_i + b
	slopes    []float64 // derivative of the loss by each weight: Σ_i x_ij times the residual of row i
}

// newLasso returns a problem at w = 0, with the margins and slopes that its
// intercept gives.
func newLasso(columns [][]float64, l lasso) *lasso {
	l.columns, l.weights, l.slopes = columns, make([]float64, len(columns)), make([]float64, len(columns))
	l.margins = slices.Repeat([]float64{l.intercept}, max(len(l.positive), len(l.target)))
	residuals, _ := l.residuals()
	for j, column := range columns {
		l.slopes[j] = floats.Dot(column, residuals)
	}
	return &l
}

// largestPenalty returns the λ above which w = 0. The lasso must be at w =
// 0.
func (l *lasso) largestPenalty() float64 {
	largest := 0.0
	for _, s := range l.slopes {
		largest = max(largest, math.Abs(s))
	}
	return largest
}

// residuals returns p_i − [t_i > 0] and the curvatures p_i (1 − p_i) with
// the probability p_i of the class. For a quantity it returns w·x_i + b −
// t_i and 1.
func (l *lasso) residuals() (residuals, curvatures []float64) {
	residuals, curvatures = make([]float64, len(l.margins)), make([]float64, len(l.margins))
	for i, margin := range l.margins {
		if l.target != nil {
			residuals[i], curvatures[i] = margin-l.target[i], 1
			continue
		}

		p := 1 / (1 + math.Exp(-margin))
		residuals[i] = p
		if l.positive[i] {
			residuals[i] = -1 / (1 + math.Exp(margin)) // p − 1, without cancellation
		}
		curvatures[i] = max(p*(1-p), 1e-9)
	}
	return residuals, curvatures
}

// solve continues from the current weights to the optimum for a penalty. It
// stops when the optimality conditions hold to a millionth of the penalty,
// or after 500 Newton steps.
func (l *lasso) solve(ctx context.Context, w *baseline.Work, penalty float64) error {
	for range 500 {
		residuals, curvatures := l.residuals()
		var err error
		if l.slopes, err = w.MapColumns(ctx, func(j int) float64 { return floats.Dot(l.columns[j], residuals) }); err != nil {
			return err
		}

		violation, working := l.survey(residuals, penalty)
		if violation <= 1e-6*penalty {
			return nil
		}
		if !l.newton(working, residuals, curvatures, penalty, violation) {
			return nil // rounding allows no improvement
		}
	}
	return nil
}

// survey returns the largest violation of the optimality conditions, and the
// features that have a weight or should have one.
func (l *lasso) survey(residuals []float64, penalty float64) (violation float64, working []int) {
	sum := 0.0
	for _, r := range residuals {
		sum += r
	}
	violation = math.Abs(sum)

	for j, slope := range l.slopes {
		var miss float64
		switch w := l.weights[j]; {
		case w > 0:
			miss = math.Abs(slope + penalty)
		case w < 0:
			miss = math.Abs(slope - penalty)
		default:
			miss = math.Abs(slope) - penalty
			if miss <= 0 {
				continue
			}
		}
		violation = max(violation, miss)
		working = append(working, j)
	}
	return violation, working
}

// newton makes one step towards the minimum of the quadratic model over the
// working features. It reports whether the objective fell.
func (l *lasso) newton(working []int, residuals, curvatures []float64, penalty, violation float64) bool {
	n := len(l.margins)
	shift := make([]float64, n) // change of the margins
	change := make([]float64, len(working))
	curve := make([]float64, len(working))
	weighted := make([]float64, n) // residuals + curvatures·shift
	copy(weighted, residuals)

	total := 0.0
	for _, h := range curvatures {
		total += h
	}

	for k, j := range working {
		for i, x := range l.columns[j] {
			curve[k] += curvatures[i] * x * x
		}
	}

	changeB := 0.0
	for range 1000 {
		largest := 0.0
		add := func(by float64, column []float64) {
			for i := range shift {
				x := by
				if column != nil {
					x *= column[i]
				}
				shift[i] += x
				weighted[i] += curvatures[i] * x
			}
		}

		sum := 0.0
		for _, v := range weighted {
			sum += v
		}
		changeB -= sum / total
		add(-sum/total, nil)
		largest = math.Abs(sum)

		for k, j := range working {
			if curve[k] == 0 {
				continue
			}
			slope := floats.Dot(l.columns[j], weighted)
			now := l.weights[j] + change[k]
			next := softThreshold(now-slope/curve[k], penalty/curve[k])
			if by := next - now; by != 0 {
				change[k] += by
				add(by, l.columns[j])
				largest = max(largest, math.Abs(by)*curve[k])
			}
		}
		if largest < 0.01*violation {
			break
		}
	}
	return l.search(working, change, changeB, shift, residuals, penalty)
}

// search halves the step until the objective falls enough, and makes that
// step. It returns false if no step is small enough.
func (l *lasso) search(working []int, change []float64, changeB float64, shift, residuals []float64, penalty float64) bool {
	before := l.loss(0, shift)
	promised := floats.Dot(residuals, shift)
	for k, j := range working {
		promised += penalty * (math.Abs(l.weights[j]+change[k]) - math.Abs(l.weights[j]))
	}

	for size := 1.0; size > 1e-10; size /= 2 {
		rise := l.loss(size, shift) - before
		for k, j := range working {
			rise += penalty * (math.Abs(l.weights[j]+size*change[k]) - math.Abs(l.weights[j]))
		}
		if rise <= 0.01*size*promised && promised < 0 {
			for k, j := range working {
				l.weights[j] += size * change[k]
			}
			l.intercept += size * changeB
			for i := range shift {
				l.margins[i] += size * shift[i]
			}
			return true
		}
	}
	return false
}

// loss returns the loss of all rows after the margins move by size times
// shift.
func (l *lasso) loss(size float64, shift []float64) float64 {
	sum := 0.0
	for i, margin := range l.margins {
		margin += size * shift[i]
		if l.target != nil {
			sum += (margin - l.target[i]) * (margin - l.target[i]) / 2
			continue
		}
		if l.positive[i] {
			margin = -margin
		}
		sum += max(margin, 0) + math.Log1p(math.Exp(-math.Abs(margin)))
	}
	return sum
}

// softThreshold moves x towards 0 by t, but not beyond 0.
func softThreshold(x, t float64) float64 {
	switch {
	case x > t:
		return x - t
	case x < -t:
		return x + t
	}
	return 0
}
