package magic

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

// hostStartLimit bounds how long the host may take to be ready. Normally it
// takes a tenth of a second.
const hostStartLimit = 20 * time.Second

// Link connects the kernel or the terminal to the host, the process that holds
// the sessions. It starts the host for the first verb that needs it, and again
// after it has died. If the host dies, the waiting verb returns an error that
// names the sessions that stopped. If it hangs, the error says how to wake or
// end it. A Link's methods are safe for concurrent use.
type Link struct {
	program   []string
	socket    string
	silence   time.Duration
	variables *process.Variables // nil for none
	keeper    *process.Keeper[*host]

	mu       sync.Mutex
	sessions map[string]bool // sessions that are open in the host
	notices  []*errs.Error   // how hosts with open sessions ended, for the next verb
}

// host is one process and the connection to it.
type host struct {
	process   *process.Process
	client    *session.Client
	heartbeat *process.Heartbeat

	dropped  bool          // EndIdle ended it; guarded by Link.mu
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

// NewLink returns a link that has started nothing yet. program is the command
// before --socket and --parent. Nil means the host verb of this program. The
// directory of the socket must exist and be private. Verbs give up if the host
// answers no ping for silence. Zero means 30 s. A host that starts also gets
// variables, which may be nil.
func NewLink(program []string, socket string, silence time.Duration, variables *process.Variables) *Link {
	l := &Link{program: program, socket: socket, silence: cmp.Or(silence, process.Silence), variables: variables, sessions: map[string]bool{}}
	l.keeper = process.NewKeeper(process.KeeperOptions[*host]{Name: "the training process", Start: l.start, Limit: hostStartLimit})
	return l
}

// Current returns the connection to the running host. It returns nil if no host
// is running.
func (l *Link) Current() *session.Client {
	if current := l.keeper.Current(); current != nil {
		return current.client
	}
	return nil
}

// start starts a host and connects to it. before is the last host, or nil.
// start waits until it has ended. The new host is ready when it says so on its
// standard output.
func (l *Link) start(ctx context.Context, before *host) (*host, error) {
	if before != nil {
		before.Stop(time.Second) // only its connection may have ended
		<-before.recorded
	}

	command, err := process.Self(l.program, "host")
	if err != nil {
		return nil, err
	}

	args := append(slices.Clone(command[1:]), "--socket", l.socket, "--parent", strconv.Itoa(os.Getpid()))
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], args...)
	cmd.Env = l.variables.Environment("GOMLX_NO_AUTO_INSTALL=1")

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
	if err = awaitReady(ctx, reader, p, l.variables.Remedy()); err == nil {
		client, err = session.Dial(ctx, l.socket)
	}

	if err != nil {
		p.Stop(time.Second)
		return nil, err
	}

	client.PauseLimit = l.silence // a host that answers may be compiling a graph
	ping := func() error { return client.Call(context.Background(), string(session.VerbPing), session.None{}, nil) }
	started := &host{process: p, client: client, heartbeat: process.NewHeartbeat(l.silence, ping), recorded: make(chan struct{})}

	l.mu.Lock()
	clear(l.sessions) // a name that was added while the previous host ended
	l.mu.Unlock()
	go l.record(started)
	return started, nil
}

