package method

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"fsnetlab/fsnet/nn"
)

// A conditional prior learns nothing along a gradient. Each selector keeps a score of every feature, log δ = e; a step samples
// the selectors' features, and moves e of one of them, in turn, half of the way to the score that each feature would have in its place,
// beside those that the others sampled. (All at once they would follow one another from feature to feature.) Of few rows the score is the
// leave-one-out error with the feature (conditional_few.go), of many its partial F.
const (
	conditionalScores = "prior/scores" // e, K×d
	conditionalMove   = 0.5
	conditionalRidge  = 0.05
	conditionalClip   = 3.0  // standard deviations
	leastVariance     = 0.02 // of a feature, given the others: one with less says what they say
	leastError        = 0.02 // of what is left to explain
)

// moments are what the closed form reads of the training rows, below the embedding: G = ZᵀZ/n, d×d, and B = TᵀZ/n, C×d. Z is x clipped at
// three standard deviations and standardised again; T are the weighted targets. Where rows have weights both are √w times that.
func moments(x []float32, d int, y Target, weights []float64) []float32 {
	n, outputs := len(y.Y), y.Outputs()
	z := clipped(x, d, weights)
	targets := make([]float32, n*outputs)
	for i, v := range y.weighted(weights) {
		targets[i] = float32(v)
	}
	out := make([]float32, (d+outputs)*d)
	of := func(rows, columns int, data []float32) blas32.General {
		return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
	}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1/float32(n), of(n, d, z), of(n, d, z), 0, of(d, d, out[:d*d]))
	blas32.Gemm(blas.Trans, blas.NoTrans, 1/float32(n), of(n, outputs, targets), of(n, d, z), 0, of(outputs, d, out[d*d:]))
	return out
}

// rowWeight is what a row weighs; nil weights are 1 for each.
func rowWeight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// clipped is x, rows×d, in which no value lies further than conditionalClip from its column's mean, standardised again. Where rows have
// weights, whose mean is 1, means and variances are weighted, and the rows √w times that: products of columns are weighted, too.
func clipped(x []float32, d int, weights []float64) []float32 {
	z, n := slices.Clone(x), len(x)/d
	standardised := func(j int) {
		mean, square := 0.0, 0.0
		for i := range n {
			mean += rowWeight(weights, i) * float64(z[i*d+j]) / float64(n)
		}
		for i := range n {
			square += rowWeight(weights, i) * (float64(z[i*d+j]) - mean) * (float64(z[i*d+j]) - mean) / float64(n)
		}
		scale := math.Sqrt(square)
		if scale == 0 {
			scale = 1
		}
		for i := range n {
			z[i*d+j] = float32((float64(z[i*d+j]) - mean) / scale)
		}
	}
	for j := range d {
		standardised(j)
		for i := range n {
			z[i*d+j] = min(max(z[i*d+j], -conditionalClip), conditionalClip)
		}
		standardised(j)
	}
	for i, w := range weights {
		for j := range d {
			z[i*d+j] = float32(math.Sqrt(w) * float64(z[i*d+j]))
		}
	}
	return z
}

// InitialScores are the scores at step 0: the prior of each feature, for every selector. phi is Φ of Embed.
func (a Architecture) InitialScores(phi []float32) []float32 {
	prior := phi[(a.Embedding-1)*a.D : a.Embedding*a.D]
	return slices.Repeat(prior, a.K)
}

// Rescore is one step of a conditional prior: the scores e after it, K×d, of which those of selector step mod K move. sample is M, K×d,
// whose largest entries are what the selectors sampled; padding has no score.
func (a Architecture) Rescore(in StepInputs, scores, sample *graph.Node) *graph.Node {
	g := scores.Graph()
	chosen := graph.ExpandAxes(graph.ArgMax(sample, -1), -1)
	at := graph.Iota(g, shapes.Make(dtypes.Int32, sample.Shape().Dimensions...), -1)
	hot := graph.ConvertDType(graph.Equal(at, graph.BroadcastToShape(chosen, at.Shape())), dtypes.Float32) // K×d
	turn := graph.Mod(graph.ConvertDType(in.Step, dtypes.Int32), graph.Const(g, int32(a.K)))
	selectors := graph.Iota(g, shapes.Make(dtypes.Int32, scores.Shape().Dimensions...), -2)
	moves := graph.ConvertDType(graph.Equal(selectors, turn), dtypes.Float32)
	var to *graph.Node
	if a.FewRows() {
		to = graph.BroadcastToShape(a.leaveOneOut(in, graph.Sub(hot, graph.Mul(hot, moves))), scores.Shape())
	} else {
		to = a.partialF(in, hot)
	}
	return graph.Add(scores, graph.Mul(graph.MulScalar(moves, conditionalMove), graph.Sub(to, scores)))
}

