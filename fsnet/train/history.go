package train

import (
	"math"
	"slices"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
)

// history keeps what the steps of every epoch measured, and what every look at P saw.
type history struct {
	epochs       []epochRecord // that are over, by step; of a long training not all: see thin
	open         openEpoch
	observations []observationRecord
	patience     patience
}

// epochRecord is one epoch: means over its steps (batches differ too much to be read one by one), and what its last step was made with.
type epochRecord struct {
	step                                          int // made at its end
	loss, lossClass, lossReconstruction, accuracy float64
	tau, learningRate, lambda, sharpness          float64
}

// openEpoch is the epoch in progress: its means are sums as yet.
type openEpoch struct {
	steps  int
	sums   epochRecord
	before epochRecord // the epoch that is over, or none
}

// patience is how far the search for the best training loss has come.
type patience struct {
	bestLoss      float64
	bestLossEpoch int
	hasBestLoss   bool
}

type observationRecord struct {
	step int
	rowSummary
	validation float64 // accuracy of the validation rows, NaN without such rows
}

// keep records the steps just made; the schedule and rates are those they were made with.
func (t *Training) keep(metrics []engine.Metrics) {
	course := t.course()
	perEpoch := t.engine.StepsPerEpoch
	for i, m := range metrics {
		step := t.step + i
		s := &t.history.open.sums
		t.history.open.steps++
		s.step = step + 1
		s.loss += m.Loss
		s.lossClass += m.LossClass
		s.lossReconstruction += m.LossReconstruction
		s.accuracy += m.Accuracy
		s.tau, s.sharpness = course.Tau(float64(step)/float64(perEpoch)), course.Sharpness(float64(step)/float64(perEpoch))
		s.learningRate, s.lambda = t.settings.LearningRate, t.settings.Lambda
		if s.step%perEpoch == 0 {
			t.history.close(s.step / perEpoch)
		}
	}
}

// means is the epoch in progress, as far as it has come.
func (o openEpoch) means() epochRecord {
	n, m := float64(o.steps), o.sums
	m.loss, m.lossClass, m.lossReconstruction, m.accuracy = m.loss/n, m.lossClass/n, m.lossReconstruction/n, m.accuracy/n
	return m
}

// latest is the means over about an epoch up to now: the epoch in progress counts by how far it has come, the one before for the rest.
func (r *history) latest(perEpoch int) epochRecord {
	before, share := r.open.before, float64(r.open.steps)/float64(perEpoch)
	if share == 0 {
		return before
	}
	now := r.open.means()
	if before.step == 0 {
		return now
	}
	mix := func(now, before float64) float64 { return before + share*(now-before) }
	now.loss, now.lossClass = mix(now.loss, before.loss), mix(now.lossClass, before.lossClass)
	now.lossReconstruction, now.accuracy = mix(now.lossReconstruction, before.lossReconstruction), mix(now.accuracy, before.accuracy)
	return now
}

// close ends the epoch in progress, of a number from 1 on.
func (r *history) close(epoch int) {
	e := r.open.means()
	r.open = openEpoch{before: e}
	r.epochs = append(r.epochs, e)
	if len(r.epochs) > mostEpochs {
		r.thin(e.step / epoch)
	}
	if p := &r.patience; !p.hasBestLoss || e.loss < p.bestLoss {
		p.bestLoss, p.bestLossEpoch, p.hasBestLoss = e.loss, epoch, true
	}
}

// mostEpochs is how many are recorded one by one; so a checkpoint's file does not grow without end.
const (
	mostEpochs   = 8192
	firstThinned = 8 // epochs of which the extremes stay, at first
)

// thin keeps half of mostEpochs at the most: of each stretch of so many steps the least and the largest value of every curve, so that no
// extreme is lost, and the first and the last epoch. It makes another list: who has the old one sees no change.
func (r *history) thin(perEpoch int) {
	for stretch := firstThinned * perEpoch; len(r.epochs) > mostEpochs/2; stretch *= 2 {
		var kept []epochRecord
		for from := 0; from < len(r.epochs); {
			to := from + 1
			for to < len(r.epochs) && (r.epochs[to].step-1)/stretch == (r.epochs[from].step-1)/stretch {
				to++
			}
			keep := map[int]bool{0: true, len(r.epochs) - 1: true}
			for _, of := range epochCurves() {
				low, high := from, from
				for i := from; i < to; i++ {
					if of(r.epochs[i]) < of(r.epochs[low]) {
						low = i
					}
					if of(r.epochs[i]) > of(r.epochs[high]) {
						high = i
					}
				}
				keep[low], keep[high] = true, true
			}
			for i := from; i < to; i++ {
				if keep[i] {
					kept = append(kept, r.epochs[i])
				}
			}
			from = to
		}
		r.epochs = kept
	}
}

func (r *history) observed(step int, s rowSummary, validation float64) {
	r.observations = append(r.observations, observationRecord{step, s, validation})
}

// epochsWithoutBetterLoss counts the epochs since the mean training loss was last lower than ever before.
func (r *history) epochsWithoutBetterLoss(epochs int) int { return epochs - r.patience.bestLossEpoch }

// forgetBestLoss starts the count of patience anew, so that a run may be continued after it ended one.
func (r *history) forgetBestLoss(epochs int) { r.patience = patience{bestLossEpoch: epochs} }

// epochCurves are the curves that have a point an epoch.
func epochCurves() map[string]func(epochRecord) float64 {
	return map[string]func(epochRecord) float64{
		"loss":                func(e epochRecord) float64 { return e.loss },
		"loss_class":          func(e epochRecord) float64 { return e.lossClass },
		"loss_reconstruction": func(e epochRecord) float64 { return e.lossReconstruction },
		"accuracy_train":      func(e epochRecord) float64 { return e.accuracy },
		"tau":                 func(e epochRecord) float64 { return e.tau },
		"learning_rate":       func(e epochRecord) float64 { return e.learningRate },
		"lambda":              func(e epochRecord) float64 { return e.lambda },
		"sharpness":           func(e epochRecord) float64 { return e.sharpness },
	}
}

// curve is one metric by epoch from a step on, the epoch in progress included.
func (r *history) curve(metric string, from int) session.Curve {
	var c session.Curve
	add := func(step int, value float64) {
		if step >= from && !math.IsNaN(value) {
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, value)
		}
	}
	if of := epochCurves()[metric]; of != nil {
		for _, e := range r.epochs[epochsBefore(r.epochs, from):] { // whoever watches asks ten times a second for the last
			add(e.step, of(e))
		}
		if r.open.steps > 0 {
			add(r.open.sums.step, of(r.open.means()))
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

// epochsBefore counts those that ended before a step.
func epochsBefore(list []epochRecord, step int) int {
	n, _ := slices.BinarySearchFunc(list, step, func(e epochRecord, step int) int { return e.step - step })
	return n
}
