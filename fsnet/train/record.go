package train

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
)

// record holds the looks and losses of a training up to a step.
type record struct {
	epochs []measurement // Completed epochs, by step. A long training does not have all of them, see thin.
	steps  []measurement // single steps, at most the last mostSteps
	looks  []look        // by step
	now    recordState
}

// recordState holds what cannot be derived from later entries of a record
// when the training returns to an earlier step.
type recordState struct {
	settled  bool // settled at the last regular look
	open     openEpoch
	patience patience
	// For each selector, its feature if it is held on one, otherwise −1. It
	// is nil if no selector is held.
	held   []int
	heldAt int // step since which selectors are held
}

// holds reports whether a selector is held.
func (s recordState) holds(selector int) bool { return s.held != nil && s.held[selector] >= 0 }

// snapshot returns the current record. Later entries only grow beyond what
// it sees.
func (r *record) snapshot() record {
	return record{epochs: slices.Clip(r.epochs), steps: slices.Clip(r.steps), looks: slices.Clip(r.looks), now: r.now}
}

// upTo returns the record as it was after a step. state is its state at
// that step. It shares memory with r, but appending to one does not change
// the other.
func (r *record) upTo(step int, state recordState) record {
	over := countBefore(r.epochs, step+1)
	epochs := r.epochs[:over:over]
	// The epoch has been thinned out since.
	if last := state.open.before; last.step() > 0 && (over == 0 || epochs[over-1].step() < last.step()) {
		epochs = append(epochs, last)
	}
	steps := countBefore(r.steps, step+1)
	return record{epochs: epochs, steps: r.steps[:steps:steps], looks: r.looksUntil(step), now: state}
}

// looksUntil returns the looks up to a step, inclusive.
func (r *record) looksUntil(step int) []look {
	at, _ := slices.BinarySearchFunc(r.looks, step+1, func(l look, step int) int { return l.Step - step })
	return r.looks[:at:at]
}

// measurement holds what one step measured, and the values it was made with:
// a row of a tensor in a checkpoint. For an epoch the measured values are
// means over its steps, because single batches differ too much, and the
// others belong to its last step.
type measurement [measurementColumns]float64

// The columns of a measurement.
const (
	columnStep = iota // number of steps made
	columnLoss
	columnLossClass
	columnLossReconstruction
	columnAccuracy
	columnTau // from here on the values of the step
	columnLearningRate
	columnLambda
	columnSharpness
	measurementColumns
)

func (m measurement) step() int { return int(m[columnStep]) }

// combine replaces each loss and score of m by f of it and that of other. It
// does not change the step and the values that m was made with.
func (m *measurement) combine(other measurement, f func(own, other float64) float64) {
	for c := columnLoss; c < columnTau; c++ {
		m[c] = f(m[c], other[c])
	}
}

// openEpoch is the epoch in progress, with sums instead of means.
type openEpoch struct {
	steps  int
	sums   measurement
	before measurement // the epoch before, or the zero value
}

// patience is the state of the search for the best training loss.
type patience struct {
	BestLoss      float64 `json:"best_loss"`
	BestLossEpoch int     `json:"best_loss_epoch"`
	HasBestLoss   bool    `json:"has_best_loss"`
}

// addStep adds the next step to the epoch in progress. If it is the last of
// the perEpoch steps of the epoch, addStep closes the epoch.
func (r *record) addStep(m measurement, perEpoch int) {
	r.now.open.steps++
	m.combine(r.now.open.sums, func(now, sum float64) float64 { return sum + now })
	r.now.open.sums = m
	if m.step()%perEpoch == 0 {
		r.close(m.step() / perEpoch)
	}
}

// mostSteps limits the single steps that are recorded.
const mostSteps = 4096

// addSingleStep records a step that was requested singly, in addition to its
// epoch.
func (r *record) addSingleStep(m measurement) {
	if len(r.steps) == mostSteps {
		r.steps = slices.Clone(r.steps[mostSteps/2:])
	}
	r.steps = append(r.steps, m)
}

// means returns the means of the epoch in progress so far.
func (o openEpoch) means() measurement {
	o.sums.combine(o.sums, func(sum, _ float64) float64 { return sum / float64(o.steps) })
	return o.sums
}

