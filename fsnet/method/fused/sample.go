package fused

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
)

// softmax is a softmax over the features of K rows z, block by block: e times scale are its rows, which sum to 1.
type softmax struct {
	e     *graph.Node // K×d with padding: exp(z − top) with the largest z of the block
	scale *graph.Node // K×blocks: exp(top − largest top)/Σ e over all blocks
}

// sampled is the selection layer of one step, M = softmax((σ log δ + g)/τ), and P = softmax(σ log δ) where selectors keep apart.
type sampled struct {
	softmax
	p         softmax
	selected  *graph.Node // x^S = x Mᵀ, B×K
	inverse   *graph.Node // 1/τ, K×1
	sharpness *graph.Node // σ, K×1
}

// sample draws M and applies it to the batch. Each block has its own largest value, and they are compared at the end, so that one pass
// over the features is enough.
func (l Layout) sample(in Inputs, net method.Network) sampled {
	g := in.X.Graph()
	key := nn.NewNoiseKey(in.Seed, in.Step, method.PurposeGumbel)
	layers := l.selector(net, in.Folding)
	s := sampled{inverse: graph.Div(graph.Const(g, float32(1)), l.perSelector(in, method.HyperTau)),
		sharpness: l.perSelector(in, method.HyperSharpness)}

	blocks := l.Blocks()
	carried := []*graph.Node{Zeros(g, l.B, l.K, blocks), Zeros(g, l.K, l.Width()), Zeros(g, l.K, blocks), Zeros(g, l.K, blocks)}
	if l.Repels {
		carried = append(carried, carried[1:]...)
	}
	fixed := append([]*graph.Node{in.Phi, in.X, in.Features, key.K0, key.K1, s.inverse, s.sharpness}, nodesOf(layers)...)
	behind := len(fixed)
	if l.Biased {
		fixed = append(fixed, in.LogitBias)
	}
	out := l.overBlocks(carried, fixed, func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
		phi, x, d := l.embedding(fixed[0], first), l.columns(fixed[1], first, l.Block), fixed[2]
		key, inverse, sharpness := nn.NoiseKey{Key: nn.Key{K0: fixed[3], K1: fixed[4]}}, fixed[5], fixed[6]
		logDelta := l.logDelta(net, phi, fixed[7:behind])
		if l.Biased {
			logDelta = graph.Add(logDelta, l.columns(fixed[behind], first, l.Block))
		}
		logDelta = graph.Mul(logDelta, sharpness)
		if l.KeepsApart() {
			if l.Padded {
				logDelta = nn.WithoutPadding(logDelta, first, d, float32(math.Inf(-1)))
			}
			if l.Blocks() == 1 { // surer selectors may lead in another block
				logDelta = repair.Exclusive(logDelta, in.Hyperparameter(method.HyperSharpness), in.Groups, l.GroupLimit)
			}
		}
		parts := func(carried []*graph.Node, z *graph.Node) (list []*graph.Node, e *graph.Node) {
			top := l.maxOverFeatures(z)
			e = graph.Exp(graph.Sub(z, top))
			sum := graph.ExpandAxes(l.sumOverFeatures(e, "kd"), -1)
			return []*graph.Node{l.put(carried[0], e, first), l.put(carried[1], top, block), l.put(carried[2], sum, block)}, e
		}
		m, e := parts(carried[1:], graph.Mul(graph.Add(logDelta, key.Gumbel(l.K, d, first, l.Block, l.Padded)), inverse))
		passed := graph.ExpandAxes(graph.Einsum("bd,kd->bk", x, e), -1)
		next := append([]*graph.Node{l.put(carried[0], passed, block)}, m...)
		if l.Repels {
			p, _ := parts(carried[4:], logDelta)
			next = append(next, p...)
		}
		return next
	})
	s.softmax = joined(out[1], out[2], out[3])
	if l.Repels {
		s.p = joined(out[4], out[5], out[6])
	}
	s.selected = graph.ReduceSum(graph.Mul(out[0], graph.ExpandAxes(s.scale, -3)), -1)
	return s
}

