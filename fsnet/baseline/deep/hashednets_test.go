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
// that looks up every connection's number, and its central differences by the
// shared numbers. The last row of the batch has no weight.
func TestHashedNets_LossMatchesReference(t *testing.T) {
	const counted, compression = 5, 7
	data := baselinetest.Normal(counted+1, 4, 3)
	for _, on := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		tr := must(newTrainer(t.Context(), HashedNets{}, data, baseline.Options{Seed: 3, Device: on}))(t)
		h := newHashed(tr, HashedNets{Compression: compression})
		state := h.initial().upload(0)
		random := rand.New(rand.NewPCG(4, 4))
		theta := perturbed(state, 0.1, random)
		var masks [][]float64
		for layer, units := range hiddenWidths() {
			masks = append(masks, dropoutOf(t, "hashednets", uint32(1+layer), units, hiddenDropout))
		}
		loss := func() (missed float64) {
			for i := range counted {
				var x []float64
				for _, j := range tr.order {
					x = append(x, data.Rows[i][j])
				}
				for number, l := range h.layers {
					out := append([]float64(nil), theta[2*number+1]...)
					for a := range x {
						for o := range out {
							at := l.at[a*l.out+o]
							if weight := theta[2*number][int(at)%l.buckets]; int(at) < l.buckets {
								out[o] += x[a] * weight
							} else {
								out[o] -= x[a] * weight
							}
						}
					}
					if x = out; number < len(masks) {
						for o := range x {
							x[o] = max(x[o], 0.2*x[o]) * masks[number][i*l.out+o]
						}
					}
				}
				missed += surprise(x, data.Y[i]) / counted
			}
			return missed
		}
		isLoss(t, "hashednets", on, state, h.fixed, 0, h.loss, theta, loss, random)
		h.close()
	}
}

// A layer has so many numbers, all of them used about as often, with either
// sign as often. The model counts them and no connections.
func TestHashedNets_ShareWeights(t *testing.T) {
	const d, compression = 2000, 50
	data := baselinetest.Normal(20, d, 2)
	tr := must(newTrainer(t.Context(), HashedNets{}, data, baseline.Options{Seed: 9, Device: baselinetest.Plain()}))(t)
	defer tr.close()
	layer := newHashed(tr, HashedNets{Compression: compression}).layers[0]
	if want := d * 64 / compression; layer.buckets != want {
		t.Fatalf("%d numbers, not %d", layer.buckets, want)
	}
	uses, negative := make([]float64, layer.buckets), 0.0
	for _, at := range layer.at {
		uses[int(at)%layer.buckets]++
		if int(at) >= layer.buckets {
			negative++
		}
	}
	chi := 0.0
	for _, u := range uses {
		chi += (u - compression) * (u - compression) / compression
	}
	if freedom := float64(layer.buckets - 1); math.Abs(chi-freedom) > 5*math.Sqrt(2*freedom) {
		t.Errorf("χ² of the uses is %v for %v degrees of freedom", chi, freedom)
	}
	if share := negative / float64(len(layer.at)); math.Abs(share-0.5) > 5*0.5/math.Sqrt(float64(len(layer.at))) {
		t.Errorf("%v of the connections have the other sign", share)
	}
	model := must((HashedNets{Epochs: 1, Compression: compression}).Fit(t.Context(), data, baseline.Options{Seed: 9, Device: baselinetest.Plain()}))(t)
	want := 64 + 32 + 16 + 2 // biases
	for _, connections := range []int{d * 64, 64 * 32, 32 * 16, 16 * 2} {
		want += (connections + compression - 1) / compression
	}
	if got := model.Predictor.Parameters(); got != want {
		t.Errorf("the model has %d parameters, not %d", got, want)
	}
	different := map[float64]bool{}
	for _, w := range model.Predictor.(*nn.Perceptron).Layers[0].Weights {
		different[math.Abs(w)] = true
	}
	if len(different) > layer.buckets {
		t.Errorf("the first layer has %d different weights for %d numbers", len(different), layer.buckets)
	}
}
