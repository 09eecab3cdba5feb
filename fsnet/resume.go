package fsnet

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Resume is the training that a checkpoint was taken of, on the same data: the steps that follow are those that would have followed
// then, bit for bit on the same device. Earlier checkpoints of the same training, if there are any, shorten the way back of a rewind;
// others are passed over. On another device, or a processor of another kind, it goes on from the same numbers, but not to the same bits.
//
// The error is of kind Request, and names the difference, where the checkpoint is of other data.
func Resume(ctx context.Context, device *Device, data *dataset.Dataset, c *Checkpoint, earlier ...*Checkpoint) (*Training, error) {
	const remedy = "give the data back as they were, or open the session with replace=true"
	if data.Hash != c.DatasetHash {
		return nil, fault.New(fault.Request, remedy, "%s is of other data: of %s with hash %.12s, and %s has hash %.12s", c.Path, c.Dataset, c.DatasetHash, data.Name, data.Hash)
	}
	t, err := Open(ctx, device, data, c.Opened)
	if err != nil {
		return nil, err
	}
	theta, squares, err := c.flat(t.engine.layout.Architecture)
	if err != nil {
		t.Close()
		return nil, fault.Wrap(err, fault.Request, remedy, "%s does not fit its own settings", c.Path)
	}
	free(t.engine.theta, t.engine.squares)
	t.engine.load(theta, squares)

	t.settings, t.step, t.state, t.reason = c.Settings, c.Step, c.State, c.Reason
	t.watch, t.events, t.looks = c.watch.clone(), slices.Clone(c.Events), c.TestLooks
	t.record = record{epochs: slices.Clone(c.epochs), open: c.open, observations: slices.Clone(c.observations), patience: c.patience}
	t.pace.made, t.pace.spent = c.Step, c.Spent
	if t.Steps() != c.Steps {
		t.Close()
		return nil, fault.New(fault.Request, remedy, "%s has %d steps, and its settings make %d of them", c.Path, c.Steps, t.Steps())
	}
	if per := t.engine.stepsPerEpoch; c.open.steps != c.Step%per {
		t.Close()
		return nil, fault.New(fault.Request, remedy, "%s has %d steps of an epoch at step %d, and its settings make epochs of %d", c.Path, c.open.steps, c.Step, per)
	}
	for _, e := range append(slices.Clone(earlier), c) {
		t.checkpoints.restore(e, c, t.engine.layout.Architecture)
	}
	if now := device.Name + ", " + device.Description; now != c.Backend+", "+c.Device {
		t.event("resume", fmt.Sprintf("on %s; before on %s, %s", now, c.Backend, c.Device), nil)
	}
	return t, nil
}

// flat is the parameters and RMSprop's state in the order of an architecture.
func (c *Checkpoint) flat(a Architecture) (theta, squares []float32, err error) {
	list := a.parameters()
	if len(list) != len(c.blocks) {
		return nil, nil, fmt.Errorf("it has %d blocks of parameters, not %d", len(c.blocks), len(list))
	}
	theta, squares = make([]float32, a.size()), make([]float32, a.size())
	for _, p := range list {
		i := slices.IndexFunc(c.blocks, func(b block) bool { return b.name == p.name })
		if i < 0 {
			return nil, nil, fmt.Errorf("it has no %s", p.name)
		}
		if !slices.Equal(c.blocks[i].dims, p.dims) {
			return nil, nil, fmt.Errorf("its %s has shape %v, not %v", p.name, c.blocks[i].dims, p.dims)
		}
		copy(theta[p.start:], c.blocks[i].theta)
		copy(squares[p.start:], c.blocks[i].squares)
	}
	return theta, squares, nil
}

// restore takes in a checkpoint of the past that led to the present one, which must come later than those taken in before.
func (c *checkpoints) restore(e, present *Checkpoint, a Architecture) {
	if e.Step > present.Step || e.Step <= c.list[len(c.list)-1].step || !e.precedes(present) {
		return
	}
	theta, squares, err := e.flat(a)
	if err != nil {
		return // it is of another training
	}
	c.list = append(c.list, checkpoint{
		step: e.Step, state: e.State, reason: e.Reason, theta: theta, squares: squares, settings: e.Settings,
		watch: e.watch.clone(), open: e.open, patience: e.patience, events: len(e.Events),
	})
	for c.distance = max(c.distance, checkpointDistance); present.Step/c.distance > maxCheckpoints/2; {
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
	return a.Step == b.Step && a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Changes, b.Changes, func(x, y config.Change) bool { return x == y })
}
