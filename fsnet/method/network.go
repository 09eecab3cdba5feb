package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// Network holds the parameters as graph nodes.
type Network struct {
	arch       Architecture
	Parameters map[string]*graph.Node
}

// Network slices the flat parameter vector into the blocks of its layers.
func (a Architecture) Network(theta *graph.Node) Network {
	net := Network{arch: a, Parameters: map[string]*graph.Node{}}
	for _, p := range a.Parameters() {
		net.Parameters[p.Name] = graph.Reshape(graph.SliceAxis(theta, -1, graph.AxisRange(p.Start, p.Start+p.Size())), p.Dims...)
	}
	return net
}

// LogDelta returns log δ, K×d, from Φ.
func (n Network) LogDelta(phi *graph.Node) *graph.Node {
	if n.arch.Stepwise {
		return n.Scores()
	}
	return n.arch.LogDelta(phi, n.Predictor("selector"))
}

// Scores returns the scores of stepwise selection, K×d.
func (n Network) Scores() *graph.Node { return n.Parameters[stepwiseScores] }

// ReconstructionWeights returns W_r before its tanh, h'×d.
func (n Network) ReconstructionWeights(phi *graph.Node) *graph.Node {
	return WeightPredictor(phi, n.Predictor("reconstruction"))
}

// Predictor returns the layers of a weight predictor. name is selector or
// reconstruction. The last layer has nil biases.
func (n Network) Predictor(name string) []PredictorLayer {
	layers := make([]PredictorLayer, len(n.arch.PredictorHidden)+1)
	for i := range layers {
		layers[i].Weights, layers[i].Biases = n.layer(name, i)
	}
	return layers
}

// layer returns the parameters of a layer. biases is nil for the last layer
// of a weight predictor.
func (n Network) layer(stack string, i int) (weights, biases *graph.Node) {
	return n.Parameters[ParameterName(stack, i, "weights")], n.Parameters[ParameterName(stack, i, "biases")]
}

// dense applies a fully connected layer.
func (n Network) dense(stack string, i int, x *graph.Node) *graph.Node {
	weights, biases := n.layer(stack, i)
	return nn.Dense(x, weights, biases)
}

// stack applies fully connected layers with LeakyReLU, and regularize after
// each. regularize may be nil.
func (n Network) stack(name string, x *graph.Node, depth int, regularize func(*graph.Node) *graph.Node) *graph.Node {
	for i := range depth {
		x = nn.LeakyReLU(n.dense(name, i, x))
		if regularize != nil {
			x = regularize(x)
		}
	}
	return x
}

// Forward returns the class scores, B×C, and the decoder's last hidden layer
// h̃, B×h', of the selected features x^S, B×K. It applies regularize after
// each hidden layer. For inference regularize is nil.
func (n Network) Forward(selected *graph.Node, regularize func(*graph.Node) *graph.Node) (scores, hidden *graph.Node) {
	code := n.stack("encoder", selected, len(n.arch.Hidden), regularize)
	return n.dense("classifier", 0, code), n.stack("decoder", code, len(n.arch.Hidden)-1, regularize)
}
