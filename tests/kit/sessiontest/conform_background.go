package sessiontest

import (
	"context"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// inBackground returns a run that the caller does not wait for.
func inBackground(until session.Until) session.Until {
	until.Wait = new(false)
	return until
}

func (s *suite) runInBackground() {
	s.mustOpen("leukemia", s.subjects.Long)
	ctx, cancel := context.WithCancel(s.ctx)
	running := must(s.on("leukemia").Run(ctx, inBackground(session.Until{})))
	if running.State != session.Running || running.Session != "leukemia" {
		s.Errorf("running it is %+v", running)
	}
	cancel() // the run no longer belongs to the caller
	for range 2 {
		before := s.until("leukemia", func(session.Status) bool { return true })
		after := s.until("leukemia", func(now session.Status) bool { return now.Step > before.Step })
		if before.State != session.Running || after.State != session.Running {
			s.Errorf("it was %s, then %s", before.State, after.State)
		}
	}
	s.fails(errorOf(s.on("leukemia").Step(s.ctx, 1)), errs.Busy, "leukemia", "running since", "pause it first")
	for _, until := range []session.Until{{}, inBackground(session.Until{})} {
		s.fails(errorOf(s.on("leukemia").Run(s.ctx, until)), errs.Busy, "running since", "pause it first")
	}
	s.fails(errorOf(s.on("leukemia").Rewind(s.ctx, 0)), errs.Busy, "running since", "pause it first")
	must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(0.5)}))

	paused := must(s.on("leukemia").Pause(s.ctx))
	after := must(s.on("leukemia").Status(s.ctx))
	if paused.State != session.Paused || after.Step != paused.Step || after.Config.Lambda != 0.5 {
		s.Errorf("paused %s at step %d, it went on to %d", paused.State, paused.Step, after.Step)
	}
	status := must(s.on("leukemia").Step(s.ctx, 1))
	if status.Step != paused.Step+1 {
		s.Errorf("it stepped from %d to %d", paused.Step, status.Step)
	}

	running, err := s.on("leukemia").Run(ctx, inBackground(session.Until{})) // canceled from the start
	if err != nil {
		s.fails(err, errs.Interrupted)
	} else if running.Step != status.Step || running.State != session.Paused {
		s.Errorf("with a context that had ended it is %s at step %d", running.State, running.Step)
	}
	must(s.on("leukemia").Run(s.ctx, inBackground(session.Until{})))
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(errorOf(s.on("leukemia").Status(s.ctx)), errs.NotFound)
}

// backgroundEnds: a background run ends where a foreground run does.
func (s *suite) backgroundEnds() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	over := func(status session.Status) bool { return status.State != session.Running }
	for _, c := range []struct {
		until session.Until
		want  int
	}{{session.Until{Step: 5}, 5}, {session.Until{Epoch: 3}, 3 * opened.StepsPerEpoch}, {session.Until{}, opened.Steps}} {
		must(s.on("leukemia").Run(s.ctx, inBackground(c.until)))
		if status := s.until("leukemia", over); status.Step != c.want {
			s.Errorf("run until %+v in the background ended at step %d, want %d", c.until, status.Step, c.want)
		}
		status := must(s.on("leukemia").Run(s.ctx, inBackground(c.until)))
		if status.Step != c.want || status.State == session.Running {
			s.Errorf("there already, it is %s at step %d", status.State, status.Step)
		}
	}
	s.mustOpen("waited", s.subjects.Short)
	status := must(s.on("waited").Run(s.ctx, session.Until{Step: 5, Wait: new(true)}))
	if status.Step != 5 || status.State == session.Running {
		s.Errorf("with wait = true it returned %s at step %d", status.State, status.Step)
	}
	if s.subjects.Settling.Data == "" {
		return
	}
	s.mustOpen("settles", s.subjects.Settling)
	must(s.on("settles").Run(s.ctx, inBackground(session.Until{})))
	if status := s.until("settles", over); status.State != session.Settled || status.Step == status.Steps {
		s.Errorf("the stop key left it %s at step %d of %d", status.State, status.Step, status.Steps)
	}
}

// backgroundFails: no caller waits for the error, so the status has it.
func (s *suite) backgroundFails() {
	for words, c := range map[string]session.Config{"not a number": s.subjects.Failing, "failed unexpectedly": s.subjects.Crashing} {
		if c.Data == "" {
			continue
		}
		must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: c, Replace: true}))
		must(s.on("leukemia").Run(s.ctx, inBackground(session.Until{Step: 200})))
		status := s.until("leukemia", func(status session.Status) bool { return status.State != session.Running })
		if status.State != session.Broken {
			s.Errorf("it is %s (%s)", status.State, status.Reason)
		}
		if !strings.Contains(status.Reason, words) {
			s.Errorf("the reason is %q, want %q", status.Reason, words)
		}
		s.fails(errorOf(s.on("leukemia").Run(s.ctx, inBackground(session.Until{}))), errs.Failed, "leukemia", words, "replace=true")
	}
}
