package sessiontest

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// moment is everything that a session shows at a step, except its name and
// times.
type moment struct {
	status     session.Status
	curves     map[string]session.Curve
	selection  []session.Selected
	evaluation session.Evaluation
}

func (s *suite) now(name string) moment {
	s.Helper()
	var m moment
	m.status = must(s.on(name).Status(s.ctx))
	m.status.Session, m.status.Moves, m.status.StepsPerSecond, m.status.SecondsLeft, m.status.Seconds, m.status.TestLooks = "", 0, 0, 0, 0, 0
	m.curves = must(s.on(name).History(s.ctx, session.HistoryRequest{})).Curves
	m.selection = must(s.on(name).Selection(s.ctx))
	for i := range m.selection { // it depends on the looks
		m.selection[i].LeadsSince = 0
	}
	m.evaluation = must(s.on(name).Evaluate(s.ctx, "train"))
	m.evaluation.Session, m.evaluation.TestLooks, m.evaluation.Unfinished = "", 0, ""
	return m
}

func (s *suite) same(what string, got, want moment) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Errorf("%s:\n%+v\nwant\n%+v", what, got, want)
	}
}

func (s *suite) events(name string) []session.Event {
	s.Helper()
	return must(s.on(name).History(s.ctx, session.HistoryRequest{})).Events
}

// ends checks that a timeline is a past with one more event.
func (s *suite) ends(events, past []session.Event, kind string, step int) {
	s.Helper()
	last := events[len(events)-1]
	if !reflect.DeepEqual(events[:len(events)-1], past) || last.Kind != kind || last.Step != step || last.Text == "" {
		s.Errorf("the events are %+v, want %+v and a %s at step %d", events, past, kind, step)
	}
}

// past makes 20 steps, the last 12 with another lambda. It returns the moment
// after every fourth step.
func (s *suite) past(name string) (moments map[int]moment, events map[int][]session.Event) {
	s.Helper()
	s.mustOpen(name, s.subjects.Short)
	moments, events = map[int]moment{}, map[int][]session.Event{}
	note := func(step int) { moments[step], events[step] = s.now(name), s.events(name) }
	note(0)
	for step := 4; step <= 20; step += 4 {
		status := must(s.on(name).Step(s.ctx, 4))
		if status.Step != step {
			s.Fatalf("at step %d, want %d", status.Step, step)
		}
		if step == 8 { // from the next step on
			must(s.on(name).Set(s.ctx, session.Config{Lambda: new(0.25)}))
		}
		note(step)
	}
	return moments, events
}

// rewind: every step is as it was, and so are the steps after it.
func (s *suite) rewind() {
	moments, events := s.past("leukemia")
	must(s.on("leukemia").Evaluate(s.ctx, "test"))
	status := must(s.on("leukemia").Rewind(s.ctx, 12))
	if status.Session != "leukemia" || status.Step != 12 || status.State != session.Paused || status.Config.Lambda != 0.25 {
		s.Errorf("rewound to %+v", status)
	}
	if status.TestLooks != 1 {
		s.Errorf("%d looks at the test rows are counted, want 1: they cannot be taken back", status.TestLooks)
	}
	s.same("rewound to step 12", s.now("leukemia"), moments[12])
	s.ends(s.events("leukemia"), events[12], "rewind", 12)
	must(s.on("leukemia").Step(s.ctx, 8))
	s.same("from step 12 on to 20", s.now("leukemia"), moments[20])

	for _, step := range []int{20, 8, 7, 4, 0} { // 7 had no look, and rewinding to 7 discards the change at step 8
		status = must(s.on("leukemia").Rewind(s.ctx, step))
		if want, known := moments[step]; known {
			s.same("rewound", s.now("leukemia"), want)
		}
		if changed := status.Config.Lambda == 0.25; changed != (step >= 8) || status.Step != step {
			s.Errorf("rewound to step %d it is at %d with lambda %g", step, status.Step, status.Config.Lambda)
		}
	}
	if status.State != session.Idle || status.Trained || status.MaxProbability != nil {
		s.Errorf("rewound to the beginning it is %+v", status)
	}
	must(s.on("leukemia").Step(s.ctx, 8))
	must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(0.25)}))
	must(s.on("leukemia").Step(s.ctx, 12))
	s.same("all again", s.now("leukemia"), moments[20])

	for _, step := range []int{-1, -7, 21} {
		s.fails(errorOf(s.on("leukemia").Rewind(s.ctx, step)), errs.Request, "leukemia", "from 0 to 20")
	}
	s.same("refused", s.now("leukemia"), moments[20])
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	s.fails(errorOf(s.on("leukemia").Rewind(ctx, 3)), errs.Interrupted)
	s.same("interrupted", s.now("leukemia"), moments[20])
}

