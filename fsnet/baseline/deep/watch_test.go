package deep

import (
	"math"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

// A watched training gives the same model as an unwatched one, and the last
// look is that model.
func TestWatch_ChangesNothing(t *testing.T) {
	data := baselinetest.Normal(40, 9, 2)
	for _, m := range []Watcher{SupervisedCAE{CAE: CAE{Epochs: 7, Tries: 2}}, DietNet{Epochs: 7}} {
		o := baseline.Options{Seed: 3, Device: baselinetest.Compiled()}
		if m.Entry().Selects {
			o.K = 3
		}
		unseen := must(m.Fit(t.Context(), data, o))(t)
		var epochs []int
		var last Snapshot
		seen := must(m.Watch(t.Context(), data, o, 6, func(l Snapshot) error {
			epochs, last = append(epochs, l.Epochs), l
			if e := l.Reconstruction(data.Rows); !(e > 0) {
				t.Errorf("%s: the reconstruction error is %v", m.Entry().Name, e)
			}
			return nil
		}))(t)
		if !reflect.DeepEqual(unseen, seen) || !reflect.DeepEqual(seen, last.Model) {
			t.Errorf("%s: looks change the model", m.Entry().Name)
		}
		want := []int{1, 2, 3, 4, 5, 7}
		if o.K > 0 {
			want = []int{2, 4, 7, 7 + 4, 7 + 9, 7 + 14} // two tries
		}
		if !reflect.DeepEqual(epochs, want) {
			t.Errorf("%s: looked at after epochs %v", m.Entry().Name, epochs)
		}
	}
}

// The reconstruction of a row is computed here from the parameters, without
// dropout.
func TestReconstruction_MatchesReference(t *testing.T) {
	data := baselinetest.Normal(20, 5, 2)
	check := func(name string, l Snapshot, order []int, back func(row []float64) []float64) {
		t.Helper()
		want := 0.0
		for _, row := range data.Rows {
			for p, x := range back(row) {
				want += (row[order[p]] - x) * (row[order[p]] - x) / float64(len(data.Rows)*len(order))
			}
		}
		if got := l.Reconstruction(data.Rows); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
	}
	watch := func(b *batched, p *parameters, plan nn.Plan, look func(loop *nn.Loop, theta [][]float64)) {
		t.Helper()
		loop := must(b.train(t.Context(), p, 3, 4, plan))(t)
		defer loop.Close()
		var theta [][]float64
		for i := range b.learned {
			theta = append(theta, nn.Widen(tensors.MustCopyFlatData[float32](loop.State()[i])))
		}
		look(loop, theta)
	}
	begin := func(m baseline.Method, k int) *trainer {
		tr := must(newTrainer(t.Context(), m, data, baseline.Options{K: k, Seed: 3, Device: baselinetest.Compiled()}))(t)
		t.Cleanup(tr.close)
		return tr
	}

	d := newDiet(begin(DietNet{}, 0), baseline.WithDefaults(DietNet{LearningRate: 0.05}))
	watch(&d.batched, d.initial(), d.plan("dietnet batches", nil), func(loop *nn.Loop, theta [][]float64) {
		phi := nn.Widen(tensors.MustCopyFlatData[float32](d.fixed[2]))
		fat := func(at, u, j int) float64 {
			sum := theta[at+1][u]
			for e := range 2 * dietBins {
				sum += theta[at][u*2*dietBins+e] * phi[e*d.d()+j]
			}
			return math.Tanh(sum)
		}
		l := must(d.lookAt(loop))(t)
		check("dietnet", l, d.order, func(row []float64) []float64 {
			out := make([]float64, d.d())
			for u := range dietUnits {
				h := theta[dietBias][u]
				for p, j := range d.order {
					h += row[j] * fat(dietA, u, p)
				}
				for p := range out {
					out[p] += max(h, 0) * fat(dietBack, u, p)
				}
			}
			return out
		})
	})

	a := newAutoencoder(begin(SupervisedCAE{}, 2), CAE{}, 1)
	watch(&a.batched, a.initial(0), a.anneal(0, 8), func(loop *nn.Loop, theta [][]float64) {
		l := must(a.lookAt(loop))(t)
		check("cae-supervised", l, a.order, func(row []float64) []float64 {
			h := make([]float64, 0, 2)
			for _, j := range l.Model.Predictor.(*nn.Perceptron).Columns {
				h = append(h, row[j])
			}
			for _, at := range []int{1, 3, 5, 9, 11} { // 7 is the head
				h = dense(h, theta[at], theta[at+1])
				for o := range h {
					h[o] = max(h[o], 0.2*h[o])
				}
			}
			return dense(h, theta[13], theta[14])
		})
	})
}
