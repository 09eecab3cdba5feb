package fsnet

import "github.com/gomlx/gomlx/core/graph"

// RMSprop as in the authors' program: ρ = 0.9, ε = 1e-7 outside the root, no bias correction.
const (
	rmspropDecay   = 0.9
	rmspropEpsilon = 1e-7
)

// update applies RMSprop to the gradients of all parameters, in their order.
func (a Architecture) update(in stepInputs, loss losses, gradients []*graph.Node) (theta, squares, metrics *graph.Node) {
	for i, p := range a.parameters() {
		gradients[i] = reshape(gradients[i], len(p.dims), p.size())
	}
	gradient := graph.Concatenate(gradients, -1)
	theta, squares = a.rmsprop(in, gradient)
	metrics = graph.Stack([]*graph.Node{loss.total, loss.class, loss.reconstruction, loss.accuracy, graph.ReduceMax(graph.Abs(gradient), -1), loss.selector}, -1)
	return theta, squares, metrics
}

// rmsprop is s ← ρ s + (1−ρ) g², θ ← θ − η g/(√s + ε), with the selector's own η for the first part of the vector.
func (a Architecture) rmsprop(in stepInputs, gradient *graph.Node) (theta, squares *graph.Node) {
	g := gradient.Graph()
	rate := func(i, size int) *graph.Node {
		return graph.BroadcastToDims(spread(in.hyperparameter(i), gradient), replicated(gradient, 1, size)...)
	}
	selector := a.selectorSize()
	rates := graph.Concatenate([]*graph.Node{rate(hyperSelectorLearningRate, selector), rate(hyperLearningRate, a.size()-selector)}, -1)

	squares = graph.Add(
		graph.Mul(in.squares, graph.Const(g, float32(rmspropDecay))),
		graph.Mul(graph.Square(gradient), graph.Const(g, float32(1-rmspropDecay))))
	update := graph.Div(gradient, graph.Add(graph.Sqrt(squares), graph.Const(g, float32(rmspropEpsilon))))
	return graph.Sub(in.theta, graph.Mul(rates, update)), squares
}
