package deep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

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
