package fsnet

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

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

// predictorGradient is the gradient by each of nodesOf(layers), from the one by the result, out×d. It is written out because GoMLX's
// differentiation uses constants that the loop over the blocks cannot hold.
func (a Architecture) predictorGradient(phi *graph.Node, layers []PredictorLayer, d *graph.Node) []*graph.Node {
	_, read := predict(phi, layers)
	var list []*graph.Node // from the last one
	for i, l := range slices.Backward(layers) {
		if l.Biases != nil {
			list = append(list, a.sumOverFeatures(d, "od"))
		}
		list = append(list, einsum("od,id->oi", d, read[i]))
		if i > 0 {
			d = graph.Mul(einsum("oi,od->id", l.Weights, d), leakySlopeAt(read[i]))
		}
	}
	slices.Reverse(list)
	return list
}

// leakySlopeAt is LeakyReLU's derivative where it gave y.
func leakySlopeAt(y *graph.Node) *graph.Node {
	constant := func(v float32) *graph.Node { return graph.BroadcastToShape(graph.Const(y.Graph(), v), y.Shape()) }
	return graph.Where(graph.GreaterThan(y, constant(0)), constant(1), constant(leakySlope))
}

// nodesOf lists the parameters of layers in the order of the flat vector.
func nodesOf(layers []PredictorLayer) []*graph.Node {
	var list []*graph.Node
	for _, l := range layers {
		list = append(list, l.Weights)
		if l.Biases != nil {
			list = append(list, l.Biases)
		}
	}
	return list
}

// layersOf is the reverse of nodesOf.
func (a Architecture) layersOf(nodes []*graph.Node) []PredictorLayer {
	layers := make([]PredictorLayer, len(a.PredictorHidden)+1)
	for i := range layers {
		layers[i].Weights, nodes = nodes[0], nodes[1:]
		if i < len(a.PredictorHidden) {
			layers[i].Biases, nodes = nodes[0], nodes[1:]
		}
	}
	return layers
}

// logDelta is log δ, K×d, of the features with the embedding phi, b×d.
func (a Architecture) logDelta(phi *graph.Node, layers []PredictorLayer) *graph.Node {
	logits := WeightPredictor(phi, layers)
	if a.SelectorLogits == "softmax-selectors" {
		return LogSoftmaxOverSelectors(logits)
	}
	return logits
}

// logDeltaGradient is the gradient by each of nodesOf(layers), from the one by log δ, K×d.
func (a Architecture) logDeltaGradient(phi *graph.Node, layers []PredictorLayer, d *graph.Node) []*graph.Node {
	if a.SelectorLogits == "softmax-selectors" { // log δ = z − log Σ_k exp z
		delta := graph.Exp(a.logDelta(phi, layers))
		d = graph.Sub(d, graph.Mul(delta, sumOverSelectors(d)))
	}
	return a.predictorGradient(phi, layers, d)
}
