package sessiontest

import (
	"math"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func (s *suite) set() {
	s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 4))
	event := must(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(0.25), Schedule: "hold:2"}))
	if event.Step != 4 || event.Kind != "set" || len(event.Changes) != 2 || event.Changes[0].Key != "lambda" || event.Changes[0].From != "1" ||
		event.Changes[0].To != "0.25" || event.Text == "" {
		s.Errorf("the event is %+v", event)
	}
	status := must(s.on("leukemia").Status(s.ctx))
	if status.Config.Lambda != 0.25 || status.Tau != 2 {
		s.Errorf("lambda is %g and the temperature %g", status.Config.Lambda, status.Tau)
	}
	history := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{}))
	if last := history.Events[len(history.Events)-1]; last.Kind != "set" || last.Step != 4 {
		s.Errorf("the last event of the timeline is %+v", last)
	}
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{K: 2})), errs.Request, "k is fixed")
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(-1.0)})), errs.Request, "lambda", "-1")
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{Schedule: "hold:hot"})), errs.Request, "schedule", "hold:hot")
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{})), errs.Request)
	s.fails(errorOf(s.on("leukemia").Set(s.ctx, session.Config{Lambda: new(math.NaN())})), errs.Request)

	// A finished training continues if its epochs are raised.
	end := must(s.on("leukemia").Run(s.ctx, session.Until{}))
	must(s.on("leukemia").Set(s.ctx, session.Config{Epochs: end.Config.Epochs + 1}))
	more := must(s.on("leukemia").Run(s.ctx, session.Until{}))
	if more.Step != end.Step+end.StepsPerEpoch {
		s.Errorf("with one epoch more it went from step %d to %d", end.Step, more.Step)
	}
}

func (s *suite) setDuringRun() {
	s.mustOpen("leukemia", s.subjects.Long)
	ended := s.background(s.ctx, "leukemia")
	event := must(s.on("leukemia").Set(s.ctx, session.Config{LearningRate: new(2e-4)}))
	status := s.until("leukemia", func(status session.Status) bool { return status.Step > event.Step })
	if status.State != session.Running || status.Config.LearningRate != 2e-4 {
		s.Errorf("after set it is %s with learning_rate %g", status.State, status.Config.LearningRate)
	}
	// Lowering the epochs ends the run earlier, unless the new end is past.
	for ahead := 100; ; ahead *= 2 {
		now := must(s.on("leukemia").Status(s.ctx))
		err := errorOf(s.on("leukemia").Set(s.ctx, session.Config{Epochs: now.Step/now.StepsPerEpoch + ahead}))
		if err == nil {
			break
		}
		s.fails(err, errs.Request, "epochs", "already over")
	}
	end := must(s.end(ended))
	if end.Step != end.Steps || end.Steps == status.Steps {
		s.Errorf("with fewer epochs it ended at step %d of %d", end.Step, end.Steps)
	}
}

// duringRun: verbs that do not advance get their turn during a run.
func (s *suite) duringRun() {
	s.mustOpen("leukemia", s.subjects.Long)
	ended := s.background(s.ctx, "leukemia")
	before := must(s.on("leukemia").Status(s.ctx))
	must(s.on("leukemia").Selection(s.ctx))
	must(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Of: "sample"}))
	must(s.on("leukemia").History(s.ctx, session.HistoryRequest{Points: 10}))
	must(s.on("leukemia").Evaluate(s.ctx, "train"))
	list := must(session.VerbSessions.Call(s.ctx, s, session.None{}))
	if len(list) != 1 || list[0].State != session.Running {
		s.Errorf("the list says %+v", list)
	}
	after := s.until("leukemia", func(status session.Status) bool { return status.Step > before.Step })
	if after.State != session.Running || after.Reason != "" {
		s.Errorf("in between it became %s (%s)", after.State, after.Reason)
	}
	attached := s.mustOpen("leukemia", s.subjects.Long)
	if attached.State != session.Running {
		s.Errorf("attached to, it is %s", attached.State)
	}
	s.stop("leukemia", ended)
}

func (s *suite) sessions() {
	list := must(session.VerbSessions.Call(s.ctx, s, session.None{}))
	if list == nil || len(list) != 0 {
		s.Errorf("a fresh service lists %#v, want an empty list", list)
	}
	for _, name := range []string{"b", "c", "a"} {
		s.mustOpen(name, s.subjects.Short)
	}
	must(s.on("c").Step(s.ctx, 2))
	list = must(session.VerbSessions.Call(s.ctx, s, session.None{}))
	if len(list) != 3 || list[0].Session != "a" || list[1].Session != "b" || list[2].Session != "c" || list[2].Step != 2 {
		s.Errorf("the list is %+v", list)
	}
}

func (s *suite) close() {
	s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 2))
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(s.on("leukemia").Close(s.ctx), errs.NotFound)
	s.fails(errorOf(s.on("leukemia").Status(s.ctx)), errs.NotFound)
	other := s.subjects.Short
	other.K--
	if status := s.mustOpen("leukemia", other); status.Step != 0 || status.Config.K != other.K {
		s.Errorf("opened anew it is %+v", status)
	}
}

func (s *suite) closeDuringRun() {
	s.mustOpen("leukemia", s.subjects.Long)
	ended := s.background(s.ctx, "leukemia")
	s.ok(s.on("leukemia").Close(s.ctx))
	s.fails(errorOf(s.end(ended)), errs.NotFound, "leukemia", "closed")
	s.fails(errorOf(s.on("leukemia").Step(s.ctx, 1)), errs.NotFound)
}