// latest returns means over about one epoch up to now. The epoch in progress
// has the weight of its progress, and the epoch before has the remaining
// weight. Before the first step it returns the zero value.
func (r *record) latest(perEpoch int) measurement {
	open := r.now.open
	before, share := open.before, float64(open.steps)/float64(perEpoch)
	if share == 0 {
		return before
	}
	now := open.means()
	if before.step() > 0 {
		now.combine(before, func(now, before float64) float64 { return before + share*(now-before) })
	}
	return now
}

// close ends the epoch in progress, and thins the epochs if there are too
// many. epoch is its number from 1.
func (r *record) close(epoch int) {
	e := r.now.open.means()
	r.now.open = openEpoch{before: e}
	r.epochs = append(r.epochs, e)
	if len(r.epochs) > mostEpochs {
		r.thin(e.step() / epoch)
	}
	if p := &r.now.patience; !p.HasBestLoss || e[columnLoss] < p.BestLoss {
		p.BestLoss, p.BestLossEpoch, p.HasBestLoss = e[columnLoss], epoch, true
	}
}

// epochsWithoutBetterLoss returns the number of epochs since the mean
// training loss last reached a new minimum. epochs counts all that have been
// made.
func (r *record) epochsWithoutBetterLoss(epochs int) int {
	return epochs - r.now.patience.BestLossEpoch
}

// forgetBestLoss restarts the count of epochsWithoutBetterLoss at an epoch,
// so that a run can continue after it ended one.
func (r *record) forgetBestLoss(epochs int) { r.now.patience = patience{BestLossEpoch: epochs} }

// mostEpochs limits the epochs in a record, so that the file of a checkpoint
// does not grow forever.
const (
	mostEpochs   = 8192
	firstThinned = 8 // number of epochs in the first stretches whose extremes are kept
)

