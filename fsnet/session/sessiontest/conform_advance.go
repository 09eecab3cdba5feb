package sessiontest

import (
	"context"
	"math"
	"reflect"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

func (s *suite) step() {
	steps := s.mustOpen("leukemia", s.subjects.Short).Steps
	for i, want := range []int{1, 8} {
		status, err := s.Step(s.ctx, "leukemia", []int{1, 7}[i])
		s.ok(err)
		if status.Step != want || status.State != session.Paused || !status.Trained || status.Session != "leukemia" {
			s.Errorf("stepped to %+v, want step %d", status, want)
		}
	}
	for range 2 { // the second time there is nothing left to do
		status, err := s.Step(s.ctx, "leukemia", math.MaxInt)
		s.ok(err)
		if status.Step != steps || (status.State != session.Done && status.State != session.Settled) || status.Reason == "" {
			s.Errorf("stepped beyond the end: %+v", status)
		}
	}
}

// stepsAddUp: 20 steps are 20 times one step, and another session in between changes nothing.
func (s *suite) stepsAddUp() {
	s.mustOpen("at-once", s.subjects.Short)
	s.mustOpen("one-by-one", s.subjects.Short)
	a, err := s.Step(s.ctx, "at-once", 20)
	s.ok(err)
	var b session.Status
	for range 20 {
		b, err = s.Step(s.ctx, "one-by-one", 1)
		s.ok(err)
	}
	if a.Loss != b.Loss || a.Step != b.Step || a.Tau != b.Tau {
		s.Errorf("loss %v at step %d, and %v at %d", a.Loss, a.Step, b.Loss, b.Step)
	}
	x, err := s.Selection(s.ctx, "at-once")
	s.ok(err)
	y, err := s.Selection(s.ctx, "one-by-one")
	s.ok(err)
	for i := range y { // when a leader last changed depends on when somebody looked
		x[i].SettledSince = y[i].SettledSince
	}
	if !reflect.DeepEqual(x, y) {
		s.Errorf("different selections: %v, %v", x, y)
	}
}

func (s *suite) run() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	perEpoch := opened.StepsPerEpoch
	for _, c := range []struct {
		until session.Until
		want  int
	}{
		{session.Until{Step: 3}, 3},
		{session.Until{Step: 3}, 3}, // it is there
		{session.Until{Step: 1}, 3}, // and does not go back
		{session.Until{Epoch: 2}, 2 * perEpoch},
		{session.Until{Epoch: 9, Step: 2*perEpoch + 1}, 2*perEpoch + 1},
		{session.Until{Epoch: 3, Step: 1_000_000}, 3 * perEpoch},
		{session.Until{Epoch: math.MaxInt}, opened.Steps},
		{session.Until{}, opened.Steps},
	} {
		status, err := s.Run(s.ctx, "leukemia", c.until)
		s.ok(err)
		if status.Step != max(c.want, min(3, opened.Steps)) || status.State == session.Running {
			s.Errorf("run until %+v ended at step %d (%s), want %d", c.until, status.Step, status.State, c.want)
		}
	}
}

func (s *suite) runUntilSettled() {
	steps := s.mustOpen("by-stop", s.given(s.subjects.Settling)).Steps
	s.mustOpen("by-until", s.subjects.Settling)
	for name, until := range map[string]session.Until{"by-stop": {}, "by-until": {Settled: true}} {
		status, err := s.Run(s.ctx, name, until)
		s.ok(err)
		if status.State != session.Settled || status.Step == 0 || status.Step >= steps || status.SettledRows != status.Config.K {
			s.Errorf("%s ended %s at step %d of %d with %d rows settled", name, status.State, status.Step, steps, status.SettledRows)
		}
	}
	before, err := s.Run(s.ctx, "by-until", session.Until{Settled: true})
	s.ok(err)
	after, err := s.Run(s.ctx, "by-until", session.Until{Settled: true})
	s.ok(err)
	if before.Step != after.Step {
		s.Errorf("settled already, it went from step %d to %d", before.Step, after.Step)
	}
	end, err := s.Run(s.ctx, "by-stop", session.Until{Step: steps})
	s.ok(err)
	if end.Step != steps {
		s.Errorf("a run with a target ended at step %d, want %d: the stop key is for runs without", end.Step, steps)
	}
}

func (s *suite) busy() {
	s.mustOpen("leukemia", s.subjects.Long)
	s.mustOpen("lymphoma", s.subjects.Short)
	ended := s.background(s.ctx, "leukemia")
	_, err := s.Step(s.ctx, "leukemia", 1)
	s.fails(err, fault.Busy, "leukemia", "running since", "pause it first")
	_, err = s.Run(s.ctx, "leukemia", session.Until{})
	s.fails(err, fault.Busy, "running since")
	if _, err := s.Step(s.ctx, "lymphoma", 1); err != nil {
		s.Errorf("another session cannot step: %v", err)
	}
	_, err = s.Pause(s.ctx, "leukemia")
	s.ok(err)
	_, err = s.end(ended)
	s.ok(err)
	if _, err := s.Step(s.ctx, "leukemia", 1); err != nil {
		s.Errorf("paused, it cannot step: %v", err)
	}
}

func (s *suite) pause() {
	s.mustOpen("leukemia", s.subjects.Long)
	if status, err := s.Pause(s.ctx, "leukemia"); err != nil || status.State != session.Idle {
		s.Errorf("a pause without a run: %v, %v", status.State, err)
	}
	for range 3 {
		ended := s.background(s.ctx, "leukemia")
		paused, err := s.Pause(s.ctx, "leukemia")
		s.ok(err)
		ran, err := s.end(ended)
		s.ok(err)
		if paused.State != session.Paused || ran.State != session.Paused || paused.Step != ran.Step {
			s.Errorf("paused %s at step %d, the run says %s at %d", paused.State, paused.Step, ran.State, ran.Step)
		}
		after, err := s.Status(s.ctx, "leukemia")
		s.ok(err)
		if after.Step != paused.Step {
			s.Errorf("paused at step %d it went on to %d", paused.Step, after.Step)
		}
	}
}

// cancel: a run or step whose context ends is paused, and the status says so, without an error.
func (s *suite) cancel() {
	s.mustOpen("leukemia", s.subjects.Long)
	for name, verb := range map[string]func(context.Context) (session.Status, error){
		"run":  func(ctx context.Context) (session.Status, error) { return s.Run(ctx, "leukemia", session.Until{}) },
		"step": func(ctx context.Context) (session.Status, error) { return s.Step(ctx, "leukemia", math.MaxInt) },
	} {
		before, err := s.Status(s.ctx, "leukemia")
		s.ok(err)
		ctx, cancel := context.WithCancel(s.ctx)
		ended := make(chan outcome, 1)
		go func() {
			status, err := verb(ctx)
			ended <- outcome{status, err}
		}()
		s.until("leukemia", func(status session.Status) bool { return status.Step > before.Step })
		cancel()
		status, err := s.end(ended)
		s.ok(err)
		if status.State != session.Paused || status.Step <= before.Step {
			s.Errorf("a cancelled %s left it %s at step %d", name, status.State, status.Step)
		}
		again, err := verb(ctx) // cancelled from the start
		s.ok(err)
		if again.Step != status.Step || again.State != session.Paused {
			s.Errorf("with a context that had ended, %s went from step %d to %d (%s)", name, status.Step, again.Step, again.State)
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := s.Selection(ctx, "leukemia"); err != nil { // it may answer, for it was quick
		s.fails(err, fault.Interrupted)
	}
}
