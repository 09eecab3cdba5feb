package train

import (
	"math"
	"os"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device/devicetest"
	"fsnetlab/fsnet/session"
)

// recorded makes a record of so many epochs of two steps, with a spike in every curve somewhere.
func recorded(epochs int, spikes ...int) *history {
	r := &history{}
	for e := 1; e <= epochs; e++ {
		loss := 1 + math.Sin(float64(e))/10
		if slices.Contains(spikes, e) {
			loss = 5
		}
		r.open = openEpoch{2, epochRecord{2 * e, 2 * loss, 2 * loss, loss, 1, 1 / float64(e), 0.1, 0.2, 1}, r.open.before}
		r.close(e)
	}
	return r
}

// A long training's record stays short, loses no extreme, keeps its ends and its order, and who looks at an older one sees no change.
func TestLongRecordIsThinned(t *testing.T) {
	before := recorded(mostEpochs)
	if len(before.epochs) != mostEpochs {
		t.Fatalf("%d of %d epochs", len(before.epochs), mostEpochs)
	}
	seen := slices.Clone(before.epochs)
	held := before.epochs
	before.open = openEpoch{steps: 2, sums: epochRecord{step: 2*mostEpochs + 2}, before: before.open.before}
	before.close(mostEpochs + 1)
	if !slices.Equal(held, seen) {
		t.Error("thinning changes what others look at")
	}
	for _, epochs := range []int{mostEpochs + 1, 3 * mostEpochs, 100_000} {
		spikes := []int{77, 5000, epochs - 4}
		r := recorded(epochs, spikes...)
		if n := len(r.epochs); n > mostEpochs || n < 1000 {
			t.Errorf("%d epochs leave %d", epochs, n)
		}
		if r.epochs[0].step != 2 || r.epochs[len(r.epochs)-1].step != 2*epochs || !slices.IsSortedFunc(r.epochs, func(a, b epochRecord) int { return a.step - b.step }) {
			t.Errorf("%d epochs: the record goes from %d to %d", epochs, r.epochs[0].step, r.epochs[len(r.epochs)-1].step)
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
			widest = max(widest, r.epochs[i].step-r.epochs[i-1].step)
		}
		if widest > 2*epochs/100 {
			t.Errorf("%d epochs: a gap of %d steps", epochs, widest)
		}
	}
}

// The file of a long training is not longer than its documentation says, is read again as it was, and can be gone back in.
func TestCheckpointOfALongTrainingIsSmall(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(24, 12), config.Config{K: 2, Epochs: 500_000, Hidden: []int{4}, Stop: "never", Backend: "go"})
	advance(t, training, 7)
	perEpoch, epochs := training.engine.StepsPerEpoch, 400_000
	for e := len(training.history.epochs) + 1; e <= epochs; e++ {
		training.history.open = openEpoch{perEpoch, epochRecord{e * perEpoch, math.Cos(float64(e)), 1, 1, 1, 1, 1, 1, 1}, training.history.open.before}
		training.history.close(e)
	}
	training.step = epochs * perEpoch
	loaded := written(t, training)
	info, err := os.Stat(loaded.Path)
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(8*epochColumns*mostEpochs + 100_000); info.Size() > limit {
		t.Errorf("%d steps make a file of %d bytes, more than %d", training.step, info.Size(), limit)
	}
	resumed, err := Resume(t.Context(), training.device, training.data.Dataset, loaded)
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Close()
	want, err := training.History(session.HistoryRequest{Points: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	got, err := resumed.History(session.HistoryRequest{Points: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	for name, curve := range want.Curves {
		if !slices.Equal(curve.Steps, got.Curves[name].Steps) || !slices.Equal(curve.Values, got.Curves[name].Values) {
			t.Errorf("%s is another curve", name)
		}
	}
	if resumed.Status().Loss != training.Status().Loss {
		t.Errorf("the loss is %v, and was %v", resumed.Status().Loss, training.Status().Loss)
	}
	if err := training.Rewind(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadCheckpoint(written(t, training).Path); err != nil {
		t.Error(err)
	}
	if s := training.Status(); !s.Trained || s.Loss <= 0 {
		t.Errorf("%+v", s)
	}
}
