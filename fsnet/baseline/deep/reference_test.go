package deep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
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

// plainEntropy is a network of dense layers on rows of sums of the first one, in 64 bits: the mean cross entropy. theta lists weights and
// biases of the layers behind it; mask multiplies the units of each hidden layer.
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

// followsDifferences checks gradients of a loss by the numbers of theta against central differences of its reference, which sees theta as it
// is now: at a dozen places of each tensor that are drawn, or at all where random is nil.
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
