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

// stepInputs are the nodes that one training step reads. All but the step may have a leading axis of replicas, all of them or none.
type stepInputs struct {
	theta, squares *graph.Node // flat parameters and RMSprop's running mean of squared gradients
	phi            *graph.Node // Φ, b×d
	x              *graph.Node // B×d, the batch
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

// The purposes of the draws of a step.
const (
	purposeGumbel  purpose = 1
	purposeDropout purpose = 16 // plus the number of the hidden layer
)
