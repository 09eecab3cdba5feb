package fused

import (
	"slices"

	"fsnetlab/fsnet/method"

	"github.com/gomlx/gomlx/core/graph"
)

// Inputs holds the inputs of a step, and what a call prepares once for all of
// its steps.
type Inputs struct {
	method.StepInputs               // Phi may have only its independent rows.
	Parts             []Part        // parts of Phi and X, if there is one block
	Tiles             []*graph.Node // tiles of Phi, if the layout is tiled
	Folding           *graph.Node   // see fold.go
}

// Step makes one step of Algorithm 2 and returns theta, squares and the metrics
// after it. It differentiates the wide matrices, K×d and h'×d, by hand, one
// block of features at a time. GoMLX differentiates the layers between them.
func (l Layout) Step(in Inputs) (theta, squares, metrics *graph.Node) {
	net := l.Network(in.Theta)
	sample := l.sample(in, net)
	// GoMLX differentiates incorrectly with respect to a StopGradient node
	// itself.
	selected := graph.Identity(graph.StopGradient(sample.selected))
	scores, hidden := net.Forward(selected, in.Dropout())
	back := l.reconstruct(in, net, graph.StopGradient(hidden), l.rowWeights(in))
	repulsion := l.repulsion(in, sample)
	loss := l.Losses(in.StepInputs, selected, scores, back.errors, repulsion.loss)

	var between []*graph.Node
	for _, p := range l.Parameters() {
		if !p.IsWide() {
			between = append(between, net.Parameters[p.Name])
		}
	}

	decoded := graph.ReduceAllSum(graph.Mul(graph.StopGradient(back.hidden), hidden))
	root := graph.Add(loss.Entropy, decoded)
	if l.Stepwise {
		gradients := slices.Concat([]*graph.Node{graph.ZerosLike(net.Parameters[l.Parameters()[0].Name])}, graph.Gradient(root, between...),
			back.parameters)
		theta, squares, metrics = l.Update(in.StepInputs, loss, gradients)
		return l.Rescore(in.StepInputs, theta, l.Pad(net.Scores()), sample.e), squares, metrics
	}
	gradients := graph.Gradient(root, append(between, selected)...)
	gradients, passed := gradients[:len(between)], gradients[len(between):]
	return l.Update(in.StepInputs, loss, slices.Concat(sample.gradient(l, in, net, passed[0], repulsion), gradients, back.parameters))
}

// rowWeights returns the weight of Σ_j (x − x̂)² of each row in the loss, B.
func (l Layout) rowWeights(in Inputs) *graph.Node {
	weights := graph.Div(in.Mask, graph.ReduceAndKeep(in.Mask, graph.ReduceSum, -1))
	weights = graph.Mul(weights, in.Hyperparameter(method.HyperLambda))
	if l.Reconstruction == "mean" {
		weights = in.PerFeature(weights)
	}
	return weights
}
