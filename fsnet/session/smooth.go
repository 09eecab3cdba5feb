package session

import (
	"math"
	"slices"

	"fsnetlab/fsnet/config"
)

// LeastSmoothed is how many points a curve has at the least to be drawn smoothed: of fewer every one is looked at.
const LeastSmoothed = 12

// Noisy is whether a metric is measured on the rows of batches, which differ from step to step, so that a reader wants its average, too.
// Validation rows are the same ones at each look, and what is not measured on rows has no noise of theirs.
func Noisy(metric string) bool {
	return slices.Contains([]string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "r2_train"}, metric)
}

// SmoothEpochs is over how many epochs the noisy curves of a training are averaged where nobody says so: the largest of 1, 2, 5, 10, 20, 50
// and so on that is at most a fiftieth of those shown, so that the average follows what takes long and not what one batch did. 0 is not at
// all, below fifty epochs.
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

// Smooth is the average of the curve up to each of its points, in which a value counts the less the longer ago it was, 1/e after so many
// steps. It is an exponential moving average over time, not over points:
//
//	sᵢ = Σⱼ≤ᵢ wⱼ e^−(tᵢ−tⱼ)/T vⱼ / Σⱼ≤ᵢ wⱼ e^−(tᵢ−tⱼ)/T,  wⱼ = 1 − e^−(tⱼ−tⱼ₋₁)/T,  T = steps
//
// So a point counts for the time since the one before it, however unevenly they lie (the first as much as the second), and nothing draws
// the beginning towards 0. Of points at equal distances it is TensorBoard's debiased average with the weight e^−distance/T. A thinned curve
// counts with the means of its stretches, since its extremes are not what it usually was. A value that is not finite has no average, and
// those after it go on. Steps of 0 or less give the values.
//
// After each of the steps in anew the average begins anew: a loss that is made otherwise from there on ([History.LossMadeOtherwise]) shall
// be seen to jump.
func (c Curve) Smooth(steps float64, anew ...int) []float64 {
	out := slices.Clone(c.Values[:c.length()])
	if steps <= 0 {
		return out
	}
	means, sum, weight := c.means(), 0.0, 0.0
	for i, v := range out {
		if i > 0 && slices.ContainsFunc(anew, func(step int) bool { return c.Steps[i-1] <= step && step < c.Steps[i] }) {
			sum, weight = 0, 0
		}
		stays := math.Exp(-c.since(i) / steps)
		sum, weight = stays*sum, stays*weight
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out[i] = math.NaN()
			continue
		}
		sum, weight = sum+(1-stays)*means[i], weight+1-stays
		out[i] = sum / weight
	}
	return out
}

// LossMadeOtherwise are the steps after which the loss was made otherwise: another weight of a part of it, or another network or weights of
// the classes to measure. A learning rate changes its course, not what it is.
func (h History) LossMadeOtherwise() (steps []int) {
	for _, e := range h.Events {
		if e.MakesLossOtherwise() {
			steps = append(steps, e.Step)
		}
	}
	return steps
}

// MakesLossOtherwise says whether the event changed what the loss is made of.
func (e Event) MakesLossOtherwise() bool {
	return slices.ContainsFunc(e.Changes, func(c config.Change) bool {
		return slices.Contains([]string{"lambda", "repulsion", "dropout", "class_weight"}, c.Key)
	})
}
