package fsnet

import "github.com/gomlx/gomlx/core/graph"

// PredictorLayer is one layer of a weight predictor: Weights out×in; Biases out, or nil for the last layer, which is linear.
type PredictorLayer struct{ Weights, Biases *graph.Node }

// WeightPredictor is the tiny network φ_ω that gives every feature its weights from its embedding: Φ is b×d, layers hold out×in
// matrices and, for the hidden ones, biases; the result is out×d with the last layer's out. Hidden layers are LeakyReLU.
func WeightPredictor(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	out, _ := predict(phi, layers)
	return out
}

// predict also returns what each layer read.
func predict(phi *graph.Node, layers []PredictorLayer) (out *graph.Node, read []*graph.Node) {
	for _, l := range layers {
		read = append(read, phi)
		phi = einsum("oi,id->od", l.Weights, phi)
		if l.Biases != nil {
			phi = LeakyReLU(graph.Add(phi, graph.ExpandAxes(l.Biases, -1)))
		}
	}
	return phi, read
}

// logDelta is log δ, K×d, of the features with the embedding phi, b×d.
func (a Architecture) logDelta(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	logits := WeightPredictor(phi, layers)
	if a.SelectorLogits == "softmax-selectors" {
		return LogSoftmaxOverSelectors(logits)
	}
	return logits
}
