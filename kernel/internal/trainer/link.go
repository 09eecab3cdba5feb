// Package trainer is the process that holds the sessions, as those who are not Go cells see it: the kernel and the terminal.
//
// A [Link] starts it when the first verb needs it, and again once it has died; it answers the verbs of all sessions. When the host
// dies, whoever waits for a verb is told what stopped with it; when it hangs, how to wake or to end it.
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
	program []string
	socket  string
	silence time.Duration
	keeper  *process.Keeper[*host]

	mu       sync.Mutex
	sessions map[string]bool // open there
	news     news
}

// host is one process and the connection to it.
type host struct {
	process   *process.Process
	client    *session.Client
	heartbeat *process.Heartbeat
}

// Done implements process.Child: the connection ends with the process.
func (h *host) Done() <-chan struct{} { return h.client.Ended() }

func (h *host) Stop(grace time.Duration) {
	h.client.Disconnect()
	h.process.Stop(grace)
}

// New starts nothing yet. program is the command before --socket and --parent, nil this program's host verb; the directory of the socket
// must exist and be private. silence is how long the process may leave it unanswered whether it answers before verbs give up; 0 is 30 s.
func New(program []string, socket string, silence time.Duration) *Link {
	h := &Link{program: program, socket: socket, silence: cmp.Or(silence, process.Silence), sessions: map[string]bool{}}
	h.keeper = process.NewKeeper(process.KeeperOptions[*host]{Name: "the training process", Start: h.start, Limit: hostStartLimit})
	return h
}

// Current is the connection there is, or nil.
func (h *Link) Current() *session.Client {
	if current := h.keeper.Current(); current != nil {
		return current.client
	}
	return nil
}

// get is the connection to a running host.
func (h *Link) get(ctx context.Context) (*session.Client, error) {
	host, err := h.keeper.Get(ctx)
	if err != nil {
		return nil, err
	}
	return host.client, nil
}

func (h *Link) start(ctx context.Context, before *host) (*host, error) {
	if before != nil {
		h.remember()
		before.Stop(time.Second) // it may have lost its connection only
	}
	command, err := process.Self(h.program, "host")
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(command[1:]), "--socket", h.socket, "--parent", strconv.Itoa(os.Getpid()))
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], args...)
	cmd.Env = append(os.Environ(), "GOMLX_NO_AUTO_INSTALL=1")
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
	var client *session.Client
	if err = awaitReady(ctx, reader, p); err == nil {
		client, err = session.Dial(ctx, h.socket)
	}
	if err != nil {
		p.Stop(time.Second)
		return nil, err
	}
	client.PauseLimit = h.silence // for as long as it answers, a graph may be compiled
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.sessions)
	ping := func() error { return client.Call(context.Background(), string(session.VerbPing), session.None{}, nil) }
	return &host{p, client, process.NewHeartbeat(h.silence, ping)}, nil
}

// awaitReady waits for the host's one line.
func awaitReady(ctx context.Context, out *os.File, p *process.Process) error {
	ready := make(chan bool, 1)
	go func() {
		defer out.Close()
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.HasPrefix(line, "ready ")
		io.Copy(io.Discard, out) //nolint:errcheck // whatever it says later must not block it
	}()
	const remedy = "%fsnet doctor looks for the reason"
	select {
	case ok := <-ready:
		if ok {
			return nil
		}
		select {
		case <-p.Done():
			return fault.New(fault.Unavailable, remedy, "the training process ended at its start (%v)%s", p.Err(), p.LastWords(false))
		case <-ctx.Done(): // it goes on, but says nothing
		}
	case <-ctx.Done():
	}
	return fault.New(fault.Unavailable, remedy, "the training process was not ready after %s%s", hostStartLimit, p.LastWords(false))
}

// ID is the process id of the host that was started last, or 0 where there is none.
func (h *Link) ID() int {
	if last := h.keeper.Last(); last != nil {
		return last.process.ID()
	}
	return 0
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

// Stop ends the host for good; after grace it is killed.
func (h *Link) Stop(grace time.Duration) { h.keeper.Stop(grace) }
