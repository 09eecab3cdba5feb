package replica

import (
	"context"
	"sync"
	"time"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
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
	plan, err := plan.begun()
	if err != nil || len(plan.replicas()) == 0 {
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

// some trains the replicas from first to before last.
func (r *vectorizedRun) some(ctx context.Context, device *device.Device, data *dataset.Dataset, first, last int) {
	train.Together(ctx, first, last, func(i int) (*train.Training, error) {
		settings := r.plan.Settings
		settings.Seed = r.replicas[i].Seed
		r.at(map[int]steps{i: {}})
		t, err := train.Open(ctx, device, data, settings)
		if err == nil {
			err = unchanged(t, settings, r.plan.Directory, r.plan.Files)
		}
		if err != nil {
			return nil, err
		}
		return t, nil
	}, func(i int, t *train.Training, err error) {
		if t != nil && ctx.Err() != nil {
			return // what has no result yet is interrupted
		}
		var result *Result
		if err == nil {
			result, err = finish(t, data.Source, r.plan.job(r.replicas[i].Seed).Save)
		}
		r.done(ctx, i, result, err)
	}, func(now map[int]session.Status) {
		reached := make(map[int]steps, len(now))
		for i, s := range now {
			reached[i] = steps{s.Step, s.Steps}
		}
		r.at(reached)
	})
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
