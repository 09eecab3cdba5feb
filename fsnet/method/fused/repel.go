package fused

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
)

// repelled is what the selectors have in common, Σ_{k≠l} ⟨P_k, P_l⟩/K with P = softmax(σ log δ), differentiated: none where p has no e.
type repelled struct {
	loss   *graph.Node // scalar
	p      softmax     // P
	centre *graph.Node // Σ_j P_kj G_kj with G = 2 (Σ_l P_l − P)/K, K×1
	weight *graph.Node // ρ σ, K×1
}

// repulsion is that of a sample's P.
func (l Layout) repulsion(in Inputs, s sampled) repelled {
	if !l.Repels {
		return repelled{}
	}
	r := repelled{p: s.p, weight: graph.Mul(l.perSelector(in, method.HyperRepulsion), s.sharpness)}
	// Σ_j P_kj (Σ_l P_lj − P_kj) of each selector; their sum is K times the loss, and G is 2/K times the bracket.
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

// values are the rows of a softmax, of one block.
func (s softmax) values() *graph.Node { return graph.Mul(s.e, s.scale) }

// gradient is that of ρ times the loss by log δ, of one block: ρ σ P ∘ (G − Σ_j P_kj G_kj).
func (r repelled) gradient() *graph.Node {
	p := r.p.values()
	g := graph.Mul(graph.Sub(method.SumOverSelectors(p), p), graph.Const(p.Graph(), float32(2/float64(p.Shape().Dim(-2)))))
	return graph.Mul(graph.Mul(p, graph.Sub(g, r.centre)), r.weight)
}

// divided are the parts of the only block.
func (r repelled) divided(l Layout) []repelled {
	parts := make([]repelled, l.Parts)
	if r.p.e == nil {
		return parts
	}
	for i, e := range l.Divided(r.p.e) {
		parts[i] = r
		parts[i].p.e = e
	}
	return parts
}

// nodes are what a loop over the blocks reads, repelledOf the reverse, and block what it has of one.
func (r repelled) nodes() []*graph.Node {
	if r.p.e == nil {
		return nil
	}
	return []*graph.Node{r.p.e, r.p.scale, r.centre, r.weight}
}

func repelledOf(nodes []*graph.Node) repelled {
	if len(nodes) == 0 {
		return repelled{}
	}
	return repelled{p: softmax{nodes[0], nodes[1]}, centre: nodes[2], weight: nodes[3]}
}

func (r repelled) block(l Layout, block, first *graph.Node) repelled {
	if r.p.e != nil {
		r.p = softmax{l.columns(r.p.e, first, l.Block), l.columns(r.p.scale, block, 1)}
	}
	return r
}
