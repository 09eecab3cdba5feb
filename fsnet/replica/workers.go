package replica

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
)

// Workers trains replicas in worker processes, each of which takes the next replica as soon as it is done with one. XLA has one thread in
// each: that wastes least, and changes no bit. On Linux each is pinned to a core of its own as long as there are enough, unless a quota of
// processor time leaves less than the cores.
//
// The first worker says how much memory a training takes, and the others begin only then, as many as have room together.
//
// A worker that ends in the middle of a replica, killed or crashed, is replaced and the replica is begun again, once; the second time
// the replica fails. So does one that hangs: it says nothing for a minute, or for ten that it lives but neither makes a step nor computes;
// it is killed first. Where a worker ends or hangs twice before it is ready, or data or device cannot be opened, the whole run ends.
type Workers struct {
	// Command makes a worker that is not started yet: its process calls Serve with its standard input and ReplyFile. Required.
	Command func() *exec.Cmd
	// Count is how many processes there are; more than have room in memory are refused, with an error of kind Request. 0 is as many as have
	// room and keep the machine busy: one for each core that a container's limits leave, or one on a GPU, which is a single device for all.
	// There are never more than replicas.
	Count int

	// For the tests to set.
	patience int // of a watchdog; 0 is patience
	machine  func() machine
	room     func(ctx context.Context, p engine.MemoryPlan, most int) (count int, why string)
}

// run is one call of Run.
type run struct {
	*Workers
	plan     Plan
	counter  *counter
	replicas []Replica
	next     atomic.Int64 // replica that nobody has begun
	giveUp   context.CancelCauseFunc
	machine  machine
	planned  chan struct{} // closed when count is known

	mu   sync.Mutex
	hash string // of the data that the first worker read

	count int // of workers
}

// Run trains the replicas of a plan and returns them in the order of their seeds, each with its result or its error. A replica has the bits
// of [Train] with its settings on that device.
//
// A replica that fails does not disturb the others, and is no error of Run. Where the context ends Run returns within about two seconds,
// with an error of kind Interrupted and the replicas as far as they came: those that are done are complete, the others have errors of that
// kind. Another error says why no further replica could be trained, such as data that cannot be read or a device that is not there; then
// too the replicas that are done are returned, and the others have that error. It refuses a plan that cannot be with an error of kind
// Request.
//
// report, which may be nil, is called now and then, never twice at once, and last when nothing runs any more.
func (w *Workers) Run(ctx context.Context, plan Plan, report func(Progress)) ([]Replica, error) {
	plan, err := plan.begun()
	if err != nil || len(plan.replicas()) == 0 {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r := &run{
		Workers: w, plan: plan, counter: newCounter(len(plan.replicas()), report), replicas: plan.replicas(), giveUp: giveUp,
		machine: thisMachine(), planned: make(chan struct{}),
	}
	if w.machine != nil {
		r.machine = w.machine()
	}
	list := r.machine.pinned()
	core := func(i int) int {
		if len(list) == 0 {
			return -1
		}
		return list[(os.Getpid()+i)%len(list)] // two runs with few workers should not begin with the same core
	}
	var group sync.WaitGroup
	group.Go(func() { r.slot(ctx, core(0)) })
	select {
	case <-r.planned:
		for i := 1; i < r.count; i++ {
			group.Go(func() { r.slot(ctx, core(i)) })
		}
	case <-ctx.Done():
	}
	group.Wait()
	err = endUnfinished(ctx, r.replicas)
	r.counter.stop()
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
		r.counter.at(i, steps{})
		answer, err := worker.ask(r.plan.job(replica.Seed), r.patienceOf(), func(s steps) { r.counter.at(i, s) })
		switch {
		case err == nil && answer.Result != nil:
			replica.Result = answer.Result.result()
		case err == nil && answer.Fault != nil:
			replica.Err = answer.Fault
		default: // it ended, or talks nonsense
			how, hung := worker.howItEnded(), worker.hung != ""
			worker = nil
			if ctx.Err() != nil {
				return nil
			}
			if attempt < 2 {
				if hung {
					r.counter.say(fmt.Sprintf("seed %d: %s; it is begun again", replica.Seed, how))
				}
				continue
			}
			replica.Err = lost(replica.Seed, how)
		}
		r.counter.end(i, *replica)
		return worker
	}
}

// worker starts a worker and waits until it is ready. It returns nil where the run ended, or is given up since none can be had.
func (r *run) worker(ctx context.Context, core int) *process {
	for attempt := 1; ctx.Err() == nil; attempt++ {
		command := r.Command()
		if core < 0 {
			oneThread(command)
		}
		p, err := start(ctx, command, core)
		if err != nil {
			r.giveUp(fault.Wrap(err, fault.Unavailable, "run it again, or without --replicas", "no worker process can be started"))
			return nil
		}
		answer, err := p.ask(assignment{r.plan.Settings, r.plan.Directory, !r.isPlanned(), r.plan.Files}, r.patienceOf(), func(steps) {})
		switch {
		case err == nil && answer.Ready != nil && r.plan.sameData(answer.Ready.DatasetHash) != nil:
			r.giveUp(r.plan.sameData(answer.Ready.DatasetHash))
		case err == nil && answer.Ready != nil && !r.isPlanned() && !r.plans(ctx, answer.Ready.Memory): // the run is given up
		case err == nil && answer.Ready != nil:
			if r.sameData(answer.Ready.DatasetHash) {
				return p
			}
			r.giveUp(fault.New(fault.Failed, "run it again, and leave the file alone meanwhile",
				"%s was changed while the replicas were trained", r.plan.Settings.Data))
		case err == nil && answer.Fault != nil:
			r.giveUp(answer.Fault)
		case attempt == 2 && ctx.Err() == nil:
			r.giveUp(fault.New(fault.Unavailable, "run fsnet doctor", "a worker process ended before it was ready, twice (%s)", p.howItEnded()))
		}
		p.end() //nolint:errcheck // it is of no use
	}
	return nil
}

// isPlanned is whether it is known how many workers there are.
func (r *run) isPlanned() bool {
	select {
	case <-r.planned:
		return true
	default:
		return false
	}
}

// plans decides how many workers there are, by what the first one says that each takes, and reports whether the run goes on.
func (r *run) plans(ctx context.Context, p engine.MemoryPlan) bool {
	room := r.room
	if room == nil {
		room = func(ctx context.Context, p engine.MemoryPlan, most int) (int, string) { return p.Processes(ctx, most) }
	}
	wanted := r.Count
	if wanted < 1 {
		if wanted = r.machine.workers(); p.Backend == "xla:cuda" {
			wanted = 1
		}
	}
	wanted = min(wanted, len(r.replicas))
	count, why := room(ctx, p, wanted)
	if count < wanted && r.Count > 0 {
		r.giveUp(fault.New(fault.Request, fmt.Sprintf("use at most %d", count),
			"%d worker processes do not fit into memory together: %s", wanted, why))
		return false
	}
	r.count = count
	r.counter.workers(count)
	if count < wanted {
		r.counter.say(fmt.Sprintf("%d worker processes at once and not %d, since %s", count, wanted, why))
	}
	close(r.planned)
	return true
}

func (r *run) patienceOf() int { return cmp.Or(r.patience, int(patience/beatInterval)) }

// sameData is whether all workers read the same data.
func (r *run) sameData(hash string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hash == "" {
		r.hash = hash
	}
	return r.hash == hash
}
