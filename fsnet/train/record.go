package train

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
)

// record is what a training has recorded of itself up to a step.
type record struct {
	epochs []measures // that are over, by step; of a long training not all: see thin
	steps  []measures // that were made step by step, the last mostSteps at the most
	looks  []seen     // by step
	now    mark
}

// mark is what a record says at a step and cannot be read off what was recorded later.
type mark struct {
	settled  bool // at the last regular look
	open     openEpoch
	patience patience
}

// snapshot is the record at this moment, whatever is recorded later. What was recorded only grows at its
// end, beyond what is seen here.
func (r *record) snapshot() record {
	return record{epochs: slices.Clip(r.epochs), steps: slices.Clip(r.steps), looks: slices.Clip(r.looks), now: r.now}
}

// until is the record as it was at a step, of which m is the mark.
func (r *record) until(step int, m mark) record {
	over := before(r.epochs, step+1)
	epochs := r.epochs[:over:over]
	if last := m.open.before; last.Step > 0 && (over == 0 || epochs[over-1].Step < last.Step) { // it was thinned out since
		epochs = append(epochs, last)
	}
	steps := before(r.steps, step+1)
	return record{epochs: epochs, steps: r.steps[:steps:steps], looks: r.looksUntil(step), now: m}
}

// looksUntil returns the looks up to a step.
func (r *record) looksUntil(step int) []seen {
	at, _ := slices.BinarySearchFunc(r.looks, step+1, func(l seen, step int) int { return l.Step - step })
	return r.looks[:at:at]
}

// measures are what one step measured and was made with. Of an epoch they are means over its steps (batches differ too much to be read one
// by one), and what its last step was made with.
type measures struct {
	Step                                          int // made by then
	Loss, LossClass, LossReconstruction, Accuracy float64
	Tau, LearningRate, Lambda, Sharpness          float64
}

// openEpoch is the epoch in progress: its means are sums as yet.
type openEpoch struct {
	steps  int
	sums   measures
	before measures // the epoch that is over, or none
}

// patience is how far the search for the best training loss has come.
type patience struct {
	BestLoss      float64 `json:"best_loss"`
	BestLossEpoch int     `json:"best_loss_epoch"`
	HasBestLoss   bool    `json:"has_best_loss"`
}

