package fsnet

import "github.com/gomlx/gomlx/core/graph"

// reconstructed is what a step learns from its reconstruction.
type reconstructed struct {
	errors     *graph.Node   // Σ_j (x − x̂)², B
	hidden     *graph.Node   // the loss's gradient by h̃, B×h'
	parameters []*graph.Node // and by the parameters of the reconstruction's predictor
}

// reconstruct compares x̂ = h̃ W_r with the batch, and differentiates Σ_b weight_b Σ_j (x − x̂)², block by block. hidden is h̃, B×h'; weight
// is B.
func (a Architecture) reconstruct(in stepInputs, net network, hidden, weight *graph.Node) reconstructed {
	layers := net.predictor("reconstruction")
	carried := zerosLike(append([]*graph.Node{weight, hidden}, nodesOf(layers)...)...)
	twice := graph.ExpandAxes(graph.Add(weight, weight), -1)
	fixed := append([]*graph.Node{in.phi, in.x, hidden, twice}, nodesOf(layers)...)
	out := a.overBlocks(carried, fixed, func(_, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
		phi, x := a.columns(fixed[0], first, a.Block), a.columns(fixed[1], first, a.Block)
		hidden, twice, layers := fixed[2], fixed[3], a.layersOf(fixed[4:])
		weights := graph.Tanh(WeightPredictor(phi, layers)) // W_r, h'×d
		difference := graph.Sub(einsum("bh,hd->bd", hidden, weights), x)
		errors := a.sumOverFeatures(graph.Square(difference), "bd")
		d := graph.Mul(difference, twice)
		one := graph.Const(weights.Graph(), float32(1))
		through := graph.Mul(outer(hidden, d), graph.Sub(one, graph.Square(weights)))
		return a.sum(carried, append([]*graph.Node{errors, einsum("bd,hd->bh", d, weights)}, a.predictorGradient(phi, layers, through)...))
	})
	return reconstructed{errors: out[0], hidden: out[1], parameters: out[2:]}
}
