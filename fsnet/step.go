package fsnet

import "github.com/gomlx/gomlx/core/graph"

// step is one step of Algorithm 1, written as the paper writes it: theta and squares after it, and its metrics. It is the definition; what
// trains is the same step in package fused, many times as fast. x and phi have no padding here.
func (a Architecture) step(in stepInputs) (theta, squares, metrics *graph.Node) {
	net := a.network(in.theta)
	// M, and what it selects of the batch: x^S = x Mᵀ.
	first := graph.Const(in.x.Graph(), int32(0))
	gumbel := newNoiseKey(in.seed, in.step, purposeGumbel).gumbel(a.K, in.features, first, a.D, false)
	selected := SelectionLayer(in.x, net.logDelta(in.phi), gumbel, in.hyperparameter(hyperTau))
	// The classifier and the decoder.
	layer := purposeDropout
	scores, hidden := net.forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return dropout(x, newNoiseKey(in.seed, in.step, layer), in.hyperparameter(hyperDropout))
	})
	reconstructed := ReconstructionLayer(hidden, net.reconstructionWeights(in.phi))
	// The loss, its gradient, and RMSprop.
	loss := a.losses(in, selected, scores, graph.ReduceSum(graph.Square(graph.Sub(in.x, reconstructed)), -1))
	var parameters []*graph.Node
	for _, p := range a.parameters() {
		parameters = append(parameters, net.parameters[p.name])
	}
	return a.update(in, loss, graph.Gradient(loss.total, parameters...))
}
