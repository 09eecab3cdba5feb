package study

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
)

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
	return fault.New(fault.Failed, "if memory ran out, use fewer workers; fsnet fit --seed alone may say more",
		"seed %d: its worker process ended before the replica was done, twice (%s)", seed, how)
}
