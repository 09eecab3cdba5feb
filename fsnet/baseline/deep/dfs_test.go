package deep

import (
	"math"
	"math/rand/v2"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

// One batch's loss and gradient, on both backends, match a reference in 64 bits
// and its central differences. The last row of the batch has no weight.
func TestDFS_LossMatchesReference(t *testing.T) {
	const columns, counted = 4, 5
	m := DFS{Lambda1: 0.2, Lambda2: 0.6, Alpha1: 0.003, Alpha2: 0.3}
	data := baselinetest.Normal(counted+1, columns, 2)
	for _, on := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		tr := must(newTrainer(t.Context(), DFS{}, data, baseline.Options{K: 2, Seed: 3, Device: on}))(t)
		s := newScoring(tr, m)
		state := s.initial().upload(0)
		s.learned = len(state)
		random := rand.New(rand.NewPCG(4, 4))
		theta := perturbed(state, 0.2, random) // w is not 1
		theta[0][1] = -theta[0][1]             // a score is the size of a weight
		state[0] = nn.Tensor([]float32{float32(theta[0][0]), float32(theta[0][1]), float32(theta[0][2]), float32(theta[0][3])}, columns)
		var masks [][]float64
		for layer, units := range hiddenWidths() {
			masks = append(masks, dropoutOf(t, "dfs", uint32(1+layer), units, hiddenDropout))
		}
		loss := func() float64 {
			penalty, missed := 0.0, 0.0
			for _, w := range theta[0] {
				penalty += m.Lambda1 * ((1-m.Lambda2)/2*w*w + m.Lambda2*math.Abs(w))
			}
			for i := 1; i < len(theta); i += 2 {
				for _, w := range theta[i] {
					penalty += m.Alpha1 * ((1-m.Alpha2)/2*w*w + m.Alpha2*math.Abs(w))
				}
			}
			for i := range counted {
				h := append([]float64(nil), theta[2]...)
				for p, j := range tr.order {
					for u := range h {
						h[u] += data.Rows[i][j] * theta[0][p] * theta[1][p*len(h)+u]
					}
				}
				var own [][]float64 // each row has masks of its own
				for layer, units := range hiddenWidths() {
					own = append(own, masks[layer][i*units:(i+1)*units])
				}
				missed += plainEntropy([][]float64{h}, data.Y[i:i+1], theta[3:], func(x float64) float64 { return max(x, 0.2*x) }, own) / counted
			}
			return missed + penalty
		}
		isLoss(t, "dfs", on, state, s.fixed, 0, s.loss, theta, loss, random)
		s.close()
	}
}
