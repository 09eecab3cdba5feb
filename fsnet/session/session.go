package session

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"sync"

	"fsnetlab/fsnet/errs"
)

// Session is a handle of a live training: a name and a configuration. It is a value without I/O, so that it may stand at the top of a
// notebook, where declarations are run again in every later cell. Copies are the same session. Make one with [Use].
//
// The first verb attaches: to the training of that name if there is one and its structural keys agree (an error says which do not), else
// it opens one. Live keys belong to the training's timeline and are never compared.
type Session struct {
	name   string
	config Config
	state  *attachment
	caller Caller // nil: the process's connection
	link   *link
}

// attachment remembers that a handle has attached, for all its copies.
type attachment struct {
	turn chan struct{} // holds one while a copy opens or closes the session
	done bool
}

func newAttachment(done bool) *attachment {
	return &attachment{turn: make(chan struct{}, 1), done: done}
}

// Use makes a handle. It does no I/O, checks nothing and never fails. A configuration without any key takes the training of that name
// as it is; where there is none, the first verb says so.
func Use(name string, c Config) Session {
	return Session{name: name, config: c, state: newAttachment(false), link: process}
}

// On is the session of that name that a caller has open.
func On(caller Caller, name string) Session {
	return Session{name: name, state: newAttachment(true), caller: caller}
}

// SocketVariable is the environment variable in which a notebook's cells find the kernel's socket.
const SocketVariable = "FSNET_SOCKET"

// link is one connection, made when it is first needed.
type link struct {
	mu   sync.Mutex
	open *Client
}

// process is the connection that all handles of this process share. It is the one variable of this package: a handle is a value made
// without I/O, often several times in one cell, so there is nobody who could open a connection before and pass it in; and one for each
// handle would make the kernel believe that several programs are asking. It holds nothing but a connection that can be made anew.
//
//nolint:gochecknoglobals // see above
var process = new(link)

// client connects, or returns the connection there is. A lost one is replaced: in a long-running program the kernel may have restarted.
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

// Ask asks the kernel that a cell belongs to for something that is no verb of a session, over the connection that all handles share, and
// decodes the answer into result unless that is nil. Kind Unavailable: there is no kernel.
func Ask(ctx context.Context, method string, params, result any) error {
	client, err := process.client(ctx)
	if err != nil {
		return err
	}
	return client.Call(ctx, method, params, result)
}

// Name is the session's name.
func (s Session) Name() string { return s.name }

// enter gives the caller that answers the handle, and its turn; leave must follow. Opening may take minutes: a context that ends gives up.
func (s Session) enter(ctx context.Context) (caller Caller, leave func(), err error) {
	if caller = s.caller; caller == nil {
		if s.link == nil {
			return nil, nil, errs.New(errs.Request, `write session.Use("leukemia", session.Config{Data: "ALLAML"})`,
				"a Session was not made with session.Use")
		}
		if caller, err = s.link.client(ctx); err != nil {
			return nil, nil, err
		}
	}
	leave = func() { <-s.state.turn }
	select {
	case s.state.turn <- struct{}{}: // also for a context that has ended: a verb may have something to say to that
		return caller, leave, nil
	default:
	}
	select {
	case s.state.turn <- struct{}{}:
		return caller, leave, nil
	case <-ctx.Done():
		return nil, nil, interrupted(ctx, "waiting for session "+s.name+" to open")
	}
}

