package program

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running program, in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	folder string      // holds the files that requests name
	lines  chan string // of its standard output; closed at its end
	gone   chan struct{}
	once   sync.Once
	ended  chan struct{} // closed when the process has ended
	how    string        // how it ended
}

// longestLine bounds the length of a line.
const longestLine = 1 << 28

// start starts a command with pipes and an empty folder, and returns at once. Call kill or finish,
// which remove the folder.
func start(args []string) (*process, error) {
	folder, err := os.MkdirTemp("", "fsnet-method-")
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(args[0], args[1:]...), folder: folder, lines: make(chan string),
		gone: make(chan struct{}), ended: make(chan struct{})}
	out, writer := io.Pipe()
	var words lastLine
	p.cmd.Stdout, p.cmd.Stderr = writer, &words
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second // a grandchild may hold the output open
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	go func() {
		err := p.cmd.Wait()
		writer.Close()
		p.signal() // kill what is left of the group
		p.how = "it ended"
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			p.how = err.Error()
		}
		if line := words.String(); line != "" {
			p.how += ": " + line
		}
		close(p.ended)
	}()
	go p.read(out)
	return p, nil
}

// read passes lines on until the process is no longer used, its output ends, or a line is longer
// than longestLine.
func (p *process) read(out *io.PipeReader) {
	defer close(p.lines)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		case <-p.gone:
			return
		}
	}
}

func (p *process) signal() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) } // the group may have ended

// kill kills the process group, waits for the end, and removes the folder.
func (p *process) kill() {
	defer os.RemoveAll(p.folder)
	p.once.Do(func() { close(p.gone) })
	select {
	case <-p.ended: // and its group with it
	default:
		p.signal()
		<-p.ended
	}
}

// finish closes the process's input, and kills it if it has not ended within two seconds.
func (p *process) finish() {
	p.once.Do(func() { close(p.gone) })
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
	}
	p.kill()
}

// lastLine keeps the last line that is not blank.
type lastLine struct {
	mu         sync.Mutex
	last, rest []byte
}

// Write takes all of text, which may begin and end within a line, and never fails. Of a line it
// keeps the first 4096 bytes.
func (l *lastLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(text) {
		l.rest = append(l.rest, line...)
		if len(l.rest) > 4096 {
			l.rest = l.rest[:4096]
		}
		if bytes.HasSuffix(line, []byte("\n")) {
			l.keep()
		}
	}
	return len(text), nil
}

func (l *lastLine) keep() {
	if line := bytes.TrimSpace(l.rest); len(line) > 0 {
		l.last = bytes.Clone(line)
	}
	l.rest = l.rest[:0]
}

// String returns the line, at most 300 bytes of it.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep()
	return strings.ToValidUTF8(string(l.last[:min(300, len(l.last))]), "")
}
