// Package process runs the kernel's child processes so that no child outlives
// it. Start reading with [Start]. It gives each child a separate process group,
// has the system signal the child when the kernel dies, and kills the whole
// group when the child ends.
//
// A [Keeper] starts one child when it is needed: GoNB, gopls or the training
// process. A [Heartbeat] finds out whether a busy child still answers. An
// [Interrupter] ends what a Go cell has started. A [Directory] is removed when
// this process has ended.
package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/errs"
)

// Process is a running child.
type Process struct {
	cmd   *exec.Cmd
	done  chan struct{}
	err   error
	words tail
}

// Start starts a command in a new process group. If the command has no
// SysProcAttr, the system sends it SIGTERM when this process dies (on Linux).
// If the caller doesn't set an output, its last lines are kept for
// [Process.How], and its log records are also copied to standard error.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, done: make(chan struct{}), words: tail{log: os.Stderr}}

	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		withDeathSignal(cmd.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true

	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = time.Second // a grandchild may hold the output open
	}

	if cmd.Stdout == nil {
		cmd.Stdout = &p.words
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.words
	}

	started := make(chan error)
	go func() {
		// Linux sends the signal when the thread that started the child ends,
		// so this thread must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		p.Signal(syscall.SIGKILL) // the rest of the group
		close(p.done)
	}()

	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// ID returns the process id. The process group has the same id.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended and the rest
// of its group has been killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the process ended. You may call it once Done is closed. Nil
// means exit status 0.
func (p *Process) Err() error { return p.err }

// How describes how the process ended, as in " (exit status 2): panic: …". It
// may return "". You may call it once Done is closed.
func (p *Process) How() string {
	if p.err == nil {
		return p.LastWords(true)
	}
	return " (" + p.err.Error() + ")" + p.LastWords(true)
}

// LastWords quotes the last line of output or, with fatal, the last line that
// reports a panic or another fatal error, as in ": panic: …". It returns "" if
// there is no such line.
func (p *Process) LastWords(fatal bool) string {
	if line := p.words.last(func(line string) bool { return !fatal || fatalLine.MatchString(line) }); line != "" {
		return ": " + Plain(line)
	}
	return ""
}

var (
	fatalLine = regexp.MustCompile(`^(F\d{4} |panic:|fatal error:)`) // of the logs of GoNB and XLA, and of Go
	colours   = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// Plain removes the escape sequences that colour text in a terminal.
func Plain(text string) string { return colours.ReplaceAllString(text, "") }

// Signal sends a signal to the process and its group.
func (p *Process) Signal(s syscall.Signal) {
	syscall.Kill(-p.ID(), s) //nolint:errcheck // an error means that it has ended
}

// Stop sends SIGTERM to the process. If it has not ended after grace, Stop
// kills its group. It returns once Done is closed.
func (p *Process) Stop(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}

	syscall.Kill(p.ID(), syscall.SIGTERM) //nolint:errcheck // an error means that it has ended

	select {
	case <-p.done:
	case <-time.After(grace):
		p.Signal(syscall.SIGKILL)
		<-p.done
	}
}

// output runs a command in a new process group and returns its standard output
// together with its standard error, even if the command fails. The error holds
// only the exit status. When the context ends, the command gets SIGTERM. A
// second later, it is killed with its group.
func output(ctx context.Context, command []string, variables *Variables) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) // its whole group is stopped below

	var text strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.Env = &text, &text, variables.Environment()
	p, err := Start(cmd)
	if err != nil {
		return "", err
	}

	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(time.Second)
	}

	return text.String(), p.Err()
}

// Report returns the output of a command together with its standard error,
// without the final newline. If the command doesn't run, it returns the reason.
// An empty command means a verb of this program. The command also
// gets variables, which may be nil. When the context ends, the
// command is stopped.
func Report(ctx context.Context, command []string, verb string, variables *Variables) string {
	command, err := Self(command, verb)
	if err != nil {
		return err.Error()
	}

	text, err := output(ctx, command, variables)

	if strings.TrimSpace(text) == "" && err != nil {
		text = fmt.Sprintf("%s: %s", strings.Join(command, " "), err)
	}
	return strings.TrimRight(text, "\n")
}

// Self returns command or, if it is empty, the command of a verb of this
// program.
func Self(command []string, verb string) ([]string, error) {
	if len(command) > 0 {
		return command, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "run ./install.sh again", "the path of this program is not known")
	}
	return []string{path, verb}, nil
}

// longestLine bounds the bytes of a line that [Lines] yields.
const longestLine = 1 << 20

// Lines yields the lines of r. It shortens a line longer than a mebibyte but
// reads it to its end, because a process blocks forever if nothing reads its
// output. An error of r ends the lines.
func Lines(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		in := bufio.NewReader(r)
		var line []byte
		for {
			part, err := in.ReadSlice('\n')
			line = append(line, part[:min(len(part), longestLine-len(line))]...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}

			if err == nil || len(line) > 0 {
				if n := len(line); n > 0 && line[n-1] == '\n' {
					line = line[:n-1]
				}
				if !yield(string(line)) {
					return
				}
			}

			if err != nil {
				return
			}
			line = line[:0]
		}
	}
}

// tailLength bounds the bytes that a tail keeps.
const tailLength = 4096

// tail keeps the end of a process's output, and copies log records to log. The
// zero value is ready to use.
type tail struct {
	log io.Writer // gets log records; nil drops them

	mu   sync.Mutex
	text []byte
	line []byte // the incomplete last line
}

// Write implements io.Writer. It never fails. A log record is a line that
// starts with time= and contains a level.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for part := range bytes.Lines(p) {
		t.line = append(t.line, part[:min(len(part), longestLine-len(t.line))]...)
		if part[len(part)-1] != '\n' {
			break
		}

		if t.log != nil && bytes.HasPrefix(t.line, []byte("time=")) && bytes.Contains(t.line, []byte(" level=")) {
			t.log.Write(t.line) //nolint:errcheck // there is no other place to report it
		}
		t.line = t.line[:0]
	}

	t.text = append(t.text, p...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the last line that isn't blank and for which fits returns true.
// It returns "" if there is none.
func (t *tail) last(fits func(line string) bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := ""
	for line := range strings.SplitSeq(string(t.text), "\n") {
		if line = strings.TrimSpace(line); line != "" && fits(line) {
			last = line
		}
	}
	return last
}

// FreePipes removes the named pipes with a prefix after their cell has ended,
// and wakes processes that wait for the other end. GoNB removes the pipes
// itself, except if the cell ends before GoNB has opened its end. In that case
// GoNB would wait forever.
func FreePipes(dir, prefix string) {
	for _, path := range Beginning(dir, prefix) {
		both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // wakes waiting processes; later ones find no file
		os.Remove(path)                                                 //nolint:errcheck // GoNB was faster
		if err == nil {
			both.Close() //nolint:errcheck // nothing was written
		}
	}
}

// Beginning returns the paths in a directory whose names start with a prefix,
// in order. It returns nil if the directory can't be read.
func Beginning(dir, prefix string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it was removed with everything in it
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}
