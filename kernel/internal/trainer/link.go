// Package trainer connects the kernel and the terminal to the host, the process that holds the
// sessions.
//
// A [Link] starts the host for the first verb that needs it, and again after it has died. When the
// host dies, the waiting verb returns an error that names the sessions that stopped; when it hangs,
// an error that says how to wake or end it.
package trainer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
)

// hostStartLimit limits how long the host may take to be ready. It takes a tenth of a second.
const hostStartLimit = 20 * time.Second

// Link starts the host when a verb needs it and passes verbs on. Its methods are safe for
// concurrent use.
type Link struct {
	program []string
	socket  string
	silence time.Duration
	keeper  *process.Keeper[*host]

	mu       sync.Mutex
	sessions map[string]bool // open in the host
	unread   []*errs.Error   // how hosts ended that had open sessions, for the next verb
}

// host is one process and the connection to it.
type host struct {
	process   *process.Process
	client    *session.Client
	heartbeat *process.Heartbeat

	recorded chan struct{} // closed once death is set
	death    *errs.Error   // how it ended; nil if the kernel ended it
}

// Done implements process.Child. The connection ends with the process.
func (h *host) Done() <-chan struct{} { return h.client.Ended() }

// Stop implements process.Child.
func (h *host) Stop(grace time.Duration) {
	h.client.Disconnect()
	h.process.Stop(grace)
}

// New returns a link that has started nothing yet. program is the command before --socket and
// --parent; nil means the host verb of this program. The directory of the socket must exist and be
// private. Verbs give up after the host has answered no ping for silence; 0 means 30 s.
func New(program []string, socket string, silence time.Duration) *Link {
	h := &Link{program: program, socket: socket, silence: cmp.Or(silence, process.Silence), sessions: map[string]bool{}}
	h.keeper = process.NewKeeper(process.KeeperOptions[*host]{Name: "the training process", Start: h.start, Limit: hostStartLimit})
	return h
}

// Current returns the connection to the running host, or nil.
func (h *Link) Current() *session.Client {
	if current := h.keeper.Current(); current != nil {
		return current.client
	}
	return nil
}

func (h *Link) start(ctx context.Context, before *host) (*host, error) {
	if before != nil {
		before.Stop(time.Second) // only its connection may have ended
		<-before.recorded
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
		return nil, errs.Wrap(err, errs.Unavailable, "close some programs", "the training process does not start")
	}
	cmd.Stdout = writer
	p, err := process.Start(cmd)
	writer.Close() //nolint:errcheck // the child has its own copy
	if err != nil {
		reader.Close()
		return nil, errs.Wrap(err, errs.Unavailable, "run ./install.sh again", "the training process does not start")
	}
	var client *session.Client
	if err = awaitReady(ctx, reader, p); err == nil {
		client, err = session.Dial(ctx, h.socket)
	}
	if err != nil {
		p.Stop(time.Second)
		return nil, err
	}
	client.PauseLimit = h.silence // a host that answers may be compiling a graph
	ping := func() error { return client.Call(context.Background(), string(session.VerbPing), session.None{}, nil) }
	started := &host{process: p, client: client, heartbeat: process.NewHeartbeat(h.silence, ping), recorded: make(chan struct{})}
	go h.record(started)
	return started, nil
}

