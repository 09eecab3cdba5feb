package fused

import (
	"slices"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"

	"github.com/gomlx/gomlx/core/graph"
)

// Inputs are those of a step, with what a call prepares once for all of its steps.
type Inputs struct {
	method.StepInputs               // phi may be its independent rows alone
	Parts             []Part        // of phi and x, where there is one block
	Tiles             []*graph.Node // of phi, for a layout that reconstructs in tiles
	Folding           *graph.Node   // see fold.go
}

// Step is Algorithm 2's, as fast as we can make it: theta and squares after it, and its metrics. What is wide, K×d and h'×d, is
// differentiated by hand, a block of features at a time; GoMLX differentiates the layers between.
func (l Layout) Step(in Inputs) (theta, squares, metrics *graph.Node) {
	net := l.Network(in.Theta)
	sample := l.sample(in, net)
	selected := graph.Identity(graph.StopGradient(sample.selected)) // GoMLX differentiates wrongly by a node that stops gradients itself
	layer := method.PurposeDropout
	scores, hidden := net.Forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return nn.Dropout(x, nn.NewNoiseKey(in.Seed, in.Step, layer), in.Hyperparameter(method.HyperDropout))
	})
	back := l.reconstruct(in, net, graph.StopGradient(hidden), l.rowWeights(in))
	apart := l.repulsion(in, sample)
	loss := l.Losses(in.StepInputs, selected, scores, back.errors, apart.loss)

	var between []*graph.Node
	for _, p := range l.Parameters() {
		if !p.Wide() {
			between = append(between, net.Parameters[p.Name])
		}
	}
	decoded := graph.ReduceAllSum(graph.Mul(graph.StopGradient(back.hidden), hidden))
	root := graph.Add(loss.Entropy, decoded)
	if l.Stepwise {
		gradients := slices.Concat([]*graph.Node{graph.ZerosLike(net.Parameters[l.Parameters()[0].Name])}, graph.Gradient(root, between...),
			back.parameters)
		theta, squares, metrics = l.Update(in.StepInputs, loss, gradients)
		return l.Rescored(in.StepInputs, theta, l.Wide(net.Scores()), sample.e), squares, metrics
	}
	gradients := graph.Gradient(root, append(between, selected)...)
	gradients, passed := gradients[:len(between)], gradients[len(between):]
	return l.Update(in.StepInputs, loss, slices.Concat(sample.gradient(l, in, net, passed[0], apart), gradients, back.parameters))
}

// rowWeights is what a row's Σ_j (x − x̂)² weighs in the loss, B.
func (l Layout) rowWeights(in Inputs) *graph.Node {
	weights := graph.Div(in.Mask, graph.ReduceAndKeep(in.Mask, graph.ReduceSum, -1))
	weights = graph.Mul(weights, in.Hyperparameter(method.HyperLambda))
	if l.Reconstruction == "mean" {
		weights = in.PerFeature(weights)
	}
	return weights
}