// record waits for the end of a host and stores how it ended. If the host had
// open sessions, record also keeps a notice for the next verb.
func (l *Link) record(ended *host) {
	defer close(ended.recorded)
	<-ended.Done()
	if l.keeper.Ended() {
		return
	}

	how := ""
	select {
	case <-ended.process.Done():
		how = ended.process.How()
	case <-time.After(time.Second):
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if ended.dropped {
		return
	}
	names := slices.Sorted(maps.Keys(l.sessions))
	clear(l.sessions)

	stopped := "no session was open"
	if len(names) > 0 {
		stopped = "stopped with it, and kept up to their last checkpoints: " + strings.Join(names, ", ")
	}

	remedy := "the next verb starts another; open continues a session"
	if len(names) == 0 { // perhaps it ended because of its environment, and so would the next
		remedy += l.variables.Remedy()
	}
	ended.death = errs.New(errs.Unavailable, remedy, "the training process ended%s; %s", how, stopped)
	slog.Warn("the training process ended", "process", ended.process.ID(), "how", how, "sessions", len(names))
	if len(names) > 0 {
		l.notices = append(l.notices, ended.death)
	}
}

// awaitReady waits for the line that the host prints when clients can connect.
// The error says whether the host ended or was too slow. more continues its
// remedy.
func awaitReady(ctx context.Context, out *os.File, p *process.Process, more string) error {
	ready := make(chan bool, 1)
	go func() {
		defer out.Close()
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.HasPrefix(line, "ready ")
		io.Copy(io.Discard, out) //nolint:errcheck // later output must not block it
	}()

	remedy := "%fsnet doctor looks for the reason" + more

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

// EndIdle ends the host if no session is open in it, so that the next verb
// starts one with the current variables. It reports whether no host is running
// afterwards.
func (l *Link) EndIdle() bool {
	running := l.keeper.Current()
	if running == nil {
		return true
	}

	l.mu.Lock()
	busy := len(l.sessions) > 0
	running.dropped = running.dropped || !busy
	l.mu.Unlock()
	if busy {
		return false
	}

	running.Stop(time.Second)
	<-running.recorded
	return true
}

// ID returns the process id of the host that was started last, or 0.
func (l *Link) ID() int {
	if last := l.keeper.Last(); last != nil {
		return last.process.ID()
	}
	return 0
}

// addSession records a session that the host's death would stop.
func (l *Link) addSession(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[name] = true
}

// removeSession forgets a session that was closed.
func (l *Link) removeSession(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, name)
}

// Stop ends the host for good, and kills it after grace.
func (l *Link) Stop(grace time.Duration) { l.keeper.Stop(grace) }

// ask sends a request and waits for its answer while the host answers pings. If
// the host hangs or was stopped, or a second interrupt arrives, ask gives up
// and hangs is true. If the host wakes up later, it pauses the step or run that
// was given up.
func (l *Link) ask(ctx context.Context, to *host, method string, params, result any) (hangs bool, err error) {
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()

	answer := result
	if result != nil { // the caller's result must not change after ask has given up
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
		return true, l.silenceError(silence)
	case <-process.ForceInterrupt(ctx):
		return true, errs.New(errs.Interrupted, "ask for its status later",
			"interrupted: the training process was told to pause, and has not yet")
	}
}

// silenceError returns the error for a host that answers no ping.
func (l *Link) silenceError(silence time.Duration) error {
	pid := l.ID()

	how, remedy := "", "wait, if the machine is busy"
	if process.Stopped(pid) {
		how, remedy = " (it was stopped)", fmt.Sprintf("kill -CONT %d lets it continue", pid)
	}

	remedy += fmt.Sprintf("; kill -9 %d ends it: the next verb starts another, and open continues its sessions from their last "+
		"checkpoints", pid)
	slog.Warn("the training process does not answer", "process", pid, "silence", silence)
	return errs.New(errs.Unavailable, remedy, "the training process %d has not answered for %s%s", pid, silence, how)
}

// explain returns the host's death instead of the error of a lost connection.
// died is then true. It returns any other error unchanged. It may wait a second
// until the end is recorded.
func (l *Link) explain(ended *host, err error) (died bool, why error) {
	if !errs.Is(err, errs.Unavailable) {
		return false, err
	}

	select { // a call fails a moment before the connection counts as ended
	case <-ended.Done():
	case <-time.After(100 * time.Millisecond):
		return false, err // the verb's own error, such as a missing device
	}

	<-ended.recorded
	if ended.death == nil {
		return false, errs.New(errs.Interrupted, "", "the kernel is shutting down")
	}
	return true, ended.death
}

// TakeNotice returns how hosts ended while sessions were open and no verb
// waited, as one error of kind Unavailable. The next call returns nil. It may
// wait a second until the last end is recorded. A caller that doesn't show the
// error must return it with [Link.KeepNotice].
func (l *Link) TakeNotice() error {
	if last := l.keeper.Last(); last != nil && l.keeper.Current() == nil {
		<-last.recorded
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.notices) == 0 {
		return nil
	}

	var ends []string
	for _, death := range l.notices {
		ends = append(ends, death.What)
	}

	notice := errs.New(errs.Unavailable, l.notices[0].Remedy, "%s", strings.Join(ends, "; "))
	l.notices = nil
	return notice
}

// KeepNotice keeps an error of TakeNotice for the next verb. err may be nil.
func (l *Link) KeepNotice(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append([]*errs.Error{errs.Of(err)}, l.notices...)
}

var _ session.Caller = (*Link)(nil)

// startless is the context key of WithoutStart.
type startless struct{}

// WithoutStart returns a context under which verbs don't start a host and don't
// report how the last one ended. Completion needs it, because it must not start
// a training process and shows no errors.
func WithoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// ForMagics returns l for an interpreter of magics. The first verb of that
// interpreter starts the host. Under [WithoutStart] it returns an error if no
// host is running.
func (l *Link) ForMagics(ctx context.Context) (session.Caller, error) {
	if ctx.Value(startless{}) != nil && l.Current() == nil {
		return nil, errs.New(errs.Unavailable, "", "no host is running")
	}
	return l, nil
}

// Forward passes on a request without decoding it.
func (l *Link) Forward(ctx context.Context, method string, params json.RawMessage) (result json.RawMessage, err error) {
	err = l.Call(ctx, method, params, &result)
	return result, err
}

// Call passes a request to the host, and starts the host if necessary. If an
// earlier host has died and no caller knows yet, Call returns that death
// instead. The verb open is an exception: it reports the death as a warning in
// the session's status.
func (l *Link) Call(ctx context.Context, method string, params, result any) error {
	var died error
	typing := ctx.Value(startless{}) != nil

	if !typing {
		died = l.TakeNotice()
	}
	if died != nil && method != string(session.VerbOpen) {
		return died
	}

	if err := l.call(ctx, typing, method, params, result); err != nil {
		l.KeepNotice(died)
		if method == string(session.VerbClose) && errs.Is(err, errs.Failed) { // closed, without its last checkpoint
			l.removeSession(params.(session.NameRequest).Session)
		}
		return err
	}

	switch method {
	case string(session.VerbOpen), string(session.VerbFork):
		status := result.(*session.Status)
		l.addSession(status.Session)
		if died != nil {
			status.Warning = strings.TrimPrefix(status.Warning+"; "+errs.Of(died).What, "; ")
		}
	case string(session.VerbClose):
		l.removeSession(params.(session.NameRequest).Session)
	}
	return nil
}

// call is Call without unread deaths and the list of sessions. If the host dies
// during the call, it returns the death. It also counts the death as read,
// unless the user is only typing.
func (l *Link) call(ctx context.Context, typing bool, method string, params, result any) error {
	to, err := l.keeper.Get(ctx)
	if err != nil {
		return err
	}

	hangs, err := l.ask(ctx, to, method, params, result)
	if err == nil || hangs {
		return err
	}

	died, err := l.explain(to, err)
	if died && !typing {
		if notice := l.TakeNotice(); notice != nil {
			return notice
		}
	}
	return err
}

// Watch implements session.Caller. It starts the host if necessary. If the host
// dies, the view reports the death, but the notice remains for the user who
// runs a cell.
func (l *Link) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	to, err := l.keeper.Get(ctx)
	if err != nil {
		return err
	}
	if err = to.client.Watch(ctx, request, tell); err != nil {
		_, err = l.explain(to, err)
	}
	return err
}
