package train

import (
	"math"
	"os"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// The file of a long training isn't longer than its documentation says, is read
// back as it was, and the training can go back in it.
func TestCheckpoint_LongTrainingIsSmall(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(24, 12),
		config.Config{K: 2, Epochs: 500_000, Hidden: []int{4}, Stop: "never", Backend: "go"})
	advance(t, training, 7)
	perEpoch, epochs := training.engine.StepsPerEpoch, 400_000
	for step := training.step + 1; step <= epochs*perEpoch; step++ {
		training.record.addStep(measurement{float64(step), math.Cos(float64(step)), 1, 1, 1, 1, 1, 1, 1}, perEpoch)
	}
	training.step = epochs * perEpoch
	loaded := written(t, training)
	info := must(os.Stat(loaded.Path))
	if limit := int64(8*9*8192 + 100_000); info.Size() > limit {
		t.Errorf("%d steps make a file of %d bytes, more than %d", training.step, info.Size(), limit)
	}
	resumed := must(Resume(t.Context(), training.device, training.data.Dataset, loaded))
	defer resumed.Close()
	want := must(training.History(session.HistoryRequest{Points: 100_000}))
	got := must(resumed.History(session.HistoryRequest{Points: 100_000}))
	if len(want.Curves["loss"].Steps) < 1000 {
		t.Errorf("%d epochs of the loss are left", len(want.Curves["loss"].Steps))
	}
	for name, curve := range want.Curves {
		if !slices.Equal(curve.Steps, got.Curves[name].Steps) || !slices.Equal(curve.Values, got.Curves[name].Values) {
			t.Errorf("%s is another curve", name)
		}
	}
	if resumed.Status().Loss != training.Status().Loss {
		t.Errorf("the loss is %v, and was %v", resumed.Status().Loss, training.Status().Loss)
	}
	check(t, training.Rewind(t.Context(), 3))
	if _, err := LoadCheckpoint(written(t, training).Path); err != nil {
		t.Error(err)
	}
	if s := training.Status(); !s.Trained || s.Loss <= 0 {
		t.Errorf("%+v", s)
	}
}

// Single steps have points in the curves, which go with the training into its
// file, back in time and into a fork.
func TestHistory_SingleStepsHavePoints(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(24, 12), config.Config{K: 2, Batch: new(4), Epochs: 20, Stop: "never", Backend: "go"})
	per := training.engine.StepsPerEpoch
	single := func(n int) {
		for range n {
			if made := must(training.Step(t.Context(), 1)); made != 1 {
				t.Fatalf("%d steps are made", made)
			}
		}
	}
	points := func(of *Training) []int { return must(of.History(session.HistoryRequest{})).Curves["loss"].Steps }
	single(2)
	advance(t, training, 3*per)
	single(1)
	want := []int{1, 2, per, 2 * per, 3 * per, 3*per + 1}
	if got := points(training); !slices.Equal(got, want) {
		t.Fatalf("there are points at %v, want them at %v", got, want)
	}
	resumed := must(Resume(t.Context(), training.device, training.data.Dataset, written(t, training)))
	defer resumed.Close()
	fork := must(training.Fork(t.Context(), 3*per+1))
	defer fork.Close()
	for name, of := range map[string]*Training{"resumed": resumed, "forked": fork} {
		if got := points(of); !slices.Equal(got, want) {
			t.Errorf("%s, it has points at %v, want them at %v", name, got, want)
		}
	}
	for back, want := range map[int][]int{3*per + 1: want, per + 1: {1, 2, per, per + 1}, 1: {1}} {
		past := must(training.Fork(t.Context(), back))
		if got := points(past); !slices.Equal(got, want) {
			t.Errorf("back at step %d there are points at %v, want them at %v", back, got, want)
		}
		past.Close()
	}
	for range mostSteps + 1 {
		training.record.addSingleStep(measurement{float64(training.step)})
	}
	if n := len(training.record.steps); n > mostSteps {
		t.Errorf("%d steps are kept", n)
	}
}
