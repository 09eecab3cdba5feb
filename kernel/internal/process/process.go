// Package process runs the kernel's child processes so that none outlives it: each has a process group of its own, is told when the
// kernel dies, and is ended with its whole group ([Start]).
//
// A [Keeper] keeps one: GoNB, gopls or the training process. A [Heartbeat] tells whether one that works answers at all. An [Interrupter]
// ends what a Go cell has started. A [Directory] belongs to this process, and goes when that has ended.
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

// Start starts a command in a process group of its own. Where the system can, it gets SIGTERM when this process dies, but for a command with
// attributes of its own. What it writes and
// nobody else reads is kept as far as [Process.How] tells of it, and the lines of its log join this process's.
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

// How says in words how the process ended, once Done is closed: " (exit status 2): panic: …", or "".
func (p *Process) How() string {
	if p.err == nil {
		return p.LastWords(true)
	}
	return " (" + p.err.Error() + ")" + p.LastWords(true)
}

// LastWords quotes the last line that the process wrote, or the last that tells of a panic or another fatal error: ": panic: …", or "".
func (p *Process) LastWords(fatal bool) string {
	if line := p.words.last(func(line string) bool { return !fatal || fatalLine.MatchString(line) }); line != "" {
		return ": " + Plain(line)
	}
	return ""
}

var (
	fatalLine = regexp.MustCompile(`^(F\d{4} |panic:|fatal error:)`) // the logs of GoNB and XLA, and Go's
	colours   = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// Plain is a text without the sequences that colour it in a terminal.
func Plain(text string) string { return colours.ReplaceAllString(text, "") }

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

// output runs a command in a process group that ends with the context, and gives what it wrote.
func output(ctx context.Context, command []string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) // its whole group is stopped below
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
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

// Report is what a command says, or where there is none a verb of this program, without the line's end; why it does not run where it says
// nothing.
func Report(ctx context.Context, command []string, verb string) string {
	command, err := Self(command, verb)
	if err != nil {
		return err.Error()
	}
	text, err := output(ctx, command)
	if strings.TrimSpace(text) == "" && err != nil {
		text = fmt.Sprintf("%s: %s", strings.Join(command, " "), err)
	}
	return strings.TrimRight(text, "\n")
}

// Self is a command, or where there is none a verb of this program.
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

// longestLine is how many bytes of a line [Lines] gives.
const longestLine = 1 << 20

// Lines gives what is read line by line, to its end. Of a line that is longer than a mebibyte it gives the beginning: a process whose
// words nobody reads any more would wait for ever.
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

// tailLength is how many bytes a tail keeps.
const tailLength = 4096

// tail keeps the end of what a process writes, and passes on to log what is a line of a log like this process's. The zero value is ready.
type tail struct {
	log io.Writer // nil is nowhere

	mu   sync.Mutex
	text []byte
	line []byte // that has begun
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for part := range bytes.Lines(p) {
		t.line = append(t.line, part[:min(len(part), longestLine-len(t.line))]...)
		if part[len(part)-1] != '\n' {
			break
		}
		if t.log != nil && bytes.HasPrefix(t.line, []byte("time=")) && bytes.Contains(t.line, []byte(" level=")) {
			t.log.Write(t.line) //nolint:errcheck // nobody reads it
		}
		t.line = t.line[:0]
	}
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last is the last line that is not blank and fits, or "".
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

// FreePipes removes the pipes with a prefix, which are those of a cell that has ended, and lets whoever waits for their other ends go. GoNB
// does so itself, but where the cell has ended before GoNB opened its own end: then it waits for ever, and the file stays.
func FreePipes(dir, prefix string) {
	for _, path := range Beginning(dir, prefix) {
		both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // wakes those who wait; whoever comes later finds no file
		os.Remove(path)                                                 //nolint:errcheck // GoNB was faster
		if err == nil {
			both.Close() //nolint:errcheck // nothing was written
		}
	}
}

// Beginning are the paths in a directory whose names begin with a prefix.
func Beginning(dir, prefix string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it was removed with all that is in it
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}
