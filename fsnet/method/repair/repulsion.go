package repair

import "github.com/gomlx/gomlx/core/graph"

// Repulsion returns Σ_{k≠l} ⟨P_k, P_l⟩/K, a scalar: the overlap of the
// selectors. p is P, K×d.
func Repulsion(p *graph.Node) *graph.Node {
	together := graph.ReduceSum(graph.Square(graph.ReduceSum(p, -2)), -1)
	return graph.DivScalar(graph.Sub(together, graph.ReduceSum(graph.Square(p), -1, -2)), float64(p.Shape().Dim(-2)))
}
