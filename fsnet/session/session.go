package session

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Session is a handle of a live training: a name and a configuration. It is a plain value, so it
// may stand at the top of a notebook, where declarations run again in every later cell. Copies
// share the session. [Use] makes one.
//
// The first verb attaches to the training of that name, if there is one and its structural keys
// agree (an error says which do not), and otherwise opens one. Live keys belong to the training's
// timeline: one that was set since the training was opened may differ, and any other is an error.
type Session struct {
	name   string
	config Config
	state  *attachment
	caller Caller // nil: the process's connection
	link   *link
}

// attachment records, for all copies of a handle, that it has attached.
type attachment struct {
	turn chan struct{} // full while a copy opens or closes the session
	done bool
}

func newAttachment(done bool) *attachment {
	return &attachment{turn: make(chan struct{}, 1), done: done}
}

// Use returns a handle. It does no I/O, checks nothing and never fails. A configuration without any
// key accepts the training of that name as it is; without such a training the first verb fails.
func Use(name string, c Config) Session {
	return Session{name: name, config: c, state: newAttachment(false), link: process}
}

// On returns a handle of a session that is already open at caller.
func On(caller Caller, name string) Session {
	return Session{name: name, state: newAttachment(true), caller: caller}
}

// SocketVariable is the environment variable in which a notebook's cells find the kernel's socket.
const SocketVariable = "FSNET_SOCKET"

// link is one connection, made when first needed.
type link struct {
	mu      sync.Mutex
	open    *Client
	asking  int  // calls of Ask in progress
	asked   int  // calls of Ask so far
	handled bool // a handle has used the connection, which then stays
}

// idleLimit is the time after which a connection that only Ask has used is closed. While a
// connection is open, Go does not notice that all goroutines of a program wait forever.
const idleLimit = 100 * time.Millisecond

// closeIdle closes the connection if it was not used since the call of Ask of that number ended.
func (l *link) closeIdle(asked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil && l.asking == 0 && l.asked == asked && !l.handled {
		l.open.Disconnect()
		l.open = nil
	}
}

// process is the connection shared by all handles of this process. It is the package's only
// variable: a handle is made without I/O, often several times in one cell, so no caller could open
// a connection beforehand and pass it in; and with a connection for each handle the kernel would
// believe that several programs are asking. It holds only a connection, which can be replaced.
//
//nolint:gochecknoglobals // see above
var process = new(link)

// client returns the connection, connecting to the socket that the environment names if necessary.
// It replaces a lost one: a long-running program may outlive a restart of the kernel.
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

// Ask calls a verb of the kernel that concerns no session, over the connection shared by all
// handles. The error is of kind Unavailable without a kernel.
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

// enter waits for the handle's turn and returns its caller; the caller of enter must call leave.
// Opening may take minutes, so enter gives up when ctx ends; if the turn is free, it succeeds even
// then.
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
	case s.state.turn <- struct{}{}: // even if ctx has ended: a verb may handle that itself
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

// attach opens the session if no copy of the handle has yet, and returns the caller. A handle of
// [On] needs no opening and does not wait.
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

// request returns the request that opens the session; one without keys attaches only. Relative
// paths start in the program's working directory.
func (s Session) request(replace bool) OpenRequest {
	directory, err := os.Getwd()
	if err != nil {
		directory = "" // it was deleted: the host uses its own
	}
	return OpenRequest{Session: s.name, Config: s.config, Replace: replace, Attach: !replace && len(s.config.Given()) == 0,
		Directory: directory}
}

// ask calls a verb and returns its result, once attach has opened the session.
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

// Open attaches to the training of this name if its structural keys agree, and otherwise opens one.
// Every other verb does so by itself.
func (s Session) Open(ctx context.Context) (Status, error) { return s.open(ctx, false) }

// Replace opens the session anew, ending an existing one of this name.
func (s Session) Replace(ctx context.Context) (Status, error) { return s.open(ctx, true) }

// open is Open, or Replace. It asks the host even if the handle has attached.
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

// MostSingly is the largest number of steps of one [Session.Step] that get a point each in the
// curves; otherwise an epoch gets one.
const MostSingly = 100

