package repair

import "github.com/gomlx/gomlx/core/graph"

// Logits returns σ (log δ + T), K×d, the logits of P. The bias T is −log of the
// cost of a feature. It is −[Forbidden] where a selector must not choose the
// feature. For a selector that is held on a feature, it is 0 there and
// −Forbidden elsewhere. A nil bias means 0. sharpness is σ.
func Logits(logDelta, bias, sharpness *graph.Node) *graph.Node {
	if bias != nil {
		logDelta = graph.Add(logDelta, bias)
	}
	return graph.Mul(logDelta, sharpness)
}

// Forbidden is subtracted from a logit to make its probability exactly 0, for
// every sharpness, noise and temperature. It is finite because infinities would
// cancel to NaN in a block with only forbidden columns.
const Forbidden = excluded

// Hold writes the rows of held selectors into logits, a K×d bias: 0 at the
// feature of the selector, −Forbidden elsewhere. held[k] is the feature of
// selector k, or −1 if it is free. Hold does not change the rows of free
// selectors.
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