// joined is the softmax of blocks with these largest values and sums, K×blocks.
func joined(e, tops, sums *graph.Node) softmax {
	if sums.Shape().Dim(-1) == 1 { // one block's largest value is nobody else's business, and XLA can then compute e in one go
		return softmax{e, graph.Div(graph.Const(e.Graph(), float32(1)), sums)}
	}
	share := graph.Exp(graph.Sub(tops, graph.ReduceAndKeep(tops, graph.ReduceMax, -1)))
	return softmax{e, graph.Div(share, graph.ReduceAndKeep(graph.Mul(share, sums), graph.ReduceSum, -1))}
}

// gradient is that of the selector's predictor, from that of x^S (B×K): with z = (σ log δ + g)/τ,
// dz = M ∘ (Σ_b dx^S_bk x_bj − Σ_b dx^S_bk x^S_bk). The second sum is what a softmax subtracts, Σ_j M_kj dM_kj, without another pass over
// the features.
func (s sampled) gradient(l Layout, in Inputs, net method.Network, selected *graph.Node, apart repelled) []*graph.Node {
	layers := l.selector(net, in.Folding)
	centre := graph.ExpandAxes(graph.ReduceSum(graph.Mul(selected, s.selected), -2), -1)
	scale := graph.Mul(s.scale, graph.Mul(s.inverse, s.sharpness))
	columns := func(phi, x, e, scale, centre, selected *graph.Node, apart repelled, layers []method.PredictorLayer) []*graph.Node {
		d := graph.Mul(e, graph.Mul(graph.Sub(outer(selected, x), centre), scale))
		if apart.p.e != nil {
			d = graph.Add(d, apart.gradient())
		}
		return l.logDeltaGradient(phi, layers, d)
	}
	var gradients []*graph.Node
	if l.Blocks() == 1 {
		parts, es := in.Parts, l.Divided(s.e)
		aparts := apart.divided(l)
		if l.K < DividedSelectors {
			parts, es, aparts = []Part{{in.Phi, in.X}}, []*graph.Node{s.e}, []repelled{apart}
		}
		for i, e := range es {
			gradients = addEach(gradients, columns(parts[i].phi, parts[i].x, e, scale, centre, selected, aparts[i], layers))
		}
		return l.unfolded(gradients, in.Folding)
	}
	fixed := append([]*graph.Node{in.Phi, in.X, s.e, scale, centre, selected}, apart.nodes()...)
	most := len(fixed)
	fixed = append(fixed, nodesOf(layers)...)
	gradients = l.overBlocks(zerosLike(nodesOf(layers)...), fixed, func(block, first *graph.Node, carried, fixed []*graph.Node) []*graph.Node {
		phi, x, e := l.embedding(fixed[0], first), l.columns(fixed[1], first, l.Block), l.columns(fixed[2], first, l.Block)
		apart := repelledOf(fixed[6:most]).block(l, block, first)
		return addEach(carried, columns(phi, x, e, l.columns(fixed[3], block, 1), fixed[4], fixed[5], apart, l.layersOf(fixed[most:])))
	})
	return l.unfolded(gradients, in.Folding)
}

// outer is Σ_b m_bk x_bj, K×d, of B×K and B×d.
func outer(m, x *graph.Node) *graph.Node { return graph.Einsum("bk,bd->kd", m, x) }

// perSelector is a hyperparameter as a column of K. It is gathered, not spread: XLA's fastest loops take a number for each row, but no
// number for all of them.
func (l Layout) perSelector(in Inputs, i int) *graph.Node {
	indices := make([][]int32, l.K)
	for k := range indices {
		indices[k] = []int32{int32(i)}
	}
	return graph.ExpandAxes(graph.Gather(in.Hyper, graph.Const(in.Hyper.Graph(), indices)), -1)
}