// partialF is what the features score by their partial F, K×d; phi has the moments below the embedding, hot is 1 where a selector sampled.
//
// With S the sampled features, H = (G_SS + γ)⁻¹, β = H B_S and D = diag H: taking selector k away leaves of feature j the part that the
// others do not explain, of variance v_kj, and of the targets a residual that it would explain a share of. F_kj is n times that share
// over what would be left, the partial F of j given the others; its score is log(F + 0.1), standardised over the features.
func (a Architecture) partialF(in StepInputs, hot *graph.Node) *graph.Node {
	g, width := hot.Graph(), hot.Shape().Dim(-1)
	part := func(from, rows int) *graph.Node { return graph.SliceAxis(in.Phi, -2, graph.AxisRange(from, from+rows)) }
	gram, cross := part(a.Embedding, a.D), part(a.Embedding+a.D, a.Outputs()) // d×d and C×d, wide
	inside := hot
	if width > a.D {
		inside = graph.SliceAxis(hot, -1, graph.AxisRange(0, a.D))
	}
	gs := graph.Einsum("ke,ed->kd", inside, gram) // G_S, K×d
	gss := graph.Einsum("kd,ld->kl", gs, hot)     // G_SS, K×K
	bs := graph.Einsum("kd,cd->kc", hot, cross)   // B_S, K×C
	unit := nn.Identity(gss)
	inverse := nn.Inverse(graph.Add(gss, graph.MulScalar(unit, conditionalRidge)), conditionalRidge, float64(a.K)+conditionalRidge)
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
	gain = graph.Div(gain, graph.AddScalar(given, conditionalRidge))
	before := graph.Add(left, graph.Mul(variance, squares)) // what the others leave, K×1
	remains := graph.Max(graph.Sub(before, gain), graph.BroadcastToShape(graph.MulScalar(left, leastError), gain.Shape()))
	f := graph.Div(graph.MulScalar(gain, float64(a.Rows)), remains)
	f = graph.Where(graph.LessThan(given, graph.BroadcastToShape(graph.Const(g, float32(leastVariance)), given.Shape())),
		graph.ZerosLike(f), f)
	return a.standardised(graph.Log(graph.AddScalar(f, priorOffset)), in.Features)
}

// standardised centres each row over the features and divides it by its standard deviation; padding becomes 0.
func (a Architecture) standardised(m, features *graph.Node) *graph.Node {
	first := graph.Const(m.Graph(), int32(0))
	padding := func(m *graph.Node) *graph.Node {
		if m.Shape().Dim(-1) == a.D {
			return m
		}
		return nn.WithoutPadding(m, first, features, 0)
	}
	mean := func(m *graph.Node) *graph.Node {
		return graph.DivScalar(graph.ReduceAndKeep(padding(m), graph.ReduceSum, -1), float64(a.D))
	}
	centred := padding(graph.Sub(m, mean(m)))
	return graph.Div(centred, graph.Sqrt(graph.AddScalar(mean(graph.Square(centred)), 1e-12)))
}

// WithScores is theta with other scores in the place of those in front.
func (a Architecture) WithScores(theta, scores *graph.Node) *graph.Node {
	rest := graph.SliceAxis(theta, -1, graph.AxisRange(a.SelectorSize(), a.Size()))
	scores = graph.SliceAxis(scores, -1, graph.AxisRange(0, a.D))
	return graph.Concatenate([]*graph.Node{graph.Reshape(scores, a.SelectorSize()), rest}, -1)
}

// EmbeddingOf is the part of Φ that the weight predictors read.
func (a Architecture) EmbeddingOf(phi *graph.Node) *graph.Node {
	if phi.Shape().Dim(-2) <= a.Embedding {
		return phi
	}
	return graph.SliceAxis(phi, -2, graph.AxisRange(0, a.Embedding))
}
