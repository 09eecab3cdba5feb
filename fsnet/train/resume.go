package train

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/session"
)

// Resume is the training that a checkpoint was taken of, on the same data: the steps that follow are those that would have followed
// then, bit for bit on the same device. Earlier checkpoints of the same training, if there are any, shorten the way back of a rewind;
// others are passed over. On another device, or a processor of another kind, it goes on from the same numbers, but not to the same bits.
//
// The error is of kind Request, and names the difference, where the checkpoint is of other data.
func Resume(ctx context.Context, device *device.Device, data *dataset.Dataset, c *Checkpoint, earlier ...*Checkpoint) (*Training, error) {
	const remedy = "restore the data as they were, or open the session with replace=true"
	if data.Hash != c.DatasetHash {
		return nil, fault.New(fault.Request, remedy, "%s is of other data: %s with hash %.12s, but %s has hash %.12s", c.Path, c.Dataset,
			c.DatasetHash, data.Name, data.Hash)
	}
	t, err := Open(ctx, device, data, c.Opened)
	if err != nil {
		return nil, err
	}
	if t.known.Hash() != c.Known {
		t.Close()
		return nil, fault.New(fault.Request,
			"restore their files as they were, or open the session with replace=true",
			"%s was trained with other must, never, cost or feature_groups", c.Path)
	}
	theta, squares, err := c.flat(t.engine.Layout.Architecture)
	if err != nil {
		t.Close()
		return nil, fault.Wrap(err, fault.Request, remedy, "%s does not fit its own settings", c.Path)
	}
	t.engine.Load(theta, squares)

	t.settings, t.step, t.state, t.reason = c.Settings, c.Step, c.State, c.Reason
	t.record, t.events, t.looks = c.record.Snapshot(), slices.Clone(c.Events), c.TestLooks
	t.throughput.spent = c.Spent
	if t.Steps() != c.Steps {
		t.Close()
		return nil, fault.New(fault.Request, remedy, "%s has %d steps, but its settings make %d", c.Path, c.Steps, t.Steps())
	}
	if per, recorded := t.engine.StepsPerEpoch, c.record.StepsOfOpenEpoch(); recorded != c.Step%per {
		t.Close()
		return nil, fault.New(fault.Request, remedy, "%s has %d steps of an epoch at step %d, but its settings make epochs of %d", c.Path,
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
		step: e.Step, state: e.State, reason: e.Reason, theta: theta, squares: squares, settings: e.Settings,
		mark: e.record.Mark(), events: len(e.Events),
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
