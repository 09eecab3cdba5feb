package sessiontest

import (
	"reflect"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// duringRewind: while steps are repeated, readers see the current state,
// changes are rejected, and watchers see the progress.
func (s *suite) duringRewind() {
	s.mustOpen("leukemia", s.needs(s.subjects.Lasting))
	must(s.on("leukemia").Step(s.ctx, 10))
	before := s.now("leukemia")
	w := s.watch("leukemia", everything())
	w.until("the present state", hasStep(10))
	ended := begin(func() (session.Status, error) { return s.on("leukemia").Rewind(s.ctx, 3) })
	u := w.until("the rewind", func(u session.Update) bool { return u.Verb == "rewind" && u.Target == 3 })
	if u.Status.State != session.Running || u.Status.Step != 10 || u.Reached > 3 || len(u.Selection) == 0 {
		s.Errorf("during a rewind it is told %+v", u)
	}
	during := s.now("leukemia")
	if during.status.State != session.Running {
		s.Errorf("during a rewind it is %s", during.status.State)
	}
	during.status.State, during.status.Reason = before.status.State, before.status.Reason
	s.same("during a rewind", during, before)
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(2.0)})), errs.Busy, "leukemia", "rewind", "pause it first")
	s.fails(errorOf(s.on("leukemia").Step(s.ctx, 1)), errs.Busy, "rewind")
	must(s.on("leukemia").Pause(s.ctx))
	s.fails(errorOf(s.end(ended)), errs.Interrupted, "step 10")
	w.until("the end of the rewind", hasStep(10))
	s.same("paused", s.now("leukemia"), before)
}

// duringFork: a long fork delays neither its parent's run nor a change of the
// parent. The change doesn't affect the fork.
func (s *suite) duringFork() {
	c := s.needs(s.subjects.Lasting)
	c.Epochs = s.subjects.Long.Epochs
	s.mustOpen("leukemia", c)
	must(s.on("leukemia").Step(s.ctx, 10))
	w := s.watch("leukemia", session.WatchRequest{})
	forked := begin(func() (session.Status, error) {
		return session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(3)})
	})
	w.until("the fork", func(u session.Update) bool {
		return u.Verb == "fork" && u.Target == 3 && u.Status.State == session.Paused
	})
	must(s.on("leukemia").Run(s.ctx, inBackground(session.Until{})))
	now := s.until("leukemia", func(session.Status) bool { return true })
	s.until("leukemia", func(later session.Status) bool { return later.Step > now.Step })
	must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(2.0)}))
	must(s.on("leukemia").Pause(s.ctx))
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(errorOf(s.end(forked)), errs.NotFound)
}

// pastMatrix: the matrix of a past step stays the same regardless of what has
// happened since. Reading it changes nothing.
func (s *suite) pastMatrix() {
	s.mustOpen("leukemia", s.subjects.Short)
	requests := []session.MatrixRequest{{}, {Of: "soft", Top: 3}, {Of: "sample", Top: 4}}
	was := map[int][]session.Matrix{}
	for step := range 13 {
		if step == 8 { // from the next step on
			must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(0.25), Schedule: "hold:2"}))
		}
		if step%4 == 0 {
			for _, request := range requests {
				m := must(s.on("leukemia").Matrix(s.ctx, request))
				was[step] = append(was[step], m)
			}
		}
		must(s.on("leukemia").Step(s.ctx, 1))
	}
	before, events := s.now("leukemia"), s.events("leukemia")
	var all sync.WaitGroup // several at once
	for step, list := range was {
		all.Go(func() {
			for i, request := range requests {
				request.Step = &step
				m, err := s.on("leukemia").Matrix(s.ctx, request)
				if err != nil || !reflect.DeepEqual(m, list[i]) {
					s.Errorf("of step %d it is %v\n%+v\nwant\n%+v", step, err, m, list[i])
				}
			}
		})
	}
	all.Wait()
	s.same("after looking back", s.now("leukemia"), before)
	if got := s.events("leukemia"); !reflect.DeepEqual(got, events) {
		s.Errorf("the events are %+v", got)
	}
	for _, step := range []int{-1, 14} {
		s.fails(errorOf(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Step: &step})), errs.Request, "from 0 to")
	}
	s.fails(s.on("leukemia").Watch(s.ctx, session.WatchRequest{Matrix: &session.MatrixRequest{Step: new(3)}},
		func(session.Update) { s.Error("told") }),
		errs.Request)
	during := s.mustOpen("runs", s.subjects.Long)
	ended := s.background(s.ctx, "runs")
	m := must(s.on("runs").Matrix(s.ctx, session.MatrixRequest{Step: new(1)}))
	if m.Step != 1 || m.D != during.D {
		s.Errorf("during a run it is of step %d", m.Step)
	}
	s.stop("runs", ended)
}
