package fsnet

import (
	"slices"

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
	phi            *graph.Node // Φ: b×d, or its independent rows
	x              *graph.Node // B×d, the batch
	parts          []part      // both, divided, where there is one block
	folding        *graph.Node // see fold.go
	y              *graph.Node // B×C, one-hot
	mask           *graph.Node // B: 0 for padding rows
	classWeights   *graph.Node // C
	hyper          *graph.Node // hyperCount
	seed           *graph.Node // two words, uint32
	features       *graph.Node // d, a scalar, int32: columns from there on are padding
	step           *graph.Node // scalar, uint32
}

// perFeature divides a sum over the features by their number.
func (in stepInputs) perFeature(sum *graph.Node) *graph.Node {
	return graph.Div(sum, graph.ConvertDType(in.features, dtypes.Float32))
}

// hyperparameter is one of them as a scalar.
func (in stepInputs) hyperparameter(i int) *graph.Node { return element(in.hyper, i) }

// trainingStep is one step of training: theta and squares after it, and its metrics. What is wide, K×d and h'×d, is differentiated by
// hand, a block of features at a time; GoMLX differentiates the layers between.
func (a Architecture) trainingStep(in stepInputs) (theta, squares, metrics *graph.Node) {
	net := a.network(in.theta)
	sample := a.sample(in, net)
	selected := graph.StopGradient(sample.selected)
	layer := purposeDropout
	scores, hidden := net.forward(selected, func(x *graph.Node) *graph.Node {
		layer++
		return dropout(x, newNoiseKey(in.seed, in.step, layer), in.hyperparameter(hyperDropout))
	})
	back := a.reconstruct(in, net, graph.StopGradient(hidden), a.rowWeights(in))
	loss := a.losses(in, selected, scores, back.errors)

	var between []*graph.Node
	for _, p := range a.parameters() {
		if !p.wide() {
			between = append(between, net.parameters[p.name])
		}
	}
	// No replica's loss depends on another's parameters.
	root := graph.Add(graph.ReduceAllSum(loss.class), graph.ReduceAllSum(graph.Mul(graph.StopGradient(back.hidden), hidden)))
	gradients := graph.Gradient(root, append(between, selected)...)
	gradients, passed := gradients[:len(between)], gradients[len(between)]
	return a.update(in, loss, slices.Concat(sample.gradient(a, in, net, passed), gradients, back.parameters))
}

// update applies RMSprop to the gradients of all parameters, in their order.
func (a Architecture) update(in stepInputs, loss losses, gradients []*graph.Node) (theta, squares, metrics *graph.Node) {
	for i, p := range a.parameters() {
		gradients[i] = reshape(gradients[i], len(p.dims), p.size())
	}
	gradient := graph.Concatenate(gradients, -1)
	theta, squares = a.rmsprop(in, gradient)
	metrics = graph.Stack([]*graph.Node{loss.total, loss.class, loss.reconstruction, loss.accuracy, graph.ReduceMax(graph.Abs(gradient), -1), loss.selector}, -1)
	return theta, squares, metrics
}

// losses are scalars over the rows of a batch, and what the selectors pass on, as one number.
type losses struct{ total, class, reconstruction, accuracy, selector *graph.Node }

// rowWeights is what a row's Σ_j (x − x̂)² weighs in the loss, B.
func (a Architecture) rowWeights(in stepInputs) *graph.Node {
	weights := graph.Div(in.mask, graph.ReduceAndKeep(in.mask, graph.ReduceSum, -1))
	weights = graph.Mul(weights, spread(in.hyperparameter(hyperLambda), weights))
	if a.Reconstruction == "mean" {
		weights = in.perFeature(weights)
	}
	return weights
}

// losses is the mean over the batch's rows of CE(y, ŷ) + λ·R(x, x̂), of which padding rows weigh nothing. selected is x^S, B×K; scores
// are those of the classes, B×C; errors are Σ_j (x − x̂)², B.
func (a Architecture) losses(in stepInputs, selected, scores, errors *graph.Node) losses {
	rows := graph.ReduceSum(in.mask, -1)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceSum(graph.Mul(perRow, in.mask), -1), rows)
	}
	weights := einsum("bc,c->b", in.y, in.classWeights)
	entropy := graph.Neg(graph.ReduceSum(graph.Mul(in.y, logSoftmaxOverClasses(scores)), -1))
	class := mean(graph.Mul(entropy, weights))

	if a.Reconstruction == "mean" {
		errors = in.perFeature(errors)
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
