package deep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
)

// dense is x W + b, in 64 bits.
func dense(x, weights, biases []float64) []float64 {
	out := append([]float64(nil), biases...)
	for a := range x {
		for o := range out {
			out[o] += x[a] * weights[a*len(out)+o]
		}
	}
	return out
}

// surprise is −log softmax of the class, in 64 bits.
func surprise(scores []float64, class int) float64 {
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s - scores[0])
	}
	return scores[0] + math.Log(sum) - scores[class]
}

// plainEntropy is a network of dense layers on rows of sums of the first one,
// in 64 bits: the mean cross entropy. theta lists weights and biases of the
// layers behind it; mask multiplies the units of each hidden layer.
func plainEntropy(sums [][]float64, y []int, theta [][]float64, activation func(float64) float64, mask [][]float64) float64 {
	total := 0.0
	for i, h := range sums {
		for layer := range mask {
			units := make([]float64, len(h))
			for a := range h {
				units[a] = activation(h[a]) * mask[layer][a]
			}
			h = dense(units, theta[2*layer], theta[2*layer+1])
		}
		total += surprise(h, y[i])
	}
	return total / float64(len(sums))
}

// followsDifferences checks gradients of a loss by the numbers of theta against
// central differences of its reference, which sees theta as it is now: at a
// dozen places of each tensor that are drawn, or at all where random is nil.
func followsDifferences(t *testing.T, name string, theta [][]float64, gradients [][]float32, loss func() float64, random *rand.Rand) {
	t.Helper()
	const h = 1e-6
	for i, values := range theta {
		places := len(values)
		if random != nil {
			places = 12
		}
		for at := range places {
			if random != nil {
				at = random.IntN(len(values))
			}
			x := values[at]
			values[at] = x + h
			up := loss()
			values[at] = x - h
			down := loss()
			values[at] = x
			if got, want := float64(gradients[i][at]), (up-down)/(2*h); math.Abs(got-want) > 2e-5+1e-3*math.Abs(want) {
				t.Errorf("%s: the gradient by number %d of tensor %d is %v, differences say %v", name, at, i, got, want)
			}
		}
	}
}

// flat are the numbers of the first tensors, times a factor.
func flat(out []*tensors.Tensor, factor float32) [][]float32 {
	all := make([][]float32, len(out))
	for i, one := range out {
		all[i] = tensors.MustCopyFlatData[float32](one)
		for j := range all[i] {
			all[i][j] *= factor
		}
	}
	return all
}

// perturbed adds noise to parameters, so that no bias is 0 and all that could
// be wrong would show, and has them in 64 bits as well.
func perturbed(state []*tensors.Tensor, size float64, random *rand.Rand) (theta [][]float64) {
	for i, tensor := range state {
		values := tensors.MustCopyFlatData[float32](tensor)
		for at := range values {
			values[at] += float32(size * random.NormFloat64())
		}
		state[i] = nn.Tensor(values, tensor.Shape().Dimensions...)
		theta = append(theta, nn.Widen(values))
	}
	return theta
}

// dropoutOf is what dropout of a purpose makes of the units of six rows, in
// step 8 of seed 3: 0, or so much more.
func dropoutOf(t *testing.T, name string, purpose uint32, units int, dropout float64) []float64 {
	t.Helper()
	mask := noiseOf(t, fmt.Sprint(name, " dropout ", purpose), 3, 8, func(in nn.In) []*graph.Node {
		return []*graph.Node{in.Noise(purpose).Uniform(6, units)}
	})[0]
	for i, u := range mask {
		mask[i] = 0
		if u >= dropout {
			mask[i] = 1 / (1 - dropout)
		}
	}
	return mask
}

// isLoss checks the loss of a batch of six rows, of which the last does not
// count, and its gradient by state against a reference in 64 bits.
func isLoss(t *testing.T, name string, on *device.Scope, state, fixed []*tensors.Tensor, lambda float32, made func(in nn.In) *graph.Node,
	theta [][]float64, reference func() float64, random *rand.Rand) {
	t.Helper()
	args := []any{}
	for _, tensor := range append(slices.Clone(state), fixed...) {
		args = append(args, tensor)
	}
	args = append(args, []uint32{3, 0}, uint32(8), []int32{0, 1, 2, 3, 4, 5}, []float32{0, 0, lambda, 0, 1, 1, 1, 1, 1, 0})
	out := must(on.Call(name+" loss of the test", func(in []*graph.Node) []*graph.Node {
		rest := in[len(state)+len(fixed):]
		value := made(nn.In{State: in[:len(state)], Fixed: in[len(state):][:len(fixed)], Seed: rest[0], Step: rest[1], Rows: rest[2], Numbers: rest[3]})
		return append(graph.Gradient(value, in[:len(state)]...), value)
	}, args...))(t)
	if got, want := float64(tensors.ToScalar[float32](out[len(state)])), reference(); math.Abs(got-want) > 1e-5*want {
		t.Errorf("%s, %s: the loss is %v, the reference says %v", name, on.Name(), got, want)
	}
	followsDifferences(t, name+" "+on.Name(), theta, flat(out[:len(state)], 1), reference, random)
}
