package train

import (
	"math"
	"slices"
	"testing"
)

// recorded makes a record of so many epochs of two steps, with a spike in every
// curve somewhere.
func recorded(epochs int, spikes ...int) *record {
	r := new(record)
	for e := 1; e <= epochs; e++ {
		loss := 1 + math.Sin(float64(e))/10
		if slices.Contains(spikes, e) {
			loss = 5
		}
		for step := 2*e - 1; step <= 2*e; step++ {
			r.addStep(measurement{float64(step), loss, loss, loss / 2, 0.5, 1 / float64(e), 0.1, 0.2, 1}, 2)
		}
	}
	return r
}

// A long training's record stays short, loses no extreme, and keeps its ends
// and its order. A reader of an older record sees no change.
func TestRecord_LongIsThinned(t *testing.T) {
	before := recorded(mostEpochs)
	if len(before.epochs) != mostEpochs {
		t.Fatalf("%d of %d epochs", len(before.epochs), mostEpochs)
	}
	seen := slices.Clone(before.epochs)
	held := before.epochs
	before.addStep(measurement{2*mostEpochs + 1}, 2)
	before.addStep(measurement{2*mostEpochs + 2}, 2)
	if len(before.epochs) > mostEpochs {
		t.Errorf("%d epochs are kept", len(before.epochs))
	}
	if !slices.Equal(held, seen) {
		t.Error("thinning changes what others look at")
	}
	for _, epochs := range []int{mostEpochs + 1, 3 * mostEpochs, 100_000} {
		spikes := []int{77, 5000, epochs - 4}
		r := recorded(epochs, spikes...)
		if n := len(r.epochs); n > mostEpochs || n < 1000 {
			t.Errorf("%d epochs leave %d", epochs, n)
		}
		inOrder := slices.IsSortedFunc(r.epochs, func(a, b measurement) int { return a.step() - b.step() })
		if first, last := r.epochs[0].step(), r.epochs[len(r.epochs)-1].step(); first != 2 || last != 2*epochs || !inOrder {
			t.Errorf("%d epochs: the record goes from %d to %d", epochs, first, last)
		}
		for _, of := range []string{"loss", "loss_reconstruction"} {
			c := r.curve(of, 0)
			for _, e := range spikes {
				if i, ok := slices.BinarySearch(c.Steps, 2*e); !ok || c.Values[i] < 2 {
					t.Errorf("%d epochs: the spike of %s in epoch %d is lost", epochs, of, e)
				}
			}
		}
		widest := 0
		for i := 1; i < len(r.epochs); i++ {
			widest = max(widest, r.epochs[i].step()-r.epochs[i-1].step())
		}
		if widest > 2*epochs/100 {
			t.Errorf("%d epochs: a gap of %d steps", epochs, widest)
		}
	}
}