// Step advances by n ≥ 1 steps and returns when they are made or, without error, when the training
// ends. Up to [MostSingly] steps get a point each in the curves. If ctx ends, the session pauses
// and the status says where. An interrupt of the process (Ctrl-C, or a notebook's stop button) does
// the same, with an error of kind Interrupted.
func (s Session) Step(ctx context.Context, n int) (Status, error) {
	return advance(ctx, s, VerbStep, StepRequest{s.name, n})
}

// Run advances until the first of the targets is reached; the zero Until means the end of the
// annealing, or earlier as the stop key says. It can be paused like [Session.Step]. With Wait:
// new(false) it returns at once, and the run continues in the background even after the cell or
// program has ended: Status shows it and Pause ends it.
func (s Session) Run(ctx context.Context, until Until) (Status, error) {
	return advance(ctx, s, VerbRun, RunRequest{s.name, until})
}

// advance calls a step or run. If the process is a user's cell or program, an interrupt of it
// pauses the session, and the error is then of kind Interrupted beside the status.
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

// Rewind takes the session back to a step between 0 and the present one, exactly as it was, live
// keys included, and discards later steps. If ctx ends or the process is interrupted, the session
// stays as it is and the error is of kind Interrupted.
func (s Session) Rewind(ctx context.Context, step int) (Status, error) {
	if s.caller == nil {
		signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		ctx = signalled
	}
	return ask(ctx, s, VerbRewind, RewindRequest{s.name, &step})
}

// Fork creates another session with the same past up to a step, −1 for the present one, and returns
// its handle. Both continue independently. It fails if run twice: where the program, or a
// notebook's declarations, run again, use Use(as, Config{}).
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

// Pause ends a run in progress that was started elsewhere and returns when it has ended. Without
// one it does nothing.
func (s Session) Pause(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbPause, NameRequest{s.name})
}

// Set changes live keys from the next step on, even during a run, and returns the event added to
// the timeline. Keys not given stay unchanged.
func (s Session) Set(ctx context.Context, changes Config) (Event, error) {
	return ask(ctx, s, VerbSet, SetRequest{s.name, changes})
}

// Status returns the present status; while steps are being made, the status after the last chunk of
// about 100 ms.
func (s Session) Status(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbStatus, NameRequest{s.name})
}

// Selection returns the K features that the unique argmax of P chooses now, by falling probability.
func (s Session) Selection(ctx context.Context) (Selection, error) {
	return ask(ctx, s, VerbSelection, NameRequest{s.name})
}

// Matrix returns the selection matrix; the zero request asks for P.
func (s Session) Matrix(ctx context.Context, request MatrixRequest) (Matrix, error) {
	request.Session = s.name
	return ask(ctx, s, VerbMatrix, request)
}

// Feature returns one feature, by name or else by its 0-based column of the file: its distribution
// over the training rows, its embedding, its present probabilities, and its course in P.
func (s Session) Feature(ctx context.Context, feature string) (Feature, error) {
	return ask(ctx, s, VerbFeature, FeatureRequest{s.name, Which(feature)})
}

// Rows returns the values of the selected features in the training rows. With Test it includes the
// test rows: a look at them, which is counted.
func (s Session) Rows(ctx context.Context, request RowsRequest) (Rows, error) {
	request.Session = s.name
	return ask(ctx, s, VerbRows, request)
}

// History returns the curves and events so far; the zero request asks for all curves.
func (s Session) History(ctx context.Context, request HistoryRequest) (History, error) {
	request.Session = s.name
	return ask(ctx, s, VerbHistory, request)
}

// Evaluate applies the network to the selected features of the "train", "validation" or "test"
// rows, without dropout and noise. Looks at the test rows are counted.
func (s Session) Evaluate(ctx context.Context, part string) (Evaluation, error) {
	return ask(ctx, s, VerbEvaluate, EvaluateRequest{s.name, part})
}

// Watch calls tell with the present state of the session, and again whenever it has changed, at
// most ten times a second. It returns nil when ctx ends, or after an update that says the session
// was closed. tell may use the session.
func (s Session) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	caller, err := s.attach(ctx)
	if err != nil {
		return err
	}
	request.Session = s.name
	return caller.Watch(ctx, request, tell)
}

// Close ends the session and frees its resources. A later verb of the handle opens it anew.
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

// Show asks the kernel to draw a view of the session below the running cell. Outside a notebook it
// fails: the host does not know the verb.
func (s Session) Show(ctx context.Context, view ViewRequest) error {
	view.Session = s.name
	_, err := ask(ctx, s, VerbView, view)
	return err
}
