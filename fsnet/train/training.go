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
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Training is one live training: its data, its state on the device and what was recorded. It is for one goroutine at a time.
type Training struct {
	moment
	device  *device.Device
	data    *dataset.Prepared
	sharers *atomic.Int32        // of data: trainings with one past, each in a goroutine of its own; the last one closes it
	columns []int                // of data.Scaled that remain after screening, in the order of the graph: sorted by feature name
	signs   []float32            // of each column: 1, or −1 where the graph has it turned; nil: none is
	slots   []int                // of each class: its output of the network, in the order of first appearance; of a quantity one
	target  target               // what is known of the training rows
	known   *dataset.Constraints // what is known of the features beforehand, or nil
	bias    *dataset.LogitBias   // the same in the order of the graph, or nil

	engine  *engine.Engine
	stopped string // why the stop key ended the last Advance, or ""

	record      record
	events      []session.Event
	checkpoints checkpoints
	looks       int   // at the test rows
	built       []int // evaluation=as-built: the feature of each selector before the first step, else nil
	pace        nn.Pace
	finish      finish
}

// moment is where a training stands.
type moment struct {
	settings config.Settings // in force
	step     int
	state    session.State
	reason   string
}

// Open prepares the data, computes the embedding and draws the parameters of step 0. The graph is compiled by the first step, in
// about a second, unless the device has a program of the same shape.
func Open(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings) (*Training, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := engine.CheckMemory(ctx, device.Name, data, settings); err != nil {
		return nil, err
	}
	return openWith(ctx, device, data, settings, engine.MostDense)
}

