package method

import (
	"math"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// SelectionLayer returns x^S = x Mᵀ. The rows of M are the concrete
// variables μ⁽ᵏ⁾ = softmax_j((log δ⁽ᵏ⁾ + g⁽ᵏ⁾)/τ) (Singh et al., "Selection
// layer"; Maddison et al. 2017).
//
// x is B×d, logDelta and gumbel are K×d, and tau is a scalar. The result is
// B×K. A nil gumbel adds no noise.
func SelectionLayer(x, logDelta, gumbel, tau *graph.Node) *graph.Node {
	return graph.Einsum("bd,kd->bk", x, Concrete(logDelta, gumbel, tau))
}

// Concrete returns M, K×d. Its rows are non-negative, sum to 1, and become
// one-hot as tau approaches 0.
func Concrete(logDelta, gumbel, tau *graph.Node) *graph.Node {
	if gumbel != nil {
		logDelta = graph.Add(logDelta, gumbel)
	}
	return softmaxOverFeatures(graph.Div(logDelta, tau))
}

// Probability returns P = softmax over the features of log δ, K×d, without
// temperature or noise. P[k, j] is the probability that the Gumbel argmax of
// selector k is feature j.
func Probability(logDelta *graph.Node) *graph.Node { return softmaxOverFeatures(logDelta) }

// LogSoftmaxOverSelectors returns the paper's log δ_j = log softmax_k(W_s
// φ(u_j)). For each feature it is a softmax over the K selectors. Both logits
// and result are K×d.
func LogSoftmaxOverSelectors(logits *graph.Node) *graph.Node {
	shifted := graph.Sub(logits, graph.StopGradient(maxOverSelectors(logits)))
	return graph.Sub(shifted, graph.Log(SumOverSelectors(graph.Exp(shifted))))
}

// The authors' program clips δ to these limits. leastDelta is ε in Keras.
const leastDelta, mostDelta = 1e-7, 0.9999999

// logOf returns log v in the shape of logDelta.
func logOf(v float64, logDelta *graph.Node) *graph.Node {
	return graph.BroadcastToShape(graph.Const(logDelta.Graph(), float32(math.Log(v))), logDelta.Shape())
}

// Clip returns the authors' log(10 · clip(δ, 1e-7, 0.9999999)) of log δ.
// Clipped entries have no gradient.
func Clip(logDelta *graph.Node) *graph.Node {
	return graph.Add(graph.Max(graph.Min(logDelta, logOf(mostDelta, logDelta)), logOf(leastDelta, logDelta)), logOf(10, logDelta))
}

// ClipSlope returns the derivative of [Clip]: 1 where Clip does not change log
// δ except for the factor 10, and 0 where it clips.
func ClipSlope(logDelta *graph.Node) *graph.Node {
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, logDelta.DType()) }
	return graph.Mul(number(graph.GreaterThan(logDelta, logOf(leastDelta, logDelta))),
		number(graph.LessThan(logDelta, logOf(mostDelta, logDelta))))
}

// SumOverSelectors sums the columns of a K×d matrix into one row. It
// multiplies by ones because a loop over blocks cannot hold the reduction
// (see sumOverFeatures in package fused).
func SumOverSelectors(m *graph.Node) *graph.Node {
	ones := graph.BroadcastToShape(graph.Const(m.Graph(), float32(1)), shapes.Make(m.DType(), m.Shape().Dim(-2)))
	return graph.ExpandAxes(graph.Einsum("k,kd->d", ones, m), -2)
}

// maxOverSelectors returns the largest entry of each column of a K×d matrix
// as one row. It halves the matrix until one row remains.
func maxOverSelectors(m *graph.Node) *graph.Node {
	for k := m.Shape().Dim(-2); k > 1; k = (k + 1) / 2 {
		half := (k + 1) / 2
		m = graph.Max(graph.SliceAxis(m, -2, graph.AxisRange(0, half)), graph.SliceAxis(m, -2, graph.AxisRange(k-half, k)))
	}
	return m
}

// softmaxOverFeatures returns the softmax of each row of logits, K×d.
func softmaxOverFeatures(logits *graph.Node) *graph.Node {
	shifted := graph.Sub(logits, graph.StopGradient(graph.ReduceAndKeep(logits, graph.ReduceMax, -1)))
	e := graph.Exp(shifted)
	return graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
}
