package fused

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
)

// softmax is a softmax over the features of K rows z, block by block. Its
// rows sum to 1. They are e times scale.
type softmax struct {
	e     *graph.Node // K×d with padding: exp(z − top) with the largest z of the block
	scale *graph.Node // K×blocks: exp(top − largest top)/Σ e over all blocks
}

// selectionSample is the selection layer of one step, M = softmax((σ log δ +
// g)/τ), and P = softmax(σ log δ) if there is repulsion.
type selectionSample struct {
	softmax
	p         softmax
	spoken    *repair.Spoken // What is handed over to spokesmen. It is nil if there are no spokesmen.
	selected  *graph.Node    // x^S = x Mᵀ, B×K
	inverse   *graph.Node    // 1/τ, K×1
	sharpness *graph.Node    // σ, K×1
}

// sample draws M and applies it to the batch. Each block subtracts its own
// maximum, and joinBlocks combines the blocks at the end. So one pass over the
// features is enough.
func (l Layout) sample(in Inputs, net method.Network) selectionSample {
	g := in.X.Graph()
	key := nn.NewNoiseKey(in.Seed, in.Step, method.PurposeGumbel)
	layers := l.selector(net, in.Folding)
	s := selectionSample{inverse: graph.Div(graph.Const(g, float32(1)), l.perSelector(in, method.HyperTau)),
		sharpness: l.perSelector(in, method.HyperSharpness)}

	blocks := l.Blocks()
	carried := []*graph.Node{Zeros(g, l.B, l.K, blocks), Zeros(g, l.K, l.Width()), Zeros(g, l.K, blocks), Zeros(g, l.K, blocks)}
	if l.Repulsion {
		carried = append(carried, carried[1:]...)
	}
	fixed := append([]*graph.Node{in.Phi, in.X, in.Features, key.K0, key.K1, s.inverse, s.sharpness}, nodesOf(layers)...)
	biasAt := len(fixed)
	if l.HasBias {
		fixed = append(fixed, in.LogitBias)
	}
	out := l.overBlocks(carried, fixed, func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
		phi, x, d := l.embedding(fixed[0], first), l.columns(fixed[1], first, l.Block), fixed[2]
		key, inverse, sharpness := nn.NoiseKey{K0: fixed[3], K1: fixed[4]}, fixed[5], fixed[6]
		logDelta := l.logDelta(net, phi, fixed[7:biasAt])
		if l.HasBias {
			logDelta = graph.Add(logDelta, l.columns(fixed[biasAt], first, l.Block))
		}
		logDelta = graph.Mul(logDelta, sharpness)
		if l.IsExclusive() || in.Spokesmen != nil {
			if l.Padded {
				logDelta = nn.WithoutPadding(logDelta, first, d, float32(math.Inf(-1)))
			}
			// If there are several blocks, the more confident selectors may
			// lead in another block.
			if l.IsExclusive() && l.Blocks() == 1 {
				logDelta = repair.Exclusive(logDelta, in.Hyperparameter(method.HyperSharpness), in.Groups, l.GroupLimit)
			}
		}
		parts := func(carried []*graph.Node, z *graph.Node) (list []*graph.Node, e *graph.Node) {
			top := l.maxOverFeatures(z)
			e = graph.Exp(graph.Sub(z, top))
			sum := graph.ExpandAxes(l.sumOverFeatures(e, "kd"), -1)
			return []*graph.Node{l.replaceColumns(carried[0], e, first), l.replaceColumns(carried[1], top, block), l.replaceColumns(carried[2], sum, block)}, e
		}
		m, e := parts(carried[1:], graph.Mul(graph.Add(logDelta, key.Gumbel(l.K, d, first, l.Block, l.Padded)), inverse))
		var passed *graph.Node
		if in.Spokesmen != nil {
			s.spoken = new(repair.Speak(logDelta, in.Spokesmen, in.Hyperparameter(method.HyperSharpness)))
			passed = s.spoken.Selected(x, e)
		} else {
			passed = graph.Einsum("bd,kd->bk", x, e)
		}
		passed = graph.ExpandAxes(passed, -1)
		next := append([]*graph.Node{l.replaceColumns(carried[0], passed, block)}, m...)
		if l.Repulsion {
			p, _ := parts(carried[4:], logDelta)
			next = append(next, p...)
		}
		return next
	})
	s.softmax = joinBlocks(out[1], out[2], out[3])
	if l.Repulsion {
		s.p = joinBlocks(out[4], out[5], out[6])
	}
	s.selected = graph.ReduceSum(graph.Mul(out[0], graph.ExpandAxes(s.scale, -3)), -1)
	return s
}

