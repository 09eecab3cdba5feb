package fake

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

const (
	rows     = 40
	features = 50
	train    = rows / 2

	chunk     = 64                     // steps
	chunkTime = 500 * time.Microsecond // so that a run takes time
)

// Training is an engine for tests. The data key says what it does:
//
//	planted  goes well: settles after about six tenths of its epochs
//	nan:N    its loss is no number at step N
//	panic:N  panics at step N
//	long     goes well, but going back takes forever
//
// Any other data does not exist.
type Training struct {
	opened   config.Settings
	settings config.Settings
	step     int
	singly   []int   // steps made singly
	weight   float64 // stands for the parameters: depends on every step and the live keys of that step
	state    session.State
	reason   string
	stopped  string
	events   []session.Event
	looks    int

	failAt, panicAt int // steps, or -1
	long            bool
	busy            chan struct{} // detects two callers at once
}

// Open opens a training as a host's opener does.
func Open(ctx context.Context, settings config.Settings, _ string) (session.Training, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	settings = settings.ForData(train) // so that an epoch has several steps
	t := &Training{opened: settings, settings: settings, state: session.Idle, failAt: -1, panicAt: -1, busy: make(chan struct{}, 1)}
	word, number, _ := strings.Cut(settings.Data, ":")
	at, err := strconv.Atoi(cmp.Or(number, "0"))
	switch {
	case err != nil:
		return nil, errs.New(errs.Request, "give a step", "data = %q", settings.Data)
	case word == "nan":
		t.failAt = at
	case word == "panic":
		t.panicAt = at
	case word == "long":
		t.long = true
	case word != "planted":
		return nil, errs.New(errs.NotFound, "did you mean planted?", "there is no data set %q", settings.Data)
	}
	if settings.K > features {
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", features), "k = %d is more than the %d features", settings.K, features)
	}
	t.event("open", settings.Data, nil)
	return t, nil
}

// alone panics if two goroutines use the training at once, because a host must
// prevent that.
func (t *Training) alone() (leave func()) {
	select {
	case t.busy <- struct{}{}:
		return func() { <-t.busy }
	default:
		panic("sessiontest: two goroutines use one training")
	}
}

func (t *Training) stepsPerEpoch() int {
	if t.settings.Batch == 0 {
		return 1
	}
	return (train + t.settings.Batch - 1) / t.settings.Batch
}

func (t *Training) steps() int { return t.settings.Epochs * t.stepsPerEpoch() }

func (t *Training) epoch() float64 { return float64(t.step) / float64(t.stepsPerEpoch()) }

// Advance makes at most n steps.
func (t *Training) Advance(ctx context.Context, n int) (int, error) {
	defer t.alone()()
	t.stopped = ""
	if t.state == session.Broken {
		return 0, errs.New(errs.Failed, "open it again", "the training failed: %s", t.reason)
	}
	count := min(n, chunk, t.steps()-t.step)
	if count <= 0 {
		return 0, nil
	}
	select {
	case <-ctx.Done():
		return 0, nil
	case <-time.After(chunkTime):
	}
	for made := range count {
		switch t.step {
		case t.panicAt:
			panic("the engine fell over\nin a heap")
		case t.failAt:
			t.state, t.reason = session.Broken, fmt.Sprintf("the loss is not a number at step %d", t.step)
			t.event("stop", t.reason, nil)
			return made, errs.New(errs.Failed, "try a smaller learning_rate", "training stopped: %s", t.reason)
		}
		if t.advance() {
			return made + 1, nil // callers who wait for this want to stop here
		}
	}
	return count, nil
}

// Step makes at most n steps and records a point for each.
func (t *Training) Step(ctx context.Context, n int) (int, error) {
	from := t.step
	made, err := t.Advance(ctx, n)
	for step := from + 1; step <= from+made; step++ {
		t.singly = append(slices.Clip(t.singly), step)
	}
	return made, err
}

// advance makes one step and reports whether it settled the training.
func (t *Training) advance() (settled bool) {
	t.weight += t.settings.LearningRate * math.Sin(float64(t.step)+float64(t.settings.Seed)) * (1 + t.settings.Lambda)
	t.step++
	return t.settle()
}

// settle ends a step and reports whether the training settled in it. Only then
// can the stop key end a run.
func (t *Training) settle() (now bool) {
	before := t.state
	t.state, t.reason = session.Paused, ""
	switch {
	case t.probability() >= 0.9:
		t.state, t.reason = session.Settled, "every selector is settled"
		now = before != session.Settled
		if now && t.settings.Stop == "settled" {
			t.stopped = t.reason
		}
	case t.step == t.steps():
		t.state, t.reason = session.Done, "all epochs are done"
	}
	return now
}

// Stopped says why the last Advance would end a run.
func (t *Training) Stopped() string { return t.stopped }

// Set changes live keys.
func (t *Training) Set(changes session.Config) (session.Event, error) {
	defer t.alone()()
	next, list, err := t.settings.Apply(changes)
	if err != nil {
		return session.Event{}, err
	}
	if next.Epochs*t.stepsPerEpoch() < t.step {
		return session.Event{}, errs.New(errs.Request, "choose more", "epochs = %d is already over", next.Epochs)
	}
	t.settings = next.ForData(train)
	if t.state == session.Done && t.step < t.steps() {
		t.state, t.reason = session.Paused, ""
	}
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s %s → %s", c.Key, c.From, c.To))
	}
	return t.event("set", cmp.Or(strings.Join(words, ", "), "nothing changed"), list), nil
}

func (t *Training) event(kind, text string, changes []config.Change) session.Event {
	e := session.Event{Step: t.step, Epoch: t.epoch(), Kind: kind, Text: text, Changes: changes}
	t.events = append(t.events, e)
	return e
}

// Close ends the training.
func (t *Training) Close() {
	defer t.alone()()
	t.state = session.Closed
}
