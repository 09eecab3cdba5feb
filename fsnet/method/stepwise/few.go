package stepwise

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// With few rows the residual sum of squares says little, because any ten
// features fit the rows. So the score is based on the error of rows left out,
// plus how much a feature tells by itself.
const (
	fewRidge    = 3.0  // γ
	takenScore  = -3.0 // score of a feature that another selector sampled, in standard deviations
	leastOpen   = 1e-3 // smallest 1 − leverage of a row
	leastMissed = 1e-9 // smallest E, because we take its logarithm
)

// leaveOneOut returns the score of each feature next to those that the other
// selectors sampled, 1×d. taken is 1 at these, K×d. Below the embedding, phi
// has Z, all training rows clipped and standardised, n×d.
//
// A ridge on the others, with H = Z_S (Z_SᵀZ_S/n + γ)⁻¹ Z_Sᵀ/n, leaves R =
// (1 − H)T of the targets and u = (1 − H)z_j of a feature. With it
//
//	s = z_jᵀu/n + γ    q = z_jᵀR/(n s)    E_j = mean_i Σ_c (R_ic − u_i q_c)² / (1 − 1/n − h_ii − u_i²/(n s))²
//
// If rows have weights, Z and T are multiplied by √w, 1/n is w_i/n, and E_j
// is the weighted mean. The score is −log E, standardised over the features
// that no other selector sampled, plus the score of the feature alone.
func (sizes Sizes) leaveOneOut(in Inputs, taken *graph.Node) *graph.Node {
	n := float64(sizes.Rows)
	// GoMLX shares constants within a graph, but you cannot use one after the
	// loop that it was made in. So these are not shared.
	number := func(v float64) *graph.Node { return graph.Const(in.Phi.Graph(), float32(v)) }
	times := func(m *graph.Node, v float64) *graph.Node { return graph.Mul(m, number(v)) }
	plus := func(m *graph.Node, v float64) *graph.Node { return graph.Add(m, number(v)) }
	atLeast := func(m *graph.Node, v float64) *graph.Node {
		return graph.Max(m, graph.BroadcastToShape(number(v), m.Shape()))
	}
	over := func(m *graph.Node, axis int) *graph.Node { return graph.ReduceAndKeep(m, graph.ReduceSum, axis) }
	z := graph.SliceAxis(in.Phi, -2, graph.AxisRange(sizes.Embedding, sizes.Embedding+sizes.Rows))
	others := graph.Einsum("kd,nd->nk", taken, z)
	gram := times(graph.Einsum("nk,nl->kl", others, others), 1/n)
	inverse := nn.Inverse(graph.Add(gram, times(nn.Identity(gram), fewRidge)), fewRidge, float64(sizes.K)+fewRidge)
	through := graph.Einsum("nk,kl->nl", others, inverse)
	u := graph.Sub(z, graph.Einsum("nk,kd->nd", through, times(graph.Einsum("nk,nd->kd", others, z), 1/n)))
	targets := sizes.targets(in)
	rest := graph.Sub(targets, graph.Einsum("nk,kc->nc", through, times(graph.Einsum("nk,nc->kc", others, targets), 1/n)))

	s := plus(times(over(graph.Mul(z, u), -2), 1/n), fewRidge)        // 1×d
	q := graph.Div(times(graph.Einsum("nc,nd->cd", rest, z), 1/n), s) // C×d
	leverage := times(over(graph.Mul(through, others), -1), 1/n)      // n×1
	square := graph.Square(u)                                         // n×d
	alone := plus(graph.Neg(leverage), 1-1/n)                         // without the feature
	if in.Weights != nil {
		alone = plus(graph.Neg(graph.Add(leverage, times(in.Weights, 1/n))), 1)
	}
	open := graph.Sub(alone, graph.Div(square, times(s, n)))
	open = atLeast(open, leastOpen)
	missed := graph.Sub(over(graph.Square(rest), -1), times(graph.Mul(u, graph.Einsum("nc,cd->nd", rest, q)), 2))
	missed = graph.Add(missed, graph.Mul(square, over(graph.Square(q), -2)))
	e := atLeast(times(over(graph.Div(missed, graph.Square(open)), -2), 1/n), leastMissed)

	free := plus(graph.Neg(graph.ReduceAndKeep(taken, graph.ReduceMax, -2)), 1)
	if free.Shape().Dim(-1) > sizes.D {
		free = nn.WithoutPadding(free, graph.Const(in.Phi.Graph(), int32(0)), in.Features, 0)
	}
	count := over(free, -1)
	centred := graph.Neg(graph.Log(e))
	centred = graph.Mul(free, graph.Sub(centred, graph.Div(over(graph.Mul(free, centred), -1), count)))
	spread := graph.Sqrt(plus(graph.Div(over(graph.Square(centred), -1), count), 1e-12))
	score := graph.Add(graph.Div(centred, spread), times(plus(graph.Neg(free), 1), takenScore))
	return graph.Add(score, graph.SliceAxis(in.Phi, -2, graph.AxisRange(sizes.Embedding-1, sizes.Embedding)))
}

// targets returns T of all training rows, n×C, as a node. See [targetsOf].
func (sizes Sizes) targets(in Inputs) *graph.Node {
	switch {
	case !sizes.Quantity:
		return classTargetNodes(in.Labels, in.Weights)
	case in.Weights != nil:
		return graph.Mul(in.Labels, graph.Sqrt(in.Weights))
	}
	return in.Labels
}

// classTargetNodes returns the [classTargets] of one-hot rows, n×C. weights
// are n×1, or nil.
func classTargetNodes(labels, weights *graph.Node) *graph.Node {
	number := func(v float64) *graph.Node { return graph.Const(labels.Graph(), float32(v)) }
	counted := labels
	if weights != nil {
		counted = graph.Mul(labels, weights)
	}
	share := graph.Mul(graph.ReduceAndKeep(counted, graph.ReduceSum, -2), number(1/float64(labels.Shape().Dim(-2))))
	variance := graph.Sub(share, graph.Square(share))
	root := graph.Sqrt(graph.Add(variance, number(classFloor))) // The square of what a target is divided by.
	total := graph.ReduceAndKeep(graph.Div(variance, root), graph.ReduceSum, -1)
	targets := graph.Div(graph.Sub(labels, share), graph.Sqrt(graph.Mul(root, graph.Add(total, number(1e-12)))))
	if weights != nil {
		targets = graph.Mul(targets, graph.Sqrt(weights))
	}
	return targets
}
