package repair

import "github.com/gomlx/gomlx/core/graph"

// Biased is σ (log δ + T), K×d: log δ with what is known of the features beforehand, and the sharpness. T is −log of a feature's cost,
// −[Forbidden] where a selector must not choose it, and, for a selector that is fixed to a feature, 0 there and −Forbidden everywhere else.
// No T is nil.
func Biased(logDelta, bias, sharpness *graph.Node) *graph.Node {
	if bias != nil {
		logDelta = graph.Add(logDelta, bias)
	}
	return graph.Mul(logDelta, sharpness)
}

// Forbidden is so much that the probability of what it is taken from is 0 to the last bit, with any sharpness, noise and temperature. It is
// finite: where a block of columns has nothing else, infinities would cancel to no number.
const Forbidden = excluded
