package record

import "slices"

// Measures are what one step measured and was made with. Of an epoch they are means over its steps (batches differ too much to be read one
// by one), and what its last step was made with.
type Measures struct {
	Step                                          int // made by then
	Loss, LossClass, LossReconstruction, Accuracy float64
	Tau, LearningRate, Lambda, Sharpness          float64
}

// openEpoch is the epoch in progress: its means are sums as yet.
type openEpoch struct {
	steps  int
	sums   Measures
	before Measures // the epoch that is over, or none
}

// patience is how far the search for the best training loss has come.
type patience struct {
	bestLoss      float64
	bestLossEpoch int
	hasBestLoss   bool
}

// Made records the next step.
func (r *Record) Made(m Measures, perEpoch int) {
	s := &r.now.open.sums
	r.now.open.steps++
	s.Step = m.Step
	s.Loss += m.Loss
	s.LossClass += m.LossClass
	s.LossReconstruction += m.LossReconstruction
	s.Accuracy += m.Accuracy
	s.Tau, s.LearningRate, s.Lambda, s.Sharpness = m.Tau, m.LearningRate, m.Lambda, m.Sharpness
	if m.Step%perEpoch == 0 {
		r.close(m.Step / perEpoch)
	}
}

// StepsOfOpenEpoch is how many steps of the epoch in progress are recorded.
func (r *Record) StepsOfOpenEpoch() int { return r.now.open.steps }

// means is the epoch in progress, as far as it has come.
func (o openEpoch) means() Measures {
	n, m := float64(o.steps), o.sums
	m.Loss, m.LossClass, m.LossReconstruction, m.Accuracy = m.Loss/n, m.LossClass/n, m.LossReconstruction/n, m.Accuracy/n
	return m
}

// Latest is the means over about an epoch up to now: the epoch in progress counts by how far it has come, the one before for the rest.
func (r *Record) Latest(perEpoch int) Measures {
	open := r.now.open
	before, share := open.before, float64(open.steps)/float64(perEpoch)
	if share == 0 {
		return before
	}
	now := open.means()
	if before.Step == 0 {
		return now
	}
	mix := func(now, before float64) float64 { return before + share*(now-before) }
	now.Loss, now.LossClass = mix(now.Loss, before.Loss), mix(now.LossClass, before.LossClass)
	now.LossReconstruction, now.Accuracy = mix(now.LossReconstruction, before.LossReconstruction), mix(now.Accuracy, before.Accuracy)
	return now
}

// close ends the epoch in progress, of a number from 1 on.
func (r *Record) close(epoch int) {
	e := r.now.open.means()
	r.now.open = openEpoch{before: e}
	r.epochs = append(r.epochs, e)
	if len(r.epochs) > mostEpochs {
		r.thin(e.Step / epoch)
	}
	if p := &r.now.patience; !p.hasBestLoss || e.Loss < p.bestLoss {
		p.bestLoss, p.bestLossEpoch, p.hasBestLoss = e.Loss, epoch, true
	}
}

// EpochsWithoutBetterLoss counts the epochs since the mean training loss was last lower than ever before.
func (r *Record) EpochsWithoutBetterLoss(epochs int) int {
	return epochs - r.now.patience.bestLossEpoch
}

// ForgetBestLoss starts that count anew, so that a run may be continued after it ended one.
func (r *Record) ForgetBestLoss(epochs int) { r.now.patience = patience{bestLossEpoch: epochs} }

// mostEpochs is how many are recorded one by one; so a checkpoint's file does not grow without end.
const (
	mostEpochs   = 8192
	firstThinned = 8 // epochs of which the extremes stay, at first
)

// thin keeps half of mostEpochs at the most: of each stretch of so many steps the least and the largest value of every curve, so that no
// extreme is lost, and the first and the last epoch. It makes another list: who has the old one sees no change.
func (r *Record) thin(perEpoch int) {
	for stretch := firstThinned * perEpoch; len(r.epochs) > mostEpochs/2; stretch *= 2 {
		var kept []Measures
		for from := 0; from < len(r.epochs); {
			to := from + 1
			for to < len(r.epochs) && (r.epochs[to].Step-1)/stretch == (r.epochs[from].Step-1)/stretch {
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

// epochsBefore counts those that ended before a step.
func epochsBefore(list []Measures, step int) int {
	n, _ := slices.BinarySearchFunc(list, step, func(e Measures, step int) int { return e.Step - step })
	return n
}
