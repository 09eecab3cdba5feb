package host

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// live is one open session.
type live struct {
	name      string
	settings  config.Settings // as opened; only the structural keys are looked at
	directory string
	log       io.Writer

	// turn is held while the training is used. Goroutines that wait to fill a channel are served in their order, so that a run, which
	// asks for every chunk anew, lets in whoever came before.
	turn chan struct{}

	// Guarded by turn.
	training Training
	last     session.Status // as the training last said; seen has it for those without the turn
	crashed  string         // why the engine cannot be trusted any more, or ""
	freed    bool

	seen  seen
	names []string // of the columns of its data
	rank  rank     // of these

	life context.Context // ends when it is closed: nobody may use it any more
	end  context.CancelFunc

	watchers watchers
	keeper   atomic.Pointer[keeper] // writes its checkpoints; nil where none are written
	unkept   string                 // why none are written, or ""; guarded by turn
	readOnly bool                   // another process has it open
	path     string                 // of the run directory that it was taken up from, or ""

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

func newLive(name string, settings config.Settings, directory string, training Training, log io.Writer) *live {
	life, end := context.WithCancel(context.Background())
	s := &live{name: name, settings: settings, directory: directory, training: training, log: log, turn: make(chan struct{}, 1), life: life, end: end}
	s.guard(func() error { //nolint:errcheck // a crash is in the status
		s.names = training.Names()
		s.status(training)
		return nil
	})
	return s
}

// use calls work with the training when it is this caller's turn.
func (s *live) use(ctx context.Context, work func(Training) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return interrupted(ctx, s.name)
	}
	return s.useTurn(work)
}

// useTurn is use for a caller that has the turn, and gives it back.
func (s *live) useTurn(work func(Training) error) error {
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return s.gone()
	}
	if s.crashed != "" {
		return fault.New(fault.Failed, "open it again with replace=true", "session %q failed: %s", s.name, s.crashed)
	}
	return s.guard(func() error { return work(s.training) })
}

// unknownTarget is that of a run which has not had its first turn.
const unknownTarget = -1

// aim says where the run in progress goes.
func (s *live) aim(target int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.run.target = target
	}
}

func (s *live) gone() error {
	return fault.New(fault.NotFound, "open it again", "session %q was closed", s.name)
}

// guard turns a panic of the engine into an error and a failed session: what the engine left behind is unknown. The caller has the turn.
func (s *live) guard(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.crashed = fmt.Sprintf("its engine stopped unexpectedly: %.300s", firstLine(fmt.Sprint(r)))
			fmt.Fprintf(s.log, "session %s: %v\n%s", s.name, r, debug.Stack()) //nolint:errcheck // nowhere to say so
			err = fault.New(fault.Failed, "open it again with replace=true; the other sessions go on", "session %q: %s", s.name, s.crashed)
		}
	}()
	return work()
}

// status asks the training. The caller has the turn.
func (s *live) status(t Training) session.Status {
	s.last = finiteStatus(t.Status())
	s.seen.keep(s.last, t.Recorded())
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
	status.ReadOnly, status.Warning = s.readOnly, s.unkept
	if k := s.keeper.Load(); k != nil {
		k.shows(&status)
	}
	switch {
	case running: // also one that is about to end: until then it is in the way
		status.State, status.Reason = session.Running, ""
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

// close ends a run in progress and frees the training.
func (s *live) close() {
	s.end()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.freed {
		return
	}
	s.freed = true
	if k := s.keeper.Load(); k != nil {
		k.close(s)
	}
	if err := s.guard(func() error { s.training.Close(); return nil }); err != nil {
		fmt.Fprintln(s.log, err) //nolint:errcheck // nowhere to say so
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
