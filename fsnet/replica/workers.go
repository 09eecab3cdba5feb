package replica

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// Workers trains replicas in worker processes, each of which takes the next replica as soon as it is done with one. On Linux each is
// pinned to a core of its own as long as there are enough, so that XLA is single-threaded in it: that wastes least, and changes no bit.
//
// A worker that ends in the middle of a replica, killed or crashed, is replaced and the replica is begun again, once; the second time
// the replica fails. Where a worker ends twice before it is ready, or data or device cannot be opened, the whole run ends.
type Workers struct {
	// Command makes a worker that is not started yet: its process calls Serve with its standard input and ReplyFile. Required.
	Command func() *exec.Cmd
	// Count is how many processes there are at the most; 0 is Cores for the settings. There are never more than replicas.
	Count int
}

var _ Runner = (*Workers)(nil)

// Cores is how many workers these settings are worth: as many as Go would use threads, which takes account of the cores and the limits
// of a container; one on a GPU, which is a single device for all.
func Cores(settings config.Settings) int {
	if settings.Backend == "xla:cuda" || settings.Backend == "auto" && fsnet.FindPlugin("xla:cuda") != "" {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// run is one call of Run.
type run struct {
	*Workers
	plan     Plan
	tally    *tally
	replicas []Replica
	next     atomic.Int64 // replica that nobody has begun
	giveUp   context.CancelCauseFunc

	mu   sync.Mutex
	hash string // of the data that the first worker read
}

// Run implements Runner.
func (w *Workers) Run(ctx context.Context, plan Plan, report func(Progress)) ([]Replica, error) {
	if err := plan.Check(); err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r := &run{Workers: w, plan: plan, tally: newTally(plan.Replicas, report), replicas: make([]Replica, plan.Replicas), giveUp: giveUp}
	for i := range r.replicas {
		r.replicas[i].Seed = plan.Seed(i)
	}
	count := w.Count
	if count < 1 {
		count = Cores(plan.Settings)
	}
	var group sync.WaitGroup
	list := cores()
	for i := range min(count, plan.Replicas) {
		core := -1
		if len(list) > 0 {
			core = list[(os.Getpid()+i)%len(list)] // two runs with few workers should not begin with the same core
		}
		group.Go(func() { r.slot(ctx, core) })
	}
	group.Wait()
	err := conclude(ctx, r.replicas)
	r.tally.stop()
	return r.replicas, err
}

// slot keeps one worker busy until there are no more replicas.
func (r *run) slot(ctx context.Context, core int) {
	runtime.LockOSThread() // never unlocked: the thread ends with the slot, and the worker with the thread
	var worker *process
	defer func() {
		if worker != nil {
			worker.end() //nolint:errcheck // it has done its work
		}
	}()
	for ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.replicas) {
			return
		}
		worker = r.train(ctx, worker, core, i)
	}
}

// train trains replica i on a worker, making one where there is none, and returns the worker, or nil if it has ended.
func (r *run) train(ctx context.Context, worker *process, core, i int) *process {
	replica := &r.replicas[i]
	for attempt := 1; ; attempt++ {
		if worker == nil {
			if worker = r.worker(ctx, core); worker == nil {
				return nil
			}
		}
		r.tally.at(i, steps{})
		answer, err := worker.ask(r.plan.job(i), func(s steps) { r.tally.at(i, s) })
		switch {
		case err == nil && answer.Result != nil:
			replica.Result = answer.Result.result()
		case err == nil && answer.Fault != nil:
			replica.Err = answer.Fault.error()
		default: // it ended, or talks nonsense
			how := worker.end()
			worker = nil
			if ctx.Err() != nil {
				return nil
			}
			if attempt < 2 {
				continue
			}
			replica.Err = lost(replica.Seed, how)
		}
		r.tally.end(i, *replica)
		return worker
	}
}

// worker starts a worker and waits until it is ready. It returns nil where the run ended, or is given up since none can be had.
func (r *run) worker(ctx context.Context, core int) *process {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		p, err := start(ctx, r.Command(), core)
		if err != nil {
			r.giveUp(fault.Wrap(err, fault.Unavailable, "run it again, or without --replicas", "no worker process can be started"))
			return nil
		}
		answer, err := p.ask(assignment{r.plan.Settings, r.plan.Directory}, func(steps) {})
		switch {
		case err == nil && answer.Ready != nil:
			if r.sameData(answer.Ready.DatasetHash) {
				return p
			}
			r.giveUp(fault.New(fault.Failed, "run it again, and leave the file as it is meanwhile", "%s was changed while the replicas were trained", r.plan.Settings.Data))
		case err == nil && answer.Fault != nil:
			r.giveUp(answer.Fault.error())
		case attempt == 2 && ctx.Err() == nil:
			r.giveUp(fault.New(fault.Unavailable, "run fsnet doctor", "a worker process ended before it was ready, twice (%s)", howText(p.end())))
		}
		p.end() //nolint:errcheck // it is of no use
	}
	return nil
}

// sameData is whether all workers read the same data.
func (r *run) sameData(hash string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hash == "" {
		r.hash = hash
	}
	return r.hash == hash
}
