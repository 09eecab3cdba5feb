package train

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/session"
)

// Rewind takes the training back to a step that it has made, exactly. It
// discards what came after that step, except the count of looks at the test
// rows. If the context is canceled or there is an error, the training does
// not change.
//
// You can rewind a failed training and continue with other values.
func (t *Training) Rewind(ctx context.Context, step int) error {
	past, err := t.replayTo(ctx, step)
	if err != nil {
		return err
	}
	past.Rewind()
	return nil
}

// Fork returns another training with the same past up to a step, on the same
// data and device. Both continue independently.
func (t *Training) Fork(ctx context.Context, step int) (*Training, error) {
	past, err := t.replayTo(ctx, step)
	if err != nil {
		return nil, err
	}
	return past.fork(), nil
}

// replayTo returns a replay that has reached step. The caller must then call
// its Rewind or fork.
func (t *Training) replayTo(ctx context.Context, step int) (*replay, error) {
	past, err := t.replay(step)
	if err != nil {
		return nil, err
	}
	for done := false; !done; {
		if done, err = past.Advance(ctx); err != nil {
			past.Close()
			return nil, err
		}
	}
	return past, nil
}

// replay is a [session.Replay]. It repeats the steps from the nearest
// checkpoint before a step, with every change of a live key at its step.
type replay struct {
	source, training *Training       // the training itself, and the copy that repeats its steps
	events           []session.Event // events that remain to be repeated
	target           int
}

// Replay starts to recompute a step, from 0 to the current one, from the
// nearest checkpoint before it. The training may continue in the meantime. Once
// Advance reports done, you can inspect the replay, let it replace the
// training, or fork it. Otherwise the caller must close it. Only one goroutine
// may use it at a time.
func (t *Training) Replay(step int) (session.Replay, error) {
	past, err := t.replay(step)
	if err != nil {
		return nil, err // This is not a nil *replay in an interface.
	}
	return past, nil
}

// replay does the work of Replay. It returns an error if the training is closed
// or has not reached the step.
func (t *Training) replay(step int) (*replay, error) {
	switch {
	case t.state == session.Closed:
		return nil, errs.New(errs.NotFound, "open it again", "the training is closed")
	case step < 0 || step > t.step:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose a step from 0 to %d", t.step), "step %d was not made", step)
	}

	from := t.checkpoints.lastAt(step)
	t.sharers.Add(1)
	past := &Training{
		position: from.position, device: t.device, data: t.data, sharers: t.sharers, columns: t.columns, signs: t.signs, slots: t.slots,
		target: t.target, table: t.table, known: t.known, bias: t.bias, pairs: t.pairs, lead: t.lead,
		engine: t.engine.Fork(from.theta, from.squares),
		record: t.record.upTo(from.step, from.recorded), events: slices.Clone(t.events[:from.events]),
		checkpoints: t.checkpoints.upTo(from.step), looks: t.looks, pace: t.pace, built: t.built,
	}

	if err := past.hold(past.held()); err != nil {
		past.Close()
		return nil, err
	}

	// Steps of the replay are not recorded singly, so take the points from the
	// training.
	past.record.steps = slices.Clip(t.record.steps[:countBefore(t.record.steps, step+1)])
	return &replay{source: t, training: past, events: slices.Clone(t.events[from.events:]), target: step}, nil
}

// Step returns the step that the replay has reached.
func (p *replay) Step() int { return p.training.step }

// Advance repeats about 100 ms of steps and reports whether it has reached
// the target. If the context ends, the error is of kind Interrupted.
func (p *replay) Advance(ctx context.Context) (done bool, err error) {
	t := p.training
	next := p.target
	for len(p.events) > 0 && p.events[0].Step <= p.target {
		if next = p.events[0].Step; next > t.step {
			break
		}
		if err := t.repeat(p.events[0]); err != nil {
			return false, err
		}
		p.events, next = p.events[1:], p.target
	}

	if t.step == p.target { // The replay takes no looks at single steps, but they would be the same.
		t.record.looks = p.source.record.looksUntil(t.step)
		return true, nil
	}

	made, err := t.advance(ctx, next-t.step, false)
	switch {
	case ctx.Err() != nil:
		return false, errs.New(errs.Interrupted, "", "interrupted on the way back to step %d", p.target)
	case err != nil:
		return false, err
	case made == 0:
		return false, errs.New(errs.Failed, "this is a defect: report it", "step %d cannot be reached again from step %d", p.target, t.step)
	}
	return false, nil
}

// repeat applies an event of the past again and appends it to the timeline. It
// skips stops, contests and final networks, because the steps cause them again.
func (t *Training) repeat(e session.Event) error {
	switch e.Kind {
	case "set":
		var changes config.Config
		for _, c := range e.Changes {
			if t.settings.SetRule(c.Key, c.To) { // An older program changed a rule.
				continue
			}
			if err := changes.Set(c.Key, c.To); err != nil {
				return err
			}
		}
		before := len(t.events)
		if len(changes.Given()) > 0 {
			if _, err := t.set(changes); err != nil {
				return err
			}
		}
		if len(t.events) == before {
			t.events = append(t.events, e)
		}
		t.events[before] = e
	case "stop", "contest", "final": // A look at P causes these again. A step that broke is not repeated.
	default:
		t.events = append(t.events, e)
	}
	return nil
}

