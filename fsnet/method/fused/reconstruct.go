package fused

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
)

// reconstructed is what a step learns from its reconstruction.
type reconstructed struct {
	errors     *graph.Node   // Σ_j (x − x̂)², B
	hidden     *graph.Node   // the loss's gradient by h̃, B×h'
	parameters []*graph.Node // and by the parameters of the reconstruction's predictor
}

// reconstruct compares x̂ = h̃ W_r with the batch, and differentiates Σ_b weight_b Σ_j (x − x̂)², block by block, or part by part.
// hidden is h̃, B×h'; weight is B.
func (l Layout) reconstruct(in Inputs, net method.Network, hidden, weight *graph.Node) reconstructed {
	layers := l.folded(net.Predictor("reconstruction"), in.Folding)
	twice := graph.ExpandAxes(graph.Add(weight, weight), -1)
	var out []*graph.Node
	if l.Blocks() == 1 {
		g := hidden.Graph()
		for i, p := range in.Parts {
			first := graph.Const(g, int32(i*l.Block/l.Parts))
			out = addEach(out, l.reconstructColumns(l.IndependentRows(p.phi), p.x, first, in.Features, hidden, twice, layers))
		}
	} else {
		carried := zerosLike(append([]*graph.Node{weight, hidden}, nodesOf(layers)...)...)
		fixed := append([]*graph.Node{in.Phi, in.X, in.Features, hidden, twice}, nodesOf(layers)...)
		out = l.overBlocks(carried, fixed, func(_, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
			phi, x := l.embedding(fixed[0], first), l.columns(fixed[1], first, l.Block)
			return addEach(carried, l.reconstructColumns(phi, x, first, fixed[2], fixed[3], fixed[4], l.layersOf(fixed[5:])))
		})
	}
	return reconstructed{errors: out[0], hidden: out[1], parameters: l.unfolded(out[2:], in.Folding)}
}

// reconstructColumns is what the columns from first on (a scalar, int32, as d is) add to Σ_j (x − x̂)², B, and to the gradients by hidden
// and by the layers' parameters. twice is 2·weight, B×1.
func (l Layout) reconstructColumns(phi, x, first, d, hidden, twice *graph.Node, layers []method.PredictorLayer) []*graph.Node {
	weights := graph.Tanh(method.WeightPredictor(phi, layers)) // W_r, h'×d
	difference := graph.Sub(graph.Einsum("bh,hd->bd", hidden, weights), x)
	if l.Padded && len(l.PredictorHidden) > 0 { // biases give weights to the padding, too
		difference = nn.WithoutPadding(difference, first, d, 0)
	}
	errors := l.sumOverFeatures(graph.Square(difference), "bd")
	gradient := graph.Mul(difference, twice)
	one := graph.Const(weights.Graph(), float32(1))
	through := graph.Mul(outer(hidden, gradient), graph.Sub(one, graph.Square(weights)))
	return append([]*graph.Node{errors, graph.Einsum("bd,hd->bh", gradient, weights)}, l.predictorGradient(phi, layers, through)...)
}
