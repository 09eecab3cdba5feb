package session

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Session is a handle of a live training: a name and a configuration. It is a
// plain value, so you may declare it at the top of a notebook, where
// declarations run again in every later cell. Copies share the session. [Use]
// returns one.
//
// The first verb attaches to the training with that name, or opens one if it
// does not exist. If its structural keys differ, the error says which do. Live
// keys belong to the timeline of the training. A live key may differ if it was
// set since the training was opened, otherwise that is an error, too.
type Session struct {
	name   string
	config Config
	state  *attachment
	caller Caller // nil means the connection of the process
	link   *link
}

// attachment records that a handle has attached. All copies of the handle
// share it.
type attachment struct {
	turn chan struct{} // full while a copy opens or closes the session
	done bool
}

// newAttachment returns an attachment. done says that the session is already
// open.
func newAttachment(done bool) *attachment {
	return &attachment{turn: make(chan struct{}, 1), done: done}
}

// Use returns a handle. It does no I/O, checks nothing and never fails. A
// configuration without keys accepts the training with that name as it is. If
// the training does not exist, the first verb fails.
func Use(name string, c Config) Session {
	return Session{name: name, config: c, state: newAttachment(false), link: process}
}

// On returns a handle of a session that is already open at caller.
func On(caller Caller, name string) Session {
	return Session{name: name, state: newAttachment(true), caller: caller}
}

// SocketVariable is the environment variable that tells the cells of a
// notebook where the kernel's socket is.
const SocketVariable = "FSNET_SOCKET"

// link is a connection that is opened when it is first needed.
type link struct {
	mu      sync.Mutex
	open    *Client
	asking  int  // calls of Ask in progress
	asked   int  // calls of Ask so far
	handled bool // a handle has used the connection, so it stays open
}

// idleLimit is how long a connection that only Ask has used stays open after
// its last use. While a connection is open, Go cannot detect that all
// goroutines of a program are deadlocked.
const idleLimit = 100 * time.Millisecond

// closeIdle closes the connection if only [Ask] has used it, and not since its
// call number asked.
func (l *link) closeIdle(asked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil && l.asking == 0 && l.asked == asked && !l.handled {
		l.open.Disconnect()
		l.open = nil
	}
}

// process is the connection that all handles of this process share. It is
// the only variable of the package. A handle is made without I/O, often
// several times in a cell, so a caller could not open a connection first and
// pass it in. With a connection for each handle, the kernel would believe
// that several programs are asking. The variable holds only a connection,
// and that can be replaced.
//
//nolint:gochecknoglobals // see above
var process = new(link)

// client returns the connection. If necessary, it connects to the socket
// that the environment names. It replaces a lost connection, because a
// long-running program may outlive a restart of the kernel.
func (l *link) client(ctx context.Context) (*Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		select {
		case <-l.open.ended:
		default:
			return l.open, nil
		}
	}

	path := os.Getenv(SocketVariable)
	if path == "" {
		return nil, errs.New(errs.Unavailable,
			"run this in a notebook with the FsNet kernel; elsewhere start fsnet host --socket PATH --parent PID and set "+SocketVariable+"=PATH",
			"$%s is not set: no FsNet kernel is known here", SocketVariable)
	}

	client, err := Dial(ctx, path)
	if err != nil {
		return nil, err
	}
	l.open = client
	return client, nil
}

// Ask calls a verb of the kernel that does not concern a session, over the
// connection that all handles share. If there is no kernel, the error is of
// kind Unavailable.
func Ask[P, R any](ctx context.Context, verb Verb[P, R], params P) (result R, err error) {
	process.mu.Lock()
	process.asking++
	process.asked++
	process.mu.Unlock()
	defer func() {
		process.mu.Lock()
		defer process.mu.Unlock()
		process.asking--
		asked := process.asked
		time.AfterFunc(idleLimit, func() { process.closeIdle(asked) })
	}()

	client, err := process.client(ctx)
	if err != nil {
		return result, err
	}
	return verb.Call(ctx, client, params)
}

// Name returns the session's name.
func (s Session) Name() string { return s.name }

