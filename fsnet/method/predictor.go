package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// PredictorLayer is one layer of a weight predictor. Weights are out×in, and
// Biases have length out. The last layer is linear, and its Biases are nil.
type PredictorLayer struct{ Weights, Biases *graph.Node }

// WeightPredictor applies φ_ω, the tiny network that gives every feature its
// weights from its embedding. phi is b×d. Hidden layers are LeakyReLU. The
// result is out×d, with the out of the last layer.
func WeightPredictor(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	out, _ := Predict(phi, layers)
	return out
}

// Predict returns the result of [WeightPredictor] and the input of each
// layer.
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

// LogDelta returns log δ, K×d, of features with the embedding phi, b×d.
func (a Architecture) LogDelta(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	logits := WeightPredictor(phi, layers)
	switch a.SelectorLogits {
	case config.SoftmaxSelectors:
		return LogSoftmaxOverSelectors(logits)
	case config.ClippedSoftmax:
		return Clip(LogSoftmaxOverSelectors(logits))
	}
	return logits
}
