package host

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// live is one open session.
type live struct {
	name      string
	settings  config.Settings // Settings as opened. Only the structural keys are used.
	directory string
	log       *slog.Logger

	// A caller holds turn while it uses the training. Go serves goroutines
	// waiting to send in their order. A run asks for the turn for every
	// chunk, so it lets earlier callers in.
	turn chan struct{}

	// These fields are guarded by turn.
	training session.Training
	last     session.Status // Last status of the training. The snapshot has it for callers without the turn.
	known    bool           // last is the status of now. What changes the training sets it to false.
	crashed  string         // why the engine cannot be used any more, or ""
	freed    bool

	snapshot snapshot
	stepped  atomic.Bool // A call that makes steps has returned, so its program is compiled.
	names    []string    // names of all features

	life context.Context // ends when the session is closed
	end  context.CancelFunc

	watchers watchers
	rewinds  atomic.Int64
	// looks at the test rows in the directory, as of the last look of this
	// session
	looks     atomic.Int64
	autosaver atomic.Pointer[autosaver]  // nil if no checkpoints are written
	metrics   atomic.Pointer[metricsLog] // nil if metrics are not logged
	unsaved   string                     // Why no checkpoints are written, or "". It is guarded by turn.
	readOnly  bool                       // another process has it open
	path      string                     // the run directory it was resumed from, or ""

	mu      sync.Mutex
	run     *run   // the verb in progress, or nil
	moves   int    // number of verbs that were in progress so far
	forks   []*run // forks in progress, in the order in which they began
	failure string // error of the last background run, because it had no waiting caller
	notice  string // where it was resumed from, until it moves
}

// run is a step, run, rewind or fork in progress.
type run struct {
	verb  string
	since time.Time
	stop  context.CancelFunc
	ended chan struct{}

	target, reached int // Steps: the goal, and how far a replay has come. They are guarded by live.mu.

	final session.Status // the status once it has ended
	err   error          // set if the session was closed
}

// newLive returns a session that is not registered yet. It was opened with
// settings. If the engine panics at once, the session has failed.
func newLive(name string, settings config.Settings, directory string, training session.Training, log *slog.Logger) *live {
	life, end := context.WithCancel(context.Background())
	s := &live{name: name, settings: settings, directory: directory, training: training, log: log.With("session", name),
		turn: make(chan struct{}, 1), life: life, end: end}
	s.guard(func(session.Training) error { //nolint:errcheck // a crash is in the status
		s.names = training.Names()
		s.status(training)
		return nil
	})
	return s
}

// withTurn waits for the turn and calls work with the training. If ctx ends
// first, the error is of kind Interrupted. If the session is closed, it is of
// kind NotFound, and if its engine panicked, of kind Failed.
func (s *live) withTurn(ctx context.Context, work func(session.Training) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return interruptedError(ctx, s.name)
	case <-s.life.Done(): // Its last checkpoint may take a while.
		return s.closedError()
	}
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return s.closedError()
	}
	return s.guard(work)
}

// unknownTarget is the target of a run before its first turn.
const unknownTarget = -1

// closedError returns the error for a session that was closed.
func (s *live) closedError() error {
	return errs.New(errs.NotFound, "open it again", "session %q was closed", s.name)
}

// guard calls work with the training. If the engine panics, the session has
// failed, and guard returns an error. The state of the engine is then unknown,
// so guard never calls it again but always returns that error. The caller must
// have the turn.
func (s *live) guard(work func(session.Training) error) error {
	if s.crashed != "" {
		return errs.New(errs.Failed, "open it again with replace=true", "session %q failed: %s", s.name, s.crashed)
	}

	panicked := true
	err := errs.Guard(s.log.Error, "its engine", func() error {
		err := work(s.training)
		panicked = false
		return err
	})
	if !panicked {
		return err
	}

	s.crashed = errs.Of(err).What
	return errs.New(errs.Failed, "open it again with replace=true; the other sessions continue", "session %q: %s", s.name, s.crashed)
}

// status returns the status as callers see it. If the training may have
// changed, it gets its status and record, keeps them for callers without the
// turn, and extends the log. The caller must have the turn.
func (s *live) status(t session.Training) session.Status {
	if !s.known {
		s.last, s.known = t.Status(), true
		s.snapshot.set(s.last, t.Recorded())
	}
	s.extendLog(t)
	return s.visibleStatus()
}

// visibleStatus returns the last status as callers see it. The caller must
// have the turn.
func (s *live) visibleStatus() session.Status { return s.visibleStatusOf(s.last, s.crashed) }

// visibleStatusOf returns the status of a training as callers see it: with
// the name, run directory, warnings and notice of the session, and with the
// state that the host knows. crashed says why the engine cannot be used, or
// is "".
func (s *live) visibleStatusOf(status session.Status, crashed string) session.Status {
	status.Session = s.name
	s.mu.Lock()
	running, failure, notice := s.run != nil, s.failure, s.notice
	status.Moves = s.moves
	s.mu.Unlock()

	status.ReadOnly, status.Warning, status.Directory = s.readOnly, s.unsaved, s.directory
	status.TestLooks = max(status.TestLooks, int(s.looks.Load()))
	if w := s.autosaver.Load(); w != nil {
		w.describe(&status)
	}
	if l := s.metrics.Load(); l != nil {
		l.warn(&status)
	}

	switch {
	case running: // The run may be about to end, but until then it is in the way.
		status.State, status.Reason = session.Running, ""
		status.Compiling = strings.HasPrefix(status.Backend, "xla") && !s.stepped.Load()
	case crashed != "":
		status.State, status.Reason = session.Broken, crashed
	case failure != "" && status.State != session.Broken:
		status.State, status.Reason = session.Broken, failure
	case notice != "" && status.Reason != "":
		status.Reason += "; " + notice
	case notice != "":
		status.Reason = notice
	}
	return status
}

// close ends a run in progress, saves the session and frees the training. It
// waits for all three. An error says which part was not saved. A second call
// does nothing.
func (s *live) close() error {
	s.end()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.freed {
		return nil
	}

	s.freed = true
	lost := s.saveRest()
	if lost != nil {
		s.log.Warn("a session was closed but not saved completely", "error", lost)
	}
	//nolint:errcheck // the log has it
	errs.Guard(s.log.Error, "closing its engine", func() error { s.training.Close(); return nil })
	s.log.Debug("session closed")
	return lost
}

// saveRest writes the last log lines and the last checkpoint, and releases the
// run. The caller must have the turn. The error says what is missing. If both
// are, it names the checkpoint.
func (s *live) saveRest() error {
	var lost error
	if l := s.metrics.Load(); l != nil {
		lost = l.close(s)
	}
	w := s.autosaver.Load()
	if w == nil {
		return lost
	}

	err := w.close()
	if err == nil {
		return lost
	}

	var status session.Status
	w.describe(&status)
	remedy := "free some space, and open it anew"
	if status.SavedStep != nil {
		remedy = fmt.Sprintf("open continues it at step %d", *status.SavedStep)
	}
	return errs.New(errs.Failed, remedy, "session %q is closed, but its last checkpoint is not written: %s", s.name, errs.Of(err).What)
}
