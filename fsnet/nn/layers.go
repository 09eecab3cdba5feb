package nn

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// LeakySlope is the negative slope of LeakyReLU in the authors' program.
const LeakySlope = 0.2

// LeakyReLU is max(x, 0.2 x).
func LeakyReLU(x *graph.Node) *graph.Node {
	return graph.Max(x, graph.Mul(x, graph.Const(x.Graph(), float32(LeakySlope))))
}

// Dense is x W + b. x is B×in, W in×out, b out, and the result B×out.
func Dense(x, w, b *graph.Node) *graph.Node {
	return graph.Add(graph.Einsum("bi,io->bo", x, w), graph.ExpandAxes(b, -2))
}

// Dropout zeroes units with probability p and divides the others by 1 − p,
// so that the expectation doesn't change. x is B×units, and p is a scalar
// node.
func Dropout(x *graph.Node, key NoiseKey, p *graph.Node) *graph.Node {
	return dropout(x, key.uniform(x.Shape().Dimensions...), p)
}

// dropout applies dropout with a given uniform draw.
func dropout(x, uniform, p *graph.Node) *graph.Node {
	keep := graph.GreaterOrEqual(uniform, p)
	return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
}

// LeakySlopeAt returns the derivative of LeakyReLU at an output of y.
func LeakySlopeAt(y *graph.Node) *graph.Node {
	constant := func(v float32) *graph.Node { return graph.BroadcastToShape(graph.Const(y.Graph(), v), y.Shape()) }
	return graph.Where(graph.GreaterThan(y, constant(0)), constant(1), constant(LeakySlope))
}

// LogSoftmax normalises over the last axis.
func LogSoftmax(scores *graph.Node) *graph.Node {
	shifted := graph.Sub(scores, graph.StopGradient(graph.ReduceAndKeep(scores, graph.ReduceMax, -1)))
	return graph.Sub(shifted, graph.Log(graph.ReduceAndKeep(graph.Exp(shifted), graph.ReduceSum, -1)))
}

// Element returns element i of the last axis of a vector, as a scalar.
func Element(x *graph.Node, i int) *graph.Node {
	return graph.Reshape(graph.SliceAxis(x, -1, graph.AxisElem(i)))
}

// WithoutPadding replaces every number in the padding of m with instead.
// Padding is column d of the whole matrix and those after it. m holds the
// columns from first on. first and d are int32 scalars.
func WithoutPadding(m, first, d *graph.Node, instead float32) *graph.Node {
	g := m.Graph()
	at := graph.Iota(g, shapes.Make(dtypes.Int32, m.Shape().Dimensions...), -1)
	at = graph.Add(at, graph.BroadcastToShape(first, at.Shape()))
	return graph.Where(graph.LessThan(at, graph.BroadcastToShape(d, at.Shape())), m,
		graph.BroadcastToShape(graph.Const(g, instead), m.Shape()))
}

// Activation is the function after a hidden layer.
type Activation int

// The activations.
const (
	ActivateLeakyReLU Activation = iota // max(x, 0.2 x), used by FsNet
	ActivateReLU
	ActivateTanh
)

// Of applies the activation in a graph.
func (a Activation) Of(x *graph.Node) *graph.Node {
	switch a {
	case ActivateReLU:
		return graph.Max(x, graph.ZerosLike(x))
	case ActivateTanh:
		return graph.Tanh(x)
	}
	return LeakyReLU(x)
}

// apply applies the activation to a number, like Of in a graph.
func (a Activation) apply(x float64) float64 {
	switch a {
	case ActivateReLU:
		return max(x, 0)
	case ActivateTanh:
		return math.Tanh(x)
	}
	return max(x, LeakySlope*x)
}

// CrossEntropy returns −Σ_c y_c log softmax(scores)_c of each row. scores
// and y, one-hot, are B×C, and the result is B.
func CrossEntropy(scores, y *graph.Node) *graph.Node {
	return graph.Neg(graph.ReduceSum(graph.Mul(y, LogSoftmax(scores)), -1))
}

// SquaredError returns the mean over the outputs of (ŷ − y)² of each row.
// scores and y are B×C, and the result is B.
func SquaredError(scores, y *graph.Node) *graph.Node {
	return graph.ReduceMean(graph.Square(graph.Sub(scores, y)), -1)
}

