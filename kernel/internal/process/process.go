// Package process runs the kernel's child processes so that none outlives it: each has a process group of its own, is told when the
// kernel dies, and is ended with its whole group.
package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Silence is how long a child may leave unanswered whether it answers, which takes it a millisecond, before it is said to hang.
const Silence = 30 * time.Second

// Process is a running child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts a command in a process group of its own. Where the system can, it gets SIGTERM when this process dies.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, done: make(chan struct{})}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	withDeathSignal(cmd.SysProcAttr)
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = time.Second // a grandchild may hold the output open
	}
	started := make(chan error)
	go func() {
		// Linux sends the signal when the thread that started the child ends: this one lives as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		p.Signal(syscall.SIGKILL) // what is left of the group
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// ID is the process id, and the id of its group.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and the rest of its group was killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the process ended, once Done is closed; nil is exit status 0.
func (p *Process) Err() error { return p.err }

// Signal sends a signal to the process and its group.
func (p *Process) Signal(s syscall.Signal) {
	syscall.Kill(-p.ID(), s) //nolint:errcheck // it has ended already
}

// Stop asks the process to end, waits, and kills its group if it has not.
func (p *Process) Stop(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	syscall.Kill(p.ID(), syscall.SIGTERM) //nolint:errcheck // it has ended already
	select {
	case <-p.done:
	case <-time.After(grace):
		p.Signal(syscall.SIGKILL)
		<-p.done
	}
}
