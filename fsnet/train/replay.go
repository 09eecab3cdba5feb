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

// Rewind takes the training back to a step that it has made, exactly. What came after that step is forgotten, but for the looks at the
// test rows. Where the context is cancelled, or an error occurs, the training stays as it is.
//
// A training that failed may be rewound, and tried with other values.
func (t *Training) Rewind(ctx context.Context, step int) error {
	past, err := t.replayTo(ctx, step)
	if err != nil {
		return err
	}
	past.Rewind()
	return nil
}

// Fork is another training with the same past up to a step, on the same data and device. Both go on independently.
func (t *Training) Fork(ctx context.Context, step int) (*Training, error) {
	past, err := t.replayTo(ctx, step)
	if err != nil {
		return nil, err
	}
	return past.fork(), nil
}

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

// replay is a [session.Replay]: the steps from the nearest checkpoint before the step are made again, with every change of a live key where
// it was made.
type replay struct {
	of, training *Training
	events       []session.Event // still to happen again
	target       int
}

// Replay begins the way back to a step from 0 to the present one: beside the training, which may go on meanwhile. Once Advance is done, it
// can be looked at, take the training's place, or become another training; else it must be closed. Like a training it is for one goroutine at
// a time.
func (t *Training) Replay(step int) (session.Replay, error) {
	past, err := t.replay(step)
	if err != nil {
		return nil, err // not a nil *replay in an interface
	}
	return past, nil
}

func (t *Training) replay(step int) (*replay, error) {
	switch {
	case t.state == session.Closed:
		return nil, errs.New(errs.NotFound, "open it again", "the training is closed")
	case step < 0 || step > t.step:
		return nil, errs.New(errs.Request, fmt.Sprintf("choose a step from 0 to %d", t.step), "step %d was not made", step)
	}
	from := t.checkpoints.before(step)
	t.sharers.Add(1)
	past := &Training{
		moment: from.moment, device: t.device, data: t.data, sharers: t.sharers, columns: t.columns, signs: t.signs, slots: t.slots,
		target: t.target, known: t.known, bias: t.bias,
		engine: t.engine.Fork(from.theta, from.squares),
		record: t.record.until(from.step, from.mark), events: slices.Clone(t.events[:from.events]),
		checkpoints: t.checkpoints.until(from.step), looks: t.looks, pace: t.pace, built: t.built,
	}
	past.record.steps = slices.Clip(t.record.steps[:before(t.record.steps, step+1)]) // on the way back nobody makes them one by one
	return &replay{of: t, training: past, events: slices.Clone(t.events[from.events:]), target: step}, nil
}

// Step is the step that it has come to.
func (p *replay) Step() int { return p.training.step }

// Advance makes about 100 ms of steps again and says whether it has arrived. A context that ends is an error of kind Interrupted.
func (p *replay) Advance(ctx context.Context) (done bool, err error) {
	t := p.training
	next := p.target
	for len(p.events) > 0 && p.events[0].Step <= p.target {
		if next = p.events[0].Step; next > t.step {
			break
		}
		if err := t.again(p.events[0]); err != nil {
			return false, err
		}
		p.events, next = p.events[1:], p.target
	}
	if t.step == p.target { // looks at steps that somebody made one by one are not made again, but they would be the same
		t.record.looks = p.of.record.looksUntil(t.step)
		return true, nil
	}
	made, err := t.Advance(ctx, next-t.step)
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

// again lets an event of the past happen.
func (t *Training) again(e session.Event) error {
	switch e.Kind {
	case "set":
		var changes config.Config
		for _, c := range e.Changes {
			if err := changes.Set(c.Key, c.To); err != nil {
				return err
			}
		}
		_, err := t.Set(changes)
		return err
	case "stop": // a look at P makes it again, or a step that broke, which is not made
	default:
		t.events = append(t.events, e)
	}
	return nil
}

// Matrix is the selection matrix of the step that it has come to.
func (p *replay) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	request.Step = nil
	return p.training.Matrix(request)
}

// Rewind puts it in the place of the training that it is the past of. It must have arrived.
func (p *replay) Rewind() {
	t, past := p.of, p.training
	from, looks := t.step, t.looks
	t.engine.Close()
	t.sharers.Add(-1) // there was past, too
	*t = *past
	t.looks = looks
	t.event("rewind", fmt.Sprintf("rewound from step %d", from), nil)
	p.training = nil
}

// Fork makes it a training of its own. It must have arrived.
func (p *replay) Fork() session.Training { return p.fork() }

func (p *replay) fork() *Training {
	fork := p.training
	fork.looks = p.of.looks
	fork.event("fork", fmt.Sprintf("forked at step %d", fork.step), nil)
	p.training = nil
	return fork
}

// Close frees what it holds on the device, unless it has become a training.
func (p *replay) Close() {
	if p.training != nil {
		p.training.Close()
	}
}

// until are the checkpoints up to a step.
func (c *checkpoints) until(step int) checkpoints {
	at, _ := slices.BinarySearchFunc(c.list, step+1, func(c checkpoint, step int) int { return c.step - step })
	return checkpoints{list: slices.Clone(c.list[:at]), distance: c.distance}
}

