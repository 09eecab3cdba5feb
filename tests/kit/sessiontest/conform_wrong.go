package sessiontest

import (
	"math"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// every calls each verb except open and sessions on a session.
func (s *suite) every(name string) map[string]error {
	errs := map[string]error{}
	_, errs["step"] = s.on(name).Step(s.ctx, 1)
	_, errs["run"] = s.on(name).Run(s.ctx, session.Until{})
	_, errs["pause"] = s.on(name).Pause(s.ctx)
	_, errs["rewind"] = s.on(name).Rewind(s.ctx, 0)
	_, errs["fork"] = session.VerbFork.Call(s.ctx, s, session.ForkRequest{Session: name, As: "branch"})
	_, errs["set"] = s.on(name).Set(s.ctx, session.Config{Lambda: new(1.5)})
	_, errs["status"] = s.on(name).Status(s.ctx)
	_, errs["selection"] = s.on(name).Selection(s.ctx)
	_, errs["matrix"] = s.on(name).Matrix(s.ctx, session.MatrixRequest{})
	_, errs["feature"] = s.on(name).Feature(s.ctx, "0")
	_, errs["rows"] = s.on(name).Rows(s.ctx, session.RowsRequest{})
	_, errs["history"] = s.on(name).History(s.ctx, session.HistoryRequest{})
	_, errs["evaluate"] = s.on(name).Evaluate(s.ctx, "train")
	errs["close"] = s.on(name).Close(s.ctx)
	return errs
}

func (s *suite) unknown() {
	for verb, err := range s.every("leukemia") {
		s.named(verb, func() { s.fails(err, errs.NotFound, "leukemia", "no session is open") })
	}
	s.mustOpen("leukemia", s.subjects.Short)
	s.mustOpen("b2", s.subjects.Short)
	for verb, err := range s.every("leukemai") {
		s.named(verb, func() { s.fails(err, errs.NotFound, `"leukemai"`, "did you mean leukemia?", "b2, leukemia") })
	}
}

// named names a case in its reports.
func (s *suite) named(name string, check func()) {
	s.Helper()
	failed := s.Failed()
	check()
	if !failed && s.Failed() {
		s.Logf("that was %s", name)
	}
}

func (s *suite) wrongValues() {
	s.mustOpen("leukemia", s.subjects.Short)
	for _, n := range []int{0, -1, math.MinInt} {
		s.fails(errorOf(s.on("leukemia").Step(s.ctx, n)), errs.Request, "1 or more")
	}
	for _, until := range []session.Until{{Pace: "slow"}, {Step: -1}, {Epoch: -1}, {Epoch: 3, Step: -3}} {
		s.fails(errorOf(s.on("leukemia").Run(s.ctx, until)), errs.Request)
	}
	s.fails(errorOf(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Of: "probabiliti"})), errs.Request, "probabiliti",
		"did you mean probability?")
	s.fails(errorOf(s.on("leukemia").Matrix(s.ctx, session.MatrixRequest{Top: -1})), errs.Request, "-1")
	s.fails(errorOf(s.on("leukemia").History(s.ctx, session.HistoryRequest{Metrics: []string{"loss", "los_class"}})), errs.Request,
		"los_class", "did you mean loss_class?")
	for _, request := range []session.HistoryRequest{{From: -1}, {Points: -1}, {Smooth: new(-1)}} {
		s.fails(errorOf(s.on("leukemia").History(s.ctx, request)), errs.Request, "-1")
	}
	s.fails(errorOf(s.on("leukemia").Feature(s.ctx, "")), errs.Request, "which feature")
	s.fails(errorOf(s.on("leukemia").Feature(s.ctx, "no such feature")), errs.NotFound, "no such feature")
	for _, part := range []string{"", "tset", "valid"} {
		s.fails(errorOf(s.on("leukemia").Evaluate(s.ctx, part)), errs.Request, "test")
	}
	status := must(s.on("leukemia").Status(s.ctx))
	if status.Step != 0 || status.State != session.Idle || status.TestLooks != 0 {
		s.Errorf("wrong requests changed it: %+v", status)
	}
}

func (s *suite) failed() {
	s.mustOpen("leukemia", s.needs(s.subjects.Failing))
	s.mustOpen("lymphoma", s.subjects.Short)
	status, err := s.on("leukemia").Run(s.ctx, session.Until{Step: 200})
	s.fails(err, errs.Failed, "not a number")
	for _, verb := range []func() error{
		func() error { status, err = s.on("leukemia").Step(s.ctx, 1); return err },
		func() error { status, err = s.on("leukemia").Run(s.ctx, session.Until{}); return err },
	} {
		s.fails(verb(), errs.Failed, "leukemia", "not a number", "replace=true")
	}
	status = must(s.on("leukemia").Status(s.ctx))
	if status.State != session.Broken || status.Reason == "" {
		s.Errorf("it is %s (%s)", status.State, status.Reason)
	}
	must(s.on("leukemia").Pause(s.ctx))
	history := must(s.on("leukemia").History(s.ctx, session.HistoryRequest{}))
	if last := history.Events[len(history.Events)-1]; last.Kind != "stop" {
		s.Errorf("the last event is %+v", last)
	}
	s.mendedBy("leukemia", "lymphoma")
}

func (s *suite) crashed() {
	s.mustOpen("leukemia", s.needs(s.subjects.Crashing))
	s.mustOpen("lymphoma", s.subjects.Short)
	s.fails(errorOf(s.on("leukemia").Run(s.ctx, session.Until{Step: 200})), errs.Failed, "leukemia", "failed unexpectedly", "replace=true")
	s.fails(errorOf(s.on("leukemia").Selection(s.ctx)), errs.Failed, "leukemia", "replace=true")
	s.fails(errorOf(s.on("leukemia").Step(s.ctx, 1)), errs.Failed)
	status := must(s.on("leukemia").Status(s.ctx))
	if status.State != session.Broken || status.Reason == "" || status.Session != "leukemia" {
		s.Errorf("it is %+v", status)
	}
	list := must(session.VerbSessions.Call(s.ctx, s, session.None{}))
	if len(list) != 2 || list[0].State != session.Broken {
		s.Errorf("the list is %+v", list)
	}
	s.mendedBy("leukemia", "lymphoma")
}

// mendedBy: a failed session affects no other session, and you can replace it.
func (s *suite) mendedBy(failed, other string) {
	s.Helper()
	must(s.on(other).Step(s.ctx, 3))
	must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: failed, Config: s.subjects.Short, Replace: true}))
	status := must(s.on(failed).Step(s.ctx, 3))
	if status.Step != 3 {
		s.Errorf("replaced it stepped to %d", status.Step)
	}
}
