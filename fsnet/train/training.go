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

// continued returns the reason that a training shows while it continues after
// its ending. Before the ending it returns "".
func (p position) continued() string {
	if p.ending == nil {
		return ""
	}
	return fmt.Sprintf("training on: the final networks belong to step %d", p.ending.step)
}

// Open prepares the data, computes the embedding and draws the parameters of
// step 0. The caller must close the training. Unless the device already has a
// program of the same shape, the first step compiles the graph, in about a
// second.
func Open(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings) (*Training, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := engine.CheckMemory(ctx, device.Name, data, settings); err != nil {
		return nil, err
	}
	return openWith(ctx, device, data, settings, engine.MostDense)
}

// OpenPrepared is like [Open] for dense data that are already prepared. Several
// trainings may share them. It panics if p was prepared for other settings (see
// [dataset.Prepared.Suits]).
func OpenPrepared(ctx context.Context, device *device.Device, p *dataset.Prepared, settings config.Settings) (*Training, error) {
	if p.Sparse() || !p.Suits(settings) {
		panic("train: data that were prepared otherwise")
	}
	if err := engine.CheckMemory(ctx, device.Name, p.Dataset, settings); err != nil {
		return nil, err
	}
	return openPrepared(ctx, device, p, settings, engine.MostDense)
}

// openWith does the work of Open without checking the memory. It streams sparse
// training rows if they have more than most numbers, and makes them dense
// otherwise.
func openWith(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings, most int) (*Training, error) {
	p, err := dataset.PrepareContext(ctx, data, settings)
	if err != nil {
		return nil, err
	}
	return openPrepared(ctx, device, p, settings, most)
}

// openPrepared opens a training on prepared data. Sparse training rows with
// more than most numbers are streamed.
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

// Advance makes at most n steps, or about as many as 100 ms allow, and returns
// how many it made. At the end of the annealing it returns 0 without an error.
// If the context is canceled, it returns before the next step. If a loss is not
// a number, the training fails. It then keeps the state before that step, and
// the error names the broken tensor.
func (t *Training) Advance(ctx context.Context, n int) (made int, err error) {
	if made, err = t.advance(ctx, n, false); err == nil {
		err = t.scoreFinal()
	}
	return made, err
}

// Step is like [Training.Advance], but also records a point of the curves for
// each single step.
func (t *Training) Step(ctx context.Context, n int) (made int, err error) {
	if made, err = t.advance(ctx, n, true); err == nil {
		err = t.scoreFinal()
	}
	return made, err
}

// advance does the work of Advance, or of Step if single is true, but does not
// train the final networks.
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
		return 0, nil //nolint:nilerr // the caller canceled; the steps made so far are good
	}
	return max(0, min(n, t.Steps()-t.step, t.stepsUntilLook(single), t.pace.Steps(engine.ChunkCapacity))), nil
}

// absorb records the results of a call of the engine that was to make count
// steps and took this time. metrics holds one entry for each step that
// succeeded. If a step failed, broken names the tensor that was not a number;
// otherwise it is empty. The engine is in the state after the steps that
// succeeded.
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

// endAnnealing marks the annealing as completed.
func (t *Training) endAnnealing() {
	t.state, t.reason = session.Done, "its one epoch is done"
	if t.settings.Epochs > 1 {
		t.reason = fmt.Sprintf("all %d epochs are done", t.settings.Epochs)
	}
}

// fail puts the training into the state Broken and records the event. To
// continue it, you must rewind it.
func (t *Training) fail(reason string) {
	t.state, t.reason = session.Broken, reason
	t.addEvent("stop", reason, nil)
}

// Set changes live keys from the next step on, and returns the event with the
// changes. If all values are as before, it does not record the event. If a key
// is not live, a value is not accepted, or the training is already beyond the
// new number of epochs, the error is of kind Request and nothing changes.
//
// If the new number of epochs ends the annealing at the current step, Set also
// runs the contest.
func (t *Training) Set(changes config.Config) (session.Event, error) {
	e, err := t.set(changes)
	if err == nil {
		err = t.scoreFinal()
	}
	return e, err
}

// set does the work of Set, but does not train the final networks.
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

// addEvent appends an event at the current step to the timeline and returns it.
// It does not append a "set" that changes nothing.
func (t *Training) addEvent(kind, text string, changes []config.Change) session.Event {
	e := session.Event{Step: t.step, Epoch: t.epoch(), Kind: kind, Text: text, Changes: changes}
	if kind != "set" || len(changes) > 0 {
		t.events = append(t.events, e)
	}
	return e
}

// epoch returns the number of epochs made, with fractions. While the training
// is being opened, it returns 0.
func (t *Training) epoch() float64 {
	if t.engine == nil {
		return 0
	}
	return float64(t.step) / float64(t.engine.StepsPerEpoch)
}

// Close frees what the training holds on the device. It also closes the data if
// no other training shares them. The device stays open. You can call Close more
// than once.
func (t *Training) Close() {
	if t.state != session.Closed {
		t.engine.Close()
		if t.sharers.Add(-1) == 0 {
			t.data.Close()
		}
		t.state = session.Closed
	}
}

// Run advances to the end of the annealing, or until the key stop ends it. It
// calls report after every advance, unless report is nil. If the context is
// canceled, it returns an error of kind Interrupted. You can then inspect the
// training and continue it.
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

// Stopped returns why a run should stop now, according to the key stop: the
// training settled or ran out of patience in the last Advance. Otherwise it
// returns "". Single steps continue regardless.
func (t *Training) Stopped() string { return t.stopped }

// observationInterval returns the number of steps between two regular looks at
// P: a hundredth of the annealing, rounded up to whole epochs. It depends only
// on the settings, so a training settles at the same step, however steps are
// requested.
func (t *Training) observationInterval() int {
	return (t.settings.Epochs + 99) / 100 * t.engine.StepsPerEpoch
}

// looksEarly reports whether the training takes an early look at P after a
// step. single is true if the user requested single steps.
func (t *Training) looksEarly(step int, single bool) bool {
	return single && step <= singleLooks || isEarlyLook(step, t.observationInterval(), t.Steps())
}

// stepsUntilLook returns the number of steps until the next look at P, or
// engine.ChunkCapacity if that is less.
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
// rows, and decides whether the training has settled or run out of patience. An
// early look does neither.
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

// canSettle reports whether selectors can settle now. Before the sharpness
// starts to grow, a high probability comes too early to count.
func (t *Training) canSettle() bool { return t.settings.Sharpness <= 1 || t.sharpness() > 1 }

// recordSteps records the steps that the engine has just made, with the rates
// and schedule values that were used for them.
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
