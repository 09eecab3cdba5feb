package train

import (
	"context"
	"reflect"
	"slices"
	"time"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Vectorized advances trainings together that differ in their seed only: the leading axis of one program. A step of a GPU that is too small
// to keep it busy then serves all of them. It is for one goroutine at a time, and nothing else may advance its members meanwhile.
//
// Every member has the split, the parameters of step 0, the batches and the noise of its seed, to the bit, as if it were alone. XLA adds up
// the sums of a group in another order: within 10⁻⁴ after a hundred steps, the differences grow as those between two devices do, so that
// late in an annealing a member may lean to another of two features that say the same. The same group gives the same bits again.
type Vectorized struct {
	members []*Training
	engine  *engine.Vectorized
}

// Ended is a member that has come to its end and left the group: a training like any other, in the state as of its end. Err is what
// Advance of a single training would have returned.
type Ended struct {
	Training *Training
	Err      error
}

// Alike is whether two trainings can be members of one group: on one device, of one architecture (the number of features depends on the
// split, as constant ones are set aside), at one step, and with the same settings but for the seed.
func Alike(a, b *Training) bool {
	x, y := a.settings, b.settings
	x.Seed, y.Seed = 0, 0
	return a.device == b.device && reflect.DeepEqual(a.engine.Layout, b.engine.Layout) && a.step == b.step && reflect.DeepEqual(x, y)
}

// Vectorize copies the inputs of the trainings to the device, side by side. They are the caller's to close, after the group. The error is
// of kind Request where there are none, or some are not alike.
func Vectorize(members []*Training) (*Vectorized, error) {
	if len(members) == 0 {
		return nil, fault.New(fault.Request, "give one or more", "a group without trainings")
	}
	engines := make([]*engine.Engine, len(members))
	for i, t := range members {
		if !Alike(members[0], t) {
			return nil, fault.New(fault.Request, "group those that are Alike",
				"training %d of the group has another shape, step or configuration than the first", i)
		}
		engines[i] = t.engine
	}
	e, err := engine.Vectorize(engines)
	if err != nil {
		return nil, err
	}
	return &Vectorized{members: members, engine: e}, nil
}

// Running is how many members have not left.
func (g *Vectorized) Running() int {
	n := 0
	for _, gone := range g.engine.Gone {
		if !gone {
			n++
		}
	}
	return n
}

// Advance makes at most about 100 ms of steps of every member, and returns those that came to their end in it: the annealing is over, the
// stop key ends it, or a loss stopped being a number. A cancelled context makes it return before the next step. The error is that of the
// device; then all members that were left have failed.
func (g *Vectorized) Advance(ctx context.Context) ([]Ended, error) {
	var running []*Training
	count := engine.ChunkCapacity
	for r, t := range g.members {
		if g.engine.Gone[r] {
			continue
		}
		n, err := t.allowed(ctx, count)
		if err != nil {
			return nil, err
		}
		count = n
		running = append(running, t)
	}
	if len(running) == 0 || ctx.Err() != nil {
		return nil, nil //nolint:nilerr // whoever cancelled knows it
	}
	var steps []engine.MemberSteps
	start := time.Now()
	if count > 0 {
		var err error
		if steps, err = g.engine.Advance(running[0].step, count, running[0].settings.Live); err == nil {
			err = g.engine.Share()
		}
		if err != nil {
			for _, t := range running {
				t.fail(err.Error())
			}
			return nil, err
		}
	}
	took := time.Since(start)
	var ended []Ended
	for r, t := range g.members {
		if len(running) == 0 || running[0] != t {
			continue // it had left before
		}
		running = running[1:]
		var err error
		if count > 0 {
			err = t.absorb(count, took, steps[r].Metrics, steps[r].Broken)
		}
		if err != nil || t.Stopped() != "" || t.step >= t.Steps() {
			g.engine.Gone[r] = true
			ended = append(ended, Ended{t, err})
		}
	}
	return ended, nil
}

// Close frees what the group holds on the device. Its members stay as they are.
func (g *Vectorized) Close() { g.engine.Close() }

// Together trains what open opens for the numbers from first to before last: those that are [Alike] in one program, one program after the
// other. ended is told of each number once, with its training where that came to its end, and how; without one where it was not opened
// or its program broke; once ctx has ended, not of those that go on. at is told after each chunk how far these are. All
// trainings are closed in the end.
func Together(ctx context.Context, first, last int, open func(i int) (*Training, error), ended func(i int, t *Training, err error),
	at func(now map[int]session.Status)) {
	var groups [][]*Training
	defer func() {
		for _, t := range slices.Concat(groups...) {
			t.Close()
		}
	}()
	number := map[*Training]int{} // of those that go on
	for i := first; i < last && ctx.Err() == nil; i++ {
		t, err := open(i)
		if err != nil {
			ended(i, nil, err)
			continue
		}
		number[t] = i
		to := slices.IndexFunc(groups, func(g []*Training) bool { return Alike(g[0], t) })
		if to < 0 {
			to = len(groups)
			groups = append(groups, nil)
		}
		groups[to] = append(groups[to], t)
	}
	for _, group := range groups {
		err := toTheEnd(ctx, group, number, ended, at)
		for _, t := range group {
			if i, goesOn := number[t]; goesOn && err != nil {
				ended(i, nil, err)
			}
		}
	}
}

// toTheEnd trains those of one program. Its error is that of all of them that have not ended.
func toTheEnd(ctx context.Context, group []*Training, number map[*Training]int, ended func(i int, t *Training, err error),
	at func(now map[int]session.Status)) error {
	g, err := Vectorize(group)
	if err != nil {
		return err
	}
	defer g.Close()
	for g.Running() > 0 && ctx.Err() == nil {
		list, err := g.Advance(ctx)
		for _, e := range list {
			i := number[e.Training]
			delete(number, e.Training)
			ended(i, e.Training, e.Err)
		}
		if err != nil {
			return err
		}
		now := map[int]session.Status{}
		for _, t := range group {
			if i, goesOn := number[t]; goesOn {
				now[i] = t.Status()
			}
		}
		at(now)
	}
	return nil
}
