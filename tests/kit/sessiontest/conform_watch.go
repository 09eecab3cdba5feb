package sessiontest

import (
	"context"
	"reflect"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// everything requests everything that a watcher can get.
func everything() session.WatchRequest {
	return session.WatchRequest{Selection: true, Matrix: &session.MatrixRequest{Of: "soft", Top: 5},
		History: &session.HistoryRequest{Points: 10_000, Selectors: true}}
}

// watcher is a watch in the background.
type watcher struct {
	suite *suite
	stop  context.CancelFunc
	ended chan error

	mu      sync.Mutex
	news    chan struct{}
	updates []session.Update
	times   []time.Time
}

func (s *suite) watch(name string, request session.WatchRequest) *watcher {
	ctx, cancel := context.WithCancel(s.ctx)
	s.Cleanup(cancel)
	w := &watcher{suite: s, stop: cancel, ended: make(chan error, 1), news: make(chan struct{}, 1)}
	go func() {
		w.ended <- s.on(name).Watch(ctx, request, func(u session.Update) {
			w.mu.Lock()
			w.updates, w.times = append(w.updates, u), append(w.times, time.Now())
			w.mu.Unlock()
			select {
			case w.news <- struct{}{}:
			default:
			}
		})

	}()
	return w
}

// until waits for an update.
func (w *watcher) until(what string, fits func(session.Update) bool) session.Update {
	w.suite.Helper()
	for seen := 0; ; {
		w.mu.Lock()
		for _, u := range w.updates[seen:] {
			if fits(u) {
				w.mu.Unlock()
				return u
			}
		}
		seen = len(w.updates)
		w.mu.Unlock()
		select {
		case <-w.news:
		case err := <-w.ended:
			w.suite.Fatalf("the watch ended (%v) before it told of %s", err, what)
		case <-w.suite.ctx.Done():
			w.suite.Fatalf("nobody was told of %s", what)
		}
	}
}

// end waits for the end of the watch.
func (w *watcher) end() []session.Update {
	w.suite.Helper()
	select {
	case err := <-w.ended:
		w.suite.ok(err)
	case <-w.suite.ctx.Done():
		w.suite.Fatal("the watch does not end")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.updates
}

// sum returns the history that a watcher has after all its updates.
func (s *suite) sum(updates []session.Update) session.History {
	var h session.History
	for _, u := range updates {
		if u.History != nil {
			s.ok(h.Apply(*u.History))
		}
	}
	return h
}

func hasStep(step int) func(session.Update) bool {
	return func(u session.Update) bool { return u.Status.Step == step && u.Verb == "" }
}

// watched: a watcher gets every change of a session, and its end.
func (s *suite) watched() {
	s.mustOpen("leukemia", s.subjects.Short)
	w := s.watch("leukemia", everything())
	first := w.until("the present state", hasStep(0))
	if first.Session != "leukemia" || first.Status.Session != "leukemia" || first.Status.State != session.Idle || first.Problem != "" ||
		first.Target != 0 {
		s.Errorf("the first update is %+v", first)
	}
	alone := s.watch("leukemia", session.WatchRequest{})
	if u := alone.until("the present state", hasStep(0)); u.Selection != nil || u.Matrix != nil || u.History != nil {
		s.Errorf("told what was not asked for: %+v", u)
	}
	must(s.on("leukemia").Step(s.ctx, 7))
	stepped := w.until("a step", hasStep(7))
	list := must(s.on("leukemia").Selection(s.ctx))
	m := must(s.on("leukemia").Matrix(s.ctx, *everything().Matrix))
	if !reflect.DeepEqual(stepped.Selection, list) || stepped.Matrix == nil || !reflect.DeepEqual(*stepped.Matrix, m) {
		s.Errorf("told of\n%+v\n%+v\nwant\n%+v\n%+v", stepped.Selection, stepped.Matrix, list, m)
	}
	must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(0.25)}))
	w.until("a change", func(u session.Update) bool { return u.Status.Config.Lambda == 0.25 })
	alone.until("a change", func(u session.Update) bool { return u.Status.Config.Lambda == 0.25 })
	must(s.on("leukemia").Step(s.ctx, 13))
	w.until("more steps", hasStep(20))
	must(s.on("leukemia").Rewind(s.ctx, 11))
	w.until("a rewind", hasStep(11))
	must(s.on("leukemia").Step(s.ctx, 11))
	must(s.on("leukemia").Rewind(s.ctx, 5)) // before the change, which watchers then forget
	must(s.on("leukemia").Step(s.ctx, 18))
	w.until("steps after it", hasStep(23))
	history := must(s.on("leukemia").History(s.ctx, *everything().History))

	alone.stop()
	updatesUntilEnd := len(alone.end())
	s.ok(s.on("leukemia").Close(s.ctx))
	updates := w.end()
	if last := updates[len(updates)-1]; last.Status.State != session.Closed || last.Status.Step != 23 || last.Session != "leukemia" {
		s.Errorf("the last update is %+v", last)
	}
	if got := s.sum(updates); !reflect.DeepEqual(got, history) {
		s.Errorf("the updates sum up to\n%+v\nwant\n%+v", got, history)
	}
	if more := len(alone.updates); more != updatesUntilEnd {
		s.Errorf("%d updates after its end", more-updatesUntilEnd)
	}
}

