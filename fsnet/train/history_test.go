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

// The file of a long training is not longer than its documentation says, is read again as it was, and can be gone back in.
func TestCheckpointOfALongTrainingIsSmall(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(24, 12),
		config.Config{K: 2, Epochs: 500_000, Hidden: []int{4}, Stop: "never", Backend: "go"})
	advance(t, training, 7)
	perEpoch, epochs := training.engine.StepsPerEpoch, 400_000
	for step := training.step + 1; step <= epochs*perEpoch; step++ {
		training.record.made(measures{
			Step: step, Loss: math.Cos(float64(step)), LossClass: 1, LossReconstruction: 1, Accuracy: 1,
			Tau: 1, LearningRate: 1, Lambda: 1, Sharpness: 1,
		}, perEpoch)
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
