package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// PredictorLayer is one layer of a weight predictor: Weights out×in; Biases out, or nil for the last layer, which is linear.
type PredictorLayer struct{ Weights, Biases *graph.Node }

// WeightPredictor is the tiny network φ_ω that gives every feature its weights from its embedding: Φ is b×d, layers hold out×in
// matrices and, for the hidden ones, biases; the result is out×d with the last layer's out. Hidden layers are LeakyReLU.
func WeightPredictor(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	out, _ := Predict(phi, layers)
	return out
}

// Predict also returns what each layer read.
func Predict(phi *graph.Node, layers []PredictorLayer) (out *graph.Node, read []*graph.Node) {
	for _, l := range layers {
		read = append(read, phi)
		phi = graph.Einsum("oi,id->od", l.Weights, phi)
		if l.Biases != nil {
			phi = nn.LeakyReLU(graph.Add(phi, graph.ExpandAxes(l.Biases, -1)))
		}
	}
	return phi, read
}

// LogDelta is log δ, K×d, of the features with the embedding phi, b×d.
func (a Architecture) LogDelta(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	logits := WeightPredictor(phi, layers)
	switch a.SelectorLogits {
	case config.SoftmaxSelectors:
		return LogSoftmaxOverSelectors(logits)
	case config.ClippedSoftmax:
		return Clipped(LogSoftmaxOverSelectors(logits))
	}
	return logits
}
