package fused

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
)

// reconstruction is the result of the reconstruction in a step.
type reconstruction struct {
	errors *graph.Node // Σ_j (x − x̂)², B
	hidden *graph.Node // gradient of the loss with respect to h̃, B×h'
	// gradients with respect to the parameters of the predictor of the
	// reconstruction
	parameters []*graph.Node
}

// reconstruct compares x̂ = h̃ W_r with the batch and differentiates Σ_b
// weight_b Σ_j (x − x̂)², in tiles, part by part, or block by block. hidden
// is h̃, B×h'. weight is B.
func (l Layout) reconstruct(in Inputs, net method.Network, hidden, weight *graph.Node) reconstruction {
	layers := l.foldLayers(net.Predictor("reconstruction"), in.Folding)
	twice := graph.ExpandAxes(graph.Add(weight, weight), -1)

	var out []*graph.Node
	if l.Tiled {
		out = l.reconstructTiles(in, hidden, twice, layers[0].Weights)
	} else if l.Blocks() == 1 {
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
	return reconstruction{errors: out[0], hidden: out[1], parameters: l.unfold(out[2:], in.Folding)}
}

// reconstructColumns computes, for the columns of phi and x, their part of Σ_j
// (x − x̂)² (B) and of the gradients with respect to hidden and to the
// parameters of layers. The columns begin at first; first and d are int32
// scalars. twice is 2·weight, B×1.
func (l Layout) reconstructColumns(phi, x, first, d, hidden, twice *graph.Node, layers []method.PredictorLayer) []*graph.Node {
	weights := graph.Tanh(method.WeightPredictor(phi, layers)) // W_r, h'×d
	difference := graph.Sub(graph.Einsum("bh,hd->bd", hidden, weights), x)
	if l.Padded && len(l.PredictorHidden) > 0 { // Biases give the padding weights.
		difference = nn.WithoutPadding(difference, first, d, 0)
	}

	errors := l.sumOverFeatures(graph.Square(difference), "bd")
	gradient := graph.Mul(difference, twice)

	one := graph.Const(weights.Graph(), float32(1))
	through := graph.Mul(outer(hidden, gradient), graph.Sub(one, graph.Square(weights)))
	return append([]*graph.Node{errors, graph.Einsum("bd,hd->bh", gradient, weights)}, l.predictorGradient(phi, layers, through)...)
}

// reconstructTiles does the work of reconstructColumns for all columns at once,
// if the weight predictor has only one layer (predictor, h'×e). XLA computes a
// product with a small result, such as a sum over features, in one thread. So
// each tile is a separate product. Weights with a row for each feature need no
// transposing.
func (l Layout) reconstructTiles(in Inputs, hidden, twice, predictor *graph.Node) []*graph.Node {
	each := func(m *graph.Node) *graph.Node { // each repeats m for each tile, T×….
		return graph.BroadcastToDims(graph.ExpandAxes(m, 0), append([]int{l.Parts}, m.Shape().Dimensions...)...)
	}

	byColumn, byFeature := in.Tiles[0], in.Tiles[1]
	weights := graph.Tanh(graph.Einsum("twe,tex->twx", byFeature, each(graph.Transpose(predictor, 0, 1)))) // W_rᵀ
	x := graph.TransposeAllAxes(graph.Reshape(in.X, l.B, l.Parts, l.Block/l.Parts), 1, 2, 0)
	difference := graph.Sub(graph.Einsum("twh,thb->twb", weights, each(graph.Transpose(hidden, 0, 1))), x)
	errors := graph.ReduceSum(graph.Square(difference), 0, 1)

	gradient := graph.Mul(difference, graph.Reshape(twice, 1, 1, l.B))
	byHidden := graph.Einsum("twb,twh->tbh", gradient, weights)
	one := graph.Const(weights.Graph(), float32(1))
	through := graph.Mul(graph.Einsum("twb,tbh->twh", gradient, each(hidden)), graph.Sub(one, graph.Square(weights)))
	byPredictor := graph.Einsum("tew,twx->tex", byColumn, through)
	return []*graph.Node{errors, graph.ReduceSum(byHidden, 0), graph.Transpose(graph.ReduceSum(byPredictor, 0), 0, 1)}
}
