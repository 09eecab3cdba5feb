package study

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// Workers makes the rows of a plan of replicas in worker processes, each of which takes the next replica as soon as it is done with one.
// XLA has one thread in each: that wastes least, and changes no bit. On Linux each is pinned to a core of its own as long as there are
// enough, unless a quota of processor time leaves less than the cores.
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
	Save  func(seed int64) string // the file for the model of a replica, written as soon as it is done; nil saves none

	// For the tests to set.
	patience int // pulses; 0 is patience
	machine  func() machine
	room     func(ctx context.Context, p engine.MemoryPlan, most int) (count int, why string)
}

// workersRun is one call of Run.
type workersRun struct {
	*Workers
	plan    *Plan
	rows    []Row // that are to be made
	next    atomic.Int64
	tracker *tracker
	giveUp  context.CancelCauseFunc
	machine machine
	planned chan struct{}           // closed when count is known
	files   dataset.ConstraintFiles // what the files that settings name say until the last replica has read them
	hash    string                  // of the data that all workers have to read

	mu     sync.Mutex
	device string // of the first worker
	count  int    // of workers
}

// Run makes the rows that are asked for of a plan of replicas, but for those that made has, and returns all in the order of their seeds. A
// row has the bits of a single fit with its settings on that device.
//
// A replica that fails has a row with the error, and the others go on. Where the context ends Run returns within about two seconds the rows
// that are done, with an error of kind Interrupted. Another error says why no further replica could be trained, such as data that cannot be
// read, a device that is not there, or report's; then, too, the rows that are done are returned.
//
// report, which may be nil, is called now and then, never twice at once, and last when nothing runs any more.
func (w *Workers) Run(ctx context.Context, p *Plan, made []Row, report func(Progress) error) ([]Row, error) {
	r := &workersRun{Workers: w, plan: p, planned: make(chan struct{}), machine: thisMachine(), files: p.files[p.Data[0].Name][p.Methods[0].Name]}
	if p.listing != nil {
		r.hash, r.device = p.listing.Data[0].Hash, p.listing.Device
		if err := sameFiles(p.Settings, p.directory, r.files, "bring it back as it was, or "+again(Replication)); err != nil {
			return nil, err
		}
		if err := p.Check(r.device, made); err != nil {
			return nil, err
		}
	}
	if w.machine != nil {
		r.machine = w.machine()
	}
	var err error
	if r.files == nil {
		if r.files, err = dataset.ConstraintFilesOf(p.Settings, p.directory); err != nil {
			return nil, err
		}
	}
	have := map[cellKey]Row{}
	for _, row := range made {
		if row.Error == "" {
			have[row.key()] = row
		}
	}
	for _, cell := range p.Cells() {
		if _, ok := have[cell.key()]; !ok && p.asked(cell) {
			r.rows = append(r.rows, cell)
		}
	}
	ctx, r.giveUp = context.WithCancelCause(ctx)
	defer r.giveUp(nil)
	r.tracker = newTracker(len(r.rows), len(r.rows), func(now Progress) {
		if report != nil {
			if err := report(now); err != nil {
				r.giveUp(errs.Of(err))
			}
		}
	})
	if len(r.rows) > 0 {
		r.work(ctx)
	}
	err = r.interrupted(ctx)
	for _, row := range r.rows {
		if row.Fit != nil || row.Error != "" {
			have[row.key()] = row
		}
	}
	return kept(p.Cells(), have), err
}

// work starts the workers, and waits for their end.
func (r *workersRun) work(ctx context.Context) {
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
	r.tracker.stop()
}

// interrupted is why not all rows have an outcome; nil where they have.
func (r *workersRun) interrupted(ctx context.Context) error {
	done := 0
	for _, row := range r.rows {
		if row.Fit != nil || row.Error != "" {
			done++
		}
	}
	if done == len(r.rows) {
		return nil
	}
	cause := context.Cause(ctx)
	if known := (*errs.Error)(nil); errors.As(cause, &known) {
		return cause
	}
	return errs.New(errs.Interrupted, "", "interrupted with %d of %s done", done, phrase.Count(len(r.rows), "replica"))
}

// slot keeps one worker busy until there are no more replicas.
func (r *workersRun) slot(ctx context.Context, core int) {
	runtime.LockOSThread() // never unlocked: the thread ends with the slot, and the worker with the thread
	var w *worker
	defer func() {
		if w != nil {
			w.end()
		}
	}()
	for ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.rows) {
			return
		}
		w = r.train(ctx, w, core, i)
	}
}