// attached gives the caller once the session is open there.
func (s Session) attached(ctx context.Context) (Caller, error) {
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

// request opens the session as the handle says. Relative paths start where the program runs.
func (s Session) request(replace bool) OpenRequest {
	directory, err := os.Getwd()
	if err != nil {
		directory = "" // a deleted directory: the host takes its own
	}
	return OpenRequest{Session: s.name, Config: s.config, Replace: replace, Attach: !replace && len(s.config.Given()) == 0,
		Directory: directory}
}

// ask asks for a verb once the handle is attached.
func ask[P, R any](ctx context.Context, s Session, verb Verb[P, R], params P) (result R, err error) {
	caller := s.caller
	if caller == nil {
		if caller, err = s.attached(ctx); err != nil {
			return result, err
		}
	}
	err = caller.Call(ctx, string(verb), params, &result)
	return result, err
}

// Open attaches to the training of this name where its structural keys agree, else makes it. Every other verb does so by itself.
func (s Session) Open(ctx context.Context) (Status, error) { return s.opened(ctx, false) }

// Replace opens the session anew, ending the one of this name that is in the way.
func (s Session) Replace(ctx context.Context) (Status, error) { return s.opened(ctx, true) }

func (s Session) opened(ctx context.Context, replace bool) (Status, error) {
	caller, leave, err := s.enter(ctx)
	if err != nil {
		return Status{}, err
	}
	defer leave()
	status, err := VerbOpen.Call(ctx, caller, s.request(replace))
	s.state.done = s.state.done || err == nil
	return status, err
}

// MostSingly is how many steps one call of [Session.Step] makes with a point for each in the curves, where others have one an epoch.
const MostSingly = 100

// Step advances by n ≥ 1 steps and returns when they are made, or earlier, without error, where the training ends. Each of up to
// [MostSingly] steps gets a point in the curves. A context that ends pauses it: the status says where. So does an interrupt of the process
// (Ctrl-C, or a notebook's stop button), with an error of kind Interrupted.
func (s Session) Step(ctx context.Context, n int) (Status, error) {
	return advance(ctx, s, VerbStep, StepRequest{s.name, n})
}

// Run advances until the first of the targets is reached; the zero value of Until is the end of the annealing, or earlier as the stop
// key says. It ends early like [Session.Step]. With Wait: new(false) it returns at once and the run goes on in the background, also after
// the cell or program has ended: Status shows it and Pause ends it.
func (s Session) Run(ctx context.Context, until Until) (Status, error) {
	return advance(ctx, s, VerbRun, RunRequest{s.name, until})
}

// advance lets an interrupt of the process pause the session, where the process is a cell or a program of the user's.
func advance[P any](ctx context.Context, s Session, verb Verb[P, Status], params P) (Status, error) {
	if s.caller != nil {
		return verb.Call(ctx, s.caller, params)
	}
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	status, err := ask(signalled, s, verb, params)
	if err == nil && signalled.Err() != nil && ctx.Err() == nil {
		err = errs.New(errs.Interrupted, "the next step or run goes on from there", "interrupted: session %q stands at step %d (epoch %.4g)",
			s.name, status.Step, status.Epoch)
	}
	return status, err
}

// Rewind takes the session to a step from 0 to the present one, exactly as it stood there, live keys included; what came later is
// forgotten. A context that ends, or an interrupt of the process, leaves it as it is, with an error of kind Interrupted.
func (s Session) Rewind(ctx context.Context, step int) (Status, error) {
	if s.caller == nil {
		signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		ctx = signalled
	}
	return ask(ctx, s, VerbRewind, RewindRequest{s.name, &step})
}

// Fork makes another session with the same past up to a step, −1 for the present one, and returns its handle. Both go on independently.
// A fork is made once: where the program, or a notebook's declarations, run again, take Use(as, Config{}) instead.
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

// Pause ends a run in progress, begun elsewhere, and returns when it has ended. Without one it does nothing.
func (s Session) Pause(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbPause, NameRequest{s.name})
}

// Set changes live keys from the next step on, also during a run, and returns the event it made on the timeline. Keys that are not
// given stay as they are.
func (s Session) Set(ctx context.Context, changes Config) (Event, error) {
	return ask(ctx, s, VerbSet, SetRequest{s.name, changes})
}

// Status is the session at this moment; while steps are being made, as it stood at the end of the last chunk of about 100 ms.
func (s Session) Status(ctx context.Context) (Status, error) {
	return ask(ctx, s, VerbStatus, NameRequest{s.name})
}

// Selection is the K features that the unique argmax of P chooses now, by falling probability.
func (s Session) Selection(ctx context.Context) (Selection, error) {
	return ask(ctx, s, VerbSelection, NameRequest{s.name})
}

// Matrix is the selection matrix; the zero request asks for P.
func (s Session) Matrix(ctx context.Context, request MatrixRequest) (Matrix, error) {
	request.Session = s.name
	return ask(ctx, s, VerbMatrix, request)
}

// Feature is one feature, by its name or else its 0-based column of the file: its distribution over the training rows, its embedding, its
// probabilities now, and its course in P.
func (s Session) Feature(ctx context.Context, feature string) (Feature, error) {
	return ask(ctx, s, VerbFeature, FeatureRequest{s.name, Which(feature)})
}

// Rows is the values of the selected features in the training rows. With Test also in the test rows: a look at them, which is counted.
func (s Session) Rows(ctx context.Context, request RowsRequest) (Rows, error) {
	request.Session = s.name
	return ask(ctx, s, VerbRows, request)
}

// History is the curves and events so far; the zero request asks for all curves.
func (s Session) History(ctx context.Context, request HistoryRequest) (History, error) {
	request.Session = s.name
	return ask(ctx, s, VerbHistory, request)
}

// Evaluate applies the network to the selected features of the "train", "validation" or "test" rows, without dropout and noise. Looks at
// the test rows are counted.
func (s Session) Evaluate(ctx context.Context, part string) (Evaluation, error) {
	return ask(ctx, s, VerbEvaluate, EvaluateRequest{s.name, part})
}

// Watch calls tell with the session as it is now, and again whenever it has changed, at most ten times a second. It returns nil when the
// context has ended, or when the session was closed, which the last update says. tell may use the session.
func (s Session) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	caller, err := s.attached(ctx)
	if err != nil {
		return err
	}
	request.Session = s.name
	return caller.Watch(ctx, request, tell)
}

// Close ends the session and frees what it holds. A later verb of the handle opens it anew.
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

// Show asks the kernel to draw a view of the session ("matrix", "curves", "selection", …) under the cell that is running. Options, which
// may be nil, are the view's own. Outside a notebook nobody can draw: the host answers that the method is not known.
func (s Session) Show(ctx context.Context, view string, options map[string]any) error {
	params := maps.Clone(options)
	if params == nil {
		params = map[string]any{}
	}
	params["view"], params["session"] = view, s.name
	_, err := ask(ctx, s, Verb[map[string]any, None]("view"), params)
	return err
}
