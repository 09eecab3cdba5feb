package fsnet

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Rewind takes the training back to a step that it has made, exactly: from the nearest checkpoint before it the steps are made again,
// with every change of a live key where it was made. What came after that step is forgotten, but for the looks at the test rows. Where
// the context is cancelled, or an error occurs, the training stays as it is.
//
// A training that failed may be rewound, and tried with other values.
func (t *Training) Rewind(ctx context.Context, step int) error {
	past, err := t.past(ctx, step)
	if err != nil {
		return err
	}
	from := t.step
	t.engine.close()
	looks := t.looks
	*t = *past
	t.looks = looks
	t.event("rewind", fmt.Sprintf("rewound from step %d", from), nil)
	return nil
}

// Fork is another training with the same past up to a step, on the same data and device. Both go on independently.
func (t *Training) Fork(ctx context.Context, step int) (*Training, error) {
	fork, err := t.past(ctx, step)
	if err != nil {
		return nil, err
	}
	fork.event("fork", fmt.Sprintf("forked at step %d", step), nil)
	return fork, nil
}

// past builds a training that stands where this one stood at a step.
func (t *Training) past(ctx context.Context, step int) (*Training, error) {
	switch {
	case t.state == session.Closed:
		return nil, fault.New(fault.NotFound, "open it again", "the training is closed")
	case step < 0 || step > t.step:
		return nil, fault.New(fault.Request, fmt.Sprintf("choose a step from 0 to %d", t.step), "step %d was not made", step)
	}
	from := t.checkpoints.before(step)
	past := &Training{
		settings: from.settings, device: t.device, data: t.data, columns: t.columns, slots: t.slots,
		engine: t.engine.at(from.theta, from.squares), step: from.step, state: from.state, reason: from.reason,
		watch: from.watch.clone(), record: t.record.until(from), events: slices.Clone(t.events[:from.events]),
		checkpoints: t.checkpoints.until(from.step), looks: t.looks, pace: t.pace,
	}
	if err := past.replay(ctx, t.events[from.events:], step); err != nil {
		past.Close()
		return nil, err
	}
	return past, nil
}

// replay makes the steps up to target again, with the events of the time.
func (t *Training) replay(ctx context.Context, events []session.Event, target int) error {
	for _, e := range events {
		if e.Step > target {
			break
		}
		if err := t.advanceTo(ctx, e.Step); err != nil {
			return err
		}
		switch e.Kind {
		case "set":
			var changes Config
			for _, c := range e.Changes {
				if err := changes.Set(c.Key, c.To); err != nil {
					return err
				}
			}
			if _, err := t.Set(changes); err != nil {
				return err
			}
		case "stop": // a look at P makes it again, or a step that broke, which is not made
		default:
			t.events = append(t.events, e)
		}
	}
	return t.advanceTo(ctx, target)
}

// advanceTo makes steps until the training stands at a step.
func (t *Training) advanceTo(ctx context.Context, step int) error {
	for t.step < step {
		made, err := t.Advance(ctx, step-t.step)
		switch {
		case ctx.Err() != nil:
			return fault.New(fault.Interrupted, "", "interrupted on the way back to step %d", step)
		case err != nil:
			return err
		case made == 0:
			return fault.New(fault.Failed, "this is a defect: report it", "step %d cannot be reached again from step %d", step, t.step)
		}
	}
	return nil
}

// until is what was recorded before a checkpoint.
func (r *record) until(c checkpoint) record {
	seen := r.observations
	at, _ := slices.BinarySearchFunc(seen, c.step+1, func(o observationRecord, step int) int { return o.step - step })
	return record{steps: r.steps[:c.step:c.step], observations: seen[:at:at], patience: c.patience}
}

// until are the checkpoints up to a step.
func (c *checkpoints) until(step int) checkpoints {
	at, _ := slices.BinarySearchFunc(c.list, step+1, func(c checkpoint, step int) int { return c.step - step })
	return checkpoints{list: slices.Clone(c.list[:at]), distance: c.distance}
}
