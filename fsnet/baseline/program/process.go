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

// process is a running program in its own process group.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	folder string      // the folder for the files that requests name
	lines  chan string // lines of its standard output; closed at the end
	// closed when the process is no longer used
	gone  chan struct{}
	once  sync.Once
	ended chan struct{} // closed when the process has ended
	how   string        // how it ended; set before ended is closed
}

// longestLine limits the length of a line.
const longestLine = 1 << 28

// start starts a command with pipes and an empty folder, without waiting for
// it. The caller must call kill or finish. Both also remove the folder.
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
		p.signal() // kill what remains of the group
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

// read passes lines on until the process is no longer used, its output ends,
// or a line is longer than longestLine.
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

// signal kills the process group. The group may have ended already.
func (p *process) signal() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// kill kills the process group, waits for its end, and removes the folder.
func (p *process) kill() {
	defer os.RemoveAll(p.folder)
	p.once.Do(func() { close(p.gone) })
	select {
	case <-p.ended: // and so has its group
	default:
		p.signal()
		<-p.ended
	}
}

// finish closes the input of the process. If the process has not ended
// within two seconds, finish kills it.
func (p *process) finish() {
	p.once.Do(func() { close(p.gone) })
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
	}
	p.kill()
}

// lastLine is a writer that remembers the last line that is not blank.
type lastLine struct {
	mu         sync.Mutex
	last, rest []byte
}

// Write never fails. text may begin and end within a line. Only the first
// 4096 bytes of a line are kept.
func (l *lastLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(text) {
		l.rest = append(l.rest, line...)
		if len(l.rest) > 4096 {
			l.rest = l.rest[:4096]
		}
		if bytes.HasSuffix(line, []byte("\n")) {
			l.endLine()
		}
	}
	return len(text), nil
}

// endLine remembers the current line unless it is blank, and starts a new one.
// The caller must hold the lock.
func (l *lastLine) endLine() {
	if line := bytes.TrimSpace(l.rest); len(line) > 0 {
		l.last = bytes.Clone(line)
	}
	l.rest = l.rest[:0]
}

// String returns at most 300 bytes of the line.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLine()
	return strings.ToValidUTF8(string(l.last[:min(300, len(l.last))]), "")
}
