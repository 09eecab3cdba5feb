package sparse

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
)

// lasso is min_{w, b} Σ_i log(1 + exp(−t_i (w·x_i + b))) + λ ‖w‖₁ for one class against others, solved by Newton steps on the loss, each
// by coordinate descent on its quadratic model over the features that matter, with a line search. Of a quantity the loss of a row is
// ½ (t_i − w·x_i − b)², which is its own quadratic model.
type lasso struct {
	columns      [][]float64
	class, other int
	positive     []bool    // t_i > 0
	target       []float64 // t_i of a quantity; else nil

	weights   []float64 // w
	intercept float64   // b
	margins   []float64 // w·x_i + b
	slopes    []float64 // Σ_i x_ij (p_i − [t_i > 0]) of every feature, at the weights
}

// newLasso is at w = 0 and the b that is best there.
func newLasso(columns [][]float64, class int, positive []bool) *lasso {
	l := &lasso{columns: columns, class: class, other: -1, positive: positive}
	l.weights, l.slopes, l.margins = make([]float64, len(columns)), make([]float64, len(columns)), make([]float64, len(positive))
	count := 0.0
	for _, p := range positive {
		if p {
			count++
		}
	}
	l.intercept = math.Log(count / (float64(len(positive)) - count))
	for i := range l.margins {
		l.margins[i] = l.intercept
	}
	return l.started()
}

// newQuantity is at w = 0 and the mean.
func newQuantity(columns [][]float64, target []float64) *lasso {
	l := &lasso{columns: columns, other: -1, target: target, intercept: floats.Sum(target) / float64(len(target))}
	l.weights, l.slopes, l.margins = make([]float64, len(columns)), make([]float64, len(columns)), make([]float64, len(target))
	for i := range l.margins {
		l.margins[i] = l.intercept
	}
	return l.started()
}

// started has the slopes at the margins.
func (l *lasso) started() *lasso {
	residuals, _ := l.residuals()
	for j, column := range l.columns {
		l.slopes[j] = floats.Dot(column, residuals)
	}
	return l
}

// largestPenalty is the λ from which on w = 0, for a lasso at w = 0.
func (l *lasso) largestPenalty() float64 {
	largest := 0.0
	for _, s := range l.slopes {
		largest = max(largest, math.Abs(s))
	}
	return largest
}

// residuals are p_i − [t_i > 0] and the curvatures p_i (1 − p_i), p_i being the probability of the class; of a quantity w·x_i + b − t_i
// and 1.
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

// solve goes on from where the weights are to the optimum for a penalty. It stops when the conditions of the optimum hold to a millionth
// of the penalty, or after 500 Newton steps.
func (l *lasso) solve(ctx context.Context, w *baseline.Work, penalty float64) error {
	for range 500 {
		residuals, curvatures := l.residuals()
		var err error
		if l.slopes, err = w.ForEachColumn(ctx, func(j int) float64 { return floats.Dot(l.columns[j], residuals) }); err != nil {
			return err
		}
		violation, working := l.survey(residuals, penalty)
		if violation <= 1e-6*penalty {
			return nil
		}
		if !l.newton(working, residuals, curvatures, penalty, violation) {
			return nil // rounding allows no better
		}
	}
	return nil
}

// survey says by how much the conditions of the optimum are missed, and which features have a weight or ought to.
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

// newton goes a step towards the least of the quadratic model over the working features. It reports whether the objective fell.
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
			next := soft(now-slope/curve[k], penalty/curve[k])
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

// search halves the step until the objective falls as much as it should.
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

// loss is the sum of the losses of all rows after a part of a shift of the margins.
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

// soft is x drawn towards 0 by t.
func soft(x, t float64) float64 {
	switch {
	case x > t:
		return x - t
	case x < -t:
		return x + t
	}
	return 0
}
