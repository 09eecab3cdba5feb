package sessiontest

import (
	"context"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// inBackground is a run that is not waited for.
func inBackground(until session.Until) session.Until {
	until.Wait = new(false)
	return until
}

func (s *suite) runInBackground() {
	s.mustOpen("leukemia", s.subjects.Long)
	ctx, cancel := context.WithCancel(s.ctx)
	begun, err := s.Run(ctx, "leukemia", inBackground(session.Until{}))
	s.ok(err)
	if begun.State != session.Running || begun.Session != "leukemia" {
		s.Errorf("begun it is %+v", begun)
	}
	cancel() // it is not the caller's any more
	for range 2 {
		before := s.until("leukemia", func(session.Status) bool { return true })
		after := s.until("leukemia", func(now session.Status) bool { return now.Step > before.Step })
		if before.State != session.Running || after.State != session.Running {
			s.Errorf("it was %s, then %s", before.State, after.State)
		}
	}
	_, err = s.Step(s.ctx, "leukemia", 1)
	s.fails(err, fault.Busy, "leukemia", "running since", "pause it first")
	for _, until := range []session.Until{{}, inBackground(session.Until{})} {
		_, err = s.Run(s.ctx, "leukemia", until)
		s.fails(err, fault.Busy, "running since", "pause it first")
	}
	_, err = s.Rewind(s.ctx, "leukemia", 0)
	s.fails(err, fault.Busy, "running since", "pause it first")
	_, err = s.Set(s.ctx, "leukemia", session.Config{Lambda: new(0.5)})
	s.ok(err)

	paused, err := s.Pause(s.ctx, "leukemia")
	s.ok(err)
	after, err := s.Status(s.ctx, "leukemia")
	s.ok(err)
	if paused.State != session.Paused || after.Step != paused.Step || after.Config.Lambda != 0.5 {
		s.Errorf("paused %s at step %d, it went on to %d", paused.State, paused.Step, after.Step)
	}
	status, err := s.Step(s.ctx, "leukemia", 1)
	s.ok(err)
	if status.Step != paused.Step+1 {
		s.Errorf("it stepped from %d to %d", paused.Step, status.Step)
	}

	begun, err = s.Run(ctx, "leukemia", inBackground(session.Until{})) // cancelled from the start
	if err != nil {
		s.fails(err, fault.Interrupted)
	} else if begun.Step != status.Step || begun.State != session.Paused {
		s.Errorf("with a context that had ended it is %s at step %d", begun.State, begun.Step)
	}
	_, err = s.Run(s.ctx, "leukemia", inBackground(session.Until{}))
	s.ok(err)
	s.ok(s.Close(s.ctx, "leukemia"))
	_, err = s.Status(s.ctx, "leukemia")
	s.fails(err, fault.NotFound)
}

// backgroundEnds: it ends where one that is waited for does.
func (s *suite) backgroundEnds() {
	opened := s.mustOpen("leukemia", s.subjects.Short)
	over := func(status session.Status) bool { return status.State != session.Running }
	for _, c := range []struct {
		until session.Until
		want  int
	}{{session.Until{Step: 5}, 5}, {session.Until{Epoch: 3}, 3 * opened.StepsPerEpoch}, {session.Until{}, opened.Steps}} {
		_, err := s.Run(s.ctx, "leukemia", inBackground(c.until))
		s.ok(err)
		if status := s.until("leukemia", over); status.Step != c.want {
			s.Errorf("run until %+v in the background ended at step %d, want %d", c.until, status.Step, c.want)
		}
		status, err := s.Run(s.ctx, "leukemia", inBackground(c.until))
		s.ok(err)
		if status.Step != c.want || status.State == session.Running {
			s.Errorf("there already, it is %s at step %d", status.State, status.Step)
		}
	}
	s.mustOpen("waited", s.subjects.Short)
	status, err := s.Run(s.ctx, "waited", session.Until{Step: 5, Wait: new(true)})
	s.ok(err)
	if status.Step != 5 || status.State == session.Running {
		s.Errorf("with wait = true it returned %s at step %d", status.State, status.Step)
	}
	if s.subjects.Settling.Data == "" {
		return
	}
	s.mustOpen("settles", s.subjects.Settling)
	_, err = s.Run(s.ctx, "settles", inBackground(session.Until{}))
	s.ok(err)
	if status := s.until("settles", over); status.State != session.Settled || status.Step == status.Steps {
		s.Errorf("the stop key left it %s at step %d of %d", status.State, status.Step, status.Steps)
	}
}

// backgroundFails: nobody waits for its error, so the status has it.
func (s *suite) backgroundFails() {
	for words, c := range map[string]session.Config{"not a number": s.subjects.Failing, "stopped unexpectedly": s.subjects.Crashing} {
		if c.Data == "" {
			continue
		}
		_, err := s.Open(s.ctx, session.OpenRequest{Session: "leukemia", Config: c, Replace: true})
		s.ok(err)
		_, err = s.Run(s.ctx, "leukemia", inBackground(session.Until{Step: 200}))
		s.ok(err)
		status := s.until("leukemia", func(status session.Status) bool { return status.State != session.Running })
		if status.State != session.Broken {
			s.Errorf("it is %s (%s)", status.State, status.Reason)
		}
		if !strings.Contains(status.Reason, words) {
			s.Errorf("the reason is %q, want %q", status.Reason, words)
		}
		_, err = s.Run(s.ctx, "leukemia", inBackground(session.Until{}))
		s.fails(err, fault.Failed, "leukemia", words, "replace=true")
	}
}