// joinBlocks returns the softmax of blocks, given the maximum and the sum of
// each block, K×blocks.
func joinBlocks(e, tops, sums *graph.Node) softmax {
	if sums.Shape().Dim(-1) == 1 { // Without the maxima of other blocks, XLA can fuse the computation of e.
		return softmax{e, graph.Div(graph.Const(e.Graph(), float32(1)), sums)}
	}
	share := graph.Exp(graph.Sub(tops, graph.ReduceAndKeep(tops, graph.ReduceMax, -1)))
	return softmax{e, graph.Div(share, graph.ReduceAndKeep(graph.Mul(share, sums), graph.ReduceSum, -1))}
}

// gradient returns the gradient with respect to the predictor of the
// selectors. selected is the gradient with respect to x^S, B×K. With z = (σ
// log δ + g)/τ,
//
//	dz = M ∘ (Σ_b dx^S_bk x_bj − Σ_b dx^S_bk x^S_bk)
//
// The second sum is the Σ_j M_kj dM_kj that a softmax subtracts, without
// another pass over the features.
func (s selectionSample) gradient(l Layout, in Inputs, net method.Network, selected *graph.Node, repulsion repulsionTerm) []*graph.Node {
	layers := l.selector(net, in.Folding)
	centre := graph.ExpandAxes(graph.ReduceSum(graph.Mul(selected, s.selected), -2), -1)
	scale := graph.Mul(s.scale, graph.Mul(s.inverse, s.sharpness))
	var spoken *graph.Node // Σ_b dx^S_bk of what the spokesmen say, K×1.
	if s.spoken != nil {
		spoken = graph.ExpandAxes(graph.ReduceSum(graph.Mul(selected, s.spoken.Values(in.X)), -2), -1)
	}
	columns := func(phi, x, e, part, scale, centre, selected *graph.Node, repulsion repulsionTerm, layers []method.PredictorLayer) []*graph.Node {
		passed := outer(selected, x)
		if part != nil {
			passed = graph.Add(passed, graph.Mul(part, graph.Sub(spoken, passed)))
		}
		d := graph.Mul(e, graph.Mul(graph.Sub(passed, centre), scale))
		if repulsion.p.e != nil {
			d = graph.Add(d, repulsion.gradient())
		}
		return l.logDeltaGradient(phi, layers, d)
	}
	var gradients []*graph.Node
	if l.Blocks() == 1 {
		parts, es := in.Parts, l.Divide(s.e)
		repulsions, spokens := repulsion.divide(l), make([]*graph.Node, l.Parts)
		if s.spoken != nil {
			spokens = l.Divide(s.spoken.Part())
		}
		if l.K < DividedSelectors {
			parts, es, repulsions = []Part{{in.Phi, in.X}}, []*graph.Node{s.e}, []repulsionTerm{repulsion}
			if s.spoken != nil {
				spokens = []*graph.Node{s.spoken.Part()}
			}
		}
		for i, e := range es {
			gradients = addEach(gradients, columns(parts[i].phi, parts[i].x, e, spokens[i], scale, centre, selected, repulsions[i], layers))
		}
		return l.unfold(gradients, in.Folding)
	}
	fixed := append([]*graph.Node{in.Phi, in.X, s.e, scale, centre, selected}, repulsion.nodes()...)
	most := len(fixed)
	fixed = append(fixed, nodesOf(layers)...)
	gradients = l.overBlocks(zerosLike(nodesOf(layers)...), fixed, func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
		phi, x, e := l.embedding(fixed[0], first), l.columns(fixed[1], first, l.Block), l.columns(fixed[2], first, l.Block)
		repulsion := repulsionTermOf(fixed[6:most]).block(l, block, first)
		return addEach(carried, columns(phi, x, e, nil, l.columns(fixed[3], block, 1), fixed[4], fixed[5], repulsion, l.layersOf(fixed[most:])))
	})
	return l.unfold(gradients, in.Folding)
}

// outer returns Σ_b m_bk x_bj, K×d, of B×K and B×d.
func outer(m, x *graph.Node) *graph.Node { return graph.Einsum("bk,bd->kd", m, x) }

// perSelector returns a hyperparameter as a column of K. It uses Gather instead
// of a broadcast, because XLA's fastest loops accept a number for each row, but
// not a single number for all rows.
func (l Layout) perSelector(in Inputs, i int) *graph.Node {
	indices := make([][]int32, l.K)
	for k := range indices {
		indices[k] = []int32{int32(i)}
	}
	return graph.ExpandAxes(graph.Gather(in.Hyper, graph.Const(in.Hyper.Graph(), indices)), -1)
}
