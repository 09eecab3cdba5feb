package train

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train/record"
)

// checkpoint is a training at one step, as far as it cannot be read off what was recorded later: about 30 kB.
type checkpoint struct {
	step           int
	state          session.State
	reason         string
	theta, squares []float32
	settings       config.Settings
	mark           record.Mark
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
		step: t.step, state: t.state, reason: t.reason, theta: theta, squares: squares, settings: t.settings,
		mark: t.record.Mark(), events: len(t.events),
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
