package trainer

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
)

// hostStartLimit is how long the host may take to be ready; it takes a tenth of a second.
const hostStartLimit = 20 * time.Second

// Link is the process that holds the sessions: started by the first verb that needs it, and again once it has died. Its methods may be
// called from any goroutine.
type Link struct {
	command func() ([]string, error)
	socket  string
	silence time.Duration

	starting process.Gate // one start at a time

	mu       sync.Mutex
	process  *process.Process
	client   *session.Client
	sessions map[string]bool // open there
	ended    bool            // by Stop
	news     news
	silent   bool // the process did not answer when it was asked last
}

// New starts nothing yet. command gives the program and its arguments before --socket and --parent; the directory of the socket must exist
// and be private. silence is how long the process may leave it unanswered whether it answers before verbs give up; 0 is 30 s.
func New(command func() ([]string, error), socket string, silence time.Duration) *Link {
	return &Link{starting: process.NewGate(), command: command, socket: socket, silence: cmp.Or(silence, process.Silence), sessions: map[string]bool{}}
}

// Current is the connection there is, or nil.
func (h *Link) Current() *session.Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client == nil {
		return nil
	}
	select {
	case <-h.client.Ended():
		return nil
	default:
		return h.client
	}
}

// get is the connection to a running host.
func (h *Link) get(ctx context.Context) (*session.Client, error) {
	if c := h.Current(); c != nil {
		return c, nil
	}
	if err := h.starting.Enter(ctx); err != nil {
		return nil, fault.New(fault.Interrupted, "", "waiting for the training process was interrupted")
	}
	defer h.starting.Leave()
	if c := h.Current(); c != nil {
		return c, nil
	}
	return h.start(ctx)
}

func (h *Link) start(ctx context.Context) (*session.Client, error) {
	h.remember()
	h.stopProcess(time.Second) // one that lost its connection
	command, err := h.command()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], append(slices.Clone(command[1:]), "--socket", h.socket, "--parent", strconv.Itoa(os.Getpid()))...)
	cmd.Env = append(os.Environ(), "GOMLX_NO_AUTO_INSTALL=1")
	words := new(process.Tail)
	cmd.Stderr = words
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "close some programs", "the training process does not start")
	}
	cmd.Stdout = writer
	p, err := process.Start(cmd)
	writer.Close() //nolint:errcheck // the child has its own
	if err != nil {
		reader.Close()
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again", "the training process does not start")
	}
	if err := h.awaitReady(ctx, reader, p, words); err != nil {
		p.Stop(time.Second)
		return nil, err
	}
	client, err := session.Dial(ctx, h.socket)
	if err != nil {
		p.Stop(time.Second)
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		client.Disconnect()
		p.Stop(0)
		return nil, fault.New(fault.Unavailable, "", "the kernel is shutting down")
	}
	h.process, h.client, h.silent = p, client, false
	clear(h.sessions)
	return client, nil
}

// awaitReady waits for the host's one line.
func (h *Link) awaitReady(ctx context.Context, out *os.File, p *process.Process, words *process.Tail) error {
	ready := make(chan bool, 1)
	go func() {
		defer out.Close()
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.HasPrefix(line, "ready ")
		io.Copy(io.Discard, out) //nolint:errcheck // whatever it says later must not block it
	}()
	limit := time.NewTimer(hostStartLimit)
	defer limit.Stop()
	select {
	case ok := <-ready:
		if ok {
			return nil
		}
		select {
		case <-p.Done():
		case <-limit.C:
		}
		return fault.New(fault.Unavailable, "%fsnet doctor looks for the reason", "the training process ended at its start (%v)%s", p.Err(), lastWords(words))
	case <-ctx.Done():
		return fault.New(fault.Interrupted, "", "starting the training process was interrupted")
	case <-limit.C:
		return fault.New(fault.Unavailable, "%fsnet doctor looks for the reason", "the training process was not ready after %s%s", hostStartLimit, lastWords(words))
	}
}

// ID is the process id of the host that was started last, or 0 where there is none.
func (h *Link) ID() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == nil {
		return 0
	}
	return h.process.ID()
}

// opened and closed keep account of what a dead host takes with it.
func (h *Link) opened(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[name] = true
}

func (h *Link) closed(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, name)
}

func (h *Link) stopProcess(grace time.Duration) {
	h.mu.Lock()
	p, c := h.process, h.client
	h.process, h.client = nil, nil
	h.mu.Unlock()
	if c != nil {
		c.Disconnect()
	}
	if p != nil {
		p.Stop(grace)
	}
}

// Stop ends the host for good; after grace it is killed.
func (h *Link) Stop(grace time.Duration) {
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	h.stopProcess(grace)
	if h.starting.Enter(context.Background()) == nil { // a start that was under way has seen ended
		h.starting.Leave()
	}
}

// lastWords quotes the last line that the host wrote.
func lastWords(words *process.Tail) string {
	if line := words.Last(func(string) bool { return true }); line != "" {
		return ": " + line
	}
	return ""
}