// thin reduces the epochs to at most half of mostEpochs. It keeps the first
// and the last one. Of each stretch of steps it keeps those with the
// smallest and the largest value of a curve, so that no extreme is lost.
// Stretches double in length until few enough remain. It makes a new list,
// so snapshots see no change. perEpoch counts steps.
func (r *record) thin(perEpoch int) {
	for stretch := firstThinned * perEpoch; len(r.epochs) > mostEpochs/2; stretch *= 2 {
		var kept []measurement
		for from := 0; from < len(r.epochs); {
			to := from + 1
			for to < len(r.epochs) && (r.epochs[to].step()-1)/stretch == (r.epochs[from].step()-1)/stretch {
				to++
			}
			keep := map[int]bool{0: true, len(r.epochs) - 1: true}
			for column := columnLoss; column < measurementColumns; column++ {
				low, high := from, from
				for i := from; i < to; i++ {
					if r.epochs[i][column] < r.epochs[low][column] {
						low = i
					}
					if r.epochs[i][column] > r.epochs[high][column] {
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

// countBefore returns how many measurements were made before a step.
func countBefore(list []measurement, step int) int {
	n, _ := slices.BinarySearchFunc(list, step, func(m measurement, step int) int { return m.step() - step })
	return n
}

// look is one observation of P: means over its rows, and the score of the
// validation rows.
type look struct {
	Step                    int
	MaxProbability, Entropy float64 // means over the rows of P, the entropy in bits
	MaxSoft                 float64 // mean over the rows of M without noise
	Unique                  int     // number of different leaders
	Validation              float64 // score of the validation rows, or NaN

	leaders []int     // for each row, a feature of the graph
	leading []float64 // probabilities of the leaders
	early   bool      // Early looks don't count for settling and don't read validation rows. See isEarlyLook.
}

// Early looks show how the selection forms before the first regular looks.
// They decide nothing.
const (
	singleLooks = 100 // up to this step each single step has a look
	fewestEarly = 4   // smallest number of early looks of a run while its steps double
	mostEarly   = 32
	// Steps of the annealing for each early look. A look takes as long as a
	// step, so all early looks take at most 3% of a run.
	stepsPer = 300
)

// isEarlyLook reports whether a run of this many steps looks at P after this
// step, in addition to its regular looks at every interval. There are early
// looks after each of the first few steps, then less and less often until
// regular looks are more frequent.
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

// settledProbability is the smallest maximum of a settled row of P.
const settledProbability = 0.9

// addLook records a look at P. validation is the score of the validation
// rows, or NaN. The record keeps the lists of o.
func (r *record) addLook(step int, o engine.Observation, early bool, validation float64) {
	look := look{Step: step, Validation: validation, leaders: o.Leader, leading: o.Probability, early: early}
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

// hold records that selectors are held from a step on. See [ending]. They
// count as settled since then.
func (r *record) hold(step int, held []int) { r.now.held, r.now.heldAt = held, step }

// replaceLook records a look at P. If there is a look at the same step, it
// replaces it, but keeps its score of the validation rows.
func (r *record) replaceLook(step int, o engine.Observation) {
	validation, early := math.NaN(), false
	if last := r.lastLook(); last != nil && last.Step == step {
		validation, early = last.Validation, last.early
		r.looks = slices.Clone(r.looks[:len(r.looks)-1])
	}
	r.addLook(step, o, early, validation)
}

// lastLook returns the last look, or nil.
func (r *record) lastLook() *look {
	if len(r.looks) == 0 {
		return nil
	}
	return &r.looks[len(r.looks)-1]
}

// lastValidation returns the score of the validation rows at the last
// regular look, or NaN.
func (r *record) lastValidation() float64 {
	for _, l := range slices.Backward(r.looks) {
		if !l.early {
			return l.Validation
		}
	}
	return math.NaN()
}

// settledSince returns for each selector the step of the regular look since
// which it has been settled, or 0. A selector is settled if its leader has
// at least settledProbability, has led for this many steps, and leads no
// other selector as certainly, or if it is held. Before the first regular
// look the list is nil.
func (r *record) settledSince(steps int) []int {
	regular := slices.DeleteFunc(slices.Clone(r.looks), func(l look) bool { return l.early })
	if len(regular) == 0 {
		return nil
	}
	last := regular[len(regular)-1]
	list := make([]int, len(last.leaders))
	for k, leader := range last.leaders {
		if r.now.holds(k) {
			list[k] = r.now.heldAt
			continue
		}
		since := last.Step // The first look of the current leader.
		for i := len(regular) - 1; i >= 0 && regular[i].leaders[k] == leader; i-- {
			since = regular[i].Step
		}
		for _, l := range slices.Backward(regular) {
			if !(l.leading[k] >= settledProbability) || l.Step-since < steps || l.sharesLeader(k) {
				break
			}
			list[k] = l.Step
		}
	}
	return list
}

// sharesLeader reports whether the leader of a selector also leads another
// one that is certain or more confident.
func (l look) sharesLeader(selector int) bool {
	for k, leader := range l.leaders {
		if k != selector && leader == l.leaders[selector] && (l.leading[k] >= settledProbability || l.leading[k] > l.leading[selector]) {
			return true
		}
	}
	return false
}

// settledCount returns the number of settled selectors.
func (r *record) settledCount(steps int) (count int) {
	for _, since := range r.settledSince(steps) {
		if since > 0 {
			count++
		}
	}
	return count
}

// settle records whether the training is settled, and reports whether it is
// now and was not before.
func (r *record) settle(settled bool) (newly bool) {
	newly = settled && !r.now.settled
	r.now.settled = settled
	return newly
}

// leaderSince returns the step of the first of the latest looks that saw the
// current leader of a selector without interruption. Before the first look
// it returns 0.
func (r *record) leaderSince(selector int) (step int) {
	for _, l := range slices.Backward(r.looks) {
		if l.leaders[selector] != r.looks[len(r.looks)-1].leaders[selector] {
			break
		}
		step = l.Step
	}
	return step
}

// changes returns how often the leader of a selector changed between two
// looks.
func (r *record) changes(selector int) int {
	count := 0
	for i := 1; i < len(r.looks); i++ {
		if r.looks[i].leaders[selector] != r.looks[i-1].leaders[selector] {
			count++
		}
	}
	return count
}

// defaultPoints is the length of a curve if the request gives none.
const defaultPoints = 400

// curves returns the requested metrics by epoch, including the epoch in
// progress, thinned without losing extremes. For a quantity the recorded
// accuracy is R². The curves of the other score are left out.
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

// epochCurves returns the columns of the curves that have a point for each
// epoch.
func epochCurves() map[string]int {
	return map[string]int{
		"loss": columnLoss, "loss_class": columnLossClass, "loss_reconstruction": columnLossReconstruction, "accuracy_train": columnAccuracy,
		"tau": columnTau, "learning_rate": columnLearningRate, "lambda": columnLambda, "sharpness": columnSharpness,
	}
}

// curve returns one metric from a step on: a point for each epoch at its end
// (or its progress), and before that one for each of its single steps.
func (r *record) curve(metric string, from int) session.Curve {
	var c session.Curve
	add := func(step int, value float64) {
		if step >= from && !math.IsNaN(value) {
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, value)
		}
	}
	if column, ok := epochCurves()[metric]; ok {
		steps := r.steps[countBefore(r.steps, from):]
		// Watchers ask for the last ones ten times a second.
		for _, e := range r.epochs[countBefore(r.epochs, from):] {
			for _, s := range steps[:countBefore(steps, e.step())] {
				add(s.step(), s[column])
			}
			add(e.step(), e[column])
			steps = steps[countBefore(steps, e.step()+1):]
		}
		for _, s := range steps {
			add(s.step(), s[column])
		}
		if now := r.now.open.means(); r.now.open.steps > 0 && (len(steps) == 0 || steps[len(steps)-1].step() != now.step()) {
			add(now.step(), now[column])
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

// selectors returns the looks from a step on, with leaders as columns of the
// file. settle is the number of steps that a leader must have led to count
// as settled.
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

// Limits of the estimate in settlesAt.
const (
	fewestLooks      = 4
	mostLooks        = 20
	farthestEstimate = 10 // in lengths of the annealing
)

// settlesAt returns the step since which a selector has been settled, as settledSince does, or
// estimates the step at which it will be: it extrapolates the logit of its leader's probability,
// while that leader has led, to settledProbability by least squares. step is the present one,
// settle the number of steps that a leader must have led, steps the length of the annealing. It
// returns nil if there are too few looks, if the slope is below twice its standard error, if a more
// confident selector has the same leader, or if the step is farther than farthestEstimate
// annealings.
func (r *record) settlesAt(selector, step, settle, steps int) *int {
	if len(r.looks) == 0 {
		return nil
	}
	since := r.settledSince(settle)
	if selector < len(since) && since[selector] > 0 {
		return &since[selector]
	}
	last := r.looks[len(r.looks)-1]
	if last.sharesLeader(selector) {
		return nil
	}
	first := len(r.looks) - 1
	for first > 0 && len(r.looks)-first < mostLooks && r.looks[first-1].leaders[selector] == last.leaders[selector] {
		first--
	}
	earliest, estimate := float64(r.leaderSince(selector)+settle), 0.0
	if !(last.leading[selector] >= settledProbability) {
		var x, y []float64
		for _, l := range r.looks[first:] {
			x, y = append(x, float64(l.Step)), append(y, logit(l.leading[selector]))
		}
		height, slope, spread := leastSquares(x, y)
		if len(x) < fewestLooks || !(slope > 2*spread) {
			return nil
		}
		estimate = float64(last.Step) + max(0, (logit(settledProbability)-height)/slope)
	}
	estimate = math.Ceil(max(estimate, earliest, float64(step+1))) // it is not settled yet
	if !(estimate <= farthestEstimate*float64(steps)) {
		return nil
	}
	return new(int(estimate))
}

func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// leastSquares fits a line through points. It returns the height of the line
// at the last point, its slope, and the standard error of the slope. With
// fewer than three points, the standard error is not finite.
func leastSquares(x, y []float64) (height, slope, slopeError float64) {
	n := float64(len(x))
	var meanX, meanY, xx, xy, rest float64
	for i := range x {
		meanX += x[i] / n
		meanY += y[i] / n
	}
	for i := range x {
		xx += (x[i] - meanX) * (x[i] - meanX)
		xy += (x[i] - meanX) * (y[i] - meanY)
	}
	slope = xy / xx
	for i := range x {
		off := y[i] - meanY - slope*(x[i]-meanX)
		rest += off * off
	}
	return meanY + slope*(x[len(x)-1]-meanX), slope, math.Sqrt(rest / (n - 2) / xx)
}
