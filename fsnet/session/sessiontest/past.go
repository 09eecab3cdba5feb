package sessiontest

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Rewind goes back to a step.
func (t *Training) Rewind(ctx context.Context, step int) error {
	defer t.alone()()
	past, err := t.past(ctx, step)
	if err != nil {
		return err
	}
	from, busy := t.step, t.busy
	*t = *past
	t.busy = busy
	t.event("rewind", fmt.Sprintf("rewound from step %d", from), nil)
	return nil
}

// Fork makes a training with the same past up to a step.
func (t *Training) Fork(ctx context.Context, step int) (*Training, error) {
	defer t.alone()()
	fork, err := t.past(ctx, step)
	if err != nil {
		return nil, err
	}
	fork.event("fork", fmt.Sprintf("forked at step %d", step), nil)
	return fork, nil
}

// past makes all steps again up to one, with what was set on the way.
func (t *Training) past(ctx context.Context, step int) (*Training, error) {
	if t.long {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if step < 0 || step > t.step {
		return nil, fault.New(fault.Failed, "", "the host let step %d through", step)
	}
	past := *t
	past.busy = make(chan struct{}, 1)
	past.events = slices.Clone(t.events)
	if step == t.step && t.state != session.Broken {
		return &past, nil
	}
	past.settings, past.step, past.weight, past.state, past.reason, past.stopped, past.events = t.opened, 0, 0, session.Idle, "", "", nil
	for _, e := range t.events {
		if e.Step > step || e.Kind == "stop" {
			continue
		}
		for past.step < e.Step {
			past.advance()
		}
		past.events = append(past.events, e)
		if e.Kind != "set" {
			continue
		}
		var changes config.Config
		for _, c := range e.Changes {
			if err := changes.Set(c.Key, c.To); err != nil {
				return nil, err
			}
		}
		next, _, err := past.settings.Apply(changes)
		if err != nil {
			return nil, err
		}
		past.settings = next
	}
	for past.step < step {
		past.advance()
	}
	return &past, nil
}
