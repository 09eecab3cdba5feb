package sessiontest

import (
	"context"
	"math"
	"reflect"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func (s *suite) step() {
	steps := s.mustOpen("leukemia", s.subjects.Short).Steps
	for i, want := range []int{1, 8} {
		status := must(s.on("leukemia").Step(s.ctx, []int{1, 7}[i]))
		if status.Step != want || status.State != session.Paused || !status.Trained || status.Session != "leukemia" {
			s.Errorf("stepped to %+v, want step %d", status, want)
		}
	}
	for range 2 { // the second time there is nothing left to do
		status := must(s.on("leukemia").Step(s.ctx, math.MaxInt))
		if status.Step != steps || (status.State != session.Done && status.State != session.Settled) || status.Reason == "" {
			s.Errorf("stepped beyond the end: %+v", status)
		}
	}
}

// stepsAddUp: 20 steps equal 20 times one step, and another session in between changes nothing.
func (s *suite) stepsAddUp() {
	s.mustOpen("at-once", s.subjects.Short)
	s.mustOpen("one-by-one", s.subjects.Short)
	a := must(s.on("at-once").Step(s.ctx, 20))
	var b session.Status
	for range 20 {
		b = must(s.on("one-by-one").Step(s.ctx, 1))
	}
	if a.Loss != b.Loss || a.Step != b.Step || a.Tau != b.Tau {
		s.Errorf("loss %v at step %d, and %v at %d", a.Loss, a.Step, b.Loss, b.Step)
	}
	x := must(s.on("at-once").Selection(s.ctx))
	y := must(s.on("one-by-one").Selection(s.ctx))
	for i := range y { // when a leader last changed depends on the looks
		x[i].LeadsSince = y[i].LeadsSince
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
		{session.Until{Step: 3}, 3}, // it is already there
		{session.Until{Step: 1}, 3}, // and does not go back
		{session.Until{Epoch: 2}, 2 * perEpoch},
		{session.Until{Epoch: 9, Step: 2*perEpoch + 1}, 2*perEpoch + 1},
		{session.Until{Epoch: 3, Step: 1_000_000}, 3 * perEpoch},
		{session.Until{Epoch: math.MaxInt}, opened.Steps},
		{session.Until{}, opened.Steps},
	} {
		status := must(s.on("leukemia").Run(s.ctx, c.until))
		if status.Step != max(c.want, min(3, opened.Steps)) || status.State == session.Running {
			s.Errorf("run until %+v ended at step %d (%s), want %d", c.until, status.Step, status.State, c.want)
		}
	}
}

func (s *suite) runUntilSettled() {
	steps := s.mustOpen("by-stop", s.needs(s.subjects.Settling)).Steps
	s.mustOpen("by-until", s.subjects.Settling)
	for name, until := range map[string]session.Until{"by-stop": {}, "by-until": {Settled: true}} {
		status := must(s.on(name).Run(s.ctx, until))
		if status.State != session.Settled || status.Step == 0 || status.Step >= steps || status.SettledRows != status.Config.K {
			s.Errorf("%s ended %s at step %d of %d with %d rows settled", name, status.State, status.Step, steps, status.SettledRows)
		}
	}
	// A watched training makes few enough steps per tenth of a second that the annealing lasts 15
	// s.
	watched, began := 3*(1+steps/150), time.Now()
	s.mustOpen("watched", s.needs(s.subjects.Settling))
	status := must(s.on("watched").Run(s.ctx, session.Until{Step: watched, Pace: session.PaceWatch}))
	if took := time.Since(began); status.Step != watched || took < 200*time.Millisecond {
		s.Errorf("a watched run of %d steps is at step %d after %v", watched, status.Step, took)
	}
	before := must(s.on("by-until").Run(s.ctx, session.Until{Settled: true}))
	after := must(s.on("by-until").Run(s.ctx, session.Until{Settled: true}))
	if before.Step != after.Step {
		s.Errorf("settled already, it went from step %d to %d", before.Step, after.Step)
	}
	end := must(s.on("by-stop").Run(s.ctx, session.Until{Step: steps}))
	if end.Step != steps {
		s.Errorf("a run with a target ended at step %d, want %d: the stop key is for runs without", end.Step, steps)
	}
}

func (s *suite) busy() {
	s.mustOpen("leukemia", s.subjects.Long)
	s.mustOpen("lymphoma", s.subjects.Short)
	ended := s.background(s.ctx, "leukemia")
	s.fails(errorOf(s.on("leukemia").Step(s.ctx, 1)), errs.Busy, "leukemia", "running since", "pause it first")
	s.fails(errorOf(s.on("leukemia").Run(s.ctx, session.Until{})), errs.Busy, "running since")
	if _, err := s.on("lymphoma").Step(s.ctx, 1); err != nil {
		s.Errorf("another session cannot step: %v", err)
	}
	s.stop("leukemia", ended)
	if _, err := s.on("leukemia").Step(s.ctx, 1); err != nil {
		s.Errorf("paused, it cannot step: %v", err)
	}
}

func (s *suite) pause() {
	s.mustOpen("leukemia", s.subjects.Long)
	if status, err := s.on("leukemia").Pause(s.ctx); err != nil || status.State != session.Idle {
		s.Errorf("a pause without a run: %v, %v", status.State, err)
	}
	for range 3 {
		ended := s.background(s.ctx, "leukemia")
		paused := must(s.on("leukemia").Pause(s.ctx))
		ran := must(s.end(ended))
		if paused.State != session.Paused || ran.State != session.Paused || paused.Step != ran.Step {
			s.Errorf("paused %s at step %d, the run says %s at %d", paused.State, paused.Step, ran.State, ran.Step)
		}
		after := must(s.on("leukemia").Status(s.ctx))
		if after.Step != paused.Step {
			s.Errorf("paused at step %d it went on to %d", paused.Step, after.Step)
		}
	}
}

// cancel: a run or step pauses when its context ends. The status says so, without an error.
func (s *suite) cancel() {
	s.mustOpen("leukemia", s.subjects.Long)
	for name, verb := range map[string]func(context.Context) (session.Status, error){
		"run": func(ctx context.Context) (session.Status, error) {
			return s.on("leukemia").Run(ctx, session.Until{})
		},
		"step": func(ctx context.Context) (session.Status, error) {
			return s.on("leukemia").Step(ctx, math.MaxInt)
		},
	} {
		before := must(s.on("leukemia").Status(s.ctx))
		ctx, cancel := context.WithCancel(s.ctx)
		ended := begin(func() (session.Status, error) { return verb(ctx) })
		s.until("leukemia", func(status session.Status) bool { return status.Step > before.Step })
		cancel()
		status := must(s.end(ended))
		if status.State != session.Paused || status.Step <= before.Step {
			s.Errorf("a canceled %s left it %s at step %d", name, status.State, status.Step)
		}
		again := must(verb(ctx)) // canceled from the start
		if again.Step != status.Step || again.State != session.Paused {
			s.Errorf("with a context that had ended, %s went from step %d to %d (%s)", name, status.Step, again.Step, again.State)
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := s.on("leukemia").Selection(ctx); err != nil { // it may answer if it was quick
		s.fails(err, errs.Interrupted)
	}
}
