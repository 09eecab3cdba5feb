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
	epochs []measurement // completed epochs by step; in a long training only some, see thin
	steps  []measurement // single steps, at most the last mostSteps
	looks  []look        // by step
	now    recordState
}

// recordState is the part of a record that cannot be reconstructed from its
// lists when the training returns to an earlier step.
type recordState struct {
	settled  bool // settled at the last regular look
	open     openEpoch
	patience patience
	// held is the feature that each selector is held on, or −1. It is nil if no
	// selector is held.
	held   []int
	heldAt int // step since which selectors are held
}

// holds reports whether the selector is held on a feature.
func (s recordState) holds(selector int) bool { return s.held != nil && s.held[selector] >= 0 }

// snapshot returns the current record. Later entries are only appended, so the
// snapshot does not change.
func (r *record) snapshot() record {
	return record{epochs: slices.Clip(r.epochs), steps: slices.Clip(r.steps), looks: slices.Clip(r.looks), now: r.now}
}

// upTo returns the record as it was after a step, given its state then. The
// result shares memory with r, but you can append to both.
func (r *record) upTo(step int, state recordState) record {
	over := countBefore(r.epochs, step+1)
	epochs := r.epochs[:over:over]
	// The last epoch before the step was thinned out since.
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

// measurement holds the results of one step and the values it was made with. It
// is a row of a tensor in a checkpoint. The results of an epoch are means over
// its steps, because single batches differ too much. The other values are those
// of its last step.
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

// step returns the number of the step that was measured.
func (m measurement) step() int { return int(m[columnStep]) }

// combine replaces each loss and score of m by f(m's value, other's value). It
// leaves the step and the values that m was made with.
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

// patience is the state of the search for the epoch with the lowest training
// loss.
type patience struct {
	BestLoss      float64 `json:"best_loss"`
	BestLossEpoch int     `json:"best_loss_epoch"`
	HasBestLoss   bool    `json:"has_best_loss"`
}

// addStep adds the next step to the epoch in progress, and closes the epoch
// after perEpoch steps.
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

// addSingleStep records a step that the user requested singly, in addition to
// its epoch. It drops the oldest ones if there are more than mostSteps.
func (r *record) addSingleStep(m measurement) {
	if len(r.steps) == mostSteps {
		r.steps = slices.Clone(r.steps[mostSteps/2:])
	}
	r.steps = append(r.steps, m)
}

// means returns the means over the steps of the epoch in progress. There must
// be at least one step.
func (o openEpoch) means() measurement {
	o.sums.combine(o.sums, func(sum, _ float64) float64 { return sum / float64(o.steps) })
	return o.sums
}

// latest returns means over about one epoch up to now. It weights the epoch in
// progress by its progress and the previous epoch by the rest. Before the first
// step it returns the zero value.
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

// close ends the epoch in progress, and thins the list if it has too many
// epochs. epoch is the number of the epoch, from 1.
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

// epochsWithoutBetterLoss returns the number of epochs since the mean training
// loss last reached a new minimum. epochs is the number of epochs made.
func (r *record) epochsWithoutBetterLoss(epochs int) int {
	return epochs - r.now.patience.BestLossEpoch
}

// forgetBestLoss restarts the count of epochsWithoutBetterLoss at an epoch. So
// a run that stopped for lack of progress can continue.
func (r *record) forgetBestLoss(epochs int) { r.now.patience = patience{BestLossEpoch: epochs} }

// mostEpochs limits the epochs in a record, so that the file of a checkpoint
// does not grow forever.
const (
	mostEpochs   = 8192
	firstThinned = 8 // number of epochs in the first stretches whose extremes are kept
)

// thin reduces the list to at most half of mostEpochs. It keeps the first and
// the last epoch. From each stretch of epochs it keeps those with the smallest
// and the largest value of a curve, so that curves keep their extremes. It
// doubles the length of the stretches until few enough epochs remain. thin
// builds a new list, so snapshots do not change. perEpoch is the number of
// steps per epoch.
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

// countBefore returns the number of measurements made before a step. list
// must be ordered by step.
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

// Early looks show how the selection forms before the first regular look. They
// have no influence on the training.
const (
	singleLooks = 100 // up to this step, there is a look at every step
	fewestEarly = 4   // smallest number of early looks of a run while its steps double
	mostEarly   = 32
	// Steps of the annealing for each early look. A look takes as long as a
	// step, so all early looks take at most 3% of a run.
	stepsPer = 300
)

// isEarlyLook reports whether a run of this many steps takes an early look at P
// after this step. Regular looks come at every interval steps. Early looks come
// after each of the first few steps, and then at distances that double until
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

// settledProbability is the smallest probability of the leader of a settled
// selector.
const settledProbability = 0.9

// addLook records a look at P. validation is the score of the validation rows,
// or NaN. The record keeps the slices of o, so the caller must not change them.
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

// hold records that selectors are held from a step on (see [ending]). Held
// selectors count as settled since that step.
func (r *record) hold(step int, held []int) { r.now.held, r.now.heldAt = held, step }

// replaceLook records a look at P in place of the last one if that was at the
// same step. The new look keeps its validation score. If there is no look at
// this step, it adds one.
func (r *record) replaceLook(step int, o engine.Observation) {
	validation, early := math.NaN(), false
	if last := r.lastLook(); last != nil && last.Step == step {
		validation, early = last.Validation, last.early
		r.looks = slices.Clone(r.looks[:len(r.looks)-1])
	}
	r.addLook(step, o, early, validation)
}

// lastLook returns the last look, or nil before the first look.
func (r *record) lastLook() *look {
	if len(r.looks) == 0 {
		return nil
	}
	return &r.looks[len(r.looks)-1]
}

// lastValidation returns the validation score at the last regular look, or NaN
// if there has been no regular look.
func (r *record) lastValidation() float64 {
	for _, l := range slices.Backward(r.looks) {
		if !l.early {
			return l.Validation
		}
	}
	return math.NaN()
}

// settledSince returns, for each selector, the step at which its settled leader
// took the lead, or 0 if it is not settled. A selector is settled if its leader
// has at least settledProbability, has led for this many steps, and leads no
// other selector as certainly. A held selector is settled, too. Before the
// first regular look the result is nil.
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
		since := last.Step // the first look that saw the current leader
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

// sharesLeader reports whether the leader of a selector also leads another one
// that has reached settledProbability or is more confident.
func (l look) sharesLeader(selector int) bool {
	for k, leader := range l.leaders {
		if k != selector && leader == l.leaders[selector] && (l.leading[k] >= settledProbability || l.leading[k] > l.leading[selector]) {
			return true
		}
	}
	return false
}

// settledCount returns the number of selectors that are held, or whose leader
// has led for this many steps and meets the other conditions of settledSince.
func (r *record) settledCount(steps int) (count int) {
	for _, since := range r.settledSince(steps) {
		if since > 0 {
			count++
		}
	}
	return count
}

// settle records whether the training is settled, and reports whether that is
// new.
func (r *record) settle(settled bool) (newly bool) {
	newly = settled && !r.now.settled
	r.now.settled = settled
	return newly
}

// leaderSince returns the step of the look at which the current leader of a
// selector took the lead. Before the first look it returns 0.
func (r *record) leaderSince(selector int) (step int) {
	for _, l := range slices.Backward(r.looks) {
		if l.leaders[selector] != r.looks[len(r.looks)-1].leaders[selector] {
			break
		}
		step = l.Step
	}
	return step
}

// changes counts the looks at which a selector had another leader than at the
// look before.
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
// progress. It thins them without losing extremes. For a quantity, the recorded
// accuracy is R², and accuracy curves are left out. For classes, R² curves are
// left out.
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

// epochCurves returns the column of a measurement for each metric that has a
// point for every epoch.
func epochCurves() map[string]int {
	return map[string]int{
		"loss": columnLoss, "loss_class": columnLossClass, "loss_reconstruction": columnLossReconstruction, "accuracy_train": columnAccuracy,
		"tau": columnTau, "learning_rate": columnLearningRate, "lambda": columnLambda, "sharpness": columnSharpness,
	}
}

// curve returns one metric from a step on. Each epoch has a point at its end,
// preceded by the points of its single steps. The epoch in progress has a point
// at the current step.
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
		// A widget asks for the latest points ten times a second, so don't scan
		// the whole record.
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
// file. settle is the number of steps that a leader must have led to count as
// settled.
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

// settlesAt returns the step since which a selector has been settled (see
// settledSince), or an estimate of the step at which it will be. The estimate
// fits a line, by least squares, to the logit of its leader's probability since
// it took the lead, and extends it to settledProbability. step is the current
// step, settle the number of steps that a leader must have led, and steps the
// length of the annealing.
//
// It returns nil if there are too few looks, if the slope is less than twice
// its standard error, if a more confident selector has the same leader, or if
// the step is more than farthestEstimate annealings away.
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

// logit returns log(p/(1−p)), with p kept away from 0 and 1.
func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// leastSquares fits a line to points. It returns the height of the line at the
// last point, its slope, and the standard error of the slope. With fewer than
// three points the standard error is not finite.
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