// train makes row i on a worker, making one where there is none, and returns the worker, or nil if it has ended.
func (r *workersRun) train(ctx context.Context, w *worker, core, i int) *worker {
	row := r.rows[i]
	j := job{Seed: row.Seed}
	if r.Save != nil {
		j.Save = r.Save(row.Seed)
	}
	for attempt := 1; ; attempt++ {
		if w == nil {
			if w = r.worker(ctx, core); w == nil {
				return nil
			}
		}
		row.Device = r.device
		r.tracker.at(i, 0, 0)
		answer, err := w.ask(j, cmp.Or(r.patience, patience), func(p pulse) { r.tracker.at(i, p.Step, p.Steps) })
		switch {
		case err == nil && answer.Result != nil:
			row.Fit = answer.Result
		case err == nil && answer.Fault != nil:
			row = row.failed(answer.Fault)
		default: // it ended, or talks nonsense
			how := w.end()
			w = nil
			if ctx.Err() != nil {
				return nil
			}
			if attempt < 2 {
				r.tracker.say(fmt.Sprintf("seed %d: %s; it is begun again", row.Seed, how))
				continue
			}
			row = row.failed(lost(row.Seed, how))
		}
		r.rows[i] = row
		r.end(i)
		return w
	}
}

// end tells that a row has come to its end.
func (r *workersRun) end(i int) {
	row, steps := &r.rows[i], 0
	if row.Fit != nil {
		steps = row.Fit.Steps
	}
	r.tracker.end(i, steps, func(now *Progress) {
		if now.Done++; row.Error != "" {
			now.Failed++
		}
		now.Finished = row
	})
}

// worker starts a worker and waits until it is ready. It returns nil where the run ended, or is given up since none can be had.
func (r *workersRun) worker(ctx context.Context, core int) *worker {
	settings := r.plan.at(r.plan.Methods[0], r.rows[0])
	for attempt := 1; ctx.Err() == nil; attempt++ {
		command := r.Command()
		if core < 0 { // a worker that is not bound to a core has one thread all the same, which changes no bit
			if command.Env == nil {
				command.Env = os.Environ()
			}
			command.Env = append(command.Env, device.OneThread)
		}
		w, err := startWorker(ctx, command, core)
		if err != nil {
			r.giveUp(errs.Wrap(err, errs.Unavailable, "run it again, or without --replicas", "no worker process can be started"))
			return nil
		}
		answer, err := w.ask(assignment{settings, r.plan.directory, !r.isPlanned(), r.files}, cmp.Or(r.patience, patience), func(pulse) {})
		switch {
		case err == nil && answer.Ready != nil:
			err := r.accept(ctx, *answer.Ready)
			if err == nil {
				return w
			}
			r.giveUp(err)
		case err == nil && answer.Fault != nil:
			r.giveUp(answer.Fault)
		case attempt == 2 && ctx.Err() == nil:
			r.giveUp(errs.New(errs.Unavailable, "run fsnet doctor", "a worker process ended before it was ready, twice (%s)", w.end()))
		}
		w.end()
	}
	return nil
}

// isPlanned is whether it is known how many workers there are.
func (r *workersRun) isPlanned() bool {
	select {
	case <-r.planned:
		return true
	default:
		return false
	}
}

// accept refuses a worker that read other data than it should, and decides after the first how many there are.
func (r *workersRun) accept(ctx context.Context, first ready) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	data := r.plan.Settings.Data
	switch {
	case r.hash != "" && first.Hash != r.hash && r.plan.listing != nil:
		return errs.New(errs.Request, "bring back the data of that time, or "+again(Replication),
			"%s is not the data set of the plan: its hash is %.12s, and the plan's %.12s", data, first.Hash, r.hash)
	case r.hash != "" && first.Hash != r.hash:
		return errs.New(errs.Failed, "run it again, and leave the file alone meanwhile", "%s was changed while the replicas were trained", data)
	}
	r.hash, r.device = first.Hash, first.Device
	if r.isPlanned() {
		return nil
	}
	room := r.room
	if room == nil {
		room = func(ctx context.Context, p engine.MemoryPlan, most int) (int, string) { return p.Processes(ctx, most) }
	}
	wanted := r.Count
	if wanted < 1 {
		if wanted = r.machine.workers(); first.Memory.Backend == "xla:cuda" {
			wanted = 1
		}
	}
	wanted = min(wanted, len(r.rows))
	fit, why := room(ctx, first.Memory, wanted)
	if fit < wanted && r.Count > 0 {
		return errs.New(errs.Request, fmt.Sprintf("use at most %d", fit), "%d worker processes do not fit into memory together: %s", wanted, why)
	}
	r.count = fit
	r.tracker.workers(fit)
	if fit < wanted {
		r.tracker.say(fmt.Sprintf("%d worker processes at once and not %d, since %s", fit, wanted, why))
	}
	close(r.planned)
	return nil
}

// machine is what this process may compute with.
type machine struct {
	cores []int   // it may run on; nil where nobody says
	quota float64 // cores' time, on whichever cores; 0: no limit
}

func thisMachine() machine { return machine{cores(), system.CPUQuota(os.DirFS("/"))} }

// workers is how many of one thread each keep it busy.
func (m machine) workers() int {
	count := runtime.GOMAXPROCS(0) // knows of cores and limits, but is 2 at least where there are two cores
	if m.quota > 0 {
		count = min(count, int(math.Ceil(m.quota)))
	}
	return count
}

// pinned are the cores that workers are bound to, each to one; nil: they are left to the system. Where a quota leaves less than all cores
// others compute on them, too, and a worker that is bound to one waits while the next one is idle.
func (m machine) pinned() []int {
	if m.quota > 0 && m.quota < float64(len(m.cores)) {
		return nil
	}
	return slices.Clone(m.cores)
}

