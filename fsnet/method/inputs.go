package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// Hyperparameters of one step, in the order in which they travel.
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

// Metrics of one step, in the order in which they travel.
const (
	MetricLoss = iota
	MetricLossClass
	MetricLossReconstruction
	MetricAccuracy
	MetricGradient // largest absolute value
	MetricSelector // sum of |x^S| over the batch: with the others it names what went wrong first
	MetricCount
)

// StepInputs are the nodes that one training step reads.
type StepInputs struct {
	Theta, Squares *graph.Node // flat parameters and RMSprop's running mean of squared gradients
	Phi            *graph.Node // Φ, b×d
	X              *graph.Node // B×d, the batch
	Y              *graph.Node // B×C, one-hot; of a quantity B×1, see [embedding.Target]
	Labels         *graph.Node // rows×C, the same of all training rows
	Weights        *graph.Node // B×1, what each row of the batch weighs; nil where all weigh the same
	AllWeights     *graph.Node // rows×1, of all training rows, their mean is 1; or nil
	Mask           *graph.Node // B: 0 for padding rows
	ClassWeights   *graph.Node // C
	Hyper          *graph.Node // HyperCount
	Seed           *graph.Node // two words, uint32
	Features       *graph.Node // d, a scalar, int32: columns from there on are padding
	Step           *graph.Node // scalar, uint32
	LogitBias      *graph.Node // K×d, see [repair.Biased]; nil where nothing is known beforehand
	Groups         *graph.Node // d, the group of each feature, from 1, 0 for none; nil where there are no groups
}

// PerFeature divides a sum over the features by their number.
func (in StepInputs) PerFeature(sum *graph.Node) *graph.Node {
	return graph.Div(sum, graph.ConvertDType(in.Features, dtypes.Float32))
}

// Hyperparameter is one of them as a scalar.
func (in StepInputs) Hyperparameter(i int) *graph.Node { return nn.Element(in.Hyper, i) }

// The purposes of the draws of a step.
const (
	PurposeGumbel  nn.Purpose = 1
	PurposeDropout nn.Purpose = 16 // plus the number of the hidden layer
)
