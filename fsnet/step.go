package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// Hyperparameters of one step, in the order in which they travel.
const (
	hyperTau = iota
	hyperLearningRate
	hyperSelectorLearningRate
	hyperLambda
	hyperDropout
	hyperCount
)

// Metrics of one step, in the order in which they travel.
const (
	metricLoss = iota
	metricLossClass
	metricLossReconstruction
	metricAccuracy
	metricGradient // largest absolute value
	metricSelector // sum of |x^S| over the batch: with the others it names what went wrong first
	metricCount
)

// RMSprop as in the authors' program: ρ = 0.9, ε = 1e-7 outside the root, no bias correction.
const (
	rmspropDecay   = 0.9
	rmspropEpsilon = 1e-7
)

// stepInputs are the nodes that one training step reads. All but the step may have a leading axis of replicas, all of them or none.
type stepInputs struct {
	theta, squares *graph.Node // flat parameters and RMSprop's running mean of squared gradients
	phi            *graph.Node // Φ: b×d
	x              *graph.Node // B×d, the batch
	y              *graph.Node // B×C, one-hot
	mask           *graph.Node // B: 0 for padding rows
	classWeights   *graph.Node // C
	hyper          *graph.Node // hyperCount
	seed           *graph.Node // two words, uint32
	step           *graph.Node // scalar, uint32
}

// hyperparameter is one of them as a scalar.
func (in stepInputs) hyperparameter(i int) *graph.Node { return element(in.hyper, i) }

// trainingStep is one step of training: theta and squares after it, and its metrics.
func (a Architecture) trainingStep(in stepInputs) (theta, squares, metrics *graph.Node) {
	net := a.network(in.theta)
	return a.update(in, net, a.loss(net, in))
}

// update differentiates a loss and applies RMSprop.
func (a Architecture) update(in stepInputs, net network, loss losses) (theta, squares, metrics *graph.Node) {
	list := a.parameters()
	blocks := make([]*graph.Node, len(list))
	for i, p := range list {
		blocks[i] = net.parameters[p.name]
	}
	total := loss.total
	if !total.IsScalar() { // no replica's loss depends on another's parameters
		total = graph.ReduceAllSum(total)
	}
	gradients := graph.Gradient(total, blocks...)
	for i, p := range list {
		gradients[i] = reshape(gradients[i], len(p.dims), p.size())
	}
	gradient := graph.Concatenate(gradients, -1)
	theta, squares = a.rmsprop(in, gradient)
	metrics = graph.Stack([]*graph.Node{loss.total, loss.class, loss.reconstruction, loss.accuracy, graph.ReduceMax(graph.Abs(gradient), -1), loss.selector}, -1)
	return theta, squares, metrics
}

// losses are scalars over the rows of a batch, and what the selectors pass on, as one number.
type losses struct{ total, class, reconstruction, accuracy, selector *graph.Node }

// loss is the mean over the batch's rows of CE(y, ŷ) + λ·R(x, x̂). Padding rows weigh nothing.
func (a Architecture) loss(net network, in stepInputs) losses {
	gumbel := newNoiseKey(in.seed, in.step, purposeGumbel).gumbel(a.K, a.D)
	selected := SelectionLayer(in.x, net.logDelta(in.phi), gumbel, in.hyperparameter(hyperTau))

	layer := purposeDropout
	scores, hidden := net.forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return dropout(x, newNoiseKey(in.seed, in.step, layer), in.hyperparameter(hyperDropout))
	})
	return a.losses(in, selected, scores, ReconstructionLayer(hidden, net.reconstructionWeights(in.phi)))
}

// losses compares class scores (B×C) and reconstruction (B×d) with the batch. selected is x^S, B×K.
func (a Architecture) losses(in stepInputs, selected, scores, reconstructed *graph.Node) losses {
	rows := graph.ReduceSum(in.mask, -1)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceSum(graph.Mul(perRow, in.mask), -1), rows)
	}
	weights := einsum("bc,c->b", in.y, in.classWeights)
	entropy := graph.Neg(graph.ReduceSum(graph.Mul(in.y, logSoftmaxOverClasses(scores)), -1))
	class := mean(graph.Mul(entropy, weights))

	errors := graph.ReduceSum(graph.Square(graph.Sub(in.x, reconstructed)), -1)
	if a.Reconstruction == "mean" {
		errors = graph.Div(errors, graph.Const(in.x.Graph(), float32(a.D)))
	}
	reconstruction := mean(errors)

	hit := graph.Equal(graph.ArgMax(scores, -1), graph.ArgMax(in.y, -1))
	return losses{
		total:          graph.Add(class, graph.Mul(in.hyperparameter(hyperLambda), reconstruction)),
		class:          class,
		reconstruction: reconstruction,
		accuracy:       mean(graph.ConvertDType(hit, dtypes.Float32)),
		selector:       graph.ReduceSum(graph.Abs(selected), -1, -2),
	}
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

func logSoftmaxOverClasses(scores *graph.Node) *graph.Node {
	shifted := graph.Sub(scores, graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, -1)))
	return graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
}
