package method

import "github.com/gomlx/gomlx/core/graph"

// RMSprop's constants in the authors' program: ρ = 0.9, and ε = 1e-7 outside
// the root, without bias correction.
const (
	rmspropDecay   = 0.9
	rmspropEpsilon = 1e-7
)

// Update applies RMSprop to the gradients of all parameters, in the order of
// [Architecture.Parameters], and returns the new state and the metrics of
// the step. It flattens the elements of gradients in place.
func (a Architecture) Update(in StepInputs, loss Loss, gradients []*graph.Node) (theta, squares, metrics *graph.Node) {
	for i, p := range a.Parameters() {
		gradients[i] = graph.Reshape(gradients[i], p.Size())
	}
	gradient := graph.Concatenate(gradients, -1)
	theta, squares = a.rmsprop(in, gradient)
	metrics = graph.Stack([]*graph.Node{loss.Total, loss.Entropy, loss.reconstruction, loss.accuracy,
		graph.ReduceMax(graph.Abs(gradient), -1), loss.selector}, -1)
	return theta, squares, metrics
}

// rmsprop applies [RMSprop] to the flat vector. The first SelectorSize
// parameters have the learning rate of the selectors. It returns the new
// state.
func (a Architecture) rmsprop(in StepInputs, gradient *graph.Node) (theta, squares *graph.Node) {
	rate := func(i, size int) *graph.Node {
		return graph.BroadcastToDims(in.Hyperparameter(i), size)
	}
	selector := a.SelectorSize()
	rates := graph.Concatenate([]*graph.Node{rate(HyperSelectorLearningRate, selector), rate(HyperLearningRate, a.Size()-selector)}, -1)
	return RMSprop(rates, in.Theta, gradient, in.Squares)
}

// RMSprop returns θ ← θ − η g/(√s + ε) and s ← ρ s + (1−ρ) g², with the new
// s in the root. rates are η, one for each parameter.
func RMSprop(rates, theta, gradient, squares *graph.Node) (after, now *graph.Node) {
	g := gradient.Graph()
	now = graph.Add(
		graph.Mul(squares, graph.Const(g, float32(rmspropDecay))),
		graph.Mul(graph.Square(gradient), graph.Const(g, float32(1-rmspropDecay))))
	update := graph.Div(gradient, graph.Add(graph.Sqrt(now), graph.Const(g, float32(rmspropEpsilon))))
	return graph.Sub(theta, graph.Mul(rates, update)), now
}