// rewindFailed: a failed training continues from an earlier step with another
// value.
func (s *suite) rewindFailed() {
	s.mustOpen("leukemia", s.needs(s.subjects.Failing))
	failed, err := s.on("leukemia").Run(s.ctx, session.Until{Step: 200})
	s.fails(err, errs.Failed, "not a number")
	status := must(s.on("leukemia").Rewind(s.ctx, 0))
	if status.Step != 0 || status.State != session.Idle || status.Reason != "" {
		s.Errorf("rewound it is %s (%s) at step %d", status.State, status.Reason, status.Step)
	}
	if failed.Step > 0 { // the good steps are repeated without failing
		status = must(s.on("leukemia").Step(s.ctx, failed.Step))
		if status.Step != failed.Step || status.State != session.Paused {
			s.Errorf("it is %s at step %d, want %d", status.State, status.Step, failed.Step)
		}
	}
}

// rewindInterrupted: a long rewind ends with a pause, a close, or a caller who
// cancels. It has changed nothing then.
func (s *suite) rewindInterrupted() {
	s.mustOpen("leukemia", s.needs(s.subjects.Lasting))
	must(s.on("leukemia").Step(s.ctx, 10))
	before := s.now("leukemia")
	rewind := func(ctx context.Context) <-chan outcome {
		return begin(func() (status session.Status, err error) {
			for first := true; first || errs.Is(err, errs.Busy); first = false { // untilBusy's own request can be in the way
				status, err = s.on("leukemia").Rewind(ctx, 3)
			}
			return status, err
		})
	}
	ended := rewind(s.ctx)
	s.untilBusy("leukemia")
	must(s.on("leukemia").Pause(s.ctx))
	s.fails(errorOf(s.end(ended)), errs.Interrupted, "leukemia", "step 10")
	s.same("paused", s.now("leukemia"), before)

	ctx, cancel := context.WithCancel(s.ctx)
	ended = rewind(ctx)
	s.untilBusy("leukemia")
	cancel()
	s.fails(errorOf(s.end(ended)), errs.Interrupted)
	s.same("canceled", s.now("leukemia"), before)

	ended = rewind(s.ctx)
	s.untilBusy("leukemia")
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(errorOf(s.end(ended)), errs.NotFound, "leukemia")
}

// untilBusy waits until a rewind has begun, by requesting one that must be
// rejected.
func (s *suite) untilBusy(name string) {
	s.Helper()
	for {
		_, err := s.on(name).Rewind(s.ctx, -1)
		if errs.Is(err, errs.Busy) {
			s.fails(err, errs.Busy, name, "running since", "rewind", "pause it first")
			return
		}
		if !errs.Is(err, errs.Request) {
			s.Fatalf("waiting for a rewind: %v", err)
		}
	}
}

