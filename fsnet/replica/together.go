package replica

import (
	"context"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/train"
)

// MostTogether is the largest number of replicas in one program.
const MostTogether = 256

// Together trains replicas in this process as the leading axis of one program: a [train.Vectorized]. That is the way of a GPU, which a
// single training of usual size keeps busy for a fraction of the time; on CPUs [Workers] are faster.
//
// Split, initial parameters, batches and noise of a replica are those of its single training to the bit, and its steps are the same within
// rounding: 10⁻⁴ after a hundred steps. Over thousands of steps rounding grows as between two devices, and a replica may choose another of
// two features that say the same than its single training. The same run on the same device gives the same bits again.
//
// Replicas go as many at a time as have room; those of one time that differ in their number of features, as constant ones are set aside
// by each split, go in programs of their own. A replica that has ended does not end the others of its program, and makes them no faster.
type Together struct {
	// Device is where to train; it stays open, and Run does not return before it is done with it. Without one Run opens that of the
	// settings.
	Device *device.Device
	// Most is how many replicas one program has at the most; 0 is as many as have room, and MostTogether.
	Most int
}

var _ Runner = (*Together)(nil)

// Run implements Runner. Where the context ends while the device compiles or makes a long step Run waits for it if the device is the
// caller's, who may close it next or train on it; a device of its own it leaves to come to its end, and to be closed then.
func (g *Together) Run(ctx context.Context, plan Plan, report func(Progress)) ([]Replica, error) {
	if err := plan.Check(); err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r := &vectorizedRun{Together: g, plan: plan, counter: newCounter(len(plan.replicas()), report), replicas: plan.replicas()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.train(ctx); err != nil {
			giveUp(err)
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
		var enough <-chan time.Time
		if g.Device == nil {
			enough = time.After(endLimit)
		}
		select {
		case <-done:
		case <-enough:
		}
	}
	return r.end(ctx)
}

// vectorizedRun is one call of Run.
type vectorizedRun struct {
	*Together
	plan    Plan
	counter *counter

	mu       sync.Mutex
	replicas []Replica
	over     bool // Run has returned, or is about to: what comes later is nobody's
}

// end takes what there is as the outcome.
func (r *vectorizedRun) end(ctx context.Context) ([]Replica, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	err := endUnfinished(ctx, r.replicas)
	r.counter.stop()
	return r.replicas, err
}

// train trains all replicas. Its error is why no further one can be trained.
func (r *vectorizedRun) train(ctx context.Context) error {
	opened := r.Device
	if opened == nil {
		var err error
		if opened, err = device.Open(ctx, r.plan.Settings.Backend); err != nil {
			return err
		}
		defer opened.Close()
	}
	data, err := dataset.Open(ctx, r.plan.Settings, r.plan.Directory)
	if err != nil {
		return err
	}
	if err := r.plan.sameData(data.Hash); err != nil {
		return err
	}
	most := min(len(r.replicas), MostTogether)
	if r.Most > 0 {
		most = min(most, r.Most)
	}
	most = engine.LargestVectorized(ctx, opened.Name, data, r.plan.Settings, most)
	for first := 0; first < len(r.replicas) && ctx.Err() == nil; first += most {
		r.some(ctx, opened, data, first, min(first+most, len(r.replicas)))
	}
	return nil
}

// member is a replica whose training is open.
type member struct {
	replica  int
	training *train.Training
}

// some trains the replicas from first to before last.
func (r *vectorizedRun) some(ctx context.Context, device *device.Device, data *dataset.Dataset, first, last int) {
	var groups [][]member
	defer func() {
		for _, group := range groups {
			for _, m := range group {
				m.training.Close()
			}
		}
	}()
	for i := first; i < last && ctx.Err() == nil; i++ {
		settings := r.plan.Settings
		settings.Seed = r.replicas[i].Seed
		r.at(map[int]steps{i: {}})
		t, err := train.Open(ctx, device, data, settings)
		if err != nil {
			r.done(ctx, i, nil, err)
			continue
		}
		to := slices.IndexFunc(groups, func(group []member) bool { return train.Alike(group[0].training, t) })
		if to < 0 {
			to = len(groups)
			groups = append(groups, nil)
		}
		groups[to] = append(groups[to], member{i, t})
	}
	for _, group := range groups {
		if err := r.group(ctx, group, data.Source); err != nil {
			for _, m := range group {
				r.done(ctx, m.replica, nil, err)
			}
		}
	}
}

// group trains the replicas of one program to their ends. Its error is that of all of them that are not done.
func (r *vectorizedRun) group(ctx context.Context, members []member, source string) error {
	trainings := make([]*train.Training, len(members))
	replicaOf := make(map[*train.Training]int, len(members))
	for i, m := range members {
		trainings[i] = m.training
		replicaOf[m.training] = m.replica
	}
	g, err := train.Vectorize(trainings)
	if err != nil {
		return err
	}
	defer g.Close()
	for g.Running() > 0 && ctx.Err() == nil {
		ended, err := g.Advance(ctx)
		if err != nil {
			return err
		}
		for _, e := range ended {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // what has no result yet is interrupted
			}
			i := replicaOf[e.Training]
			delete(replicaOf, e.Training)
			var result *Result
			if e.Err == nil {
				result, e.Err = finish(e.Training, source, r.plan.job(r.replicas[i].Seed).Save)
			}
			r.done(ctx, i, result, e.Err)
		}
		now := make(map[int]steps, len(replicaOf))
		for t, i := range replicaOf {
			s := t.Status()
			now[i] = steps{s.Step, s.Steps}
		}
		r.at(now)
	}
	return nil
}

// at notes how far some replicas are.
func (r *vectorizedRun) at(now map[int]steps) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over && len(now) > 0 {
		r.counter.all(now)
	}
}

// done notes what became of a replica, if that is not known yet. One that was interrupted is not done.
func (r *vectorizedRun) done(ctx context.Context, i int, result *Result, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := &r.replicas[i]
	if r.over || one.Result != nil || one.Err != nil || err != nil && (fault.Is(err, fault.Interrupted) || ctx.Err() != nil) {
		return
	}
	one.Result, one.Err = result, err
	r.counter.end(i, *one)
}
