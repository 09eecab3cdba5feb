package replica

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
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
}

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

// ask sends a line and returns the answer that is not about steps, which go to report. The error is errEnded where the worker has gone.
func (p *process) ask(line any, report func(steps)) (reply, error) {
	_ = p.encoder.Encode(line) // whoever cannot be written to does not answer either
	for p.replies.Scan() {
		r, err := parseReply(p.replies.Bytes())
		if err != nil || r.Steps == nil {
			return r, err
		}
		report(*r.Steps)
	}
	return reply{}, errEnded
}

// end ends the worker, if it has not ended, and says how it did; nil is exit status 0.
func (p *process) end() error {
	p.ended.Do(func() {
		p.unwatch()
		p.jobs.Close()                                                                         //nolint:errcheck // it has ended already
		kill := time.AfterFunc(endLimit+200*time.Millisecond, func() { p.cmd.Process.Kill() }) //nolint:errcheck // it has ended already
		p.how = p.cmd.Wait()
		kill.Stop()
		p.pipe.Close()
	})
	return p.how
}

// lost is the error of a replica whose worker ended twice.
func lost(seed int64, how error) error {
	return fault.New(fault.Failed, "where memory ran out, fewer workers need less; fsnet fit --seed alone may say more",
		"seed %d: its worker process ended before the replica was done, twice (%s)", seed, howText(how))
}

// howText is how a process ended: "signal: killed", "exit status 2".
func howText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Error()
	}
	return "exit status 0"
}
