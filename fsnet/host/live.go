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
	settings  config.Settings // as opened; only the structural keys are used
	directory string
	log       *slog.Logger

	// turn is held while the training is used. Go serves goroutines waiting to send in their order,
	// so a run, which asks for the turn for every chunk, lets earlier callers in.
	turn chan struct{}

	// Guarded by turn.
	training session.Training
	last     session.Status // the training's last status; the snapshot has it for callers without the turn
	crashed  string         // why the engine cannot be used any more, or ""
	freed    bool

	snapshot snapshot
	stepped  atomic.Bool // a call that makes steps has returned, so its program is compiled
	names    []string    // of all features

	life context.Context // ends when the session is closed
	end  context.CancelFunc

	watchers  watchers
	rewinds   atomic.Int64
	looks     atomic.Int64               // at the test rows in the directory, as of this session's last look
	autosaver atomic.Pointer[autosaver]  // nil if no checkpoints are written
	metrics   atomic.Pointer[metricsLog] // nil if metrics are not logged
	unsaved   string                     // why no checkpoints are written, or ""; guarded by turn
	readOnly  bool                       // another process has it open
	path      string                     // of the run directory it was resumed from, or ""

	mu      sync.Mutex
	run     *run   // in progress, or nil
	forks   []*run // being made, in their order
	failure string // of the last background run, which had no waiting caller
	notice  string // where it was resumed from, until it moves
}

// run is a step, run, rewind or fork in progress.
type run struct {
	verb  string
	since time.Time
	stop  context.CancelFunc
	ended chan struct{}

	target, reached int // steps: its goal, and how far a replay has come; guarded by live.mu

	final session.Status // the status once it has ended
	err   error          // set if the session was closed
}

// newLive returns a session that is not registered yet; it was opened with settings. If the engine
// panics at once, the session has failed.
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

// use waits for the turn and calls work with the training. It fails with Interrupted if ctx ends
// before, with NotFound if the session is closed, and with Failed if its engine panicked.
func (s *live) use(ctx context.Context, work func(session.Training) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return interruptedError(ctx, s.name)
	case <-s.life.Done(): // its last checkpoint may take a while
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

func (s *live) closedError() error {
	return errs.New(errs.NotFound, "open it again", "session %q was closed", s.name)
}

// guard calls work with the training, and turns a panic of the engine into an error and a failed
// session. The engine's state is then unknown, and guard never calls it again but returns that
// error. The caller has the turn.
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

// status asks the training for its status and record, keeps them for callers without the turn,
// extends the log, and returns the status as callers see it. The caller has the turn.
func (s *live) status(t session.Training) session.Status {
	s.last = t.Status()
	s.snapshot.set(s.last, t.Recorded())
	s.extendLog(t)
	return s.visibleStatus()
}

// visibleStatus returns the last status as callers see it. The caller has the turn.
func (s *live) visibleStatus() session.Status { return s.visibleStatusOf(s.last, s.crashed) }

// visibleStatusOf returns a training's status as callers see it: with the session's name, run
// directory, warnings and notice, and with the state that the host knows. crashed says why the
// engine cannot be used, or is "".
func (s *live) visibleStatusOf(status session.Status, crashed string) session.Status {
	status.Session = s.name
	s.mu.Lock()
	running, failure, notice := s.run != nil, s.failure, s.notice
	s.mu.Unlock()
	status.ReadOnly, status.Warning, status.Directory = s.readOnly, s.unsaved, s.directory
	status.TestLooks = max(status.TestLooks, int(s.looks.Load()))
	if w := s.autosaver.Load(); w != nil {
		w.show(&status)
	}
	if l := s.metrics.Load(); l != nil {
		l.warn(&status)
	}
	switch {
	case running: // even if about to end: until then it is in the way
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

// close ends a run in progress, saves the session and frees the training; it waits for all three.
// An error says which part was not saved. A second call does nothing.
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

// saveRest writes the last log lines and checkpoint, and releases the run. The caller has the turn.
// Its error says which of them is missing; of two it names the checkpoint.
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
	w.show(&status)
	remedy := "free some space, and open it anew"
	if status.SavedStep != nil {
		remedy = fmt.Sprintf("open continues it at step %d", *status.SavedStep)
	}
	return errs.New(errs.Failed, remedy, "session %q is closed, but its last checkpoint is not written: %s", s.name, errs.Of(err).What)
}
