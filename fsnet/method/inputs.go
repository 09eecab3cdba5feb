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
	MetricGradient // largest absolute value
	MetricSelector // sum of |x^S| over the batch; not a number where the selectors broke first
	MetricCount
)

// StepInputs holds the nodes that one training step reads.
type StepInputs struct {
	Theta, Squares *graph.Node // flat parameters and RMSprop's running mean of squared gradients
	Phi            *graph.Node // Φ, b×d
	X              *graph.Node // B×d, the batch
	Y              *graph.Node // B×C, one-hot; for a quantity B×1, see [embedding.Target]
	Labels         *graph.Node // rows×C, Y of all training rows
	Weights        *graph.Node // B×1, weights of the rows; nil: all weigh the same
	AllWeights     *graph.Node // rows×1, weights of all training rows, with mean 1; or nil
	Mask           *graph.Node // B: 0 for padding rows
	ClassWeights   *graph.Node // C
	Hyper          *graph.Node // HyperCount
	Seed           *graph.Node // two words, uint32
	Features       *graph.Node // scalar int32: d; later columns are padding
	Step           *graph.Node // scalar, uint32
	LogitBias      *graph.Node // K×d, see [repair.Logits]; nil without constraints on features
	Groups         *graph.Node // d, the group of each feature from 1, or 0; nil without groups
	Spokesmen      *graph.Node // L×d, see [repair.Speak]; nil: each feature speaks for itself
}

// PerFeature divides a sum over the features by the number of features.
func (in StepInputs) PerFeature(sum *graph.Node) *graph.Node {
	return graph.Div(sum, graph.ConvertDType(in.Features, dtypes.Float32))
}

// Hyperparameter returns hyperparameter i as a scalar.
func (in StepInputs) Hyperparameter(i int) *graph.Node { return nn.Element(in.Hyper, i) }

// Dropout returns the step's dropout, to be called after each hidden layer in turn.
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
