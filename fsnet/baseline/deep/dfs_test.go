package deep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

// One batch's loss and gradient, on both backends, against a reference in 64 bits and its central differences. The last row of the batch
// does not count.
func TestDFSLossIsItsReference(t *testing.T) {
	const columns, counted = 4, 5
	m := DFS{Lambda1: 0.2, Lambda2: 0.6, Alpha1: 0.003, Alpha2: 0.3}
	data := baselinetest.Normal(counted+1, columns, 2)
	for _, on := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		tr, err := newTrainer(t.Context(), DFS{}, data, baseline.Options{K: 2, Seed: 3, Device: on})
		if err != nil {
			t.Fatal(err)
		}
		s := newScoring(tr, m)
		state := s.initial().state(0)
		s.learned = len(state)
		var theta [][]float64
		random := rand.New(rand.NewPCG(4, 4))
		for i, tensor := range state {
			values := tensors.MustCopyFlatData[float32](tensor)
			for p := range values { // w is not 1, nor a bias 0, so that all that could be wrong would show
				values[p] += float32(0.2 * random.NormFloat64())
			}
			state[i] = nn.Tensor(values, tensor.Shape().Dimensions...)
			theta = append(theta, nn.Widen(values))
		}
		theta[0][1] = -theta[0][1] // a score is the size of a weight
		state[0] = nn.Tensor([]float32{float32(theta[0][0]), float32(theta[0][1]), float32(theta[0][2]), float32(theta[0][3])}, columns)
		var masks [][]float64
		for layer, units := range dfsHidden() {
			mask := noiseOf(t, fmt.Sprint("dfs dropout ", layer, on.Name()), 3, 8, func(in nn.In) []*graph.Node {
				return []*graph.Node{in.Noise(uint32(1+layer)).Uniform(counted+1, units)}
			})[0]
			for i, u := range mask {
				mask[i] = 0
				if u >= dfsDropout {
					mask[i] = 1 / (1 - dfsDropout)
				}
			}
			masks = append(masks, mask)
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
				for layer, units := range dfsHidden() {
					own = append(own, masks[layer][i*units:(i+1)*units])
				}
				missed += plainEntropy([][]float64{h}, data.Y[i:i+1], theta[3:], func(x float64) float64 { return max(x, 0.2*x) }, own) / counted
			}
			return missed + penalty
		}
		args := []any{}
		for _, tensor := range state {
			args = append(args, tensor)
		}
		args = append(args, s.fixed[0], s.fixed[1], []uint32{3, 0}, uint32(8), []int32{0, 1, 2, 3, 4, 5}, []float32{0, 0, 0, 0, 1, 1, 1, 1, 1, 0})
		out, err := on.Call("dfs loss of the test", func(in []*graph.Node) []*graph.Node {
			rest := in[len(state):]
			value := s.loss(nn.In{State: in[:len(state)], Fixed: rest[:2], Seed: rest[2], Step: rest[3], Rows: rest[4], Numbers: rest[5]})
			return append(graph.Gradient(value, in[:len(state)]...), value)
		}, args...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := float64(tensors.ToScalar[float32](out[len(state)])), loss(); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: the loss is %v, the reference says %v", on.Name(), got, want)
		}
		followsDifferences(t, on.Name(), theta, flat(out[:len(state)], 1), loss, random)
		s.close()
	}
}

// It predicts with what it selects alone, as the network says that has w in its first layer.
func TestDFSPredictsWithItsFeatures(t *testing.T) {
	data := baselinetest.Normal(60, 8, 2)
	model, err := DFS{Epochs: 300}.Fit(t.Context(), data, baseline.Options{K: 1, Seed: 1, Device: baselinetest.Compiled()})
	if err != nil {
		t.Fatal(err)
	}
	if score, err := model.Score(data); err != nil || score < 0.9 {
		t.Errorf("its score on its own rows is %v, %v", score, err)
	}
	for _, f := range model.Selected {
		if f.Index > 1 || f.Padding || f.Score <= 0 {
			t.Errorf("%+v", f)
		}
	}
	changed := append([]float64(nil), data.Rows[0]...)
	for j := range changed {
		if j != model.Selected[0].Index {
			changed[j] = 1e6
		}
	}
	p := model.Predictor.(*nn.Perceptron)
	if a, b := p.Scores(data.Rows[0]), p.Scores(changed); a[0] != b[0] || a[1] != b[1] {
		t.Errorf("what it did not select changes its scores from %v to %v", a, b)
	}
}
