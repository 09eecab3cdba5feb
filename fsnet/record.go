package fsnet

import (
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// record keeps what every step measured, and what every look at P saw.
type record struct {
	steps        []stepRecord
	observations []observationRecord
	patience     patience
}

// patience is how far the search for the best training loss has come.
type patience struct {
	bestLoss      float64
	bestLossEpoch int
	hasBestLoss   bool
}

type stepRecord struct {
	loss, lossClass, lossReconstruction, accuracy, tau, learningRate, lambda float32
}

type observationRecord struct {
	step int
	rowSummary
	validation float64 // accuracy of the validation rows, NaN without such rows
}

// keep records the steps just made; the schedule and rates are those they were made with.
func (t *Training) keep(metrics []batchMetrics) {
	schedule, err := config.ParseSchedule(t.settings.Schedule)
	if err != nil {
		return // not reached: settings are checked
	}
	for i, m := range metrics {
		epoch := float64(t.step+i) / float64(t.engine.stepsPerEpoch)
		t.record.steps = append(t.record.steps, stepRecord{
			float32(m.loss), float32(m.lossClass), float32(m.lossReconstruction), float32(m.accuracy),
			float32(schedule.Tau(epoch, t.settings.Live)), float32(t.settings.LearningRate), float32(t.settings.Lambda),
		})
	}
}

func (r *record) observed(step int, s rowSummary, validation float64) {
	r.observations = append(r.observations, observationRecord{step, s, validation})
}

// epochMean is the mean of a metric over the steps [from, to).
func (r *record) epochMean(from, to int, metric func(stepRecord) float32) float64 {
	sum := 0.0
	for _, s := range r.steps[from:to] {
		sum += float64(metric(s))
	}
	return sum / float64(to-from)
}

// epochsWithoutBetterLoss counts the epochs since the mean training loss was last lower than ever before.
func (r *record) epochsWithoutBetterLoss(stepsPerEpoch int) int {
	epochs := len(r.steps) / stepsPerEpoch
	p := &r.patience
	for e := p.bestLossEpoch; e < epochs; e++ {
		loss := r.epochMean(e*stepsPerEpoch, (e+1)*stepsPerEpoch, func(s stepRecord) float32 { return s.loss })
		if !p.hasBestLoss || loss < p.bestLoss {
			p.bestLoss, p.bestLossEpoch, p.hasBestLoss = loss, e+1, true
		}
	}
	return epochs - p.bestLossEpoch
}

// forgetBestLoss starts the count of patience anew, so that a run may be continued after it ended one.
func (r *record) forgetBestLoss(stepsPerEpoch int) {
	r.patience = patience{bestLossEpoch: len(r.steps) / stepsPerEpoch}
}

// The curves whose points are means over an epoch's steps (batches differ too much to be read one by one), and those that are read at
// its last step.
func epochCurves() map[string]func(stepRecord) float32 {
	return map[string]func(stepRecord) float32{
		"loss":                func(s stepRecord) float32 { return s.loss },
		"loss_class":          func(s stepRecord) float32 { return s.lossClass },
		"loss_reconstruction": func(s stepRecord) float32 { return s.lossReconstruction },
		"accuracy_train":      func(s stepRecord) float32 { return s.accuracy },
	}
}

func lastCurves() map[string]func(stepRecord) float32 {
	return map[string]func(stepRecord) float32{
		"tau":           func(s stepRecord) float32 { return s.tau },
		"learning_rate": func(s stepRecord) float32 { return s.learningRate },
		"lambda":        func(s stepRecord) float32 { return s.lambda },
	}
}

// curve is one metric by epoch from a step on, the epoch in progress included.
func (r *record) curve(metric string, stepsPerEpoch, from int) session.Curve {
	first := max(0, from-1) / stepsPerEpoch * stepsPerEpoch // those before are not looked at: whoever watches asks ten times a second
	var c session.Curve
	add := func(step int, value float64) {
		if step >= from && !math.IsNaN(value) {
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, value)
		}
	}
	if of := epochCurves()[metric]; of != nil {
		for from := first; from < len(r.steps); from += stepsPerEpoch {
			to := min(from+stepsPerEpoch, len(r.steps))
			add(to, r.epochMean(from, to, of))
		}
	} else if of := lastCurves()[metric]; of != nil {
		for from := first; from < len(r.steps); from += stepsPerEpoch {
			to := min(from+stepsPerEpoch, len(r.steps))
			add(to, float64(of(r.steps[to-1])))
		}
	}
	for _, o := range r.observations {
		switch metric {
		case "max_probability":
			add(o.step, o.maxProbability)
		case "entropy":
			add(o.step, o.entropy)
		case "unique_rows":
			add(o.step, float64(o.unique))
		case "accuracy_validation":
			add(o.step, o.validation)
		}
	}
	return c
}
