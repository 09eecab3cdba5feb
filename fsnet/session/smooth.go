package session

import (
	"math"
	"slices"

	"fsnetlab/fsnet/config"
)

// LeastSmoothed is the smallest number of points that are smoothed. If there
// are fewer, every point is visible anyway.
const LeastSmoothed = 12

// Noisy reports whether a metric is measured on batches. Because their rows
// differ from step to step, an average helps the reader. Validation rows are
// the same at each look, and other metrics are not measured on rows.
func Noisy(metric string) bool {
	return slices.Contains([]string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "r2_train"}, metric)
}

// SmoothEpochs returns the default number of epochs over which noisy curves
// are averaged. It is the largest of 1, 2, 5, 10, 20, 50 and so on that is
// at most a fiftieth of the epochs shown, so that the average follows trends
// rather than single batches. Below fifty epochs it is 0, which turns
// smoothing off.
func SmoothEpochs(shown float64) int {
	best := 0
	for size := 1; float64(size) <= shown/50; size *= 10 {
		for _, digit := range []int{1, 2, 5} {
			if float64(digit*size) <= shown/50 {
				best = digit * size
			}
		}
	}
	return best
}

// Smooth returns, for each point, the average of the curve up to it. The
// weight of a value falls with time, to 1/e after that many steps. It is an
// exponential moving average over time, not over points:
//
//	sᵢ = Σⱼ≤ᵢ wⱼ e^−(tᵢ−tⱼ)/T vⱼ / Σⱼ≤ᵢ wⱼ e^−(tᵢ−tⱼ)/T,  wⱼ = 1 − e^−(tⱼ−tⱼ₋₁)/T,  T = steps
//
// So a point counts for the time since the previous one, however uneven
// their distances are (the first counts as much as the second), and nothing
// pulls the beginning towards 0. For equidistant points it equals
// TensorBoard's debiased average with the weight e^−distance/T. A thinned
// curve counts with the means of its stretches, because its extremes are not
// typical. A value that is not finite has no average, and later averages
// skip it. If steps is 0 or less, Smooth returns the values.
//
// The average restarts after each of the steps in anew. If the loss is
// defined differently from there on ([History.LossChanges]), you should see
// it jump.
func (c Curve) Smooth(steps float64, anew ...int) []float64 {
	if steps <= 0 {
		return slices.Clone(c.Values[:c.length()])
	}
	var a Averages
	a.Extend(c, 0, steps, anew...)
	return a.Values
}

// Averages holds the averages of a growing curve, so that each point has to be
// averaged only once. The zero value is empty.
type Averages struct {
	Values        []float64 // as [Curve.Smooth] returns them
	sums, weights []float64 // numerator and denominator up to each point
}

// Extend averages the points of c except the first kept ones. These must not
// have changed since the last call, and steps and anew must be those of that
// call. steps must be above 0.
func (a *Averages) Extend(c Curve, kept int, steps float64, anew ...int) {
	kept = min(kept, len(a.Values), c.length())
	if kept < 2 { // the first point counts as much as the second
		kept = 0
	}
	a.Values, a.sums, a.weights = a.Values[:kept], a.sums[:kept], a.weights[:kept]
	means, sum, weight := c.means(), 0.0, 0.0
	if kept > 0 {
		sum, weight = a.sums[kept-1], a.weights[kept-1]
	}

	for i := kept; i < c.length(); i++ {
		if i > 0 && slices.ContainsFunc(anew, func(step int) bool { return c.Steps[i-1] <= step && step < c.Steps[i] }) {
			sum, weight = 0, 0
		}

		stays := math.Exp(-c.stepsBefore(i) / steps)
		sum, weight = stays*sum, stays*weight
		average := math.NaN()
		if v := c.Values[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum, weight = sum+(1-stays)*means[i], weight+1-stays
			average = sum / weight
		}
		a.Values, a.sums, a.weights = append(a.Values, average), append(a.sums, sum), append(a.weights, weight)
	}
}

// LossChanges returns the steps after which the loss was defined
// differently: with another weight of a term, another network, or other
// class weights. A learning rate changes the course of the loss, not its
// definition.
func (h History) LossChanges() (steps []int) {
	for _, e := range h.Events {
		if e.ChangesLoss() {
			steps = append(steps, e.Step)
		}
	}
	return steps
}

// ChangesLoss reports whether the event changed the definition of the loss.
func (e Event) ChangesLoss() bool {
	return slices.ContainsFunc(e.Changes, func(c config.Change) bool {
		return slices.Contains([]string{"lambda", "repulsion", "dropout", "class_weight"}, c.Key)
	})
}
