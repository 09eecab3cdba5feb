package repair

import "github.com/gomlx/gomlx/core/graph"

// Logits returns σ (log δ + T), K×d, the logits of P. The bias T is −log of
// the cost of a feature, and −[Forbidden] where a selector must not choose
// the feature. For a selector that is fixed to a feature, it is 0 there and
// −Forbidden elsewhere. A nil bias is 0. sharpness is σ.
func Logits(logDelta, bias, sharpness *graph.Node) *graph.Node {
	if bias != nil {
		logDelta = graph.Add(logDelta, bias)
	}
	return graph.Mul(logDelta, sharpness)
}

// If Forbidden is subtracted from a logit, its probability is exactly 0,
// with any sharpness, noise and temperature. It is finite, because in a
// block of columns that are all forbidden infinities would cancel to NaN.
const Forbidden = excluded

// Hold writes into logits, a bias of K×d, the rows of selectors that are
// held on a feature: 0 there, −Forbidden elsewhere. held[k] is the feature
// of selector k, or −1 for a selector that is free. Rows of free selectors
// are not changed.
func Hold(logits []float32, held []int) {
	d := len(logits) / len(held)
	for k, j := range held {
		if j < 0 {
			continue
		}
		row := logits[k*d : (k+1)*d]
		for i := range row {
			row[i] = -Forbidden
		}
		row[j] = 0
	}
}
