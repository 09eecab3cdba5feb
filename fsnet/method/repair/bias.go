package repair

import "github.com/gomlx/gomlx/core/graph"

// Logits returns σ (log δ + T), K×d, the logits of P. The bias T is −log of a feature's cost,
// −[Forbidden] where a selector must not choose the feature and, for a selector that is fixed to a
// feature, 0 there and −Forbidden elsewhere. A nil bias is 0. sharpness is σ.
func Logits(logDelta, bias, sharpness *graph.Node) *graph.Node {
	if bias != nil {
		logDelta = graph.Add(logDelta, bias)
	}
	return graph.Mul(logDelta, sharpness)
}

// Forbidden, subtracted from a logit, makes its probability 0 to the last bit, with any sharpness,
// noise and temperature. It is finite, because in a block of columns that are all forbidden
// infinities would cancel to NaN.
const Forbidden = excluded
