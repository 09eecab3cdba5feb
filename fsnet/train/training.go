package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Training is one live training: its data, its state on the device and its
// record. Only one goroutine may use it at a time.
type Training struct {
	position
	device  *device.Device
	data    *dataset.Prepared
	sharers *atomic.Int32        // number of trainings that share data, which the last one closes
	columns []int                // of data, after screening, in the order of the graph: sorted by feature name
	signs   []float32            // of each column: −1 if the graph has it turned, else 1; nil: none is turned
	slots   []int                // output of the network for each class, by first appearance; one for a quantity
	target  target               // of the training rows
	table   []string             // what is in the data, for people
	known   *dataset.Constraints // on features, or nil
	bias    *dataset.LogitBias   // the constraints in the order of the graph, or nil
	pairs   []pairs.Pair         // significant pairs of features of the graph, the clearest first
	lead    []int                // of each selector: the feature of a pair on which it is held from the first step on, or −1; nil: none is

	spokesmen []int32 // d×repair.Speakers, or nil: see repair.Spokesmen

	engine  *engine.Engine
	stopped string // why the stop key ended the last Advance, or ""

	record      record
	events      []session.Event
	checkpoints checkpoints
	looks       int   // number of looks at the test rows
	built       []int // with Evaluation = as-built: the feature of each selector before the first step
	pace        nn.Pace
}

// position holds the settings, step and state of a training.
type position struct {
	settings config.Settings // settings in force
	step     int
	state    session.State
	reason   string
	ending   *ending     // nil before the ending
	scores   finalScores // scores of the final networks
}

// held returns the feature on which each selector is held, or −1. If no
// selector is held, it returns nil.
func (p position) held() []int {
	if p.ending == nil {
		return nil
	}
	return p.ending.held
}

// continued returns the reason of a training that continues after its end,
// or "".
func (p position) continued() string {
	if p.ending == nil {
		return ""
	}
	return fmt.Sprintf("training on: the final networks belong to step %d", p.ending.step)
}

// Open prepares the data, computes the embedding and draws the parameters of
// step 0. The caller must close the training. The first step compiles the
// graph, in about a second, unless the device has a program of the same
// shape.
func Open(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings) (*Training, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := engine.CheckMemory(ctx, device.Name, data, settings); err != nil {
		return nil, err
	}
	return openWith(ctx, device, data, settings, engine.MostDense)
}

// OpenPrepared is [Open] for dense data that are already prepared. Several
// trainings may share them. It panics if p does not suit the settings
// ([dataset.Prepared.Suits]).
func OpenPrepared(ctx context.Context, device *device.Device, p *dataset.Prepared, settings config.Settings) (*Training, error) {
	if p.Sparse() || !p.Suits(settings) {
		panic("train: data that were prepared otherwise")
	}
	if err := engine.CheckMemory(ctx, device.Name, p.Dataset, settings); err != nil {
		return nil, err
	}
	return openPrepared(ctx, device, p, settings, engine.MostDense)
}

// openWith is Open without the check of memory. Sparse training rows with
// more than most numbers are streamed, others are made dense.
func openWith(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings, most int) (*Training, error) {
	p, err := dataset.PrepareContext(ctx, data, settings)
	if err != nil {
		return nil, err
	}
	return openPrepared(ctx, device, p, settings, most)
}

