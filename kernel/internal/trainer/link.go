// Package trainer is the process that holds the sessions, as those who are not Go cells see it: the kernel and the terminal.
//
// A [Link] starts it when the first verb needs it, and again once it has died; it answers the verbs of all sessions. When the host
// dies, whoever waits for a verb is told what stopped with it; when it hangs, how to wake or to end it.
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
		return nil, errs.Wrap(err, errs.Unavailable, "close some programs", "the training process does not start")
	}
	cmd.Stdout = writer
	p, err := process.Start(cmd)
	writer.Close() //nolint:errcheck // the child has its own
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
			return errs.New(errs.Unavailable, remedy, "the training process ended at its start (%v)%s", p.Err(), p.LastWords(false))
		case <-ctx.Done(): // it goes on, but says nothing
		}
	case <-ctx.Done():
	}
	return errs.New(errs.Unavailable, remedy, "the training process was not ready after %s%s", hostStartLimit, p.LastWords(false))
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

// listen makes a request, which may take as long as it likes while the process answers. One that hangs or was stopped is given up: hangs
// says so, with an error that says what can be done; so is one that a second interrupt does not wait for. A step or run is paused should
// the process go on after all.
func (h *Link) listen(ctx context.Context, client *session.Client, method string, params, result any) (hangs bool, err error) {
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()
	answer := result
	if result != nil { // one that comes after it was given up finds nobody
		answer = reflect.New(reflect.TypeOf(result).Elem()).Interface()
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Call(working, method, params, answer) }()
	var silent <-chan time.Duration
	if last := h.keeper.Last(); last != nil && last.client == client {
		silent = last.heartbeat.Listen(working)
	}
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

// hung says that the process does not answer.
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

// news is how processes ended, as far as users have to know it. Each end is told once: to the verb that waited, or else to the next one.
type news struct {
	last *session.Client // whose process was the last to end
	how  *errs.Error     // and what stopped with it

	noticed *session.Client // of whose end the user knows, or will from pending
	pending *errs.Error     // for the next verb; nil is nothing
}

// explain turns the loss of the connection into what stopped with it; died reports whether that is what it was.
func (h *Link) explain(c *session.Client, err error) (died bool, why error) {
	if !errs.Is(err, errs.Unavailable) {
		return false, err
	}
	select { // the calls that wait are told a moment before
	case <-c.Ended():
	case <-time.After(100 * time.Millisecond):
		return false, err // the verb's own, such as a device that is not there
	}
	if h.keeper.Ended() {
		return false, errs.New(errs.Interrupted, "", "the kernel is shutting down")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return true, h.death(c)
}

// TakeNotice is how the process ended, where sessions stopped with it while nothing was asked of it: once, to the next verb. Whoever does not
// pass it on gives it back ([Link.KeepNotice]).
func (h *Link) TakeNotice() error {
	h.remember()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.news.pending == nil {
		return nil
	}
	err := h.news.pending
	h.news.pending = nil
	return err
}

// KeepNotice keeps what TakeNotice has given for the next verb.
func (h *Link) KeepNotice(err error) {
	if err == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.merge(errs.Of(err), h.news.pending)
}

// merge keeps an end, and one after it, for the next verb. The caller holds the lock.
func (h *Link) merge(first, second *errs.Error) {
	switch {
	case first == nil:
		first = second
	case second != nil:
		first = errs.New(second.Kind, second.Remedy, "%s; %s", first.What, second.What)
	}
	h.news.pending = first
}

// remember keeps how a process ended that is gone, until somebody is told.
func (h *Link) remember() {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.keeper.Last()
	if last == nil || h.news.noticed == last.client || h.keeper.Ended() || len(h.sessions) == 0 {
		return
	}
	select {
	case <-last.Done():
		h.news.noticed = last.client
		h.merge(h.news.pending, h.death(last.client))
	default:
	}
}

// noticed: the user has read how the process behind a connection ended.
func (h *Link) noticed(c *session.Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last := h.keeper.Last(); last != nil && last.client == c {
		h.news.noticed = c
	}
	if h.news.last == c && h.news.pending == h.news.how {
		h.news.pending = nil
	}
}

// death is how the process behind a connection ended, and what stopped with it. The caller holds the lock.
func (h *Link) death(c *session.Client) *errs.Error {
	if h.news.last == c {
		return h.news.how
	}
	const remedy = "the next verb starts another; open continues a session"
	last := h.keeper.Last()
	if last == nil || last.client != c { // an earlier one, of which somebody was told
		return errs.New(errs.Unavailable, remedy, "the training process ended")
	}
	how := ""
	select {
	case <-last.process.Done():
		how = last.process.How()
	case <-time.After(time.Second):
	}
	stopped := "no session was open"
	if names := slices.Sorted(maps.Keys(h.sessions)); len(names) > 0 {
		stopped = "stopped with it, and kept up to their last checkpoints: " + strings.Join(names, ", ")
	}
	h.news.last, h.news.how = c, errs.New(errs.Unavailable, remedy, "the training process ended%s; %s", how, stopped)
	slog.Warn("the training process ended", "process", last.process.ID(), "how", how, "sessions", len(h.sessions))
	return h.news.how
}

var _ session.Caller = (*Link)(nil)

type startless struct{}

// WithoutStart marks a context under which no host is started, and nobody is told how the last one ended: typing must not begin a training
// process, and shows no errors.
func WithoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// ForMagics is the host of an interpreter.
func (h *Link) ForMagics(ctx context.Context) (session.Caller, error) {
	if ctx.Value(startless{}) != nil && h.Current() == nil {
		return nil, errs.New(errs.Unavailable, "", "no host is running")
	}
	return h, nil
}

// Forward passes a request on as it came.
func (h *Link) Forward(ctx context.Context, method string, params json.RawMessage) (result json.RawMessage, err error) {
	err = h.Call(ctx, method, params, &result)
	return result, err
}

// Call passes a request on to the host, which is started where it is not running, and whose death is explained. Where there is bad news, of
// a process that died while nothing was asked of it, that is the answer. It does not keep a session from being opened: the status says it.
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
		if method == string(session.VerbClose) && errs.Is(err, errs.Failed) { // it is, without its last checkpoint
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
	client, err := h.get(ctx)
	if err != nil {
		return err
	}
	hangs, err := h.listen(ctx, client, method, params, result)
	if err == nil || hangs {
		return err
	}
	died, err := h.explain(client, err)
	if died && !typing {
		h.noticed(client)
	}
	return err
}

// Watch implements session.Caller. How the host died is told to a view: the user who runs a cell is still to be told.
func (h *Link) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	client, err := h.get(ctx)
	if err != nil {
		return err
	}
	if err = client.Watch(ctx, request, tell); err != nil {
		_, err = h.explain(client, err)
	}
	return err
}
