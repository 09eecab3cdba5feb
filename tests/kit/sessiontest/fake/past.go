package fake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// Replay repeats a training from the beginning up to a step.
type Replay struct {
	of, training *Training
	events       []session.Event // still to repeat
	target       int
}

// Replay starts a replay to a step.
func (t *Training) Replay(step int) (session.Replay, error) {
	defer t.alone()()
	if step < 0 || step > t.step {
		return nil, errs.New(errs.Failed, "", "the host let step %d through", step)
	}
	past := *t
	past.busy = make(chan struct{}, 1)
	past.events = slices.Clone(t.events)
	past.singly = slices.DeleteFunc(slices.Clone(t.singly), func(single int) bool { return single > step })
	if step == t.step && t.state != session.Broken && !t.long {
		return &Replay{of: t, training: &past, target: step}, nil
	}
	past.settings, past.step, past.weight, past.state, past.reason, past.stopped, past.events = t.opened, 0, 0, session.Idle, "", "", nil
	return &Replay{of: t, training: &past, events: slices.Clone(t.events), target: step}, nil
}

// Step returns the step it has reached.
func (p *Replay) Step() int { return p.training.step }

// Advance repeats the steps up to the next event, and the event.
func (p *Replay) Advance(ctx context.Context) (done bool, err error) {
	defer p.of.alone()()
	t := p.training
	if t.long { // it takes time, chunk by chunk, and never arrives
		select {
		case <-ctx.Done():
		case <-time.After(chunkTime):
			return false, nil
		}
	}
	if ctx.Err() != nil {
		return false, errs.New(errs.Interrupted, "", "interrupted on the way back")
	}
	for len(p.events) > 0 && p.events[0].Step <= p.target {
		e := p.events[0]
		if t.step < e.Step {
			t.advance()
			return false, nil
		}
		p.events = p.events[1:]
		if err := t.again(e); err != nil {
			return false, err
		}
	}
	if t.step < p.target {
		t.advance()
	}
	return t.step == p.target, nil
}

// again repeats a past event.
func (t *Training) again(e session.Event) error {
	if e.Kind == "stop" {
		return nil
	}
	t.events = append(t.events, e)
	if e.Kind != "set" {
		return nil
	}
	var changes config.Config
	for _, c := range e.Changes {
		if err := changes.Set(c.Key, c.To); err != nil {
			return err
		}
	}
	next, _, err := t.settings.Apply(changes)
	t.settings = next
	return err
}

// Matrix returns the matrix at its step.
func (p *Replay) Matrix(request session.MatrixRequest) (session.Matrix, error) {
	return p.training.Matrix(request)
}

// Rewind replaces the training's state by the replay's.
func (p *Replay) Rewind() {
	defer p.of.alone()()
	t := p.of
	from, busy, looks := t.step, t.busy, t.looks
	*t = *p.training
	t.busy, t.looks = busy, looks
	t.event("rewind", fmt.Sprintf("rewound from step %d", from), nil)
}

// Fork returns the replay as a separate training.
func (p *Replay) Fork() session.Training {
	defer p.of.alone()()
	p.training.looks = p.of.looks
	p.training.event("fork", fmt.Sprintf("forked at step %d", p.training.step), nil)
	return p.training
}

// Close does nothing.
func (p *Replay) Close() {}
