package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// leakySlope is the negative slope of LeakyReLU in the authors' program.
const leakySlope = 0.2

// LeakyReLU is max(x, 0.2 x).
func LeakyReLU(x *graph.Node) *graph.Node {
	return graph.Max(x, graph.Mul(x, graph.Const(x.Graph(), float32(leakySlope))))
}

// Dense is x W + b: x is B×in, W in×out, b out; the result is B×out.
func Dense(x, w, b *graph.Node) *graph.Node {
	return graph.Add(einsum("bi,io->bo", x, w), graph.ExpandAxes(b, -2))
}

// ReconstructionLayer is x̂ = h̃ W_r with row j of W_rᵀ = tanh(φ_ωr(φ(u_j))): hidden is B×h', predicted h'×d (before tanh); the
// result is B×d.
func ReconstructionLayer(hidden, predicted *graph.Node) *graph.Node {
	return einsum("bh,hd->bd", hidden, graph.Tanh(predicted))
}

// dropout zeroes units with probability p and divides the others by 1 − p, so that the expectation stays. x is B×units, p a scalar node.
func dropout(x *graph.Node, key noiseKey, p *graph.Node) *graph.Node {
	p = spread(p, x)
	keep := graph.GreaterOrEqual(key.uniform(x.Shape().Dimensions[x.Rank()-2:]...), p)
	return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
}

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
