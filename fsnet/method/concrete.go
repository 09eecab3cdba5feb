package method

import (
	"math"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// SelectionLayer is x^S = x Mᵀ with the concrete variables μ⁽ᵏ⁾ = softmax_j((log δ⁽ᵏ⁾ + g⁽ᵏ⁾)/τ) as the rows of M (Singh et al.,
// "Selection layer"; Maddison et al. 2017).
//
// x is B×d, logDelta and gumbel are K×d, tau is a scalar; the result is B×K. Without noise pass nil for gumbel.
func SelectionLayer(x, logDelta, gumbel, tau *graph.Node) *graph.Node {
	return graph.Einsum("bd,kd->bk", x, Concrete(logDelta, gumbel, tau))
}

// Concrete is M, K×d: its rows are non-negative and sum to 1, and become one-hot as tau goes to 0.
func Concrete(logDelta, gumbel, tau *graph.Node) *graph.Node {
	if gumbel != nil {
		logDelta = graph.Add(logDelta, gumbel)
	}
	return softmaxOverFeatures(graph.Div(logDelta, tau))
}

// Probability is P = softmax over the features of log δ, K×d: no temperature and no noise. P[k, j] is exactly the probability that
// the Gumbel argmax of selector k is feature j.
func Probability(logDelta *graph.Node) *graph.Node { return softmaxOverFeatures(logDelta) }

// LogSoftmaxOverSelectors is the paper's log δ_j = log softmax_k(W_s φ(u_j)): over the K selectors of one feature. K×d to K×d.
func LogSoftmaxOverSelectors(logits *graph.Node) *graph.Node {
	shifted := graph.Sub(logits, graph.StopGradient(maxOverSelectors(logits)))
	return graph.Sub(shifted, graph.Log(SumOverSelectors(graph.Exp(shifted))))
}

// The authors' program keeps δ between Keras's ε and a number below 1.
const leastDelta, mostDelta = 1e-7, 0.9999999

// logOf is log v in the shape of log δ.
func logOf(v float64, logDelta *graph.Node) *graph.Node {
	return graph.BroadcastToShape(graph.Const(logDelta.Graph(), float32(math.Log(v))), logDelta.Shape())
}

// Clipped is the authors' log(10 · clip(δ, 1e-7, 0.9999999)) of log δ. What is clipped has no gradient.
func Clipped(logDelta *graph.Node) *graph.Node {
	return graph.Add(graph.Max(graph.Min(logDelta, logOf(mostDelta, logDelta)), logOf(leastDelta, logDelta)), logOf(10, logDelta))
}

// Inside is 1 where [Clipped] leaves log δ as it is, else 0: its derivative.
func Inside(logDelta *graph.Node) *graph.Node {
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, logDelta.DType()) }
	return graph.Mul(number(graph.GreaterThan(logDelta, logOf(leastDelta, logDelta))),
		number(graph.LessThan(logDelta, logOf(mostDelta, logDelta))))
}

// SumOverSelectors sums up the columns of K×d, as one row. It is a product, since blocks are loops (see sumOverFeatures).
func SumOverSelectors(m *graph.Node) *graph.Node {
	ones := graph.BroadcastToShape(graph.Const(m.Graph(), float32(1)), shapes.Make(m.DType(), m.Shape().Dim(-2)))
	return graph.ExpandAxes(graph.Einsum("k,kd->d", ones, m), -2)
}

// maxOverSelectors is the largest of each column of K×d, as one row: of two halves the larger values, until one row is left.
func maxOverSelectors(m *graph.Node) *graph.Node {
	for k := m.Shape().Dim(-2); k > 1; k = (k + 1) / 2 {
		half := (k + 1) / 2
		m = graph.Max(graph.SliceAxis(m, -2, graph.AxisRange(0, half)), graph.SliceAxis(m, -2, graph.AxisRange(k-half, k)))
	}
	return m
}

func softmaxOverFeatures(logits *graph.Node) *graph.Node {
	shifted := graph.Sub(logits, graph.StopGradient(graph.ReduceAndKeep(logits, graph.ReduceMax, -1)))
	e := graph.Exp(shifted)
	return graph.Div(e, graph.ReduceAndKeep(e, graph.ReduceSum, -1))
}
