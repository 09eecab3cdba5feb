package train

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train/record"
	"fsnetlab/internal/count"
)

// Stopped says why the stop key would end a run here: the last Advance saw the training settle, or run out of patience. It is ""
// otherwise. Steps that are asked for one by one go on regardless.
func (t *Training) Stopped() string { return t.stopped }

// observationInterval is how many steps lie between two looks at P: a hundredth of the annealing in whole epochs. It is a function of
// the settings alone, so that settling does not depend on how the steps were asked for.
func (t *Training) observationInterval() int {
	return (t.settings.Epochs + 99) / 100 * t.engine.StepsPerEpoch
}

func (t *Training) untilObservation() int {
	every := t.observationInterval()
	return every - t.step%every
}

// observe looks at P, records it and decides whether the training has settled or run out of patience.
func (t *Training) observe() error {
	o, err := t.engine.Observe(t.look(t.step), t.tau())
	if err != nil {
		t.fail(err.Error())
		return err
	}
	validation := math.NaN()
	if rows := t.data.Parts.Validation; len(rows) > 0 {
		p, err := t.predict(rows)
		if err != nil {
			return err
		}
		if t.target.Quantity != nil {
			validation = metric.R2(t.quantities(rows), p.quantities)
		} else {
			validation = metric.Accuracy(t.truth(rows), p.classes)
		}
	}
	t.record.Saw(t.step, record.Observation(o), validation)

	settled := t.record.Settled(t.step, t.settleTime()) == t.engine.Layout.K && t.mayBeSettled()
	stop, err := config.ParseStop(t.settings.Stop)
	if err != nil {
		return err
	}
	newly := t.record.Settle(settled)
	switch {
	case settled:
		if newly && stop.Settled {
			t.stopped = "every selector is settled"
		}
		t.state, t.reason = session.Settled, "every selector is settled"
	case stop.Patience > 0 && t.record.EpochsWithoutBetterLoss(t.step/t.engine.StepsPerEpoch) >= stop.Patience:
		t.stopped = fmt.Sprintf("no better training loss in %s", count.Of(stop.Patience, "epoch"))
		t.reason = t.stopped
		t.record.ForgetBestLoss(t.step / t.engine.StepsPerEpoch)
	}
	if t.stopped != "" {
		t.event("stop", t.stopped, nil)
	}
	return nil
}

// mayBeSettled: where the sharpness is to grow, what is certain before it does is certain too early; and selectors that keep apart are not
// settled while two lead with one feature.
func (t *Training) mayBeSettled() bool {
	look := t.look(t.step)
	return (t.settings.Sharpness <= 1 || look.Sharpness > 1) && (!look.Apart || t.record.LastLook().Unique == t.engine.Layout.K)
}

// recordSteps records the steps just made, with the schedule and rates that they were made with.
func (t *Training) recordSteps(metrics []engine.Metrics) {
	course, perEpoch := t.course(), t.engine.StepsPerEpoch
	for i, m := range metrics {
		epoch := float64(t.step+i) / float64(perEpoch)
		t.record.Made(record.Measures{
			Step: t.step + i + 1,
			Loss: m.Loss, LossClass: m.LossClass, LossReconstruction: m.LossReconstruction, Accuracy: m.Accuracy,
			Tau: course.Tau(epoch), LearningRate: t.settings.LearningRate / t.settings.Slowing(t.step+i),
			Lambda: t.settings.Lambda, Sharpness: course.Sharpness(epoch),
		}, perEpoch)
	}
}

// settleTime is how many steps a leader must have led to count as settled: 5% of the annealing.
func (t *Training) settleTime() int { return t.Steps() / 20 }