// Matrix returns the selection matrix of the step that the replay has
// reached.
func (p *replay) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	request.Step = nil
	return p.training.Matrix(request)
}

// Rewind replaces the training with the replay. The replay must have reached
// its step.
func (p *replay) Rewind() {
	t, past := p.source, p.training
	from, looks := t.step, t.looks

	t.engine.Close()
	t.sharers.Add(-1) // past has counted itself, too.
	past.inherit(t)
	*t = *past

	t.looks = looks
	t.addEvent("rewind", fmt.Sprintf("rewound from step %d", from), nil)
	p.training = nil
}

// Fork turns the replay into a training of its own. The replay must have
// reached its step.
func (p *replay) Fork() session.Training { return p.fork() }

// fork does the work of Fork and records the event. Closing the replay no
// longer closes the training.
func (p *replay) fork() *Training {
	fork := p.training
	fork.looks = p.source.looks
	fork.inherit(p.source)
	fork.addEvent("fork", fmt.Sprintf("forked at step %d", fork.step), nil)
	p.training = nil
	return fork
}

// inherit gives t the ending of later, with all scores that are known by now,
// if t includes that ending. t must be a past of later.
func (t *Training) inherit(later *Training) {
	if t.ending != nil {
		t.ending, t.scores = later.ending, later.scores
	}
}

// Close frees what the replay holds on the device. It does nothing after Rewind
// or Fork.
func (p *replay) Close() {
	if p.training != nil {
		p.training.Close()
	}
}

// upTo returns the checkpoints up to a step.
func (c *checkpoints) upTo(step int) checkpoints {
	at, _ := slices.BinarySearchFunc(c.list, step+1, func(c checkpoint, step int) int { return c.step - step })
	return checkpoints{list: slices.Clone(c.list[:at]), distance: c.distance}
}

// Resume continues the training of a checkpoint on the same data. On the same
// device, its steps equal those that the original would have made, bit for bit.
// On another device or processor they start from the same numbers but may
// differ in the last bits. Earlier checkpoints of the same training make later
// rewinds faster. Resume ignores checkpoints of other trainings.
//
// If the checkpoint is of other data, the error is of kind Request and names
// the difference.
func Resume(ctx context.Context, device *device.Device, data *dataset.Dataset, c *Checkpoint, earlier ...*Checkpoint) (*Training, error) {
	const remedy = "restore the data as they were, or open the session with replace=true"
	if data.Hash != c.DatasetHash {
		return nil, errs.New(errs.Request, remedy, "%s is of other data: %s with hash %.12s, but %s has hash %.12s", c.Path, c.Dataset,
			c.DatasetHash, data.Name, data.Hash)
	}

	t, err := Open(ctx, device, data, c.Opened)
	if err != nil {
		return nil, err
	}

	if t.known.Hash() != c.Known {
		t.Close()
		return nil, errs.New(errs.Request,
			"restore their files as they were, or open the session with replace=true",
			"%s was trained with other must, never, cost or feature_groups", c.Path)
	}

	theta, squares, err := c.flatten(t.engine.Layout.Architecture)
	if err != nil {
		t.Close()
		return nil, errs.Wrap(err, errs.Request, remedy, "%s does not fit its own settings", c.Path)
	}
	t.engine.Load(theta, squares)

	if !c.ending.fits(len(t.columns)) {
		t.Close()
		return nil, errs.New(errs.Request, remedy, "%s has a contest among more features than its data", c.Path)
	}
	t.position = c.position()
	t.record, t.events, t.looks = c.record.snapshot(), slices.Clone(c.Events), c.TestLooks
	t.pace.Spent = c.Spent

	if t.Steps() != c.Steps {
		t.Close()
		return nil, errs.New(errs.Request, remedy, "%s has %d steps, but its settings make %d", c.Path, c.Steps, t.Steps())
	}

	if per, recorded := t.engine.StepsPerEpoch, c.record.now.open.steps; recorded != c.Step%per {
		t.Close()
		return nil, errs.New(errs.Request, remedy, "%s has %d steps of an epoch at step %d, but its settings make epochs of %d", c.Path,
			recorded, c.Step, per)
	}

	if err := t.resumeEnding(c); err != nil {
		t.Close()
		return nil, err
	}

	for _, e := range append(slices.Clone(earlier), c) {
		t.checkpoints.restore(e, c, t.engine.Layout.Architecture)
	}

	if now := device.Name + ", " + device.Description; now != c.Backend+", "+c.Device {
		t.addEvent("resume", fmt.Sprintf("on %s; before on %s, %s", now, c.Backend, c.Device), nil)
	}
	return t, nil
}

