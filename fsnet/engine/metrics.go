package engine

import (
	"math"

	"fsnetlab/fsnet/method"
)

// Metrics are the losses of one step's batch, the largest absolute gradient, and the sum of what the selectors pass on.
type Metrics struct{ Loss, LossClass, LossReconstruction, Accuracy, gradient, selector float64 }

// metricsOf are those of one step, as the graph returns them.
func metricsOf(m []float32) Metrics {
	return Metrics{float64(m[method.MetricLoss]), float64(m[method.MetricLossClass]), float64(m[method.MetricLossReconstruction]),
		float64(m[method.MetricAccuracy]), float64(m[method.MetricGradient]), float64(m[method.MetricSelector])}
}

// broken names what is not a number, or is "". What comes first in the network is named first: all that follows it is broken, too.
func (m Metrics) broken() string {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !finite(m.selector):
		return "selector's output"
	case !finite(m.LossClass):
		return "class loss"
	case !finite(m.LossReconstruction):
		return "reconstruction loss"
	case !finite(m.Loss):
		return "loss"
	case !finite(m.gradient):
		return "gradient"
	}
	return ""
}
