package nn

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// The decay of Adam's running means, and what keeps its quotient finite: the defaults of Keras and PyTorch.
const (
	adamMean    = 0.9
	adamSquare  = 0.999
	adamEpsilon = 1e-8
)

// AdamRates are the two numbers that Adam takes in a step, from 0: η/(1 − 0.9^t) and √(1 − 0.999^t), with t = step + 1.
func AdamRates(rate float64, step int) (scaled, root float32) {
	t := float64(step + 1)
	return float32(rate / (1 - math.Pow(adamMean, t))), float32(math.Sqrt(1 - math.Pow(adamSquare, t)))
}

// Adam is m ← 0.9 m + 0.1 g, v ← 0.999 v + 0.001 g², θ ← θ − η/(1 − 0.9^t) · m/(√v/√(1 − 0.999^t) + 1e-8) (Kingma, Ba 2015), as PyTorch
// has it. scaled and root are AdamRates. The result is θ, m and v.
func Adam(scaled, root, theta, gradient, m, v *graph.Node) (after, mean, square *graph.Node) {
	g := theta.Graph()
	decay := func(old *graph.Node, factor float64, now *graph.Node) *graph.Node {
		return graph.Add(graph.Mul(old, graph.Const(g, float32(factor))), graph.Mul(now, graph.Const(g, float32(1-factor))))
	}
	m = decay(m, adamMean, gradient)
	v = decay(v, adamSquare, graph.Square(gradient))
	update := graph.Div(m, graph.Add(graph.Div(graph.Sqrt(v), root), graph.Const(g, float32(adamEpsilon))))
	return graph.Sub(theta, graph.Mul(scaled, update)), m, v
}

// AdamStep differentiates a loss by the first n nodes of a state θ… m… v… and returns the state after Adam's step.
func AdamStep(loss *graph.Node, state []*graph.Node, n int, scaled, root *graph.Node) []*graph.Node {
	gradients := graph.Gradient(loss, state[:n]...)
	after := make([]*graph.Node, 3*n)
	for i, gradient := range gradients {
		after[i], after[n+i], after[2*n+i] = Adam(scaled, root, state[i], gradient, state[n+i], state[2*n+i])
	}
	return after
}
