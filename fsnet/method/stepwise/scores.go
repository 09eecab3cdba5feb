package stepwise

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/nn"
)

const (
	move          = 0.5 // how far a score goes in a step
	ridge         = 0.05
	leastVariance = 0.02 // of a feature, given the others: one with less says what they say
	leastError    = 0.02 // of what is left to explain
)

// Sizes are those of a training.
type Sizes struct {
	K, D, Rows int
	Embedding  int // rows of Φ down to the strength of the features, its last one
	Outputs    int // columns of the targets
	Quantity   bool
}

// Inputs are the nodes that a step reads.
type Inputs struct {
	Phi      *graph.Node // Φ, and what [Reads] gives below it, d wide
	Labels   *graph.Node // rows×C, one-hot; of a quantity rows×1
	Weights  *graph.Node // rows×1, what training rows weigh, their mean is 1; or nil
	Features *graph.Node // d, a scalar, int32: columns from there on are padding
	Step     *graph.Node // scalar, uint32
}

// FewRows reports whether scores go by the leave-one-out error.
func (z Sizes) FewRows() bool { return z.Rows < config.FewRows }

// PhiRows is how many rows Inputs.Phi has.
func (z Sizes) PhiRows() int {
	if z.FewRows() {
		return z.Embedding + z.Rows
	}
	return z.Embedding + z.D + z.Outputs
}

// Initial are the scores at step 0: that of each feature on its own, for every selector. phi is what Inputs.Phi is.
func (z Sizes) Initial(phi []float32) []float32 {
	return slices.Repeat(phi[(z.Embedding-1)*z.D:z.Embedding*z.D], z.K)
}

// Rescore is one step: the scores e after it, K×d, of which those of selector step mod K move. sample is M, K×d,
// whose largest entries are what the selectors sampled; padding has no score.
func (z Sizes) Rescore(in Inputs, scores, sample *graph.Node) *graph.Node {
	g := scores.Graph()
	chosen := graph.ExpandAxes(graph.ArgMax(sample, -1), -1)
	at := graph.Iota(g, shapes.Make(dtypes.Int32, sample.Shape().Dimensions...), -1)
	hot := graph.ConvertDType(graph.Equal(at, graph.BroadcastToShape(chosen, at.Shape())), dtypes.Float32) // K×d
	turn := graph.Mod(graph.ConvertDType(in.Step, dtypes.Int32), graph.Const(g, int32(z.K)))
	selectors := graph.Iota(g, shapes.Make(dtypes.Int32, scores.Shape().Dimensions...), -2)
	moves := graph.ConvertDType(graph.Equal(selectors, turn), dtypes.Float32)
	var to *graph.Node
	if z.FewRows() {
		to = graph.BroadcastToShape(z.leaveOneOut(in, graph.Sub(hot, graph.Mul(hot, moves))), scores.Shape())
	} else {
		to = z.partialF(in, hot)
	}
	return graph.Add(scores, graph.Mul(graph.MulScalar(moves, move), graph.Sub(to, scores)))
}

