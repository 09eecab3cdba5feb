package fused

import (
	"slices"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"

	"github.com/gomlx/gomlx/core/graph"
)

// predictorGradient is the gradient by each of nodesOf(layers), from the one by the result, out×d. It is written out because GoMLX's
// differentiation uses constants that the loop over the blocks cannot hold.
func (l Layout) predictorGradient(phi *graph.Node, layers []method.PredictorLayer, d *graph.Node) []*graph.Node {
	_, read := method.Predict(phi, layers)
	var list []*graph.Node // from the last one
	for i, layer := range slices.Backward(layers) {
		if layer.Biases != nil {
			list = append(list, l.sumOverFeatures(d, "od"))
		}
		list = append(list, nn.Einsum("od,id->oi", d, read[i]))
		if i > 0 {
			d = graph.Mul(nn.Einsum("oi,od->id", layer.Weights, d), nn.LeakySlopeAt(read[i]))
		}
	}
	slices.Reverse(list)
	return list
}

// logDeltaGradient is the gradient by each of nodesOf(layers), from the one by log δ, K×d.
func (l Layout) logDeltaGradient(phi *graph.Node, layers []method.PredictorLayer, d *graph.Node) []*graph.Node {
	if l.SelectorLogits == "softmax-selectors" { // log δ = z − log Σ_k exp z
		delta := graph.Exp(l.LogDelta(phi, layers))
		d = graph.Sub(d, graph.Mul(delta, method.SumOverSelectors(d)))
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

// layersOf is the reverse of nodesOf.
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
