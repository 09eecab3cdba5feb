package method

import "github.com/gomlx/gomlx/core/graph"

// ReconstructionLayer is x̂ = h̃ W_r with row j of W_rᵀ = tanh(φ_ωr(φ(u_j))): hidden is B×h', predicted h'×d (before tanh); the
// result is B×d.
func ReconstructionLayer(hidden, predicted *graph.Node) *graph.Node {
	return graph.Einsum("bh,hd->bd", hidden, graph.Tanh(predicted))
}