// fork: the new session has the same past, and the two are independent.
func (s *suite) fork() {
	moments, events := s.past("leukemia")
	must(s.on("leukemia").Evaluate(s.ctx, "test"))
	status := must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(12)}))
	if status.Session != "branch" || status.Step != 12 || status.State != session.Paused || status.TestLooks != 1 {
		s.Errorf("the fork is %+v", status)
	}
	s.same("forked at step 12", s.now("branch"), moments[12])
	s.ends(s.events("branch"), events[12], "fork", 12)
	s.same("its parent", s.now("leukemia"), moments[20])
	if got := s.events("leukemia"); !reflect.DeepEqual(got, events[20]) {
		s.Errorf("the parent's events are %+v", got)
	}
	must(s.on("branch").Step(s.ctx, 8))
	s.same("the fork goes on", s.now("branch"), moments[20])

	// Each continues alone.
	must(s.on("branch").Set(s.ctx, session.Config{Lambda: new(3.0), Epochs: 40}))
	must(s.on("branch").Step(s.ctx, 5))
	s.same("the parent of a fork that went on", s.now("leukemia"), moments[20])
	must(s.on("leukemia").Rewind(s.ctx, 4))
	if status, err := s.on("branch").Status(s.ctx); err != nil || status.Step != 25 || status.Config.Lambda != 3 {
		s.Errorf("the fork of a parent that was rewound: %+v, %v", status, err)
	}
	must(s.on("branch").Rewind(s.ctx, 8)) // to a step that both share
	s.same("the fork rewound to before it was made", s.now("branch"), moments[8])

	status = must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "branch", As: "twig"}))
	if status.Step != 8 {
		s.Errorf("forked at step %d, want the present one, 8", status.Step)
	}
	status = must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "root", Step: new(0)}))
	s.same("forked at the beginning", s.now("root"), moments[0])

	// Its configuration is its parent's: opening it with that attaches.
	if status := s.mustOpen("twig", s.subjects.Short); status.Step != 8 {
		s.Errorf("opened by its configuration it is at step %d", status.Step)
	}
	s.ok(s.on("branch").Close(s.ctx))
	if _, err := s.on("twig").Step(s.ctx, 1); err != nil {
		s.Errorf("its parent closed, a fork cannot step: %v", err)
	}
}

func (s *suite) forkRefused() {
	s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 5))
	s.mustOpen("lymphoma", s.subjects.Short)
	s.fails(errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "lymphoma"})), errs.Request, "lymphoma", "another name",
		"replace=true")
	for _, replace := range []bool{false, true} {
		s.fails(errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "leukemia", Replace: replace})), errs.Request, "leukemia",
			"another name")
	}
	status := must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "lymphoma", Step: new(3), Replace: true}))
	if status.Step != 3 || status.Session != "lymphoma" {
		s.Errorf("in place of an open session there is %q at step %d", status.Session, status.Step)
	}
	for _, as := range []string{"", "a b", "../a"} {
		s.fails(errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: as})), errs.Request, "letters, digits")
	}
	for _, step := range []int{-2, 6} {
		s.fails(errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(step)})), errs.Request, "from 0 to 5")
	}
	s.fails(errorOf(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukmia", As: "branch"})), errs.NotFound, "did you mean leukemia?")
	s.fails(errorOf(s.on("branch").Status(s.ctx)), errs.NotFound)

	var all sync.WaitGroup
	var forks atomic.Int64
	for range 8 {
		all.Go(func() {
			_, err := session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(3)})
			if err == nil {
				forks.Add(1)
			} else if !errs.Is(err, errs.Request) {
				s.Errorf("one of many forks: %v", err)
			}
		})
	}
	all.Wait()
	if forks.Load() != 1 {
		s.Errorf("%d forks of one name were made", forks.Load())
	}
}

// forkDuringRun: a fork waits for one chunk at most and does not run itself.
func (s *suite) forkDuringRun() {
	s.mustOpen("leukemia", s.subjects.Long)
	ended := s.background(s.ctx, "leukemia")
	status := must(session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch"}))
	if status.State != session.Paused || status.Step == 0 {
		s.Errorf("forked off a run it is %s at step %d", status.State, status.Step)
	}
	after := s.until("leukemia", func(now session.Status) bool { return now.Step > status.Step })
	if after.State != session.Running {
		s.Errorf("the run that was forked is %s", after.State)
	}
	s.fails(errorOf(s.on("leukemia").Rewind(s.ctx, 1)), errs.Busy, "leukemia", "running since", "pause it first")
	s.stop("leukemia", ended)
	if status, err := s.on("leukemia").Rewind(s.ctx, 1); err != nil || status.Step != 1 {
		s.Errorf("paused, it is rewound to step %d: %v", status.Step, err)
	}
}

// forkInterrupted: a long fork ends with its parent.
func (s *suite) forkInterrupted() {
	s.mustOpen("leukemia", s.needs(s.subjects.Lasting))
	must(s.on("leukemia").Step(s.ctx, 10))
	ended := begin(func() (session.Status, error) {
		return session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(3)})
	})
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(errorOf(s.end(ended)), errs.NotFound, "leukemia")
	s.fails(errorOf(s.on("branch").Status(s.ctx)), errs.NotFound)
}