// Resume is the training that a checkpoint was taken of, on the same data: the steps that follow are those that would have followed
// then, bit for bit on the same device. Earlier checkpoints of the same training, if there are any, shorten the way back of a rewind;
// others are passed over. On another device, or a processor of another kind, it goes on from the same numbers, but not to the same bits.
//
// The error is of kind Request, and names the difference, where the checkpoint is of other data.
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
	theta, squares, err := c.flat(t.engine.Layout.Architecture)
	if err != nil {
		t.Close()
		return nil, errs.Wrap(err, errs.Request, remedy, "%s does not fit its own settings", c.Path)
	}
	t.engine.Load(theta, squares)

	t.moment = c.moment()
	t.record, t.events, t.looks = c.record.snapshot(), slices.Clone(c.Events), c.TestLooks
	t.pace.Spent = c.Spent
	if t.Steps() != c.Steps {
		t.Close()
		return nil, errs.New(errs.Request, remedy, "%s has %d steps, but its settings make %d", c.Path, c.Steps, t.Steps())
	}
	if per, recorded := t.engine.StepsPerEpoch, c.record.stepsOfOpenEpoch(); recorded != c.Step%per {
		t.Close()
		return nil, errs.New(errs.Request, remedy, "%s has %d steps of an epoch at step %d, but its settings make epochs of %d", c.Path,
			recorded, c.Step, per)
	}
	for _, e := range append(slices.Clone(earlier), c) {
		t.checkpoints.restore(e, c, t.engine.Layout.Architecture)
	}
	if now := device.Name + ", " + device.Description; now != c.Backend+", "+c.Device {
		t.event("resume", fmt.Sprintf("on %s; before on %s, %s", now, c.Backend, c.Device), nil)
	}
	return t, nil
}

func (c *Checkpoint) moment() moment { return moment{c.Settings, c.Step, c.State, c.Reason} }

// flat is the parameters and RMSprop's state in the order of an architecture.
func (c *Checkpoint) flat(a method.Architecture) (theta, squares []float32, err error) {
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

// restore takes in a checkpoint of the past that led to the present one, which must come later than those taken in before. From one that
// broke nothing goes on: the way back to its step is made again from an earlier one.
func (c *checkpoints) restore(e, present *Checkpoint, a method.Architecture) {
	if e.State == session.Broken || e.Step > present.Step || e.Step <= c.list[len(c.list)-1].step || !e.precedes(present) {
		return
	}
	theta, squares, err := e.flat(a)
	if err != nil {
		return // it is of another training
	}
	c.list = append(c.list, checkpoint{
		moment: e.moment(), theta: theta, squares: squares,
		mark: e.record.now, events: len(e.Events),
	})
	for c.distance = max(c.distance, checkpointDistance); present.Step/c.distance > engine.MaxCheckpoints/2; {
		c.distance *= 2
	}
}

// precedes: what had happened then is how what had happened later begins, and nothing else happened before that step.
func (c *Checkpoint) precedes(later *Checkpoint) bool {
	n := len(c.Events)
	return c.DatasetHash == later.DatasetHash && len(c.Opened.Differences(later.Opened)) == 0 &&
		n <= len(later.Events) && slices.EqualFunc(c.Events, later.Events[:n], sameEvent) &&
		(n == len(later.Events) || later.Events[n].Step >= c.Step)
}

func sameEvent(a, b session.Event) bool {
	return a.Step == b.Step && a.Kind == b.Kind && a.Text == b.Text &&
		slices.EqualFunc(a.Changes, b.Changes, func(x, y config.Change) bool { return x == y })
}

// checkpoint is a training at one step, as far as it cannot be read off what was recorded later: about 30 kB.
type checkpoint struct {
	moment
	theta, squares []float32
	mark           mark
	events         int // how many had happened
}

// checkpoints are kept in memory, at most maxCheckpoints of them: when there are more, every other one is dropped and the distance
// doubled. So the way from a checkpoint to any step is at most a thirtieth of the training, and what they hold does not grow.
type checkpoints struct {
	list     []checkpoint // by step; the first is step 0
	distance int          // steps between two
}

// checkpointDistance is how many steps lie between two at first.
const checkpointDistance = 16

// checkpoint keeps the present state if the last one kept is far enough away.
func (t *Training) checkpoint() error {
	c := &t.checkpoints
	c.distance = max(c.distance, checkpointDistance)
	if n := len(c.list); n > 0 && t.step-c.list[n-1].step < c.distance {
		return nil
	}
	theta, squares, err := t.engine.Parameters()
	if err != nil {
		t.fail(err.Error())
		return err
	}
	c.list = append(c.list, checkpoint{
		moment: t.moment, theta: theta, squares: squares,
		mark: t.record.now, events: len(t.events),
	})
	if len(c.list) > engine.MaxCheckpoints {
		c.distance *= 2
		at := 0
		c.list = slices.DeleteFunc(c.list, func(checkpoint) bool {
			at++
			return at%2 == 0 // the first, step 0, stays
		})
	}
	return nil
}

// before is the last checkpoint at or before a step.
func (c *checkpoints) before(step int) checkpoint {
	i, found := slices.BinarySearchFunc(c.list, step, func(c checkpoint, step int) int { return c.step - step })
	if !found {
		i--
	}
	return c.list[i]
}
