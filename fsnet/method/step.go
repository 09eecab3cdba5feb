package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// Step is one step of Algorithm 1, written as the paper writes it: theta and squares after it, and its metrics. It is the definition; what
// trains is the same step in package fused, many times as fast. x and phi have no padding here.
func (a Architecture) Step(in StepInputs) (theta, squares, metrics *graph.Node) {
	net := a.Network(in.Theta)
	// M, and what it selects of the batch: x^S = x Mᵀ.
	first := graph.Const(in.X.Graph(), int32(0))
	gumbel := nn.NewNoiseKey(in.Seed, in.Step, PurposeGumbel).Gumbel(a.K, in.Features, first, a.D, false)
	selected := SelectionLayer(in.X, net.LogDelta(in.Phi), gumbel, in.Hyperparameter(HyperTau))
	// The classifier and the decoder.
	layer := PurposeDropout
	scores, hidden := net.Forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return nn.Dropout(x, nn.NewNoiseKey(in.Seed, in.Step, layer), in.Hyperparameter(HyperDropout))
	})
	reconstructed := ReconstructionLayer(hidden, net.ReconstructionWeights(in.Phi))
	// The loss, its gradient, and RMSprop.
	loss := a.Losses(in, selected, scores, graph.ReduceSum(graph.Square(graph.Sub(in.X, reconstructed)), -1))
	var parameters []*graph.Node
	for _, p := range a.Parameters() {
		parameters = append(parameters, net.Parameters[p.Name])
	}
	return a.Update(in, loss, graph.Gradient(loss.total, parameters...))
}
