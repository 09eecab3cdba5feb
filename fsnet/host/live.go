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
	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/fsnet/session"
)

// live is one open session.
type live struct {
	name      string
	settings  config.Settings // as opened; only the structural keys are looked at
	directory string
	log       *slog.Logger

	// turn is held while the training is used. Goroutines that wait to fill a channel are served in their order, so that a run, which
	// asks for every chunk anew, lets the earlier callers in.
	turn chan struct{}

	// Guarded by turn.
	training session.Training
	last     session.Status // as the training last said; the snapshot has it for those without the turn
	crashed  string         // why the engine cannot be trusted any more, or ""
	freed    bool

	snapshot snapshot
	stepped  atomic.Bool // a call that makes steps has come back: its program is compiled
	names    []string    // of all features

	life context.Context // ends when it is closed: nobody may use it any more
	end  context.CancelFunc

	watchers  watchers
	rewinds   atomic.Int64
	autosaver atomic.Pointer[autosaver]  // nil where no checkpoints are written
	metrics   atomic.Pointer[metricsLog] // nil where the metrics are not logged
	unsaved   string                     // why none are written, or ""; guarded by turn
	readOnly  bool                       // another process has it open
	path      string                     // of the run directory that it was resumed from, or ""

	mu      sync.Mutex
	run     *run   // in progress, or nil
	forks   []*run // being made, in their order
	failure string // of the last run, where it ran in the background: nobody waited to be told
	notice  string // where it was resumed from, until it moves
}

// run is a step, run or rewind in progress.
type run struct {
	verb  string
	since time.Time
	stop  context.CancelFunc
	ended chan struct{}

	target, reached int // steps: where it goes, and how far a rewind has come; guarded by live.mu

	left session.Status // once it has ended
	err  error          // that the session was closed
}

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

// use calls work with the training when it is this caller's turn.
func (s *live) use(ctx context.Context, work func(session.Training) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return interrupted(ctx, s.name)
	case <-s.life.Done(): // its last checkpoint may take a while
		return s.closedError()
	}
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return s.closedError()
	}
	return s.guard(work)
}

// unknownTarget is that of a run which has not had its first turn.
const unknownTarget = -1

// setTarget says where the run in progress goes.
func (s *live) setTarget(target int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.run.target = target
	}
}

func (s *live) closedError() error {
	return errs.New(errs.NotFound, "open it again", "session %q was closed", s.name)
}

// guard calls work with the training, and turns a panic of the engine into an error and a failed session: what the engine left behind is
// unknown, and nobody calls it again. The caller has the turn.
func (s *live) guard(work func(session.Training) error) error {
	if s.crashed != "" {
		return errs.New(errs.Failed, "open it again with replace=true", "session %q failed: %s", s.name, s.crashed)
	}
	panicked := true
	err := boundary.Do(s.log, "its engine", func() error {
		err := work(s.training)
		panicked = false
		return err
	})
	if !panicked {
		return err
	}
	s.crashed = errs.Of(err).What
	return errs.New(errs.Failed, "open it again with replace=true; the other sessions go on", "session %q: %s", s.name, s.crashed)
}

// status asks the training. The caller has the turn.
func (s *live) status(t session.Training) session.Status {
	s.last = t.Status()
	s.snapshot.set(s.last, t.Recorded())
	return s.shown()
}

// shown is the last status as the outside sees it. The caller has the turn.
func (s *live) shown() session.Status { return s.shownAs(s.last, s.crashed) }

// shownAs is a status of the training as the outside sees it; crashed says why its engine cannot be trusted, or is "".
func (s *live) shownAs(status session.Status, crashed string) session.Status {
	status.Session = s.name
	s.mu.Lock()
	running, failure, notice := s.run != nil, s.failure, s.notice
	s.mu.Unlock()
	status.ReadOnly, status.Warning = s.readOnly, s.unsaved
	if w := s.autosaver.Load(); w != nil {
		w.show(&status)
	}
	if l := s.metrics.Load(); l != nil {
		l.warn(&status)
	}
	switch {
	case running: // also one that is about to end: until then it is in the way
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

// close ends a run in progress and frees the training. An error says what of it is not kept.
func (s *live) close() error {
	s.end()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.freed {
		return nil
	}
	s.freed = true
	lost := s.keep()
	if lost != nil {
		s.log.Warn("not all of a session that was closed is kept", "error", lost)
	}
	//nolint:errcheck // the log has it, and nobody else asks
	boundary.Do(s.log, "closing its engine", func() error { s.training.Close(); return nil })
	s.log.Debug("session closed")
	return lost
}

// keep writes what is not written yet. The caller has the turn.
func (s *live) keep() error {
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
