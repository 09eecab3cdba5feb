package replica

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

// process is a worker, seen from its parent.
type process struct {
	cmd     *exec.Cmd
	jobs    io.WriteCloser
	encoder *json.Encoder
	replies *bufio.Scanner
	pipe    *os.File
	unwatch func() bool
	ended   sync.Once
	how     error
	hung    string // what was wrong when it was killed because it hung; "" where it was not
}

// killLimit is how long a process that was killed may take to end. One that waits for a device or a disk that does not answer never does.
const killLimit = 10 * time.Second

// errUnkillable says that it took longer.
var errUnkillable = errors.New("it cannot be killed")

// errEnded is returned when a worker process has ended before it answered; end says how.
var errEnded = errors.New("its worker process ended")

// start starts a worker on a core (−1 is any). When the context ends the worker is asked to end, and killed if it has not after a
// while. The calling goroutine must be locked to its thread and outlive the worker.
func start(ctx context.Context, cmd *exec.Cmd, core int) (*process, error) {
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
	p := &process{cmd: cmd, jobs: jobs, encoder: json.NewEncoder(jobs), replies: bufio.NewScanner(pipe), pipe: pipe}
	p.replies.Buffer(nil, maxLine)
	p.unwatch = context.AfterFunc(ctx, func() {
		jobs.Close()                                                                 //nolint:errcheck // it has ended already
		time.AfterFunc(endLimit+200*time.Millisecond, func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended already
	})
	return p, nil
}

// ask sends a line and returns the answer that is not about steps, which go to report. The error is errEnded where the worker has gone, or
// was killed because it hangs, for which a watchdog waits so many beats.
func (p *process) ask(line any, patience int, report func(steps)) (reply, error) {
	heard, over := make(chan reply), make(chan struct{})
	watched := make(chan string, 1)
	go func() { watched <- p.watch(&watchdog{patience: patience}, heard, over) }()
	defer func() {
		close(over)
		p.hung = <-watched
	}()
	_ = p.encoder.Encode(line) // whoever cannot be written to does not answer either
	for p.replies.Scan() {
		r, err := parseReply(p.replies.Bytes())
		if err != nil || r.Steps == nil && r.Alive == nil {
			return r, err
		}
		heard <- r
		if r.Steps != nil {
			report(*r.Steps)
		}
	}
	return reply{}, errEnded
}

// watch kills a worker that hangs, and says what was wrong with it; "" where nothing was until over is closed.
func (p *process) watch(dog *watchdog, heard <-chan reply, over <-chan struct{}) (wrong string) {
	ticker := time.NewTicker(beatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return wrong
		case r := <-heard:
			dog.hear(r)
		case <-ticker.C:
			if wrong == "" {
				if wrong = dog.tick(); wrong != "" {
					p.cmd.Process.Kill() //nolint:errcheck // it has ended already
				}
			}
		}
	}
}

// end ends the worker, if it has not ended, and says how it did; nil is exit status 0.
func (p *process) end() error {
	p.ended.Do(func() {
		p.unwatch()
		p.jobs.Close()                                                                         //nolint:errcheck // it has ended already
		kill := time.AfterFunc(endLimit+200*time.Millisecond, func() { p.cmd.Process.Kill() }) //nolint:errcheck // it has ended already
		how := make(chan error, 1)
		go func() { how <- p.cmd.Wait() }()
		select {
		case p.how = <-how:
		case <-time.After(endLimit + killLimit):
			p.how = errUnkillable
		}
		kill.Stop()
		p.pipe.Close()
	})
	return p.how
}

// howItEnded ends the worker and says how that went: "signal: killed", "exit status 2".
func (p *process) howItEnded() string {
	how := p.end()
	var exit *exec.ExitError
	switch {
	case p.hung != "":
		return fmt.Sprintf("worker process %d hung and was killed: %s", p.cmd.Process.Pid, p.hung)
	case errors.As(how, &exit):
		return exit.Error()
	case errors.Is(how, errUnkillable):
		return fmt.Sprintf("process %d cannot be killed", p.cmd.Process.Pid)
	}
	return "exit status 0"
}

// lost is the error of a replica whose worker ended twice.
func lost(seed int64, how string) error {
	return fault.New(fault.Failed, "if memory ran out, use fewer workers; fsnet fit --seed alone may say more",
		"seed %d: its worker process ended before the replica was done, twice (%s)", seed, how)
}
