package deep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

// The embedding is the share of each class's rows in each tenth of a column's
// range.
func TestDietNet_Embedding(t *testing.T) {
	data := baseline.Data{Rows: [][]float64{{0, 5}, {10, 6}, {9.99, 7}, {1, 5}, {4.5, 15}}, Y: []int{0, 0, 1, 1, 1}, Classes: 2}
	tr := must(newTrainer(t.Context(), DietNet{}, data, baseline.Options{Device: baselinetest.Plain()}))(t)
	tr.order = num.Indices(2)
	d := newDiet(tr, DietNet{})
	want := make([]float32, 40)
	set := func(class, bin, column int, share float32) { want[(class*dietBins+bin)*2+column] += share }
	set(0, 0, 0, 0.5)
	set(0, 9, 0, 0.5) // the upper end belongs to the last bin
	set(1, 9, 0, 1.0/3)
	set(1, 1, 0, 1.0/3)
	set(1, 4, 0, 1.0/3)
	set(0, 0, 1, 0.5)
	set(0, 1, 1, 0.5)
	set(1, 2, 1, 1.0/3)
	set(1, 0, 1, 1.0/3)
	set(1, 9, 1, 1.0/3)
	for i, got := range tensors.MustCopyFlatData[float32](d.embedding()) {
		if got != want[i] {
			t.Errorf("number %d is %v, not %v", i, got, want[i])
		}
	}
}

// One batch's loss and gradient match a reference in 64 bits and its central
// differences. The last row of the batch has no weight.
func TestDietNet_LossMatchesReference(t *testing.T) {
	data := baselinetest.Normal(6, 4, 2)
	tr := must(newTrainer(t.Context(), DietNet{}, data, baseline.Options{Seed: 3, Device: baselinetest.Plain()}))(t)
	d := newDiet(tr, DietNet{})
	phi := d.fixed[2]
	state := d.initial().upload(0)
	random := rand.New(rand.NewPCG(4, 4))
	theta := perturbed(state, 0.05, random)
	embedding := nn.Widen(tensors.MustCopyFlatData[float32](phi))
	var masks [][]float64
	for purpose := range uint32(2) {
		masks = append(masks, dropoutOf(t, "dietnet", 1+purpose, dietUnits, 0.5))
	}
	const lambda, columns, wide = 0.7, 4, 2 * dietBins
	fat := func(a, bias []float64) []float64 {
		w := make([]float64, dietUnits*columns)
		for u := range dietUnits {
			for j := range columns {
				sum := bias[u]
				for e := range wide {
					sum += a[u*wide+e] * embedding[e*columns+j]
				}
				w[u*columns+j] = math.Tanh(sum)
			}
		}
		return w
	}
	loss := func() float64 {
		forth, back := fat(theta[dietA], theta[dietABias]), fat(theta[dietBack], theta[dietBackBias])
		sums, errors := make([][]float64, 5), 0.0
		for i := range sums {
			h := append([]float64(nil), theta[dietBias]...)
			for u := range h {
				for p, j := range tr.order {
					h[u] += data.Rows[i][j] * forth[u*columns+p]
				}
				h[u] = max(h[u], 0)
			}
			for p, j := range tr.order {
				again := 0.0
				for u := range h {
					again += h[u] * back[u*columns+p]
				}
				errors += (data.Rows[i][j] - again) * (data.Rows[i][j] - again) / (columns * 5)
			}
			sums[i] = append([]float64(nil), theta[dietSecondBias]...)
			for u := range h {
				for o := range sums[i] {
					sums[i][o] += h[u] * masks[0][i*dietUnits+u] * theta[dietSecond][u*dietUnits+o]
				}
			}
		}
		class := 0.0
		for i := range sums { // each row has a mask of its own
			class += plainEntropy(sums[i:i+1], data.Y[i:i+1], theta[dietOut:], func(x float64) float64 { return max(x, 0) },
				[][]float64{masks[1][i*dietUnits : (i+1)*dietUnits]}) / 5
		}
		return class + lambda*errors
	}
	isLoss(t, "dietnet", baselinetest.Plain(), state, []*tensors.Tensor{d.fixed[0], d.fixed[1], phi}, lambda, d.loss, theta, loss, random)
}
