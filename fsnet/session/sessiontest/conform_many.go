package sessiontest

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// manyAtOnce makes thousands of quick calls from many goroutines, on sessions of which one runs, one steps and one comes and goes. It
// is at its best under the race detector.
func (s *suite) manyAtOnce() {
	const goroutines = 16
	rounds := cmp.Or(s.subjects.Rounds, 16)
	s.mustOpen("runs", s.subjects.Long)
	s.mustOpen("steps", s.subjects.Long)
	ended := s.background(s.ctx, "runs")
	var calls, stepped atomic.Int64
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range rounds {
				name := []string{"runs", "steps"}[g%2]
				if _, err := s.Step(s.ctx, name, 1); err == nil {
					stepped.Add(1)
				} else if !fault.Is(err, fault.Busy) {
					s.Errorf("step: %v", err)
				}
				if _, err := s.Status(s.ctx, name); err != nil {
					s.Errorf("status: %v", err)
				}
				if list, err := s.Selection(s.ctx, name); err != nil || len(list) != s.subjects.Long.K {
					s.Errorf("selection: %v, %v", list, err)
				}
				if _, err := s.History(s.ctx, name, session.HistoryRequest{Metrics: []string{"loss"}, Points: 10}); err != nil {
					s.Errorf("history: %v", err)
				}
				if e, err := s.Evaluate(s.ctx, name, "test"); err != nil || e.TestLooks == 0 {
					s.Errorf("evaluate: %+v, %v", e, err)
				}
				if _, err := s.Set(s.ctx, name, session.Config{Lambda: new(float64(g))}); err != nil {
					s.Errorf("set: %v", err)
				}
				if _, err := s.Open(s.ctx, session.OpenRequest{Session: "comes-and-goes", Config: s.subjects.Short}); err != nil {
					s.Errorf("open: %v", err)
				}
				if err := s.Close(s.ctx, "comes-and-goes"); err != nil && !fault.Is(err, fault.NotFound) {
					s.Errorf("close: %v", err)
				}
				branch := fmt.Sprint("branch-", g)
				if _, err := s.Fork(s.ctx, name, session.ForkRequest{As: branch, Step: -1}); err != nil {
					s.Errorf("fork: %v", err)
				} else if err := s.Close(s.ctx, branch); err != nil {
					s.Errorf("close a fork: %v", err)
				}
				if _, err := s.Sessions(s.ctx); err != nil {
					s.Errorf("sessions: %v", err)
				}
				calls.Add(11)
			}
		})
	}
	all.Wait()
	_, err := s.Pause(s.ctx, "runs")
	s.ok(err)
	_, err = s.end(ended)
	s.ok(err)
	status, err := s.Status(s.ctx, "steps")
	s.ok(err)
	if status.Step != int(stepped.Load()) {
		s.Errorf("%d steps were granted and %d made", stepped.Load(), status.Step)
	}
	if status.TestLooks != goroutines/2*rounds {
		s.Errorf("%d looks counted, %d made", status.TestLooks, goroutines/2*rounds)
	}
	s.Logf("%d calls", calls.Load())
}
