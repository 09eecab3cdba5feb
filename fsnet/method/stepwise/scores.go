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
	move  = 0.5 // share of the way to its new value that a score moves in a step
	ridge = 0.05
	// leastVariance is the smallest variance of a feature given the others. If
	// it has less, it is a copy of them.
	leastVariance = 0.02
	leastError    = 0.02 // smallest share of what remains to explain
)

// Sizes holds the sizes of a training.
type Sizes struct {
	K, D, Rows int
	Embedding  int // Number of rows of the embedding. The last one is the strength of the features.
	Outputs    int // number of columns of the targets
	Quantity   bool
}

// Inputs holds the nodes that a step reads.
type Inputs struct {
	Phi      *graph.Node // Φ with d columns, and below it what [ReadRows] returns
	Labels   *graph.Node // rows×C, one-hot, or rows×1 for a quantity
	Weights  *graph.Node // Weights of the training rows, rows×1, with mean 1. It may be nil.
	Features *graph.Node // d as a scalar int32; later columns are padding
	Step     *graph.Node // scalar uint32
}

// FewRows reports whether scores are leave-one-out errors instead of partial
// F.
func (z Sizes) FewRows() bool { return z.Rows < config.FewRows }

// PhiRows returns the number of rows of Inputs.Phi.
func (z Sizes) PhiRows() int {
	if z.FewRows() {
		return z.Embedding + z.Rows
	}
	return z.Embedding + z.D + z.Outputs
}

// Initial returns the scores of step 0, K×d: for every selector, the
// strength of each single feature. phi is Inputs.Phi.
func (z Sizes) Initial(phi []float32) []float32 {
	return slices.Repeat(phi[(z.Embedding-1)*z.D:z.Embedding*z.D], z.K)
}

// Rescore makes one step and returns the scores e after it, K×d. It changes
// only the scores of selector step mod K. sample is M, K×d, and its largest
// entries are the sampled features. Columns of padding have no scores.
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

// partialF returns the scores of the features by their partial F, K×d. phi
// has the moments below the embedding. hot is 1 where a selector sampled.
//
// With S the sampled features, H = (G_SS + γ)⁻¹, β = H B_S and D = diag H,
// removing selector k leaves the part of feature j that the others do not
// explain, with variance v_kj, and a residual of the targets. The part
// explains a share of the residual. F_kj is n times that share over the
// remainder, the partial F of j given the others. Its score is log(F + 0.1),
// standardised over the features.
func (z Sizes) partialF(in Inputs, hot *graph.Node) *graph.Node {
	g, width := hot.Graph(), hot.Shape().Dim(-1)
	part := func(from, rows int) *graph.Node { return graph.SliceAxis(in.Phi, -2, graph.AxisRange(from, from+rows)) }
	gram, cross := part(z.Embedding, z.D), part(z.Embedding+z.D, z.Outputs) // d×d and C×d
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
	// Share of the variance of the targets, a scalar.
	left := graph.AddScalar(graph.Neg(graph.ReduceSum(explained, -1, -2)), 1)
	// Covariance of the residual targets with each feature, C×d.
	residual := graph.Sub(cross, graph.Einsum("kc,kd->cd", beta, gs))
	through := graph.Einsum("kl,ld->kd", inverse, gs)
	// Covariance of selector k's feature, given the others, with each
	// feature: K×d.
	own := graph.Div(through, diagonal)
	// Column k: selector k's feature, given the others.
	alone := graph.Div(inverse, graph.Transpose(diagonal, -2, -1))
	variance := graph.AddScalar(graph.Transpose(graph.ReduceAndKeep(graph.Mul(alone, graph.Einsum("kl,lm->km", gss, alone)), graph.ReduceSum, -2),
		-2, -1), 1e-6)
	// Variance of each feature given all sampled ones, 1×d.
	within := graph.AddScalar(graph.Neg(graph.ReduceAndKeep(graph.Mul(through, gs), graph.ReduceSum, -2)), 1)
	floor := graph.BroadcastToShape(graph.Const(g, float32(1e-3)), own.Shape())
	conditional := graph.Max(graph.Add(within, graph.Div(graph.Square(own), variance)), floor) // v_kj

	squares := graph.ReduceAndKeep(graph.Square(beta), graph.ReduceSum, -1)                   // K×1
	residuals := graph.ReduceAndKeep(graph.Square(residual), graph.ReduceSum, -2)             // 1×d
	products := graph.MulScalar(graph.Mul(own, graph.Einsum("kc,cd->kd", beta, residual)), 2) // K×d
	gain := graph.Add(graph.Add(residuals, products), graph.Mul(graph.Square(own), squares))
	gain = graph.Div(gain, graph.AddScalar(conditional, ridge))
	before := graph.Add(left, graph.Mul(variance, squares)) // What the others leave, K×1.
	remains := graph.Max(graph.Sub(before, gain), graph.BroadcastToShape(graph.MulScalar(left, leastError), gain.Shape()))
	f := graph.Div(graph.MulScalar(gain, float64(z.Rows)), remains)
	f = graph.Where(graph.LessThan(conditional, graph.BroadcastToShape(graph.Const(g, float32(leastVariance)), conditional.Shape())),
		graph.ZerosLike(f), f)
	return z.standardise(graph.Log(graph.AddScalar(f, embedding.StrengthOffset)), in.Features)
}

// standardise centres each row over the features and divides it by its
// standard deviation. Padding becomes 0. A constant row becomes 0, too.
func (z Sizes) standardise(m, features *graph.Node) *graph.Node {
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
