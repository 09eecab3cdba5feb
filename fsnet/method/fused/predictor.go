package fused

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"

	"github.com/gomlx/gomlx/core/graph"
)

// predictorGradient returns the gradient with respect to each of
// nodesOf(layers). d is the gradient with respect to the result of the
// predictor, out×d. It is written by hand because GoMLX's differentiation uses
// constants that a loop over blocks cannot hold.
func (l Layout) predictorGradient(phi *graph.Node, layers []method.PredictorLayer, d *graph.Node) []*graph.Node {
	_, read := method.Predict(phi, layers)
	var list []*graph.Node // From the last layer to the first.
	for i, layer := range slices.Backward(layers) {
		if layer.Biases != nil {
			list = append(list, l.sumOverFeatures(d, "od"))
		}
		list = append(list, graph.Einsum("od,id->oi", d, read[i]))
		if i > 0 {
			d = graph.Mul(graph.Einsum("oi,od->id", layer.Weights, d), nn.LeakySlopeAt(read[i]))
		}
	}
	slices.Reverse(list)
	return list
}

// selector returns the folded layers of the predictor of the selectors. With
// stepwise selection there is no predictor, and it returns nil.
func (l Layout) selector(net method.Network, folding *graph.Node) []method.PredictorLayer {
	if l.Stepwise {
		return nil
	}
	return l.foldLayers(net.Predictor("selector"), folding)
}

// logDelta returns log δ of the columns of Φ. nodes holds the parameters of
// the layers of the selectors.
func (l Layout) logDelta(net method.Network, phi *graph.Node, nodes []*graph.Node) *graph.Node {
	if l.Stepwise {
		return l.Pad(net.LogDelta(phi))
	}
	return l.LogDelta(phi, l.layersOf(nodes))
}

// Pad appends zeros for the padding to a K×d matrix.
func (l Layout) Pad(m *graph.Node) *graph.Node {
	missing := l.Width() - m.Shape().Dim(-1)
	if missing == 0 {
		return m
	}
	return graph.Concatenate([]*graph.Node{m, Zeros(m.Graph(), m.Shape().Dim(-2), missing)}, -1)
}

// logDeltaGradient returns the gradient with respect to each of
// nodesOf(layers). d is the gradient with respect to log δ, K×d.
func (l Layout) logDeltaGradient(phi *graph.Node, layers []method.PredictorLayer, d *graph.Node) []*graph.Node {
	if l.SelectorLogits != config.FreeLogits { // log δ = z − log Σ_k exp z
		logDelta := method.LogSoftmaxOverSelectors(method.WeightPredictor(phi, layers))
		if l.SelectorLogits == config.ClippedSoftmax {
			d = graph.Mul(d, method.ClipSlope(logDelta))
		}
		d = graph.Sub(d, graph.Mul(graph.Exp(logDelta), method.SumOverSelectors(d)))
	}
	return l.predictorGradient(phi, layers, d)
}

// nodesOf lists the parameters of layers in the order of the flat vector.
func nodesOf(layers []method.PredictorLayer) []*graph.Node {
	var list []*graph.Node
	for _, l := range layers {
		list = append(list, l.Weights)
		if l.Biases != nil {
			list = append(list, l.Biases)
		}
	}
	return list
}

// layersOf returns the layers with these parameters. It is the inverse of
// nodesOf.
func (l Layout) layersOf(nodes []*graph.Node) []method.PredictorLayer {
	layers := make([]method.PredictorLayer, len(l.PredictorHidden)+1)
	for i := range layers {
		layers[i].Weights, nodes = nodes[0], nodes[1:]
		if i < len(l.PredictorHidden) {
			layers[i].Biases, nodes = nodes[0], nodes[1:]
		}
	}
	return layers
}