// Tensor copies values into a new tensor in host memory. It panics if dims don't
// match the number of values.
func Tensor(values []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// WithZeros returns a state followed by times copies of it filled with
// zeros. The copies are the memory of an optimiser.
func WithZeros(state []*tensors.Tensor, times int) []*tensors.Tensor {
	all := slices.Clone(state)
	for range times {
		for _, t := range state {
			all = append(all, Tensor(make([]float32, t.Size()), t.Shape().Dimensions...))
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

// TruncatedNormal draws from the normal distribution with standard deviation
// sd. It redraws numbers beyond cut standard deviations.
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

// inverseDigits sets the precision of Inverse. e^−16 is about the smallest
// float32 that can be told from 0 next to 1.
const inverseDigits = 16

// Inverse returns the inverse of a symmetric matrix, m×m, with eigenvalues
// between least and most, both above 0. It uses the Newton-Schulz iteration
// X ← X (2 − G X), because that needs only products: XLA multiplies fast,
// but takes seconds to compile an elimination. The gradient is −G⁻¹ dG G⁻¹.
func Inverse(matrix *graph.Node, least, most float64) *graph.Node {
	fixed := graph.StopGradient(matrix)
	inverse := graph.MulScalar(Identity(matrix), 2/(least+most))

	// Each iteration squares the error. It starts at (most − least)/(most +
	// least).
	steps := math.Ceil(math.Log2(inverseDigits / -math.Log1p(-2*least/(least+most))))
	for range int(max(steps, 1)) {
		inverse = graph.Sub(graph.MulScalar(inverse, 2), graph.Einsum("ij,jk->ik", graph.Einsum("ij,jk->ik", inverse, fixed), inverse))
	}

	// One more step, of first order in the matrix and equal in value,
	// carries the gradient, so that GoMLX need not differentiate the
	// iteration.
	change := graph.Sub(matrix, fixed)
	return graph.Sub(inverse, graph.Einsum("ij,jk->ik", graph.Einsum("ij,jk->ik", inverse, change), inverse))
}

// Identity returns the unit matrix in the shape of a square one.
func Identity(like *graph.Node) *graph.Node {
	at := func(axis int) *graph.Node {
		return graph.Iota(like.Graph(), shapes.Make(dtypes.Int32, like.Shape().Dimensions...), axis)
	}
	return graph.ConvertDType(graph.Equal(at(-2), at(-1)), dtypes.Float32)
}

// The decay of Adam's running means and the term that keeps its quotient
// finite: the defaults of Keras and PyTorch.
const (
	adamMean    = 0.9
	adamSquare  = 0.999
	adamEpsilon = 1e-8
)

// AdamRates returns the two numbers that Adam needs in a step counted from
// 0: η/(1 − 0.9^t) and √(1 − 0.999^t), with t = step + 1.
func AdamRates(rate float64, step int) (scaled, root float32) {
	t := float64(step + 1)
	return float32(rate / (1 - math.Pow(adamMean, t))), float32(math.Sqrt(1 - math.Pow(adamSquare, t)))
}

// Adam computes m ← 0.9 m + 0.1 g, v ← 0.999 v + 0.001 g², θ ← θ − η/(1 −
// 0.9^t) · m/(√v/√(1 − 0.999^t) + 1e-8) (Kingma, Ba 2015), as PyTorch does.
// scaled and root come from AdamRates. It returns θ, m and v.
func Adam(scaled, root, theta, gradient, m, v *graph.Node) (after, mean, square *graph.Node) {
	g := theta.Graph()
	decay := func(old *graph.Node, factor float64, now *graph.Node) *graph.Node {
		return graph.Add(graph.Mul(old, graph.Const(g, float32(factor))), graph.Mul(now, graph.Const(g, float32(1-factor))))
	}

	m = decay(m, adamMean, gradient)
	v = decay(v, adamSquare, graph.Square(gradient))

	update := graph.Div(m, graph.Add(graph.Div(graph.Sqrt(v), root), graph.Const(g, float32(adamEpsilon))))
	return graph.Sub(theta, graph.Mul(scaled, update)), m, v
}

// AdamStep differentiates a loss with respect to the first n nodes of a
// state θ… m… v… and returns the state after Adam's step.
func AdamStep(loss *graph.Node, state []*graph.Node, n int, scaled, root *graph.Node) []*graph.Node {
	gradients := graph.Gradient(loss, state[:n]...)
	after := make([]*graph.Node, 3*n)
	for i, gradient := range gradients {
		after[i], after[n+i], after[2*n+i] = Adam(scaled, root, state[i], gradient, state[n+i], state[2*n+i])
	}
	return after
}