// enter waits for the turn of the handle and returns the Caller of its verbs.
// You must call leave afterwards. Opening may take minutes, so enter gives up
// when ctx ends. But if the turn is free, it succeeds even then.
func (s Session) enter(ctx context.Context) (caller Caller, leave func(), err error) {
	if caller = s.caller; caller == nil {
		if s.link == nil {
			return nil, nil, errs.New(errs.Request, `write session.Use("leukemia", session.Config{Data: "ALLAML"})`,
				"a Session was not made with session.Use")
		}
		s.link.mu.Lock()
		s.link.handled = true
		s.link.mu.Unlock()
		if caller, err = s.link.client(ctx); err != nil {
			return nil, nil, err
		}
	}

	leave = func() { <-s.state.turn }
	select {
	case s.state.turn <- struct{}{}: // even if ctx has ended, because a verb may handle that itself
		return caller, leave, nil
	default:
	}
	select {
	case s.state.turn <- struct{}{}:
		return caller, leave, nil
	case <-ctx.Done():
		return nil, nil, interruptedError(ctx, "waiting for session "+s.name+" to open")
	}
}

// attach opens the session, unless a copy of the handle has done so, and
// returns the Caller of its verbs. A handle of [On] is already open.
func (s Session) attach(ctx context.Context) (Caller, error) {
	if s.caller != nil {
		return s.caller, nil
	}
	caller, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if !s.state.done {
		_, err = VerbOpen.Call(ctx, caller, s.request(false))
		s.state.done = err == nil
	}
	return caller, err
}

// request returns the request that opens the session. If the configuration
// has no keys, the request only attaches. Relative paths start in the
// working directory of the program.
func (s Session) request(replace bool) OpenRequest {
	directory, err := os.Getwd()
	if err != nil {
		directory = "" // it was deleted, so the host uses its own
	}
	return OpenRequest{Session: s.name, Config: s.config, Replace: replace, Attach: !replace && len(s.config.Given()) == 0,
		Directory: directory}
}

// ask calls a verb and returns its result. If necessary, it opens the session
// first.
func ask[P, R any](ctx context.Context, s Session, verb Verb[P, R], params P) (result R, err error) {
	caller := s.caller
	if caller == nil {
		if caller, err = s.attach(ctx); err != nil {
			return result, err
		}
	}
	err = caller.Call(ctx, string(verb), params, &result)
	return result, err
}

// Open attaches to the training with this name if its structural keys agree,
// and opens one otherwise. Every other verb does so by itself.
func (s Session) Open(ctx context.Context) (Status, error) { return s.open(ctx, false) }

// Replace opens the session anew. If there is a session with this name, it ends
// that first.
func (s Session) Replace(ctx context.Context) (Status, error) { return s.open(ctx, true) }

// open does the work of Open, or of Replace. It asks the host even if the
// handle is attached already.
func (s Session) open(ctx context.Context, replace bool) (Status, error) {
	caller, leave, err := s.enter(ctx)
	if err != nil {
		return Status{}, err
	}
	defer leave()
	status, err := VerbOpen.Call(ctx, caller, s.request(replace))
	s.state.done = s.state.done || err == nil
	return status, err
}

// MostSingly is the largest number of steps that get a point each in the
// curves if a single [Session.Step] makes them. If there are more, every
// epoch gets a point.
const MostSingly = 100

// Step advances by n ≥ 1 steps. It returns when they are done or when the
// training ends, which is not an error. Up to [MostSingly] steps get a point
// each in the curves. If ctx ends, the session pauses and the status says
// where. The same happens if the process is interrupted (Ctrl-C, or the stop
// button of a notebook), but then there is also an error of kind
// Interrupted.
func (s Session) Step(ctx context.Context, n int) (Status, error) {
	return advance(ctx, s, VerbStep, StepRequest{s.name, n})
}

// Run advances until the first of the targets is reached. The zero Until
// means the end of the annealing, or earlier if the stop key says so. It can
// be paused like [Session.Step]. With Wait: new(false) it returns at once,
// and the run continues in the background even after the cell or program has
// ended. Status then shows its progress and Pause ends it.
func (s Session) Run(ctx context.Context, until Until) (Status, error) {
	return advance(ctx, s, VerbRun, RunRequest{s.name, until})
}

// advance calls a step or run. If the user interrupts the cell or program, it
// pauses the session and returns the status and an error of kind Interrupted.
func advance[P any](ctx context.Context, s Session, verb Verb[P, Status], params P) (Status, error) {
	if s.caller != nil {
		return verb.Call(ctx, s.caller, params)
	}
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()

	status, err := ask(signalled, s, verb, params)
	if err == nil && signalled.Err() != nil && ctx.Err() == nil {
		err = errs.New(errs.Interrupted, "the next step or run continues from there", "interrupted: session %q stands at step %d (epoch %.4g)",
			s.name, status.Step, status.Epoch)
	}
	return status, err
}

