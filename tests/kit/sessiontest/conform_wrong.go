package sessiontest

import (
	"encoding/json"
	"math"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// every calls each verb but open and sessions on a session.
func (s *suite) every(name string) map[string]error {
	errs := map[string]error{}
	_, errs["step"] = s.Step(s.ctx, name, 1)
	_, errs["run"] = s.Run(s.ctx, name, session.Until{})
	_, errs["pause"] = s.Pause(s.ctx, name)
	_, errs["rewind"] = s.Rewind(s.ctx, name, 0)
	_, errs["fork"] = s.Fork(s.ctx, name, session.ForkRequest{As: "branch", Step: -1})
	_, errs["set"] = s.Set(s.ctx, name, session.Config{Lambda: new(1.5)})
	_, errs["status"] = s.Status(s.ctx, name)
	_, errs["selection"] = s.Selection(s.ctx, name)
	_, errs["matrix"] = s.Matrix(s.ctx, name, session.MatrixRequest{})
	_, errs["feature"] = s.Feature(s.ctx, name, "0")
	_, errs["rows"] = s.Rows(s.ctx, name, session.RowsRequest{})
	_, errs["history"] = s.History(s.ctx, name, session.HistoryRequest{})
	_, errs["evaluate"] = s.Evaluate(s.ctx, name, "train")
	errs["close"] = s.Close(s.ctx, name)
	return errs
}

func (s *suite) unknown() {
	for verb, err := range s.every("leukemia") {
		s.named(verb, func() { s.fails(err, fault.NotFound, "leukemia", "no session is open") })
	}
	s.mustOpen("leukemia", s.subjects.Short)
	s.mustOpen("b2", s.subjects.Short)
	for verb, err := range s.every("leukemai") {
		s.named(verb, func() { s.fails(err, fault.NotFound, `"leukemai"`, "did you mean leukemia?", "b2, leukemia") })
	}
}

// named names a case in what it reports.
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
		s.fails(errorOf(s.Step(s.ctx, "leukemia", n)), fault.Request, "1 or more")
	}
	for _, until := range []session.Until{{Pace: "slow"}, {Step: -1}, {Epoch: -1}, {Epoch: 3, Step: -3}} {
		s.fails(errorOf(s.Run(s.ctx, "leukemia", until)), fault.Request)
	}
	s.fails(errorOf(s.Matrix(s.ctx, "leukemia", session.MatrixRequest{Of: "probabiliti"})), fault.Request, "probabiliti",
		"did you mean probability?")
	s.fails(errorOf(s.Matrix(s.ctx, "leukemia", session.MatrixRequest{Top: -1})), fault.Request, "-1")
	s.fails(errorOf(s.History(s.ctx, "leukemia", session.HistoryRequest{Metrics: []string{"loss", "los_class"}})), fault.Request,
		"los_class", "did you mean loss_class?")
	for _, request := range []session.HistoryRequest{{From: -1}, {Points: -1}, {Smooth: new(-1)}} {
		s.fails(errorOf(s.History(s.ctx, "leukemia", request)), fault.Request, "-1")
	}
	s.fails(errorOf(s.Feature(s.ctx, "leukemia", "")), fault.Request, "which feature")
	s.fails(errorOf(s.Feature(s.ctx, "leukemia", "no such feature")), fault.NotFound, "no such feature")
	for _, part := range []string{"", "tset", "valid"} {
		s.fails(errorOf(s.Evaluate(s.ctx, "leukemia", part)), fault.Request, "test")
	}
	status := must(s.Status(s.ctx, "leukemia"))
	if status.Step != 0 || status.State != session.Idle || status.TestLooks != 0 {
		s.Errorf("wrong requests changed it: %+v", status)
	}
}

func (s *suite) failed() {
	s.mustOpen("leukemia", s.given(s.subjects.Failing))
	s.mustOpen("lymphoma", s.subjects.Short)
	status, err := s.Run(s.ctx, "leukemia", session.Until{Step: 200})
	s.fails(err, fault.Failed, "not a number")
	for _, verb := range []func() error{
		func() error { status, err = s.Step(s.ctx, "leukemia", 1); return err },
		func() error { status, err = s.Run(s.ctx, "leukemia", session.Until{}); return err },
	} {
		s.fails(verb(), fault.Failed, "leukemia", "not a number", "replace=true")
	}
	status = must(s.Status(s.ctx, "leukemia"))
	if status.State != session.Broken || status.Reason == "" {
		s.Errorf("it is %s (%s)", status.State, status.Reason)
	}
	must(s.Pause(s.ctx, "leukemia"))
	history := must(s.History(s.ctx, "leukemia", session.HistoryRequest{}))
	if last := history.Events[len(history.Events)-1]; last.Kind != "stop" {
		s.Errorf("the last event is %+v", last)
	}
	s.mendedBy("leukemia", "lymphoma")
}

func (s *suite) crashed() {
	s.mustOpen("leukemia", s.given(s.subjects.Crashing))
	s.mustOpen("lymphoma", s.subjects.Short)
	s.fails(errorOf(s.Run(s.ctx, "leukemia", session.Until{Step: 200})), fault.Failed, "leukemia", "failed unexpectedly", "replace=true")
	s.fails(errorOf(s.Selection(s.ctx, "leukemia")), fault.Failed, "leukemia", "replace=true")
	s.fails(errorOf(s.Step(s.ctx, "leukemia", 1)), fault.Failed)
	status := must(s.Status(s.ctx, "leukemia"))
	if status.State != session.Broken || status.Reason == "" || status.Session != "leukemia" {
		s.Errorf("it is %+v", status)
	}
	list := must(s.Sessions(s.ctx))
	if len(list) != 2 || list[0].State != session.Broken {
		s.Errorf("the list is %+v", list)
	}
	s.mendedBy("leukemia", "lymphoma")
}

// mendedBy: a failed session harms no other, and can be replaced.
func (s *suite) mendedBy(failed, other string) {
	s.Helper()
	must(s.Step(s.ctx, other, 3))
	must(s.Open(s.ctx, session.OpenRequest{Session: failed, Config: s.subjects.Short, Replace: true}))
	status := must(s.Step(s.ctx, failed, 3))
	if status.Step != 3 {
		s.Errorf("replaced it stepped to %d", status.Step)
	}
}

// finite: whatever an engine says, what a service says can be written as JSON.
func (s *suite) finite() {
	s.mustOpen("leukemia", s.given(s.subjects.Wild))
	status := must(s.Step(s.ctx, "leukemia", 30))
	if status.Trained || status.Loss != 0 || status.Step != 30 {
		s.Errorf("status %+v", status)
	}
	history := must(s.History(s.ctx, "leukemia", session.HistoryRequest{}))
	for _, value := range []any{status, history} {
		if _, err := json.Marshal(value); err != nil {
			s.Error(err)
		}
	}
	if c := history.Curves["loss"]; len(c.Steps) == 0 || len(c.Steps) != len(c.Values) {
		s.Errorf("the curve is %+v", c)
	}
	s.fails(errorOf(s.Selection(s.ctx, "leukemia")), fault.Failed, "not a number")
	s.fails(errorOf(s.Matrix(s.ctx, "leukemia", session.MatrixRequest{})), fault.Failed, "not a number")
	s.fails(errorOf(s.Feature(s.ctx, "leukemia", "0")), fault.Failed, "not a number")
	s.fails(errorOf(s.Evaluate(s.ctx, "leukemia", "train")), fault.Failed, "not a number")
}