// record waits for the end of a host and keeps how it ended for the next verb, if it had open
// sessions.
func (h *Link) record(of *host) {
	defer close(of.recorded)
	<-of.Done()
	if h.keeper.Ended() {
		return
	}
	how := ""
	select {
	case <-of.process.Done():
		how = of.process.How()
	case <-time.After(time.Second):
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	names := slices.Sorted(maps.Keys(h.sessions))
	clear(h.sessions)
	stopped := "no session was open"
	if len(names) > 0 {
		stopped = "stopped with it, and kept up to their last checkpoints: " + strings.Join(names, ", ")
	}
	of.death = errs.New(errs.Unavailable, "the next verb starts another; open continues a session", "the training process ended%s; %s", how, stopped)
	slog.Warn("the training process ended", "process", of.process.ID(), "how", how, "sessions", len(names))
	if len(names) > 0 {
		h.unread = append(h.unread, of.death)
	}
}

// awaitReady waits for the line that the host prints when clients can connect.
func awaitReady(ctx context.Context, out *os.File, p *process.Process) error {
	ready := make(chan bool, 1)
	go func() {
		defer out.Close()
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.HasPrefix(line, "ready ")
		io.Copy(io.Discard, out) //nolint:errcheck // later output must not block it
	}()
	const remedy = "%fsnet doctor looks for the reason"
	select {
	case ok := <-ready:
		if ok {
			return nil
		}
		select {
		case <-p.Done():
			return errs.New(errs.Unavailable, remedy, "the training process ended at its start (%v)%s", p.Err(), p.LastWords(false))
		case <-ctx.Done(): // it runs on without a word
		}
	case <-ctx.Done():
	}
	return errs.New(errs.Unavailable, remedy, "the training process was not ready after %s%s", hostStartLimit, p.LastWords(false))
}

// ID returns the process id of the host that was started last, or 0.
func (h *Link) ID() int {
	if last := h.keeper.Last(); last != nil {
		return last.process.ID()
	}
	return 0
}

// opened records a session that the host's death would stop.
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

// Stop ends the host for good, and kills it after grace.
func (h *Link) Stop(grace time.Duration) { h.keeper.Stop(grace) }

// listen makes a request and waits as long as the host answers pings. It gives up, and returns
// hangs, when the host hangs, was stopped, or a second interrupt arrives. A step or run that was
// given up is paused if the host wakes up.
func (h *Link) listen(ctx context.Context, to *host, method string, params, result any) (hangs bool, err error) {
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()
	answer := result
	if result != nil { // the caller's result must not change after listen has given up
		answer = reflect.New(reflect.TypeOf(result).Elem()).Interface()
	}
	ended := make(chan error, 1)
	go func() { ended <- to.client.Call(working, method, params, answer) }()
	silent := to.heartbeat.Listen(working)
	select {
	case err := <-ended:
		if err == nil && result != nil {
			reflect.ValueOf(result).Elem().Set(reflect.ValueOf(answer).Elem())
		}
		return false, err
	case silence := <-silent:
		return true, h.hung(silence)
	case <-process.ForceInterrupt(ctx):
		return true, errs.New(errs.Interrupted, "ask for its status later",
			"interrupted: the training process was told to pause, and has not yet")
	}
}

// hung returns the error for a host that answers no ping.
func (h *Link) hung(silence time.Duration) error {
	pid := h.ID()
	how, remedy := "", "wait, if the machine is busy"
	if process.Stopped(pid) {
		how, remedy = " (it was stopped)", fmt.Sprintf("kill -CONT %d lets it continue", pid)
	}
	remedy += fmt.Sprintf("; kill -9 %d ends it: the next verb starts another, and open continues its sessions from their last "+
		"checkpoints", pid)
	slog.Warn("the training process does not answer", "process", pid, "silence", silence)
	return errs.New(errs.Unavailable, remedy, "the training process %d has not answered for %s%s", pid, silence, how)
}

// explain returns the host's death in place of the error of a lost connection; died reports whether
// it did.
func (h *Link) explain(of *host, err error) (died bool, why error) {
	if !errs.Is(err, errs.Unavailable) {
		return false, err
	}
	select { // a call fails a moment before the connection counts as ended
	case <-of.Done():
	case <-time.After(100 * time.Millisecond):
		return false, err // the verb's own error, such as a missing device
	}
	<-of.recorded
	if of.death == nil {
		return false, errs.New(errs.Interrupted, "", "the kernel is shutting down")
	}
	return true, of.death
}

// TakeNotice returns how hosts ended while sessions were open and no verb waited, and nil the next
// time. A caller that does not show the error returns it with [Link.KeepNotice].
func (h *Link) TakeNotice() error {
	if last := h.keeper.Last(); last != nil && h.keeper.Current() == nil {
		<-last.recorded
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.unread) == 0 {
		return nil
	}
	var ends []string
	for _, death := range h.unread {
		ends = append(ends, death.What)
	}
	notice := errs.New(errs.Unavailable, h.unread[0].Remedy, "%s", strings.Join(ends, "; "))
	h.unread = nil
	return notice
}

// KeepNotice keeps an error of TakeNotice, which may be nil, for the next verb.
func (h *Link) KeepNotice(err error) {
	if err == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unread = append([]*errs.Error{errs.Of(err)}, h.unread...)
}

var _ session.Caller = (*Link)(nil)

type startless struct{}

// WithoutStart returns a context under which verbs start no host and do not report how the last one
// ended: completion must not begin a training process, and shows no errors.
func WithoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// ForMagics returns the host for an interpreter of magics.
func (h *Link) ForMagics(ctx context.Context) (session.Caller, error) {
	if ctx.Value(startless{}) != nil && h.Current() == nil {
		return nil, errs.New(errs.Unavailable, "", "no host is running")
	}
	return h, nil
}

// Forward passes a request on without decoding it.
func (h *Link) Forward(ctx context.Context, method string, params json.RawMessage) (result json.RawMessage, err error) {
	err = h.Call(ctx, method, params, &result)
	return result, err
}

// Call passes a request on to the host and starts it if necessary. An unread death of an earlier
// host is returned instead, except by open, which reports it as a warning of the session's status.
func (h *Link) Call(ctx context.Context, method string, params, result any) error {
	var died error
	typing := ctx.Value(startless{}) != nil
	if !typing {
		died = h.TakeNotice()
	}
	if died != nil && method != string(session.VerbOpen) {
		return died
	}
	if err := h.call(ctx, typing, method, params, result); err != nil {
		h.KeepNotice(died)
		if method == string(session.VerbClose) && errs.Is(err, errs.Failed) { // closed, without its last checkpoint
			h.closed(params.(session.NameRequest).Session)
		}
		return err
	}
	switch method {
	case string(session.VerbOpen), string(session.VerbFork):
		status := result.(*session.Status)
		h.opened(status.Session)
		if died != nil {
			status.Warning = strings.TrimPrefix(status.Warning+"; "+errs.Of(died).What, "; ")
		}
	case string(session.VerbClose):
		h.closed(params.(session.NameRequest).Session)
	}
	return nil
}

func (h *Link) call(ctx context.Context, typing bool, method string, params, result any) error {
	to, err := h.keeper.Get(ctx)
	if err != nil {
		return err
	}
	hangs, err := h.listen(ctx, to, method, params, result)
	if err == nil || hangs {
		return err
	}
	died, err := h.explain(to, err)
	if died && !typing {
		if notice := h.TakeNotice(); notice != nil {
			return notice
		}
	}
	return err
}

// Watch implements session.Caller. A view that reports the host's death leaves it unread for the
// user who runs a cell.
func (h *Link) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	to, err := h.keeper.Get(ctx)
	if err != nil {
		return err
	}
	if err = to.client.Watch(ctx, request, tell); err != nil {
		_, err = h.explain(to, err)
	}
	return err
}
