package train

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// The accuracy of the validation rows is that of the last regular look at P:
// there is none before the first one, none without such rows, and none after
// the training went back past it.
func TestTraining_ValidationAccuracy(t *testing.T) {
	d := devicetest.All(t)[0]
	training := open(t, d, planted(40, 90), config.Config{K: 3, Epochs: 80, ValidationFraction: new(0.2), Stop: "never"})
	every := training.observationInterval()
	if every < 2 {
		t.Fatalf("a look at P is taken after every %d steps", every)
	}
	for _, c := range []struct {
		step int
		seen bool
	}{{0, false}, {every - 1, false}, {every, true}, {2*every + 1, true}} {
		advance(t, training, c.step)
		status := training.Status()
		if (status.ValidationScore != nil) != c.seen {
			t.Fatalf("at step %d it is %v", c.step, status.ValidationScore)
		}
		if seen := c.step > 0; (status.MaxProbability != nil) != seen || (status.UniqueRows != nil) != seen { // each of the first steps is a look
			t.Errorf("at step %d the largest probability is %v, of %v different", c.step, status.MaxProbability, status.UniqueRows)
		}
		history := must(training.History(session.HistoryRequest{}))
		curve := history.Curves["accuracy_validation"]
		if c.seen && status.ValidationScore.Value != curve.Values[len(curve.Values)-1] {
			t.Errorf("at step %d it is %g, its curve ends at %v", c.step, status.ValidationScore.Value, curve.Values)
		}
	}
	advance(t, training, 2*every)
	if e, err := training.Evaluate("validation"); err != nil || e.Rows != training.Status().Validate ||
		e.Score.Value != training.Status().ValidationScore.Value || e.TestLooks != 0 {
		t.Errorf("at the last look they are evaluated to %+v, %v; the status says %v", e, err, training.Status().ValidationScore.Value)
	}
	check(t, training.Rewind(t.Context(), every-1))
	if now := training.Status(); now.ValidationScore != nil {
		t.Errorf("before the first regular look it is %+v", now)
	}
	without := open(t, d, planted(40, 90), config.Config{K: 3, Epochs: 80, Stop: "never"})
	advance(t, without, every)
	if seen := without.Status().ValidationScore; seen != nil {
		t.Errorf("without validation rows it is %g", seen.Value)
	}
	if _, err := without.Evaluate("validation"); !errs.Is(err, errs.Request) {
		t.Errorf("without validation rows they are evaluated: %v", err)
	}
}
