package fsnet

import "math"

// batchMetrics are the losses of one step's batch, the largest absolute gradient, and the sum of what the selectors pass on.
type batchMetrics struct{ loss, lossClass, lossReconstruction, accuracy, gradient, selector float64 }

// metricsOf are those of one step, as the graph returns them.
func metricsOf(m []float32) batchMetrics {
	return batchMetrics{float64(m[metricLoss]), float64(m[metricLossClass]), float64(m[metricLossReconstruction]), float64(m[metricAccuracy]), float64(m[metricGradient]), float64(m[metricSelector])}
}

// broken names what is not a number, or is "". What comes first in the network is named first: all that follows it is broken, too.
func (m batchMetrics) broken() string {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !finite(m.selector):
		return "selector's output"
	case !finite(m.lossClass):
		return "class loss"
	case !finite(m.lossReconstruction):
		return "reconstruction loss"
	case !finite(m.loss):
		return "loss"
	case !finite(m.gradient):
		return "gradient"
	}
	return ""
}
