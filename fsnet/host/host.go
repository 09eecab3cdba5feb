package host

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Opener opens a training. Relative paths in the settings start at dir. ""
// is the working directory.
type Opener func(ctx context.Context, settings config.Settings, dir string) (session.Training, error)

// Resumer restores a training from its checkpoints. files lists the checkpoints
// of the run, from the newest to the oldest. It resumes from the newest intact
// file, and older files become its history. damaged explains each file that
// could not be read. Relative paths start at dir, as for Opener.
type Resumer func(ctx context.Context, files []string, dir string) (training session.Training, damaged []error, err error)

// MaxSessions is the largest number of open sessions. Each keeps its data
// and state on the device.
const MaxSessions = 32

// Options configure a host.
type Options struct {
	Open   Opener       // required
	Resume Resumer      // If nil, the host writes no checkpoints, and nothing outlives it.
	Log    *slog.Logger // nil means the default
}

// Host holds sessions. It is safe for concurrent use.
type Host struct {
	session.Handlers // answers the verbs
	options          Options
	life             context.Context // ends with Shutdown
	end              context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*live
	opening  map[string]chan struct{} // sessions that are being opened, by name; closed when that is over
	// closing holds sessions that are being closed, in the same way. A caller
	// that opens one of these names waits.
	closing map[string]chan struct{}
	closed  map[string]string // directories of sessions that were open, by name
}

var _ session.Caller = (*Host)(nil)

// New returns a host without sessions.
func New(options Options) *Host {
	options.Log = cmp.Or(options.Log, slog.Default())
	life, end := context.WithCancel(context.Background())
	h := &Host{Handlers: session.Handlers{}, options: options, life: life, end: end, sessions: map[string]*live{},
		opening: map[string]chan struct{}{}, closing: map[string]chan struct{}{}, closed: map[string]string{}}
	session.Handle(h.Handlers, session.VerbOpen, h.openSession)
	session.Handle(h.Handlers, session.VerbClose, h.closeSession)
	session.Handle(h.Handlers, session.VerbFork, h.fork)
	session.Handle(h.Handlers, session.VerbSessions, h.list)
	handle(h, session.VerbStep, (*live).step)
	handle(h, session.VerbRun, (*live).runTo)
	handle(h, session.VerbRewind, (*live).rewind)
	handle(h, session.VerbPause, (*live).pause)
	handle(h, session.VerbStatus, func(s *live, ctx context.Context, _ session.NameRequest) (session.Status, error) {
		return s.currentStatus(ctx)
	})
	handle(h, session.VerbHistory, (*live).history)
	handle(h, session.VerbFeatures, (*live).features)
	handle(h, session.VerbMatrix, (*live).matrix)
	onTurn(h, session.VerbSet, (*live).set)
	onTurn(h, session.VerbSelection, (*live).selection)
	onTurn(h, session.VerbFeature, (*live).feature)
	onTurn(h, session.VerbRows, (*live).rows)
	onTurn(h, session.VerbEvaluate, (*live).evaluate)
	return h
}

// Shutdown pauses every run, closes every session and rejects new ones. It
// returns when all of that is over, including sessions that others have
// begun to close.
func (h *Host) Shutdown() {
	h.end()
	h.mu.Lock()
	for name, s := range h.sessions {
		done := h.reserve(h.closing, name)
		go func() {
			defer done()
			s.close() //nolint:errcheck // the log has it
		}()
	}
	clear(h.sessions)
	h.mu.Unlock()
	for {
		h.mu.Lock()
		var busy chan struct{}
		for _, busy = range h.opening {
			break
		}
		for _, busy = range h.closing {
			break
		}
		h.mu.Unlock()
		if busy == nil {
			return
		}
		<-busy
	}
}

// find returns an open session. If the session is being opened, find waits for
// it. The error is of kind NotFound if the session does not exist, and of kind
// Interrupted if ctx ends first.
func (h *Host) find(ctx context.Context, name string) (*live, error) {
	for {
		h.mu.Lock()
		s, opening := h.sessions[name], h.opening[name]
		h.mu.Unlock()
		switch {
		case s != nil:
			return s, nil
		case opening == nil:
			return nil, h.unknownSession(name, "")
		}
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, interruptedError(ctx, name)
		}
	}
}

// ending returns a context that ends with ctx or with life. The caller must
// call the returned function.
func ending(ctx, life context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(life, cancel)
	return ctx, func() {
		forget()
		cancel()
	}
}

// names lists the open sessions. The caller must hold h.mu.
func (h *Host) names() []string { return slices.Sorted(maps.Keys(h.sessions)) }

// unknownSession returns the error for a session that is not open. It looks for
// the session's run in directory. If directory is "", it uses the directory
// that the session had when it was open.
func (h *Host) unknownSession(name, directory string) *errs.Error {
	h.mu.Lock()
	open := h.names()
	directory = cmp.Or(directory, h.closed[name], ".")
	h.mu.Unlock() // The file system may be slow.

	remedy := "open it first: no session is open"
	if h.options.Resume != nil {
		if _, err := runs.Find(directory, name); err == nil {
			return errs.New(errs.NotFound, "open "+name+" continues its run",
				"session %q is not open, but its checkpoints are there", name)
		}
	}

	if len(open) > 0 {
		remedy = "open it first; these are open: " + strings.Join(open, ", ")
		if near := phrase.Nearest(name, open); near != "" {
			remedy = "did you mean " + near + "? These are open: " + strings.Join(open, ", ")
		}
	}
	return errs.New(errs.NotFound, remedy, "there is no session %q", name)
}

// interruptedError returns the error for a caller that stopped waiting for a
// session.
func interruptedError(ctx context.Context, name string) *errs.Error {
	return errs.Wrap(context.Cause(ctx), errs.Interrupted, "", "session %q: waiting for it was interrupted", name)
}