// watchedRun: a watcher of a run gets updates at most as often as requested,
// and one at the end.
func (s *suite) watchedRun() {
	s.mustOpen("leukemia", s.subjects.Short)
	all := s.watch("leukemia", everything())
	few := s.watch("leukemia", session.WatchRequest{Rate: 2})
	all.until("the present state", hasStep(0))
	few.until("the present state", hasStep(0))
	end := must(s.on("leukemia").Run(s.ctx, session.Until{}))
	for _, w := range []*watcher{all, few} {
		w.until("the end of the run", hasStep(end.Step))
		w.stop()
		updates := w.end()
		for i, u := range updates {
			running := u.Status.State == session.Running
			if running != (u.Verb == "run") || running && (u.Target != end.Step || u.Reached != u.Status.Step) {
				s.Errorf("update %d is %+v", i, u.Progress)
			}
			if i > 0 && u.Status.Step < updates[i-1].Status.Step {
				s.Errorf("step %d follows %d", u.Status.Step, updates[i-1].Status.Step)
			}
		}
		rate := session.MaxRate
		if w == few {
			rate = 2
		}
		if span := w.times[len(updates)-1].Sub(w.times[0]); float64(len(updates)-2) > span.Seconds()*float64(rate)*1.1 {
			s.Errorf("%d updates in %s", len(updates), span)
		}
	}
	history := must(s.on("leukemia").History(s.ctx, *everything().History))
	if got := s.sum(all.updates); !reflect.DeepEqual(got, history) {
		s.Errorf("the updates sum up to\n%+v\nwant\n%+v", got, history)
	}
}

// watchedSlowly: a slow watcher delays neither the session nor other watchers,
// and gets the end.
func (s *suite) watchedSlowly() {
	s.mustOpen("leukemia", s.subjects.Short)
	block, blocked := make(chan struct{}), make(chan struct{}, 1)
	var updates []session.Update
	steps := make(chan int, 1000)
	ended := make(chan error, 1)
	go func() {
		ended <- s.on("leukemia").Watch(s.ctx, everything(), func(u session.Update) {
			updates = append(updates, u)
			steps <- u.Status.Step
			select {
			case blocked <- struct{}{}:
			default:
			}
			<-block
			if _, err := s.on("leukemia").Status(s.ctx); err != nil && !errs.Is(err, errs.NotFound) {
				s.Errorf("asked by a watcher: %v", err)
			}
		})

	}()
	<-blocked
	other := s.watch("leukemia", session.WatchRequest{})
	for step := 4; step <= 20; step += 4 {
		must(s.on("leukemia").Step(s.ctx, 4))
		other.until("a step", hasStep(step))
	}
	history := must(s.on("leukemia").History(s.ctx, *everything().History))
	close(block)
	for step := 0; step < 20; {
		select {
		case step = <-steps:
		case <-s.ctx.Done():
			s.Fatal("it is not told how it ended")
		}
	}
	s.ok(s.on("leukemia").Close(s.ctx))
	s.ok(<-ended)
	other.end()
	if last := updates[len(updates)-1]; last.Status.State != session.Closed {
		s.Errorf("it was last told %+v", last)
	}
	if got := s.sum(updates); !reflect.DeepEqual(got, history) { // later updates contain what it missed
		s.Errorf("the updates sum up to\n%+v\nwant\n%+v", got, history)
	}
}

func (s *suite) watchRefused() {
	nothing := func(u session.Update) { s.Errorf("told of %+v", u) }
	s.fails(s.on("leukemia").Watch(s.ctx, session.WatchRequest{}, nothing), errs.NotFound, "leukemia")
	s.mustOpen("leukemia", s.subjects.Short)
	s.fails(s.on("leukmia").Watch(s.ctx, session.WatchRequest{}, nothing), errs.NotFound, "did you mean leukemia?")
	for _, request := range []session.WatchRequest{
		{Rate: -1},
		{Rate: 10.5},
		{Matrix: &session.MatrixRequest{Of: "softly"}},
		{Matrix: &session.MatrixRequest{Top: -1}},
		{History: &session.HistoryRequest{Metrics: []string{"los"}}},
		{History: &session.HistoryRequest{From: -1}},
	} {
		s.fails(s.on("leukemia").Watch(s.ctx, request, nothing), errs.Request)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	s.ok(s.on("leukemia").Watch(ctx, session.WatchRequest{}, nothing))
}

// watchedFailure: a watcher gets a failure, with the status of the failed
// session.
func (s *suite) watchedFailure() {
	for words, c := range map[string]session.Config{"not a number": s.subjects.Failing, "failed unexpectedly": s.subjects.Crashing} {
		if c.Data == "" {
			continue
		}
		must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: c, Replace: true}))
		w := s.watch("leukemia", everything())
		w.until("the present state", hasStep(0))
		s.fails(errorOf(s.on("leukemia").Run(s.ctx, session.Until{Step: 200})), errs.Failed, words)
		u := w.until("the failure", func(u session.Update) bool { return u.Status.State == session.Broken })
		if u.Verb != "" || u.Status.Reason == "" {
			s.Errorf("told of %+v", u)
		}
		w.stop()
		w.end()
	}
}
