package train

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
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
	return past.Fork(), nil
}

func (t *Training) replayTo(ctx context.Context, step int) (*Past, error) {
	past, err := t.Past(step)
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

// Past is the way back to a step that a training has made: beside that training, which may go on meanwhile, the steps from the nearest
// checkpoint before it are made again, with every change of a live key where it was made. Once [Past.Advance] is done, it can be looked
// at, take the training's place, or become another training; else it must be closed. Like a training it is for one goroutine at a time.
type Past struct {
	of, training *Training
	events       []session.Event // still to happen again
	target       int
}

// Past begins the way back to a step from 0 to the present one.
func (t *Training) Past(step int) (*Past, error) {
	switch {
	case t.state == session.Closed:
		return nil, fault.New(fault.NotFound, "open it again", "the training is closed")
	case step < 0 || step > t.step:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose a step from 0 to %d", t.step), "step %d was not made", step)
	}
	from := t.checkpoints.before(step)
	t.sharers.Add(1)
	past := &Training{
		settings: from.settings, device: t.device, data: t.data, sharers: t.sharers, columns: t.columns, slots: t.slots,
		target: t.target, known: t.known, tilt: t.tilt,
		engine: t.engine.At(from.theta, from.squares), step: from.step, state: from.state, reason: from.reason,
		record: t.record.Until(from.step, from.mark), events: slices.Clone(t.events[:from.events]),
		checkpoints: t.checkpoints.until(from.step), looks: t.looks, throughput: t.throughput, built: t.built,
	}
	return &Past{of: t, training: past, events: slices.Clone(t.events[from.events:]), target: step}, nil
}

// Step is the step that it has come to.
func (p *Past) Step() int { return p.training.step }

// Advance makes about 100 ms of steps again and says whether it has arrived. A context that ends is an error of kind Interrupted.
func (p *Past) Advance(ctx context.Context) (done bool, err error) {
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
	if t.step == p.target {
		return true, nil
	}
	made, err := t.Advance(ctx, next-t.step)
	switch {
	case ctx.Err() != nil:
		return false, fault.New(fault.Interrupted, "", "interrupted on the way back to step %d", p.target)
	case err != nil:
		return false, err
	case made == 0:
		return false, fault.New(fault.Failed, "this is a defect: report it", "step %d cannot be reached again from step %d", p.target, t.step)
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
func (p *Past) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	request.Step = nil
	return p.training.Matrix(request)
}

// Rewind puts it in the place of the training that it is the past of. It must have arrived.
func (p *Past) Rewind() {
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
func (p *Past) Fork() *Training {
	fork := p.training
	fork.looks = p.of.looks
	fork.event("fork", fmt.Sprintf("forked at step %d", fork.step), nil)
	p.training = nil
	return fork
}

// Close frees what it holds on the device, unless it has become a training.
func (p *Past) Close() {
	if p.training != nil {
		p.training.Close()
	}
}

// until are the checkpoints up to a step.
func (c *checkpoints) until(step int) checkpoints {
	at, _ := slices.BinarySearchFunc(c.list, step+1, func(c checkpoint, step int) int { return c.step - step })
	return checkpoints{list: slices.Clone(c.list[:at]), distance: c.distance}
}
