package host

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// watchers holds the watchers of one session. Each has a goroutine that
// waits for the turn for its updates like any other caller.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]struct{}
}

// watcher records what one watcher has received.
type watcher struct {
	wake chan struct{}
	took time.Duration // How long its last update held the turn. Only its goroutine uses it.

	mu           sync.Mutex // guards the fields below, because a rewind moves them back
	from, events int        // first step and first event of the next update
}

// add returns a new watcher, which is woken at each change. The caller must
// call leave.
func (ws *watchers) add() (w *watcher, leave func()) {
	w = &watcher{wake: make(chan struct{}, 1)}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == nil {
		ws.all = map[*watcher]struct{}{}
	}
	ws.all[w] = struct{}{}
	return w, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.all, w)
	}
}

// each calls do with every watcher and wakes it, without blocking.
func (ws *watchers) each(do func(*watcher)) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		do(w)
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// notify tells the watchers and the autosaver that the session has changed.
func (s *live) notify() {
	s.watchers.each(func(*watcher) {})
	if w := s.autosaver.Load(); w != nil {
		w.notify()
	}
}

// resetWatchers is called after a rewind to a step. It makes the next update of
// each watcher replace all events and everything after that step. perEpoch is
// the number of steps in an epoch.
func (s *live) resetWatchers(step, perEpoch int) {
	s.watchers.each(func(w *watcher) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.from, w.events = min(w.from, afterEpochs(step, perEpoch)), 0
	})
}

// afterEpochs returns the first step with a point that can still change after
// this step: the first step of the epoch in progress.
func afterEpochs(step, perEpoch int) int {
	perEpoch = max(perEpoch, 1)
	return step/perEpoch*perEpoch + 1
}

// Watch implements [session.Caller].
func (h *Host) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	if err := checkWatch(request); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the caller ended it
	}
	s, err := h.find(ctx, request.Session)
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // as above
	case err != nil:
		return err
	}
	w, leave := s.watchers.add()
	defer leave()
	last := session.Progress{Session: s.name, Status: session.Status{Session: s.name}}
	for {
		update, err := s.update(ctx, w, request)
		switch {
		case s.life.Err() != nil:
			last.Verb, last.Status.State, last.Status.Reason = "", session.Closed, ""
			tell(session.Update{Progress: last})
			return nil
		case ctx.Err() != nil:
			return nil //nolint:nilerr // as above
		case err != nil:
			return err
		}
		tell(update)
		last = update.Progress
		s.awaitChange(ctx, w, time.Duration(float64(time.Second)/cmp.Or(request.Rate, session.MaxRate)))
	}
}

// maxRest bounds the rest after a long update, because the first update is
// mostly compilation.
const maxRest = 2 * time.Second

// awaitChange waits for a change, but at least for the interval after an update.
// During a run it waits twenty times as long as the update held the turn, so
// that a watcher costs the run at most 5% of its time. When the run ends, it
// stops waiting.
func (s *live) awaitChange(ctx context.Context, w *watcher, interval time.Duration) {
	begun := time.Now()
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for woken, due := false, false; !woken || !due; {
		select {
		case <-ticks.C:
			if due = s.running() == nil || time.Since(begun) >= min(20*w.took, maxRest); due {
				ticks.Stop()
			}
		case <-w.wake:
			woken = true
		case <-ctx.Done():
			return
		case <-s.life.Done():
			return
		}
	}
}

// running returns the step, run or rewind in progress, or nil. Forks don't
// count.
func (s *live) running() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// checkWatch returns an error if the rate, the matrix or the history cannot be
// watched.
func checkWatch(request session.WatchRequest) error {
	if !(request.Rate >= 0 && request.Rate <= session.MaxRate) {
		return errs.New(errs.Request, fmt.Sprintf("use up to %d, or 0 for %[1]d", session.MaxRate), "rate = %g updates a second", request.Rate)
	}
	if m := request.Matrix; m != nil {
		if m.Step != nil {
			return errs.New(errs.Request, "leave it out; matrix shows a past step", "a watch follows the present step, not step %d", *m.Step)
		}
		if err := m.Check(); err != nil {
			return err
		}
	}
	if r := request.History; r != nil {
		return r.Check()
	}
	return nil
}

// update waits for the turn and returns what is new for a watcher. If a
// requested part fails, the update says so in Problem. If the engine has
// crashed, it also has the last known status.
func (s *live) update(ctx context.Context, w *watcher, request session.WatchRequest) (u session.Update, err error) {
	err = s.withTurn(ctx, func(t session.Training) error {
		select { // This update includes earlier changes.
		case <-w.wake:
		default:
		}
		start := time.Now()
		u.Progress = s.progress(s.status(t))
		var problem error
		if request.Selection {
			u.Selection, problem = t.Selection()
		}
		if request.Matrix != nil && problem == nil {
			var m session.Matrix
			if m, problem = t.Matrix(*request.Matrix); problem == nil {
				m.Session, u.Matrix = s.name, &m
			}
		}
		if request.History != nil && problem == nil {
			u.History, problem = s.changes(t, w, *request.History)
		}
		if problem != nil {
			u.Problem = problem.Error()
		} else {
			w.took = time.Since(start)
		}
		return nil
	})
	if !errs.Is(err, errs.Failed) {
		return u, err
	}
	u = session.Update{Problem: err.Error()} // Its engine crashed: use the last known status.
	status, err := s.currentStatus(ctx)
	u.Progress = s.progress(status)
	return u, err
}

// progress returns the status with the verb in progress. Otherwise it shows the
// first fork in progress.
func (s *live) progress(status session.Status) session.Progress {
	status.Layers, status.Table = nil, nil // They never change, and this is sent ten times a second.
	p := session.Progress{Session: s.name, Reached: status.Step, Target: status.Step, Status: status}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil && len(s.forks) > 0 {
		r = s.forks[0]
	}
	if r == nil {
		return p
	}
	p.Verb, p.Target = r.verb, r.target
	if r.target == unknownTarget {
		p.Target = status.Steps
	}
	if r.replays() {
		p.Reached = r.reached
	}
	return p
}

// changes returns the history since the last update of a watcher, and moves the
// watcher forward. The caller must have the turn.
func (s *live) changes(t session.Training, w *watcher, request session.HistoryRequest) (*session.Changes, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	request.From = max(request.From, w.from)
	history, err := t.Recorded()(request)
	if err != nil {
		return nil, err
	}
	history.Session = s.name
	c := &session.Changes{From: request.From, EventsFrom: min(w.events, len(history.Events)), History: history}
	c.Events = append([]session.Event{}, c.Events[c.EventsFrom:]...)
	w.from, w.events = afterEpochs(history.Step, history.PerEpoch), c.EventsFrom+len(c.Events)
	return c, nil
}