// openWith is Open without a look at the memory, where the training rows of sparse data are streamed from so many numbers on.
func openWith(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings, most int) (*Training, error) {
	p, err := dataset.PrepareContext(ctx, data, settings)
	if err != nil {
		return nil, err
	}
	if err := settings.CheckBins(len(p.Parts.Train)); err != nil {
		p.Close()
		return nil, err
	}
	settings.Pairs = data.PairedBy() // a model must know of it, also where only the data say so
	t := &Training{moment: moment{settings: settings, state: session.Idle}, device: device, data: p, sharers: new(atomic.Int32)}
	t.sharers.Add(1)
	t.columns = sortedByName(p)
	t.slots, t.target = targetOf(p)
	if t.known, err = dataset.ReadConstraints(settings, p.Dataset); err != nil {
		return nil, err
	}
	if err := t.screen(ctx); err != nil {
		return nil, err
	}
	if err := t.checkKnown(); err != nil {
		return nil, err
	}
	if err := t.openRows(ctx, most); err != nil {
		p.Close()
		return nil, err
	}
	if t.settings.Evaluation == config.AsBuilt {
		if t.built, err = t.sampled(); err != nil {
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
	t.event("open", text, nil)
	if err := t.checkpoint(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Steps is the number of steps in the whole annealing.
func (t *Training) Steps() int { return t.settings.Epochs * t.engine.StepsPerEpoch }

// Advance makes at most n steps and at most about 100 ms of them, and returns how many it made: 0 without an error where the
// annealing is over. A cancelled context makes it return before the next step. Where a loss stops being a number the training
// keeps the state before that step, fails, and says which tensor it was.
func (t *Training) Advance(ctx context.Context, n int) (made int, err error) {
	return t.advance(ctx, n, false)
}

// Step is Advance for steps that somebody makes one by one: each gets a point of its own in the curves.
func (t *Training) Step(ctx context.Context, n int) (made int, err error) {
	return t.advance(ctx, n, true)
}

func (t *Training) advance(ctx context.Context, n int, singly bool) (made int, err error) {
	count, err := t.allowed(ctx, n, singly)
	if count == 0 || err != nil {
		return 0, err
	}
	start := time.Now()
	metrics, broken, err := t.engine.Advance(t.step, count, t.settings.Live)
	if err != nil {
		t.fail(err.Error())
		return 0, err
	}
	return len(metrics), t.absorb(count, time.Since(start), metrics, broken, singly)
}

// allowed is how many of n steps may be made before somebody has to look: 0 where the annealing is over or the context has ended.
func (t *Training) allowed(ctx context.Context, n int, singly bool) (int, error) {
	t.stopped = ""
	switch t.state {
	case session.Broken:
		return 0, errs.New(errs.Failed, "open it again, perhaps with a smaller learning_rate", "the training failed: %s", t.reason)
	case session.Closed:
		return 0, errs.New(errs.NotFound, "open it again", "the training is closed")
	}
	if ctx.Err() != nil {
		return 0, nil //nolint:nilerr // whoever cancelled knows it; the steps made so far are good
	}
	return max(0, min(n, t.Steps()-t.step, t.untilLook(singly), t.pace.Steps(engine.ChunkCapacity))), nil
}

// absorb takes in what the engine did: it made the steps of these metrics, of count that were asked for in a call that took some time,
// and what is broken stopped being a number in the next. The engine is in the state after them.
func (t *Training) absorb(count int, took time.Duration, metrics []engine.Metrics, broken string, singly bool) error {
	t.pace.Note(count, took)
	t.recordSteps(metrics, singly)
	t.step += len(metrics)
	t.state, t.reason = session.Paused, ""
	if broken != "" {
		t.fail(fmt.Sprintf("the %s is not a number at step %d", broken, t.step))
		return errs.New(errs.Failed, "the state before it is kept; try a smaller learning_rate or lambda, or a larger tau_end",
			"training stopped: %s", t.reason)
	}
	switch {
	case t.step%t.observationInterval() == 0 || t.step == t.Steps():
		if err := t.observe(); err != nil {
			return err
		}
	case t.looksEarly(t.step, singly):
		if err := t.lookEarly(); err != nil {
			return err
		}
	}
	if t.step >= t.Steps() && t.state != session.Settled {
		t.end()
	}
	return t.checkpoint()
}

// end notes that the annealing is over.
func (t *Training) end() {
	t.state, t.reason = session.Done, "its one epoch is done"
	if t.settings.Epochs > 1 {
		t.reason = fmt.Sprintf("all %d epochs are done", t.settings.Epochs)
	}
}

func (t *Training) fail(reason string) {
	t.state, t.reason = session.Broken, reason
	t.event("stop", reason, nil)
}

// Set changes live keys from the next step on and returns what changed.
func (t *Training) Set(changes config.Config) (session.Event, error) {
	next, list, err := t.settings.Apply(changes)
	if err != nil {
		return session.Event{}, err
	}
	next = next.ForData(t.engine.Layout.Rows) // epochs=auto
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
	t.settings, t.finish.heads = next, nil
	switch over := t.step == next.Epochs*perEpoch; {
	case t.state == session.Done && !over:
		t.state, t.reason = session.Paused, ""
	case t.state == session.Paused && over:
		t.end()
	}
	text := "nothing changed"
	if len(list) > 0 {
		parts := make([]string, len(list))
		for i, c := range list {
			parts[i] = fmt.Sprintf("%s %s → %s", c.Key, c.From, c.To)
		}
		text = strings.Join(parts, ", ")
	}
	return t.event("set", text, list), nil
}

// event puts something that happened on the timeline.
func (t *Training) event(kind, text string, changes []config.Change) session.Event {
	e := session.Event{Step: t.step, Epoch: t.epoch(), Kind: kind, Text: text, Changes: changes}
	if kind != "set" || len(changes) > 0 {
		t.events = append(t.events, e)
	}
	return e
}

func (t *Training) epoch() float64 {
	if t.engine == nil {
		return 0
	}
	return float64(t.step) / float64(t.engine.StepsPerEpoch)
}

// Close frees what the training holds on the device, and the disk that its data take where no other training shares them.
func (t *Training) Close() {
	if t.state != session.Closed {
		t.engine.Close()
		if t.sharers.Add(-1) == 0 {
			t.data.Close()
		}
		t.state = session.Closed
	}
}

// Run advances to the end of the annealing, or until the stop key ends it. Where the context is cancelled it returns an error of kind
// Interrupted and the training stays as it is, to be looked at or run on. report may be nil.
func (t *Training) Run(ctx context.Context, report func(session.Status)) error {
	for {
		made, err := t.Advance(ctx, t.Steps())
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

// Stopped says why the stop key would end a run here: the last Advance saw the training settle, or run out of patience. It is ""
// otherwise. Steps that are asked for one by one go on regardless.
func (t *Training) Stopped() string { return t.stopped }

// observationInterval is how many steps lie between two looks at P: a hundredth of the annealing in whole epochs. It is a function of
// the settings alone, so that settling does not depend on how the steps were asked for.
func (t *Training) observationInterval() int {
	return (t.settings.Epochs + 99) / 100 * t.engine.StepsPerEpoch
}

// looksEarly reports whether the training looks at P after a step that is no regular look.
func (t *Training) looksEarly(step int, singly bool) bool {
	return singly && step <= singleLooks || isEarlyLook(step, t.observationInterval(), t.Steps())
}

// untilLook returns how many steps lie before the next look at P, at most engine.ChunkCapacity.
func (t *Training) untilLook(singly bool) int {
	every := t.observationInterval()
	most := min(every-t.step%every, engine.ChunkCapacity)
	for n := 1; n < most; n++ {
		if t.looksEarly(t.step+n, singly) {
			return n
		}
	}
	return most
}

// lookEarly looks at P so that it is seen, and decides nothing.
func (t *Training) lookEarly() error {
	o, err := t.engine.Observe(t.look(t.step), t.tau())
	if err != nil {
		t.fail(err.Error())
		return err
	}
	t.record.sawEarly(t.step, o)
	return nil
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
	t.record.saw(t.step, o, validation)

	settled := t.record.settled(t.settleTime()) == t.engine.Layout.K && t.canSettle()
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
		t.event("stop", t.stopped, nil)
	}
	return nil
}

// canSettle reports whether the training may settle now. Before the sharpness starts to grow, a high probability comes too early to count.
func (t *Training) canSettle() bool { return t.settings.Sharpness <= 1 || t.sharpness() > 1 }

// recordSteps records the steps just made, with the schedule and rates that they were made with.
func (t *Training) recordSteps(metrics []engine.Metrics, singly bool) {
	course, perEpoch := t.course(), t.engine.StepsPerEpoch
	for i, m := range metrics {
		epoch := float64(t.step+i) / float64(perEpoch)
		made := measures{
			Step: t.step + i + 1,
			Loss: m.Loss, LossClass: m.LossClass, LossReconstruction: m.LossReconstruction, Accuracy: m.Accuracy,
			Tau: course.Tau(epoch), LearningRate: t.settings.LearningRate / t.settings.Slowing(t.step+i),
			Lambda: t.settings.Lambda, Sharpness: course.Sharpness(epoch),
		}
		t.record.made(made, perEpoch)
		if singly {
			t.record.singly(made)
		}
	}
}

// settleTime is how many steps a leader must have led to count as settled: 5% of the annealing.
func (t *Training) settleTime() int { return t.Steps() / 20 }
