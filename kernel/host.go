package kernel

import (
	"bufio"
	"context"
	"io"
	"maps"
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

// program is a command of the options, or a verb of this program.
func (k *Kernel) program(command []string, verb string) ([]string, error) {
	if len(command) > 0 {
		return command, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again", "the path of this program is not known")
	}
	return []string{path, verb}, nil
}

func (k *Kernel) hostCommand() func() ([]string, error) {
	return func() ([]string, error) { return k.program(k.options.Host, "host") }
}

// runOutput runs a command in a process group that ends with the context, and gives what it wrote.
func runOutput(ctx context.Context, command []string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) // its whole group is stopped below
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	p, err := process.Start(cmd)
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

// hostLink is the process that holds the sessions: started by the first verb that needs it, and again once it has died.
type hostLink struct {
	command func() ([]string, error)
	socket  string

	starting process.Gate // one start at a time

	mu       sync.Mutex
	process  *process.Process
	client   *session.Client
	sessions map[string]bool // open there
	ended    bool            // by stop
}

func newHostLink(command func() ([]string, error), socket string) *hostLink {
	return &hostLink{starting: process.NewGate(), command: command, socket: socket, sessions: map[string]bool{}}
}

// current is the connection there is, or nil.
func (h *hostLink) current() *session.Client {
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
func (h *hostLink) get(ctx context.Context) (*session.Client, error) {
	if c := h.current(); c != nil {
		return c, nil
	}
	if err := h.starting.Enter(ctx); err != nil {
		return nil, fault.New(fault.Interrupted, "", "waiting for the training process was interrupted")
	}
	defer h.starting.Leave()
	if c := h.current(); c != nil {
		return c, nil
	}
	return h.start(ctx)
}

func (h *hostLink) start(ctx context.Context) (*session.Client, error) {
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
	h.process, h.client = p, client
	clear(h.sessions)
	return client, nil
}

// awaitReady waits for the host's one line.
func (h *hostLink) awaitReady(ctx context.Context, out *os.File, p *process.Process, words *process.Tail) error {
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

// opened and closed keep account of what a dead host takes with it.
func (h *hostLink) opened(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[name] = true
}

func (h *hostLink) closed(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, name)
}

// explain turns the loss of the connection into what stopped with it.
func (h *hostLink) explain(c *session.Client, err error) error {
	if !fault.Is(err, fault.Unavailable) {
		return err
	}
	select { // the calls that wait are told a moment before
	case <-c.Ended():
	case <-time.After(100 * time.Millisecond):
		return err // the verb's own, such as a device that is not there
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return fault.New(fault.Interrupted, "", "the kernel is shutting down")
	}
	how := ""
	if h.client == c && h.process != nil {
		select {
		case <-h.process.Done():
			if err := h.process.Err(); err != nil {
				how = " (" + err.Error() + ")"
			}
		case <-time.After(time.Second):
		}
	}
	stopped := "no session was open"
	if names := slices.Sorted(maps.Keys(h.sessions)); len(names) > 0 {
		stopped = "stopped with it, and kept up to their last checkpoints: " + strings.Join(names, ", ")
	}
	return fault.New(fault.Unavailable, "the next verb starts another; open takes a session up again", "the training process ended%s; %s", how, stopped)
}

func (h *hostLink) stopProcess(grace time.Duration) {
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

// stop ends the host for good.
func (h *hostLink) stop(grace time.Duration) {
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
