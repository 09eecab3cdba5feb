package fsnet

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// fusedInputs are those of a step, with what a call prepares once for all of its steps.
type fusedInputs struct {
	stepInputs             // phi may be its independent rows alone
	parts      []part      // of phi and x, where there is one block
	folding    *graph.Node // see fold.go
}

// step is Algorithm 1's, as fast as we can make it: theta and squares after it, and its metrics. What is wide, K×d and h'×d, is differentiated by
// hand, a block of features at a time; GoMLX differentiates the layers between.
func (l layout) step(in fusedInputs) (theta, squares, metrics *graph.Node) {
	net := l.network(in.theta)
	sample := l.sample(in, net)
	selected := graph.StopGradient(sample.selected)
	layer := purposeDropout
	scores, hidden := net.forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return dropout(x, newNoiseKey(in.seed, in.step, layer), in.hyperparameter(hyperDropout))
	})
	back := l.reconstruct(in, net, graph.StopGradient(hidden), l.rowWeights(in))
	loss := l.losses(in.stepInputs, selected, scores, back.errors)

	var between []*graph.Node
	for _, p := range l.parameters() {
		if !p.wide() {
			between = append(between, net.parameters[p.name])
		}
	}
	// No replica's loss depends on another's parameters.
	root := graph.Add(graph.ReduceAllSum(loss.class), graph.ReduceAllSum(graph.Mul(graph.StopGradient(back.hidden), hidden)))
	gradients := graph.Gradient(root, append(between, selected)...)
	gradients, passed := gradients[:len(between)], gradients[len(between)]
	return l.update(in.stepInputs, loss, slices.Concat(sample.gradient(l, in, net, passed), gradients, back.parameters))
}

// rowWeights is what a row's Σ_j (x − x̂)² weighs in the loss, B.
func (l layout) rowWeights(in fusedInputs) *graph.Node {
	weights := graph.Div(in.mask, graph.ReduceAndKeep(in.mask, graph.ReduceSum, -1))
	weights = graph.Mul(weights, spread(in.hyperparameter(hyperLambda), weights))
	if l.Reconstruction == "mean" {
		weights = in.perFeature(weights)
	}
	return weights
}
