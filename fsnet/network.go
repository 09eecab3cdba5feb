package fsnet

import "github.com/gomlx/gomlx/core/graph"

// network holds the parameters as graph nodes.
type network struct {
	arch       Architecture
	parameters map[string]*graph.Node
}

// network slices the flat parameter vector into the blocks of its layers.
func (a Architecture) network(theta *graph.Node) network {
	net := network{arch: a, parameters: map[string]*graph.Node{}}
	for _, p := range a.parameters() {
		net.parameters[p.name] = reshape(graph.SliceAxis(theta, -1, graph.AxisRange(p.start, p.start+p.size())), 1, p.dims...)
	}
	return net
}

// logDelta is log δ, K×d, from the embedding b×d.
func (n network) logDelta(phi *graph.Node) *graph.Node {
	return n.arch.logDelta(phi, n.predictor("selector"))
}

// reconstructionWeights is W_r before its tanh, h'×d.
func (n network) reconstructionWeights(phi *graph.Node) *graph.Node {
	return WeightPredictor(phi, n.predictor("reconstruction"))
}

func (n network) predictor(name string) []PredictorLayer {
	layers := make([]PredictorLayer, len(n.arch.PredictorHidden)+1)
	for i := range layers {
		layers[i].Weights = n.parameters[parameterName(name, i, "weights")]
		if i < len(n.arch.PredictorHidden) {
			layers[i].Biases = n.parameters[parameterName(name, i, "biases")]
		}
	}
	return layers
}

// hidden is one fully connected stack with LeakyReLU and dropout after each layer. regularize is nil for inference.
func (n network) stack(name string, x *graph.Node, depth int, regularize func(*graph.Node) *graph.Node) *graph.Node {
	for i := range depth {
		x = LeakyReLU(Dense(x, n.parameters[parameterName(name, i, "weights")], n.parameters[parameterName(name, i, "biases")]))
		if regularize != nil {
			x = regularize(x)
		}
	}
	return x
}

// forward goes from the selected features x^S, B×K, to the class scores B×C and the decoder's last hidden layer h̃, B×h'.
func (n network) forward(selected *graph.Node, regularize func(*graph.Node) *graph.Node) (scores, hidden *graph.Node) {
	code := n.stack("encoder", selected, len(n.arch.Hidden), regularize)
	scores = Dense(code, n.parameters[parameterName("classifier", 0, "weights")], n.parameters[parameterName("classifier", 0, "biases")])
	return scores, n.stack("decoder", code, len(n.arch.Hidden)-1, regularize)
}
