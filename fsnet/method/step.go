package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
)

// Step makes one step of Algorithm 2 as the paper describes it, with the
// additions of package repair. It returns theta, squares and the metrics
// (MetricCount numbers) after the step. It defines the step; package fused
// computes the same step many times as fast. x and phi must not have padding.
func (a Architecture) Step(in StepInputs) (theta, squares, metrics *graph.Node) {
	net := a.Network(in.Theta)

	// M, and x^S = x Mᵀ.
	first := graph.Const(in.X.Graph(), int32(0))
	gumbel := nn.NewNoiseKey(in.Seed, in.Step, PurposeGumbel).Gumbel(a.K, in.Features, first, a.D, false)
	logDelta := repair.Logits(net.LogDelta(in.Phi), in.LogitBias, in.Hyperparameter(HyperSharpness))
	if a.IsExclusive() {
		logDelta = repair.Exclusive(logDelta, in.Hyperparameter(HyperSharpness), in.Groups, a.GroupLimit)
	}
	m := Concrete(logDelta, gumbel, in.Hyperparameter(HyperTau))
	if in.Spokesmen != nil {
		m = repair.Speak(logDelta, in.Spokesmen, in.Hyperparameter(HyperSharpness)).HandOver(m)
	}
	selected := graph.Einsum("bd,kd->bk", in.X, m)

	// The classifier and the decoder. With stepwise selection no gradient
	// reaches the selectors.
	if a.Stepwise {
		selected = graph.StopGradient(selected)
	}
	scores, hidden := net.Forward(selected, in.Dropout())
	reconstructed := ReconstructionLayer(hidden, net.ReconstructionWeights(a.PredictorRows(in.Phi)))

	// The loss, its gradient, and RMSprop.
	var repulsion *graph.Node
	if a.Repulsion {
		repulsion = repair.Repulsion(Probability(logDelta))
	}
	loss := a.Losses(in, selected, scores, graph.ReduceSum(graph.Square(graph.Sub(in.X, reconstructed)), -1), repulsion)
	var parameters []*graph.Node
	for _, p := range a.Parameters() {
		parameters = append(parameters, net.Parameters[p.Name])
	}
	theta, squares, metrics = a.Update(in, loss, graph.Gradient(loss.Total, parameters...))
	if a.Stepwise {
		theta = a.Rescore(in, theta, net.Scores(), m)
	}
	return theta, squares, metrics
}