// position returns the position of the training at the checkpoint.
func (c *Checkpoint) position() position {
	return position{c.Settings, c.Step, c.State, c.Reason, c.ending, c.scores}
}

// flatten returns the parameters and the state of RMSprop in the order of the
// architecture a. It returns an error if the checkpoint has other layers or
// shapes.
func (c *Checkpoint) flatten(a method.Architecture) (theta, squares []float32, err error) {
	list := a.Parameters()
	if len(list) != len(c.blocks) {
		return nil, nil, fmt.Errorf("it has %d blocks of parameters, not %d", len(c.blocks), len(list))
	}

	theta, squares = make([]float32, a.Size()), make([]float32, a.Size())
	for _, p := range list {
		i := slices.IndexFunc(c.blocks, func(b block) bool { return b.name == p.Name })
		if i < 0 {
			return nil, nil, fmt.Errorf("it has no %s", p.Name)
		}
		if !slices.Equal(c.blocks[i].dims, p.Dims) {
			return nil, nil, fmt.Errorf("its %s has shape %v, not %v", p.Name, c.blocks[i].dims, p.Dims)
		}
		copy(theta[p.Start:], c.blocks[i].theta)
		copy(squares[p.Start:], c.blocks[i].squares)
	}
	return theta, squares, nil
}

// restore adds the checkpoint e if it belongs to the past of present. It leaves
// out checkpoints of a broken training, because a training cannot continue from
// them. Callers must add checkpoints in the order of their steps.
func (c *checkpoints) restore(e, present *Checkpoint, a method.Architecture) {
	if !e.ending.fits(a.D) {
		return // A checkpoint of another training.
	}
	if e.State == session.Broken || e.Step > present.Step || e.Step <= c.list[len(c.list)-1].step || !e.precedes(present) {
		return
	}

	theta, squares, err := e.flatten(a)
	if err != nil {
		return // A checkpoint of another training.
	}

	c.list = append(c.list, checkpoint{
		position: e.position(), theta: theta, squares: squares,
		recorded: e.record.now, events: len(e.Events),
	})

	for c.distance = max(c.distance, checkpointDistance); present.Step/c.distance > engine.MaxCheckpoints/2; {
		c.distance *= 2
	}
}

// precedes reports whether c belongs to the past of later. It does if the
// events of later begin with those of c, and no other event happened before
// the step of c.
func (c *Checkpoint) precedes(later *Checkpoint) bool {
	n := len(c.Events)
	return c.DatasetHash == later.DatasetHash && len(c.Opened.Differences(later.Opened)) == 0 &&
		n <= len(later.Events) && slices.EqualFunc(c.Events, later.Events[:n], sameEvent) &&
		(n == len(later.Events) || later.Events[n].Step >= c.Step)
}

// sameEvent reports whether two events are equal.
func sameEvent(a, b session.Event) bool {
	return a.Step == b.Step && a.Kind == b.Kind && a.Text == b.Text &&
		slices.EqualFunc(a.Changes, b.Changes, func(x, y config.Change) bool { return x == y })
}

// checkpoint holds the part of a training at one step that cannot be derived
// from a later record. It takes about 30 kB.
type checkpoint struct {
	position
	theta, squares []float32
	recorded       recordState
	events         int // number of events until then
}

// checkpoints holds the checkpoints in memory, at most engine.MaxCheckpoints.
// If there are more, it drops every other one and doubles the distance. So a
// replay repeats at most a thirtieth of the training, and memory does not grow.
type checkpoints struct {
	list     []checkpoint // by step; the first is step 0
	distance int          // number of steps between two of them
}

// checkpointDistance is the initial number of steps between two checkpoints.
const checkpointDistance = 16

// checkpoint adds a checkpoint of the current step if the last one is far
// enough away. It also adds one if the training has just ended, so that a
// replay need not repeat the contest. If the device cannot be read, the
// training fails.
func (t *Training) checkpoint() error {
	c := &t.checkpoints
	c.distance = max(c.distance, checkpointDistance)
	ended := t.ending != nil && t.ending.step == t.step
	if n := len(c.list); n > 0 && t.step-c.list[n-1].step < c.distance && !ended {
		return nil
	}

	theta, squares, err := t.engine.Parameters()
	if err != nil {
		t.fail(err.Error())
		return err
	}

	c.list = append(c.list, checkpoint{
		position: t.position, theta: theta, squares: squares,
		recorded: t.record.now, events: len(t.events),
	})

	if len(c.list) > engine.MaxCheckpoints {
		c.distance *= 2
		at := 0
		c.list = slices.DeleteFunc(c.list, func(checkpoint) bool {
			at++
			return at%2 == 0 // The first, step 0, stays.
		})
	}
	return nil
}

// lastAt returns the last checkpoint at or before a step. There is always one,
// because step 0 has a checkpoint.
func (c *checkpoints) lastAt(step int) checkpoint {
	i, found := slices.BinarySearchFunc(c.list, step, func(c checkpoint, step int) int { return c.step - step })
	if !found {
		i--
	}
	return c.list[i]
}
