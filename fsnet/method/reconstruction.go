package method

import "github.com/gomlx/gomlx/core/graph"

// ReconstructionLayer returns x̂ = h̃ W_r, B×d, where row j of W_rᵀ is
// tanh(φ_ωr(φ(u_j))). hidden is h̃, B×h'. predicted is h'×d, before the
// tanh.
func ReconstructionLayer(hidden, predicted *graph.Node) *graph.Node {
	return graph.Einsum("bh,hd->bd", hidden, graph.Tanh(predicted))
}
