package nn

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Activation is what follows a hidden layer.
type Activation int

// The activations.
const (
	ActivateLeakyReLU Activation = iota // max(x, 0.2 x), FsNet's
	ActivateReLU
	ActivateTanh
)

// Of applies it in a graph.
func (a Activation) Of(x *graph.Node) *graph.Node {
	switch a {
	case ActivateReLU:
		return graph.Max(x, graph.ZerosLike(x))
	case ActivateTanh:
		return graph.Tanh(x)
	}
	return LeakyReLU(x)
}

func (a Activation) of(x float64) float64 {
	switch a {
	case ActivateReLU:
		return max(x, 0)
	case ActivateTanh:
		return math.Tanh(x)
	}
	return max(x, LeakySlope*x)
}

// CrossEntropy is −Σ_c y_c log softmax(scores)_c of each row: scores and y, one-hot, are B×C, the result B.
func CrossEntropy(scores, y *graph.Node) *graph.Node {
	return graph.Neg(graph.ReduceSum(graph.Mul(y, LogSoftmax(scores)), -1))
}

// SquaredError is the mean over the outputs of (ŷ − y)² of each row: scores and y are B×C, the result B.
func SquaredError(scores, y *graph.Node) *graph.Node {
	return graph.ReduceMean(graph.Square(graph.Sub(scores, y)), -1)
}

// Tensor copies numbers to the device.
func Tensor(values []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// Zeros are as many zeros as a tensor has numbers, in its shape.
func Zeros(like *tensors.Tensor) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(make([]float32, like.Size()), like.Shape().Dimensions...)
}

// WithZeros is a state and, so many times over, zeros in the shapes of its tensors: what an optimiser remembers of each.
func WithZeros(state []*tensors.Tensor, times int) []*tensors.Tensor {
	all := slices.Clone(state)
	for range times {
		for _, t := range state {
			all = append(all, Zeros(t))
		}
	}
	return all
}

// GlorotUniform draws in×out weights from ±√(6/(in + out)).
func GlorotUniform(r *rand.Rand, in, out int) []float32 {
	return Uniform(r, in*out, math.Sqrt(6/float64(in+out)))
}

// Uniform draws from [−limit, limit).
func Uniform(r *rand.Rand, count int, limit float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32((2*r.Float64() - 1) * limit)
	}
	return values
}

// TruncatedNormal draws from the normal distribution of standard deviation sd, cut at cut of them.
func TruncatedNormal(r *rand.Rand, count int, sd, cut float64) []float32 {
	values := make([]float32, count)
	for i := range values {
		x := r.NormFloat64()
		for math.Abs(x) > cut {
			x = r.NormFloat64()
		}
		values[i] = float32(x * sd)
	}
	return values
}