func openPrepared(ctx context.Context, device *device.Device, p *dataset.Prepared, settings config.Settings, most int) (_ *Training, err error) {
	if err := settings.CheckBins(len(p.Parts.Train)); err != nil {
		return nil, err
	}
	settings.Pairs = p.PairedBy() // Recorded for the model, even if only the data name it.
	t := &Training{position: position{settings: settings, state: session.Idle}, device: device, data: p, sharers: new(atomic.Int32)}

	t.sharers.Add(1)
	t.columns = sortedByName(p)
	t.slots, t.target = targetOf(p)
	t.table = p.Describe()
	if t.known, err = dataset.ReadConstraints(settings, p.Dataset); err != nil {
		return nil, err
	}
	if !p.Sparse() {
		if err := t.findPairs(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.screen(ctx); err != nil {
		return nil, err
	}
	if p.Sparse() {
		if err := t.findPairs(ctx); err != nil {
			return nil, err
		}
	}

	t.placePairs()
	if err := t.checkKnown(); err != nil {
		return nil, err
	}

	if err := t.openRows(ctx, most); err != nil {
		p.Close()
		return nil, err
	}
	if t.settings.Evaluation == config.AsBuilt {
		if t.built, err = t.sampleChoice(); err != nil {
			t.engine.Close()
			p.Close()
			return nil, err
		}
	}

	settings = t.settings
	text := fmt.Sprintf("%s, K = %d, %s: %s, seed %d", p.Name, settings.K, settings.Protocol, settings.Trainer(), settings.Seed)
	if settings.SplitSeed != nil {
		text += fmt.Sprintf(", split seed %d", *settings.SplitSeed)
	}
	if w := p.Within; w != nil {
		text += fmt.Sprintf("; %s taken out, %s", cmp.Or(p.Nuisance.Column, "a nuisance"), phrase.Count(len(w.Sites), "value"))
		if w.Unseen > 0 {
			text += fmt.Sprintf(" (others in %s)", phrase.Count(w.Unseen, "row"))
		}
	}
	if t.known != nil {
		text += "; " + t.known.String()
	}

	switch {
	case t.lead != nil:
		text += "; " + strings.Join(t.pairTexts(t.lead), "; ")
	case len(t.pairs) > 0 && settings.K == 1:
		text += "; " + t.tellsTogether(t.pairs[0]) + ", but k = 1 has no place for a pair"
	}

	t.addEvent("open", text, nil)
	if err := t.checkpoint(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Steps returns the number of steps in the whole annealing.
func (t *Training) Steps() int { return t.settings.Epochs * t.engine.StepsPerEpoch }

// Advance makes at most n steps, about 100 ms of them, and returns how many
// it made. At the end of the annealing it returns 0 without an error. If the
// context is canceled, it returns before the next step. If a loss is not a
// number, the training keeps the state before that step, fails, and names
// the broken tensor.
func (t *Training) Advance(ctx context.Context, n int) (made int, err error) {
	if made, err = t.advance(ctx, n, false); err == nil {
		err = t.scoreFinal()
	}
	return made, err
}

// Step is [Training.Advance] for steps requested singly. Each has a point in
// the curves.
func (t *Training) Step(ctx context.Context, n int) (made int, err error) {
	if made, err = t.advance(ctx, n, true); err == nil {
		err = t.scoreFinal()
	}
	return made, err
}

// advance is Advance, or Step if single is true, except that final networks
// wait until they are needed.
func (t *Training) advance(ctx context.Context, n int, single bool) (made int, err error) {
	count, err := t.allowed(ctx, n, single)
	if count == 0 || err != nil {
		return 0, err
	}
	start := time.Now()
	metrics, broken, err := t.engine.Advance(t.step, count, t.settings.Live)
	if err != nil {
		t.fail(err.Error())
		return 0, err
	}
	return len(metrics), t.absorb(count, time.Since(start), metrics, broken, single)
}

// allowed returns how many of n steps may be made before the next look. It
// returns 0 at the end of the annealing, or if the context has ended. It
// returns an error if the training has failed or is closed.
func (t *Training) allowed(ctx context.Context, n int, single bool) (int, error) {
	t.stopped = ""
	switch t.state {
	case session.Broken:
		return 0, errs.New(errs.Failed, "open it again, perhaps with a smaller learning_rate", "the training failed: %s", t.reason)
	case session.Closed:
		return 0, errs.New(errs.NotFound, "open it again", "the training is closed")
	}
	if ctx.Err() != nil {
		return 0, nil //nolint:nilerr // the caller cancelled; the steps made so far are good
	}
	return max(0, min(n, t.Steps()-t.step, t.stepsUntilLook(single), t.pace.Steps(engine.ChunkCapacity))), nil
}

// absorb records a call of the engine that took some time for count steps.
// metrics belong to the steps it made. broken names the tensor that broke
// the next step, or is empty. The engine is in the state after the steps it
// made.
func (t *Training) absorb(count int, took time.Duration, metrics []engine.Metrics, broken string, single bool) error {
	t.pace.Note(count, took)
	t.recordSteps(metrics, single)
	t.step += len(metrics)
	t.state, t.reason = session.Paused, t.continued()
	if broken != "" {
		t.fail(fmt.Sprintf("the %s is not a number at step %d", broken, t.step))
		return errs.New(errs.Failed, "the state before it is kept; try a smaller learning_rate or lambda, or a larger tau_end",
			"training stopped: %s", t.reason)
	}

	switch {
	case t.step%t.observationInterval() == 0 || t.step == t.Steps():
		if err := t.observe(false); err != nil {
			return err
		}
	case t.looksEarly(t.step, single):
		if err := t.observe(true); err != nil {
			return err
		}
	}

	if t.step >= t.Steps() && t.state != session.Settled {
		t.endAnnealing()
	}
	if t.endsHere() {
		if err := t.finish(); err != nil {
			return err
		}
	}
	return t.checkpoint()
}

// endAnnealing marks the annealing as over.
func (t *Training) endAnnealing() {
	t.state, t.reason = session.Done, "its one epoch is done"
	if t.settings.Epochs > 1 {
		t.reason = fmt.Sprintf("all %d epochs are done", t.settings.Epochs)
	}
}

// fail ends the training as Broken, with an event. Only a rewind can
// continue it.
func (t *Training) fail(reason string) {
	t.state, t.reason = session.Broken, reason
	t.addEvent("stop", reason, nil)
}

// Set changes live keys from the next step on, and returns the event with
// the changes. If no value differs from before, the event is not recorded.
// The error is of kind Request if a key is not live, a value is not
// accepted, or epochs is already over. In that case nothing changes.
//
// If epochs ends the annealing at the current step, the contest follows.
func (t *Training) Set(changes config.Config) (session.Event, error) {
	e, err := t.set(changes)
	if err == nil {
		err = t.scoreFinal()
	}
	return e, err
}

// set is Set, except that final networks wait until they are needed.
func (t *Training) set(changes config.Config) (session.Event, error) {
	next, list, err := t.settings.Apply(changes)
	if err != nil {
		return session.Event{}, err
	}
	next = next.ForData(t.engine.Layout.Rows) // For epochs=auto.
	perEpoch := t.engine.StepsPerEpoch
	if next.Epochs*perEpoch < t.step {
		return session.Event{}, errs.New(errs.Request, fmt.Sprintf("choose %d or more", (t.step+perEpoch-1)/perEpoch),
			"epochs = %d is already over: the training is at epoch %.4g", next.Epochs, t.epoch())
	}

	for i := range list {
		if list[i].Key == "epochs" {
			list[i].To = strconv.Itoa(next.Epochs)
		}
	}
	list = slices.DeleteFunc(list, func(c config.Change) bool { return c.From == c.To })

	t.settings = next

	switch over := t.step == next.Epochs*perEpoch; {
	case t.state == session.Done && !over:
		t.state, t.reason = session.Paused, t.continued()
	case t.state == session.Paused && over:
		t.endAnnealing()
	}

	text := "nothing changed"
	if len(list) > 0 {
		parts := make([]string, len(list))
		for i, c := range list {
			parts[i] = fmt.Sprintf("%s %s → %s", c.Key, c.From, c.To)
		}
		text = strings.Join(parts, ", ")
	}

	e := t.addEvent("set", text, list)
	if t.step >= t.Steps() && t.endsHere() {
		return e, t.finish()
	}
	return e, nil
}

// addEvent returns an event at the current step and appends it to the timeline,
// unless it is a set that changes nothing.
func (t *Training) addEvent(kind, text string, changes []config.Change) session.Event {
	e := session.Event{Step: t.step, Epoch: t.epoch(), Kind: kind, Text: text, Changes: changes}
	if kind != "set" || len(changes) > 0 {
		t.events = append(t.events, e)
	}
	return e
}

// epoch returns the number of epochs made, or 0 before there is an engine.
func (t *Training) epoch() float64 {
	if t.engine == nil {
		return 0
	}
	return float64(t.step) / float64(t.engine.StepsPerEpoch)
}

// Close frees what the training holds on the device, and the data if no
// other training shares them. The device stays open. A second call does
// nothing.
func (t *Training) Close() {
	if t.state != session.Closed {
		t.engine.Close()
		if t.sharers.Add(-1) == 0 {
			t.data.Close()
		}
		t.state = session.Closed
	}
}

// Run advances to the end of the annealing, or until the stop key ends it.
// If the context is canceled, it returns an error of kind Interrupted, and
// you can inspect and continue the training. report may be nil.
func (t *Training) Run(ctx context.Context, report func(session.Status)) error {
	defer t.engine.Rest()
	for {
		made, err := t.advance(ctx, t.Steps(), false)
		if err != nil {
			return err
		}
		if report != nil && made > 0 {
			report(t.Status())
		}
		if ctx.Err() != nil {
			return errs.New(errs.Interrupted, "", "interrupted at step %d of %d (epoch %.4g, τ = %.3g)", t.step, t.Steps(), t.epoch(), t.tau())
		}
		if made == 0 || t.Stopped() != "" {
			return nil
		}
	}
}

// Stopped says why the stop key would end a run now: in the last Advance the
// training settled or ran out of patience. Otherwise it returns "". Single
// steps continue regardless.
func (t *Training) Stopped() string { return t.stopped }

// observationInterval returns the number of steps between two regular looks
// at P: a hundredth of the annealing, in whole epochs. It depends only on
// the settings, so that settling does not depend on how steps were
// requested.
func (t *Training) observationInterval() int {
	return (t.settings.Epochs + 99) / 100 * t.engine.StepsPerEpoch
}

// looksEarly reports whether an early look at P follows a step.
func (t *Training) looksEarly(step int, single bool) bool {
	return single && step <= singleLooks || isEarlyLook(step, t.observationInterval(), t.Steps())
}

// stepsUntilLook returns the number of steps before the next look at P, at
// most engine.ChunkCapacity.
func (t *Training) stepsUntilLook(single bool) int {
	every := t.observationInterval()
	most := min(every-t.step%every, engine.ChunkCapacity)
	for n := 1; n < most; n++ {
		if t.looksEarly(t.step+n, single) {
			return n
		}
	}
	return most
}

// observe records a look at P. A regular look also predicts the validation
// rows, and decides whether the training has settled or run out of patience.
// An early look decides nothing.
func (t *Training) observe(early bool) error {
	o, err := t.engine.Observe(t.lookAt(t.step), t.tau())
	if err != nil {
		t.fail(err.Error())
		return err
	}

	validation := math.NaN()
	if rows := t.data.Parts.Validation; len(rows) > 0 && !early {
		p, err := t.predict(rows)
		if err != nil {
			return err
		}
		validation = t.scoreOf(rows, p.predictions).Value
	}

	t.record.addLook(t.step, o, early, validation)
	if early {
		return nil
	}

	settled := t.record.settledCount(t.settleTime()) == t.engine.Layout.K && t.canSettle()
	stop, err := config.ParseStop(t.settings.Stop)
	if err != nil {
		return err
	}

	newly := t.record.settle(settled)
	switch {
	case settled:
		if newly && stop.Settled {
			t.stopped = "every selector is settled"
		}
		t.state, t.reason = session.Settled, "every selector is settled"
	case stop.Patience > 0 && t.record.epochsWithoutBetterLoss(t.step/t.engine.StepsPerEpoch) >= stop.Patience:
		t.stopped = fmt.Sprintf("no better training loss in %s", phrase.Count(stop.Patience, "epoch"))
		t.reason = t.stopped
		t.record.forgetBestLoss(t.step / t.engine.StepsPerEpoch)
	}

	if t.stopped != "" {
		t.addEvent("stop", t.stopped, nil)
	}
	return nil
}

// canSettle reports whether selectors may count as settled now. Before the
// sharpness starts to grow, a high probability is too early to count.
func (t *Training) canSettle() bool { return t.settings.Sharpness <= 1 || t.sharpness() > 1 }

// recordSteps records the latest steps with the schedule and rates that they
// were made with.
func (t *Training) recordSteps(metrics []engine.Metrics, single bool) {
	course, perEpoch := t.course(), t.engine.StepsPerEpoch
	for i, m := range metrics {
		epoch := float64(t.step+i) / float64(perEpoch)
		made := measurement{
			float64(t.step + i + 1), m.Loss, m.LossClass, m.LossReconstruction, m.Accuracy,
			course.Tau(epoch), t.settings.LearningRate / t.settings.Slowing(t.step+i), t.settings.Lambda, course.Sharpness(epoch),
		}
		t.record.addStep(made, perEpoch)
		if single {
			t.record.addSingleStep(made)
		}
	}
}

// settleTime returns the number of steps that a leader must have led to
// count as settled: 5% of the annealing.
func (t *Training) settleTime() int { return t.Steps() / 20 }
