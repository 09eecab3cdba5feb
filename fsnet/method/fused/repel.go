package fused

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
)

// repulsionTerm is the overlap of the selectors, Σ_{k≠l} ⟨P_k, P_l⟩/K with P
// = softmax(σ log δ), and its gradient. If there is no repulsion, p.e is
// nil.
type repulsionTerm struct {
	loss   *graph.Node // scalar
	p      softmax     // P
	centre *graph.Node // Σ_j P_kj G_kj with G = 2 (Σ_l P_l − P)/K, K×1
	weight *graph.Node // ρ σ, K×1
}

// repulsion returns the term for the P of a sample. If the layout has no
// repulsion, it returns the zero value.
func (l Layout) repulsion(in Inputs, s selectionSample) repulsionTerm {
	if !l.Repulsion {
		return repulsionTerm{}
	}
	r := repulsionTerm{p: s.p, weight: graph.Mul(l.perSelector(in, method.HyperRepulsion), s.sharpness)}
	// Σ_j P_kj (Σ_l P_lj − P_kj) of each selector. The sum over selectors is
	// K times the loss, and G is 2/K times the bracket.
	common := func(p *graph.Node) *graph.Node {
		return l.sumOverFeatures(graph.Mul(p, graph.Sub(method.SumOverSelectors(p), p)), "kd")
	}
	var each *graph.Node
	if l.Blocks() == 1 {
		each = common(r.p.values())
	} else {
		carried := zerosLike(graph.ReduceSum(r.weight, -1))
		each = l.overBlocks(carried, []*graph.Node{r.p.e, r.p.scale}, func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
			p := softmax{l.columns(fixed[0], first, l.Block), l.columns(fixed[1], block, 1)}
			return addEach(carried, []*graph.Node{common(p.values())})
		})[0]
	}
	r.loss = graph.DivScalar(graph.ReduceSum(each, -1), float64(l.K))
	r.centre = graph.ExpandAxes(graph.MulScalar(each, 2/float64(l.K)), -1)
	return r
}

// values returns the probabilities of one block.
func (s softmax) values() *graph.Node { return graph.Mul(s.e, s.scale) }

// gradient returns the gradient of ρ times the loss with respect to log δ, for
// one block: ρ σ P ∘ (G − Σ_j P_kj G_kj).
func (r repulsionTerm) gradient() *graph.Node {
	p := r.p.values()
	g := graph.Mul(graph.Sub(method.SumOverSelectors(p), p), graph.Const(p.Graph(), float32(2/float64(p.Shape().Dim(-2)))))
	return graph.Mul(graph.Mul(p, graph.Sub(g, r.centre)), r.weight)
}

// divide returns the term for each part of the only block. If there is no
// repulsion, these are zero values.
func (r repulsionTerm) divide(l Layout) []repulsionTerm {
	parts := make([]repulsionTerm, l.Parts)
	if r.p.e == nil {
		return parts
	}
	for i, e := range l.Divide(r.p.e) {
		parts[i] = r
		parts[i].p.e = e
	}
	return parts
}

// nodes returns the nodes of the term that a loop over blocks needs.
// repulsionTermOf converts them back.
func (r repulsionTerm) nodes() []*graph.Node {
	if r.p.e == nil {
		return nil
	}
	return []*graph.Node{r.p.e, r.p.scale, r.centre, r.weight}
}

// repulsionTermOf returns the term with these nodes. It is the inverse of
// nodes.
func repulsionTermOf(nodes []*graph.Node) repulsionTerm {
	if len(nodes) == 0 {
		return repulsionTerm{}
	}
	return repulsionTerm{p: softmax{nodes[0], nodes[1]}, centre: nodes[2], weight: nodes[3]}
}

// block returns the term for one block.
func (r repulsionTerm) block(l Layout, block, first *graph.Node) repulsionTerm {
	if r.p.e != nil {
		r.p = softmax{l.columns(r.p.e, first, l.Block), l.columns(r.p.scale, block, 1)}
	}
	return r
}
