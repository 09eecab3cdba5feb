package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// Step is one step of Algorithm 1, written as the paper writes it, with what was added to it since: theta and squares after it, and its
// metrics. It is the definition; what trains is the same step in package fused, many times as fast. x and phi have no padding here.
func (a Architecture) Step(in StepInputs) (theta, squares, metrics *graph.Node) {
	net := a.Network(in.Theta)
	// M, and what it selects of the batch: x^S = x Mᵀ.
	first := graph.Const(in.X.Graph(), int32(0))
	gumbel := nn.NewNoiseKey(in.Seed, in.Step, PurposeGumbel).Gumbel(a.K, in.Features, first, a.D, false)
	logDelta := Tilted(net.LogDelta(in.Phi), in.Tilt, in.Hyperparameter(HyperSharpness))
	if a.KeepsApart() {
		logDelta = Exclusive(logDelta, in.Hyperparameter(HyperSharpness), in.Groups, a.GroupLimit)
	}
	m := Concrete(logDelta, gumbel, in.Hyperparameter(HyperTau))
	selected := graph.Einsum("bd,kd->bk", in.X, m)
	// The classifier and the decoder. Where the selectors do not minimise the network's cross-entropy, it learns from what they pass on
	// without pulling at them.
	passed := selected
	if a.Prior == config.Conditional {
		selected, passed = graph.StopGradient(selected), graph.StopGradient(selected)
	} else if a.ByRidge() {
		passed = graph.StopGradient(selected)
	}
	scores, _ := net.Forward(passed, a.regularized(in))
	_, hidden := net.Forward(selected, a.regularized(in))
	reconstructed := ReconstructionLayer(hidden, net.ReconstructionWeights(a.EmbeddingOf(in.Phi)))
	// The loss, its gradient, and RMSprop.
	var repulsion *graph.Node
	if a.Repels {
		repulsion = Repulsion(Probability(logDelta))
	}
	loss := a.Losses(in, selected, scores, graph.ReduceSum(graph.Square(graph.Sub(in.X, reconstructed)), -1), repulsion)
	minimised := loss.Total
	if a.ByRidge() {
		minimised = graph.Add(minimised, loss.Entropy)
	}
	var parameters []*graph.Node
	for _, p := range a.Parameters() {
		parameters = append(parameters, net.Parameters[p.Name])
	}
	theta, squares, metrics = a.Update(in, loss, graph.Gradient(minimised, parameters...))
	if a.Prior == config.Conditional {
		theta = a.WithScores(theta, a.Rescore(in, net.Scores(), m))
	}
	return theta, squares, metrics
}

// regularized is the dropout of a step, layer after layer.
func (a Architecture) regularized(in StepInputs) func(*graph.Node) *graph.Node {
	layer := PurposeDropout
	return func(x *graph.Node) *graph.Node {
		layer++
		return nn.Dropout(x, nn.NewNoiseKey(in.Seed, in.Step, layer), in.Hyperparameter(HyperDropout))
	}
}
