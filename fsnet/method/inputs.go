package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// The hyperparameters of a step, by their index in StepInputs.Hyper.
const (
	HyperTau = iota
	HyperLearningRate
	HyperSelectorLearningRate
	HyperLambda
	HyperDropout
	HyperSharpness
	HyperRepulsion
	HyperCount
)

// The metrics of a step, by their index.
const (
	MetricLoss = iota
	MetricLossClass
	MetricLossReconstruction
	MetricAccuracy
	MetricGradient // largest absolute value of the gradient
	MetricSelector // Sum of |x^S| over the batch. It is NaN if the selectors broke first.
	MetricCount
)

// StepInputs holds the nodes that one training step reads.
type StepInputs struct {
	Theta, Squares *graph.Node // flat parameters, and RMSprop's running mean of squared gradients
	Phi            *graph.Node // Φ, b×d
	X              *graph.Node // the batch, B×d
	Y              *graph.Node // B×C, one-hot, or B×1 for a quantity, see [embedding.Target]
	Labels         *graph.Node // Y of all training rows, rows×C
	Weights        *graph.Node // Weights of the rows, B×1. Nil means that all have the same weight.
	AllWeights     *graph.Node // Weights of all training rows, rows×1, with mean 1. It may be nil.
	Mask           *graph.Node // B, 0 for padding rows
	ClassWeights   *graph.Node // C
	Hyper          *graph.Node // HyperCount
	Seed           *graph.Node // two uint32
	Features       *graph.Node // d as a scalar int32; later columns are padding
	Step           *graph.Node // scalar uint32
	LogitBias      *graph.Node // K×d, see [repair.Logits]. It is nil if there are no constraints on features.
	Groups         *graph.Node // d, the group of each feature from 1, or 0. It is nil if there are no groups.
	Spokesmen      *graph.Node // L×d, see [repair.Speak]. If it is nil, each feature speaks for itself.
}

// PerFeature divides a sum over the features by the number of features.
func (in StepInputs) PerFeature(sum *graph.Node) *graph.Node {
	return graph.Div(sum, graph.ConvertDType(in.Features, dtypes.Float32))
}

// Hyperparameter returns hyperparameter i as a scalar.
func (in StepInputs) Hyperparameter(i int) *graph.Node { return nn.Element(in.Hyper, i) }

// Dropout returns the dropout of the step. You must call it after each hidden
// layer in turn.
func (in StepInputs) Dropout() func(*graph.Node) *graph.Node {
	layer := PurposeDropout
	return func(x *graph.Node) *graph.Node {
		layer++
		return nn.Dropout(x, nn.NewNoiseKey(in.Seed, in.Step, layer), in.Hyperparameter(HyperDropout))
	}
}

// The purposes of the draws in a step.
const (
	PurposeGumbel  nn.Purpose = 1
	PurposeDropout nn.Purpose = 16 // plus the number of the hidden layer
)