// made records the next step.
func (r *record) made(m measures, perEpoch int) {
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

// mostSteps is how many steps keep a point of their own.
const mostSteps = 4096

// singly records a step that somebody made by itself, beside the epoch that it is part of.
func (r *record) singly(m measures) {
	if len(r.steps) == mostSteps {
		r.steps = slices.Clone(r.steps[mostSteps/2:])
	}
	r.steps = append(r.steps, m)
}

// stepsOfOpenEpoch is how many steps of the epoch in progress are recorded.
func (r *record) stepsOfOpenEpoch() int { return r.now.open.steps }

// means is the epoch in progress, as far as it has come.
func (o openEpoch) means() measures {
	n, m := float64(o.steps), o.sums
	m.Loss, m.LossClass, m.LossReconstruction, m.Accuracy = m.Loss/n, m.LossClass/n, m.LossReconstruction/n, m.Accuracy/n
	return m
}

// latest is the means over about an epoch up to now: the epoch in progress counts by how far it has come, the one before for the rest.
func (r *record) latest(perEpoch int) measures {
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
func (r *record) close(epoch int) {
	e := r.now.open.means()
	r.now.open = openEpoch{before: e}
	r.epochs = append(r.epochs, e)
	if len(r.epochs) > mostEpochs {
		r.thin(e.Step / epoch)
	}
	if p := &r.now.patience; !p.HasBestLoss || e.Loss < p.BestLoss {
		p.BestLoss, p.BestLossEpoch, p.HasBestLoss = e.Loss, epoch, true
	}
}

// epochsWithoutBetterLoss counts the epochs since the mean training loss was last lower than ever before.
func (r *record) epochsWithoutBetterLoss(epochs int) int {
	return epochs - r.now.patience.BestLossEpoch
}

// forgetBestLoss starts that count anew, so that a run may be continued after it ended one.
func (r *record) forgetBestLoss(epochs int) { r.now.patience = patience{BestLossEpoch: epochs} }

// mostEpochs is how many are recorded one by one; so a checkpoint's file does not grow without end.
const (
	mostEpochs   = 8192
	firstThinned = 8 // epochs of which the extremes stay, at first
)

// thin keeps half of mostEpochs at the most: of each stretch of so many steps the least and the largest value of every curve, so that no
// extreme is lost, and the first and the last epoch. It makes another list: who has the old one sees no change.
func (r *record) thin(perEpoch int) {
	for stretch := firstThinned * perEpoch; len(r.epochs) > mostEpochs/2; stretch *= 2 {
		var kept []measures
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

// before counts those that were made before a step.
func before(list []measures, step int) int {
	n, _ := slices.BinarySearchFunc(list, step, func(e measures, step int) int { return e.Step - step })
	return n
}

// seen is P in three numbers at one step, and how well the validation rows were told apart.
type seen struct {
	Step                    int
	MaxProbability, Entropy float64 // means over the rows of P; bits
	MaxSoft                 float64 // mean over the rows of M without noise
	Unique                  int     // different leaders
	Validation              float64 // accuracy, NaN without such rows

	leaders []int // of each row, a feature of the graph
	leading []float64
	early   bool // an early look, see isEarlyLook: the record of settling and of the validation rows leaves it out
}

// Early looks show how the selection forms before the first regular looks. They decide nothing.
const (
	singleLooks = 100 // steps up to which each one that somebody makes by itself is a look
	fewestEarly = 4   // early looks of a run while its steps double, at the least
	mostEarly   = 32
	stepsPer    = 300 // of the annealing, for one of these: a look takes as long as a step, and all early ones at most 3% of a run
)

// isEarlyLook reports whether a run of so many steps in all looks at P after this step, beside its regular looks of an interval: after
// each of the first few steps, then ever more rarely, until the regular ones are denser.
func isEarlyLook(step, interval, steps int) bool {
	per := fewestEarly
	for per < mostEarly && 2*per*stepsPer <= steps {
		per *= 2
	}
	every := 1
	for 2*every*per <= step {
		every *= 2
	}
	return every < interval && step%every == 0
}

// settledProbability is what a row's largest P must reach to count as settled.
const settledProbability = 0.9

// saw records a regular look at P, and the accuracy of the validation rows with it, or NaN. o is kept.
func (r *record) saw(step int, o engine.Observation, validation float64) {
	r.add(seen{Step: step, Validation: validation}, o)
}

// sawEarly records an early look at P. o is kept.
func (r *record) sawEarly(step int, o engine.Observation) {
	r.add(seen{Step: step, Validation: math.NaN(), early: true}, o)
}

func (r *record) add(look seen, o engine.Observation) {
	look.leaders, look.leading = o.Leader, o.Probability
	different := map[int]bool{}
	n := float64(len(o.Leader))
	for k, leader := range o.Leader {
		different[leader] = true
		look.MaxProbability += o.Probability[k] / n
		look.Entropy += o.Entropy[k] / n
		look.MaxSoft += o.Soft[k] / n
	}
	look.Unique = len(different)
	r.looks = append(r.looks, look)
}

// lastLook is nil before the first.
func (r *record) lastLook() *seen {
	if len(r.looks) == 0 {
		return nil
	}
	last := r.looks[len(r.looks)-1]
	return &last
}

// lastValidation returns the score of the validation rows at the last regular look, or NaN.
func (r *record) lastValidation() float64 {
	for _, l := range slices.Backward(r.looks) {
		if !l.early {
			return l.Validation
		}
	}
	return math.NaN()
}

// settledSince returns for each selector the step of the regular look from which it has been settled to the last one, or 0: its leader
// has at least settledProbability, has led for the given number of steps, and leads no other selector as certainly.
func (r *record) settledSince(steps int) []int {
	regular := slices.DeleteFunc(slices.Clone(r.looks), func(l seen) bool { return l.early })
	if len(regular) == 0 {
		return nil
	}
	last := regular[len(regular)-1]
	list := make([]int, len(last.leaders))
	for k, leader := range last.leaders {
		since := last.Step // the first look of the present leader
		for i := len(regular) - 1; i >= 0 && regular[i].leaders[k] == leader; i-- {
			since = regular[i].Step
		}
		for _, l := range slices.Backward(regular) {
			if !(l.leading[k] >= settledProbability) || l.Step-since < steps || l.shares(k) {
				break
			}
			list[k] = l.Step
		}
	}
	return list
}

// shares reports whether the leader of a selector leads another one, too, that is certain or surer.
func (l seen) shares(selector int) bool {
	for k, leader := range l.leaders {
		if k != selector && leader == l.leaders[selector] && (l.leading[k] >= settledProbability || l.leading[k] > l.leading[selector]) {
			return true
		}
	}
	return false
}

// settled counts the selectors that are settled.
func (r *record) settled(steps int) (count int) {
	for _, since := range r.settledSince(steps) {
		if since > 0 {
			count++
		}
	}
	return count
}

// settle notes whether the training is settled, and says whether it is so for the first time, or again.
func (r *record) settle(settled bool) (newly bool) {
	newly = settled && !r.now.settled
	r.now.settled = settled
	return newly
}

// since returns the step at which a selector's present leader was first seen, or 0 before the first look.
func (r *record) since(selector int) (step int) {
	for _, l := range slices.Backward(r.looks) {
		if l.leaders[selector] != r.looks[len(r.looks)-1].leaders[selector] {
			break
		}
		step = l.Step
	}
	return step
}

// changes counts how often the leader of a selector was another one than at the look before.
func (r *record) changes(selector int) int {
	count := 0
	for i := 1; i < len(r.looks); i++ {
		if r.looks[i].leaders[selector] != r.looks[i-1].leaders[selector] {
			count++
		}
	}
	return count
}

// defaultPoints is the length of a curve where the request does not say.
const defaultPoints = 400

// curves are the metrics that were asked for by epoch, the epoch in progress included, thinned without losing extremes. What is recorded as
// accuracy is R² where the label is a quantity, and each has the other's curves empty.
func (r *record) curves(request session.HistoryRequest, regression bool) map[string]session.Curve {
	metrics := request.Metrics
	if len(metrics) == 0 {
		metrics = session.Metrics()
	}
	curves := map[string]session.Curve{}
	for _, metric := range metrics {
		recorded, r2 := strings.CutPrefix(metric, "r2_")
		if r2 {
			recorded = "accuracy_" + recorded
		}
		if r2 != regression && strings.HasPrefix(recorded, "accuracy_") {
			continue
		}
		c := r.curve(recorded, request.From)
		if len(c.Steps) > 0 {
			if c = c.Thin(cmp.Or(request.Points, defaultPoints)); !session.Noisy(metric) {
				c.Means = nil
			}
			curves[metric] = c
		}
	}
	return curves
}

// epochCurves are the curves that have a point an epoch.
func epochCurves() map[string]func(measures) float64 {
	return map[string]func(measures) float64{
		"loss":                func(e measures) float64 { return e.Loss },
		"loss_class":          func(e measures) float64 { return e.LossClass },
		"loss_reconstruction": func(e measures) float64 { return e.LossReconstruction },
		"accuracy_train":      func(e measures) float64 { return e.Accuracy },
		"tau":                 func(e measures) float64 { return e.Tau },
		"learning_rate":       func(e measures) float64 { return e.LearningRate },
		"lambda":              func(e measures) float64 { return e.Lambda },
		"sharpness":           func(e measures) float64 { return e.Sharpness },
	}
}

// curve is one metric from a step on: a point for each epoch, at its end or where it has come to, and before that one for each of its
// steps that was made by itself.
func (r *record) curve(metric string, from int) session.Curve {
	var c session.Curve
	add := func(step int, value float64) {
		if step >= from && !math.IsNaN(value) {
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, value)
		}
	}
	if of := epochCurves()[metric]; of != nil {
		steps := r.steps[before(r.steps, from):]
		for _, e := range r.epochs[before(r.epochs, from):] { // whoever watches asks ten times a second for the last
			at := before(steps, e.Step)
			for _, s := range steps[:at] {
				add(s.Step, of(s))
			}
			add(e.Step, of(e))
			steps = steps[before(steps, e.Step+1):]
		}
		for _, s := range steps {
			add(s.Step, of(s))
		}
		if open := r.now.open; open.steps > 0 && (len(steps) == 0 || steps[len(steps)-1].Step != open.sums.Step) {
			add(open.sums.Step, of(open.means()))
		}
	}
	for _, l := range r.looks {
		switch metric {
		case "max_probability":
			add(l.Step, l.MaxProbability)
		case "max_soft":
			add(l.Step, l.MaxSoft)
		case "entropy":
			add(l.Step, l.Entropy)
		case "unique_rows":
			add(l.Step, float64(l.Unique))
		case "accuracy_validation":
			add(l.Step, l.Validation)
		}
	}
	return c
}

// selectors is what the looks from a step on saw, the leaders as columns of the file. settle is how many steps a leader must have led to
// count as settled.
func (r *record) selectors(from, settle int, feature func(j int) (index int, name string)) *session.Selectors {
	s := &session.Selectors{Looks: []session.Look{}, Names: map[int]string{}, SettleSteps: settle, Settled: r.settledSince(settle)}
	for _, l := range r.looks {
		if l.Step < from {
			continue
		}
		look := session.Look{Step: l.Step, Leaders: make([]int, len(l.leaders)), Probability: l.leading}
		for k, j := range l.leaders {
			index, name := feature(j)
			look.Leaders[k], s.Names[index] = index, name
		}
		s.Looks = append(s.Looks, look)
	}
	return s
}

// The line that SettlesAt lays through the latest looks at P.
const (
	fewestLooks = 4
	mostLooks   = 20
	// farthestEstimate is in lengths of the annealing: what lies beyond is no estimate.
	farthestEstimate = 10
)

// settlesAt estimates the step at which a selector settles: the logit of its leader's probability, as far as that leader has led, is
// extrapolated to settledProbability by least squares. settle is how many steps a leader must have led, of the steps of the annealing. It
// is nil where the line does not rise by more than twice its standard error, and where a surer selector has the same leader.
func (r *record) settlesAt(selector, settle, steps int) *int {
	if len(r.looks) == 0 {
		return nil
	}
	last := r.looks[len(r.looks)-1]
	if last.shares(selector) {
		return nil
	}
	first := len(r.looks) - 1
	for first > 0 && len(r.looks)-first < mostLooks && r.looks[first-1].leaders[selector] == last.leaders[selector] {
		first--
	}
	earliest, at := float64(r.since(selector)+settle), 0.0
	if !(last.leading[selector] >= settledProbability) {
		var line leastSquares
		for _, l := range r.looks[first:] {
			line.add(float64(l.Step), logit(l.leading[selector]))
		}
		height, slope, spread := line.fit(float64(last.Step))
		if line.n < fewestLooks || !(slope > 2*spread) {
			return nil
		}
		at = float64(last.Step) + max(0, (logit(settledProbability)-height)/slope)
	}
	at = math.Ceil(max(at, earliest))
	if !(at <= farthestEstimate*float64(steps)) {
		return nil
	}
	step := int(at)
	return &step
}

func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// leastSquares is a line through points.
type leastSquares struct {
	n    float64
	x, y []float64
}

func (l *leastSquares) add(x, y float64) {
	l.n++
	l.x, l.y = append(l.x, x), append(l.y, y)
}

// fit is the line's height at x, its slope, and the standard error of the slope.
func (l *leastSquares) fit(x float64) (height, slope, spread float64) {
	var meanX, meanY, xx, xy, rest float64
	for i := range l.x {
		meanX += l.x[i] / l.n
		meanY += l.y[i] / l.n
	}
	for i := range l.x {
		xx += (l.x[i] - meanX) * (l.x[i] - meanX)
		xy += (l.x[i] - meanX) * (l.y[i] - meanY)
	}
	slope = xy / xx
	for i := range l.x {
		off := l.y[i] - meanY - slope*(l.x[i]-meanX)
		rest += off * off
	}
	return meanY + slope*(x-meanX), slope, math.Sqrt(rest / (l.n - 2) / xx)
}