// Rewind takes the session back to a step between 0 and the current one,
// exactly as it was, including live keys, and discards later steps. If ctx
// ends or the process is interrupted, the session does not change and the
// error is of kind Interrupted.
func (s Session) Rewind(ctx context.Context, step int) (Status, error) {
	if s.caller == nil {
		signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		ctx = signalled
	}
	return ask(ctx, s, VerbRewind, RewindRequest{s.name, &step})
}

// Fork creates another session with the same past up to a step and returns
// its handle. −1 means the current step. The two sessions continue
// independently. Running a Fork again fails. If your program runs again, or
// the declarations of your notebook, use Use(as, Config{}) instead.
func (s Session) Fork(ctx context.Context, as string, step int) (Session, error) {
	request := ForkRequest{Session: s.name, As: as, Step: &step}
	if step == -1 {
		request.Step = nil
	}
	_, err := ask(ctx, s, VerbFork, request)
	if err != nil {
		return Session{}, err
	}
	return Session{name: as, state: newAttachment(true), caller: s.caller, link: s.link}, nil
}

// Pause ends a run that was started elsewhere, and waits until it has ended. If
// no run is in progress, it does nothing.
func (s Session) Pause(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbPause, NameRequest{s.name})
}

// Set changes live keys from the next step on, even during a run. It returns
// the event that is added to the timeline. Other keys stay unchanged.
func (s Session) Set(ctx context.Context, changes Config) (Event, error) {
	return ask(ctx, s, VerbSet, SetRequest{s.name, changes})
}

// Status returns the current status. During a step or run it is the status
// after the last chunk of about 100 ms.
func (s Session) Status(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbStatus, NameRequest{s.name})
}

// Selection returns the K features that the unique argmax of P chooses now,
// by falling probability.
func (s Session) Selection(ctx context.Context) (Selection, error) {
	return ask(ctx, s, VerbSelection, NameRequest{s.name})
}

// Matrix returns the selection matrix. The zero request asks for P.
func (s Session) Matrix(ctx context.Context, request MatrixRequest) (Matrix, error) {
	request.Session = s.name
	return ask(ctx, s, VerbMatrix, request)
}

// Feature returns one feature, by name or by its 0-based column of the file:
// its distribution over the training rows, its embedding, its current
// probabilities, and its course in P.
func (s Session) Feature(ctx context.Context, feature string) (Feature, error) {
	return ask(ctx, s, VerbFeature, FeatureRequest{s.name, Which(feature)})
}

// Rows returns the values of the selected features in the training rows.
// With Test it includes the test rows, and that counts as a look at them.
func (s Session) Rows(ctx context.Context, request RowsRequest) (Rows, error) {
	request.Session = s.name
	return ask(ctx, s, VerbRows, request)
}

// History returns the curves and events so far. The zero request asks for
// all curves.
func (s Session) History(ctx context.Context, request HistoryRequest) (History, error) {
	request.Session = s.name
	return ask(ctx, s, VerbHistory, request)
}

// Evaluate applies the network to the selected features of the "train",
// "validation" or "test" rows, without dropout and noise. Looks at the test
// rows are counted.
func (s Session) Evaluate(ctx context.Context, part string) (Evaluation, error) {
	return ask(ctx, s, VerbEvaluate, EvaluateRequest{s.name, part})
}

// Watch calls tell with the current state of the session, and again whenever
// it has changed, at most ten times a second. It returns nil when ctx ends,
// or after an update that says that the session was closed. tell may use the
// session.
func (s Session) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	caller, err := s.attach(ctx)
	if err != nil {
		return err
	}
	request.Session = s.name
	return caller.Watch(ctx, request, tell)
}

// Close ends the session and frees its resources. A later verb of the handle
// opens it again.
func (s Session) Close(ctx context.Context) error {
	caller, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if _, err = VerbClose.Call(ctx, caller, NameRequest{s.name}); err == nil && s.caller == nil {
		s.state.done = false
	}
	return err
}

// Show asks the kernel to draw a view of the session below the running cell.
// Outside a notebook it returns an error, because the host does not know the
// verb.
func (s Session) Show(ctx context.Context, view ViewRequest) error {
	view.Session = s.name
	_, err := ask(ctx, s, VerbView, view)
	return err
}
