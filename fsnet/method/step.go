package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
)

// Step is one step of Algorithm 2, written as the paper writes it, with what was added to it since: theta and squares after it, and its
// metrics. It is the definition; what trains is the same step in package fused, many times as fast. x and phi have no padding here.
func (a Architecture) Step(in StepInputs) (theta, squares, metrics *graph.Node) {
	net := a.Network(in.Theta)
	// M, and what it selects of the batch: x^S = x Mᵀ.
	first := graph.Const(in.X.Graph(), int32(0))
	gumbel := nn.NewNoiseKey(in.Seed, in.Step, PurposeGumbel).Gumbel(a.K, in.Features, first, a.D, false)
	logDelta := repair.Biased(net.LogDelta(in.Phi), in.LogitBias, in.Hyperparameter(HyperSharpness))
	if a.KeepsApart() {
		logDelta = repair.Exclusive(logDelta, in.Hyperparameter(HyperSharpness), in.Groups, a.GroupLimit)
	}
	m := Concrete(logDelta, gumbel, in.Hyperparameter(HyperTau))
	selected := graph.Einsum("bd,kd->bk", in.X, m)
	// The classifier and the decoder. Where closed-form errors choose, they learn from what the selectors pass on without pulling at them.
	if a.Stepwise {
		selected = graph.StopGradient(selected)
	}
	scores, hidden := net.Forward(selected, a.regularized(in))
	reconstructed := ReconstructionLayer(hidden, net.ReconstructionWeights(a.EmbeddingOf(in.Phi)))
	// The loss, its gradient, and RMSprop.
	var repulsion *graph.Node
	if a.Repels {
		repulsion = repair.Repulsion(Probability(logDelta))
	}
	loss := a.Losses(in, selected, scores, graph.ReduceSum(graph.Square(graph.Sub(in.X, reconstructed)), -1), repulsion)
	var parameters []*graph.Node
	for _, p := range a.Parameters() {
		parameters = append(parameters, net.Parameters[p.Name])
	}
	theta, squares, metrics = a.Update(in, loss, graph.Gradient(loss.Total, parameters...))
	if a.Stepwise {
		theta = a.Rescored(in, theta, net.Scores(), m)
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
