package sessiontest

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// manyAtOnce makes thousands of quick calls from many goroutines, on three
// sessions: one runs, one steps, one opens and closes. It is meant for the race
// detector.
func (s *suite) manyAtOnce() {
	const goroutines = 16
	rounds := cmp.Or(s.subjects.Rounds, 16)
	s.mustOpen("runs", s.subjects.Long)
	// In a separate directory, looks of the other session don't count.
	must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "steps", Config: s.subjects.Long, Directory: s.TempDir()}))
	ended := s.background(s.ctx, "runs")
	var calls, stepped atomic.Int64
	try := func(verb string, err error) {
		if err != nil {
			s.Errorf("%s: %v", verb, err)
		}
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range rounds {
				name := []string{"runs", "steps"}[g%2]
				if _, err := s.on(name).Step(s.ctx, 1); err == nil {
					stepped.Add(1)
				} else if !errs.Is(err, errs.Busy) {
					s.Errorf("step: %v", err)
				}
				try("status", errorOf(s.on(name).Status(s.ctx)))
				if list, err := s.on(name).Selection(s.ctx); err != nil || len(list) != s.subjects.Long.K {
					s.Errorf("selection: %v, %v", list, err)
				}
				try("history", errorOf(s.on(name).History(s.ctx, session.HistoryRequest{Metrics: []string{"loss"}, Points: 10})))
				if e, err := s.on(name).Evaluate(s.ctx, "test"); err != nil || e.TestLooks == 0 {
					s.Errorf("evaluate: %+v, %v", e, err)
				}
				try("set", errorOf(s.on(name).Set(s.ctx, session.Config{Lambda: new(float64(g))})))
				try("open", errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "comes-and-goes", Config: s.subjects.Short})))
				if err := s.on("comes-and-goes").Close(s.ctx); !errs.Is(err, errs.NotFound) {
					try("close", err)
				}
				branch := fmt.Sprint("branch-", g)
				try("fork", errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: name, As: branch})))
				try("close a fork", s.on(branch).Close(s.ctx))
				try("sessions", errorOf(session.VerbSessions.Call(s.ctx, s, session.None{})))
				calls.Add(11)
			}
		})
	}
	all.Wait()
	s.stop("runs", ended)
	status := must(s.on("steps").Status(s.ctx))
	if status.Step != int(stepped.Load()) {
		s.Errorf("%d steps were granted and %d made", stepped.Load(), status.Step)
	}
	if status.TestLooks != goroutines/2*rounds {
		s.Errorf("%d looks counted, %d made", status.TestLooks, goroutines/2*rounds)
	}
	s.Logf("%d calls", calls.Load())
}