// partialF is what the features score by their partial F, K×d; phi has the moments below the embedding, hot is 1 where a selector sampled.
//
// With S the sampled features, H = (G_SS + γ)⁻¹, β = H B_S and D = diag H: taking selector k away leaves of feature j the part that the
// others do not explain, of variance v_kj, and of the targets a residual that it would explain a share of. F_kj is n times that share
// over what would be left, the partial F of j given the others; its score is log(F + 0.1), standardised over the features.
func (z Sizes) partialF(in Inputs, hot *graph.Node) *graph.Node {
	g, width := hot.Graph(), hot.Shape().Dim(-1)
	part := func(from, rows int) *graph.Node { return graph.SliceAxis(in.Phi, -2, graph.AxisRange(from, from+rows)) }
	gram, cross := part(z.Embedding, z.D), part(z.Embedding+z.D, z.Outputs) // d×d and C×d, wide
	inside := hot
	if width > z.D {
		inside = graph.SliceAxis(hot, -1, graph.AxisRange(0, z.D))
	}
	gs := graph.Einsum("ke,ed->kd", inside, gram) // G_S, K×d
	gss := graph.Einsum("kd,ld->kl", gs, hot)     // G_SS, K×K
	bs := graph.Einsum("kd,cd->kc", hot, cross)   // B_S, K×C
	unit := nn.Identity(gss)
	inverse := nn.Inverse(graph.Add(gss, graph.MulScalar(unit, ridge)), ridge, float64(z.K)+ridge)
	beta := graph.Einsum("kl,lc->kc", inverse, bs)
	diagonal := graph.ReduceAndKeep(graph.Mul(inverse, unit), graph.ReduceSum, -1) // K×1

	explained := graph.Sub(graph.MulScalar(graph.Mul(bs, beta), 2), graph.Mul(beta, graph.Einsum("kl,lc->kc", gss, beta)))
	left := graph.AddScalar(graph.Neg(graph.ReduceSum(explained, -1, -2)), 1) // of the targets' variance, a scalar
	residual := graph.Sub(cross, graph.Einsum("kc,kd->cd", beta, gs))         // of the targets with each feature, C×d
	through := graph.Einsum("kl,ld->kd", inverse, gs)
	own := graph.Div(through, diagonal)                            // of selector k's feature, given the others, with each feature: K×d
	alone := graph.Div(inverse, graph.Transpose(diagonal, -2, -1)) // column k: selector k's feature, given the others
	variance := graph.AddScalar(graph.Transpose(graph.ReduceAndKeep(graph.Mul(alone, graph.Einsum("kl,lm->km", gss, alone)), graph.ReduceSum, -2),
		-2, -1), 1e-6)
	// of each feature, given all selectors', 1×d
	within := graph.AddScalar(graph.Neg(graph.ReduceAndKeep(graph.Mul(through, gs), graph.ReduceSum, -2)), 1)
	floor := graph.BroadcastToShape(graph.Const(g, float32(1e-3)), own.Shape())
	given := graph.Max(graph.Add(within, graph.Div(graph.Square(own), variance)), floor) // v_kj

	squares := graph.ReduceAndKeep(graph.Square(beta), graph.ReduceSum, -1)                   // K×1
	residuals := graph.ReduceAndKeep(graph.Square(residual), graph.ReduceSum, -2)             // 1×d
	products := graph.MulScalar(graph.Mul(own, graph.Einsum("kc,cd->kd", beta, residual)), 2) // K×d
	gain := graph.Add(graph.Add(residuals, products), graph.Mul(graph.Square(own), squares))
	gain = graph.Div(gain, graph.AddScalar(given, ridge))
	before := graph.Add(left, graph.Mul(variance, squares)) // what the others leave, K×1
	remains := graph.Max(graph.Sub(before, gain), graph.BroadcastToShape(graph.MulScalar(left, leastError), gain.Shape()))
	f := graph.Div(graph.MulScalar(gain, float64(z.Rows)), remains)
	f = graph.Where(graph.LessThan(given, graph.BroadcastToShape(graph.Const(g, float32(leastVariance)), given.Shape())),
		graph.ZerosLike(f), f)
	return z.standardised(graph.Log(graph.AddScalar(f, embedding.StrengthOffset)), in.Features)
}

// standardised centres each row over the features and divides it by its standard deviation; padding becomes 0.
func (z Sizes) standardised(m, features *graph.Node) *graph.Node {
	first := graph.Const(m.Graph(), int32(0))
	padding := func(m *graph.Node) *graph.Node {
		if m.Shape().Dim(-1) == z.D {
			return m
		}
		return nn.WithoutPadding(m, first, features, 0)
	}
	mean := func(m *graph.Node) *graph.Node {
		return graph.DivScalar(graph.ReduceAndKeep(padding(m), graph.ReduceSum, -1), float64(z.D))
	}
	centred := padding(graph.Sub(m, mean(m)))
	return graph.Div(centred, graph.Sqrt(graph.AddScalar(mean(graph.Square(centred)), 1e-12)))
}