// Of a worker that hangs, in pulses. The clock is the number of ticks of this process, which stand still while it does: a machine that
// sleeps, or a job that is suspended with all its processes, is no hanging worker.
const (
	patience     = 60  // for which it may say nothing at all: one that is slow still says that it is alive, however busy the machine is
	idlePatience = 10  // times as many may it say that it is alive while it neither makes a step nor computes
	idleTime     = 1.0 // seconds of processor time that are nothing: being alive takes some
)

// killLimit is how long a process that was killed may take to end. One that waits for a device or a disk that does not answer never does.
const killLimit = 10 * time.Second

// errEnded is returned when a worker process has ended before it answered; end says how.
var errEnded = errors.New("its worker process ended")

// worker is a worker process, seen from its parent.
type worker struct {
	cmd     *exec.Cmd
	jobs    io.WriteCloser
	replies chan reply    // closed where it has ended, or said what is no reply
	over    chan struct{} // closed when nobody listens any more
	unwatch func() bool
	once    sync.Once
	how     string // it ended
}

// startWorker starts a worker on a core (−1 is any). When the context ends the worker is asked to end, and killed if it has not after a
// while. The calling goroutine must be locked to its thread and outlive the worker.
func startWorker(ctx context.Context, cmd *exec.Cmd, core int) (*worker, error) {
	jobs, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	pipe, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{answers} // the first is ReplyFile
	cmd.SysProcAttr = endWithThread()
	cmd.WaitDelay = time.Second
	err = onCore(core, cmd.Start)
	answers.Close()
	if err != nil {
		pipe.Close()
		return nil, err
	}
	w := &worker{cmd: cmd, jobs: jobs, replies: make(chan reply), over: make(chan struct{})}
	go w.listen(pipe)
	w.unwatch = context.AfterFunc(ctx, w.stop)
	return w, nil
}

// listen reads what the worker says.
func (w *worker) listen(pipe *os.File) {
	defer pipe.Close()
	defer close(w.replies)
	scanner := bufio.NewScanner(pipe)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		var r reply
		if json.Unmarshal(scanner.Bytes(), &r) != nil || r == (reply{}) {
			return
		}
		select {
		case w.replies <- r:
		case <-w.over:
			return
		}
	}
}

// ask sends a line and returns the answer to it; pulses that count go to report. The error is errEnded where the worker has gone, talks
// nonsense, or was killed because it said nothing for so many pulses, or lived without doing anything for ten times as many.
func (w *worker) ask(line any, patience int, report func(pulse)) (reply, error) {
	go json.NewEncoder(w.jobs).Encode(line) //nolint:errcheck // whoever cannot be written to does not answer either
	ticker := time.NewTicker(pulseInterval)
	defer ticker.Stop()
	silent, idle, last := 0, 0, pulse{}
	for {
		select {
		case r, ok := <-w.replies:
			switch {
			case !ok:
				return reply{}, errEnded
			case r.Pulse == nil:
				return r, nil
			}
			if silent = 0; r.Pulse.Step != last.Step || r.Pulse.CPU-last.CPU >= idleTime {
				idle, last = 0, *r.Pulse
			}
			report(*r.Pulse)
		case <-ticker.C:
			silent++
			idle++
			wrong := ""
			switch {
			case silent > patience:
				wrong = fmt.Sprintf("it said nothing for %s", time.Duration(patience)*pulseInterval)
			case idle > idlePatience*patience:
				wrong = fmt.Sprintf("it made no step and computed nothing for %s", idlePatience*time.Duration(patience)*pulseInterval)
			default:
				continue
			}
			w.cmd.Process.Kill() //nolint:errcheck // it has ended already
			w.end()
			w.how = fmt.Sprintf("worker process %d hung and was killed: %s", w.cmd.Process.Pid, wrong)
			return reply{}, errEnded
		}
	}
}

// stop asks the worker to end, and kills it if it has not after a while.
func (w *worker) stop() {
	w.jobs.Close()                                                                 //nolint:errcheck // it has ended already
	time.AfterFunc(endLimit+200*time.Millisecond, func() { w.cmd.Process.Kill() }) //nolint:errcheck // it has ended already
}

// end ends the worker, if it has not ended, and says how it did: "signal: killed", "exit status 2".
func (w *worker) end() string {
	w.once.Do(func() {
		w.unwatch()
		w.stop()
		how := make(chan error, 1)
		go func() { how <- w.cmd.Wait() }()
		select {
		case err := <-how:
			var exit *exec.ExitError
			if w.how = "exit status 0"; errors.As(err, &exit) {
				w.how = exit.Error()
			}
		case <-time.After(endLimit + killLimit):
			w.how = fmt.Sprintf("process %d cannot be killed", w.cmd.Process.Pid)
		}
		close(w.over)
	})
	return w.how
}

// lost is the error of a replica whose worker ended twice.
func lost(seed int64, how string) error {
	return errs.New(errs.Failed, "if memory ran out, use fewer workers; fsnet fit --seed alone may say more",
		"seed %d: its worker process ended before the replica was done, twice (%s)", seed, how)
}
