package sessiontest

import (
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func (s *suite) open() {
	status := s.mustOpen("leukemia", s.subjects.Short)
	want := s.subjects.Short
	switch {
	case status.Session != "leukemia" || status.State != session.Idle || status.Step != 0 || status.Trained:
		s.Errorf("a new session is %+v", status)
	case status.Config.Data != want.Data || status.Config.K != want.K || status.Config.Epochs != want.Epochs:
		s.Errorf("its settings are %+v", status.Config)
	case status.N < 4 || status.D < want.K || len(status.Classes) < 2 || status.Train+status.Validate+status.Test != status.N:
		s.Errorf("its data is %+v", status)
	case status.StepsPerEpoch < 2 || status.Steps != want.Epochs*status.StepsPerEpoch || status.Tau <= 0 || status.Backend == "":
		s.Errorf("its length is %+v", status)
	case status.MaxProbability != nil || status.UniqueRows != nil || status.SettledRows != 0:
		s.Errorf("nobody has looked at P, of which it says %+v", status)
	}
	_, err := session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "other", Config: session.Config{Data: "no such data set"}})
	if err == nil {
		s.Error("data that does not exist was opened")
	}
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "other", Config: session.Config{Data: want.Data, K: 1_000_000}})),
		errs.Request, "1000000")
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "other", Config: session.Config{Data: want.Data, Protocol: "supervized"}})),
		errs.Request, "fsnet")
	s.fails(errorOf(s.on("other").Status(s.ctx)), errs.NotFound)
}

func (s *suite) names() {
	for _, name := range []string{"", ".", "..", "-x", "_x", "a b", "a/b", "../a", "a\nb", "naïve", "a\x00", strings.Repeat("x", 65)} {
		s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: name, Config: s.subjects.Short})), errs.Request, "letters, digits")
	}
	for _, name := range []string{"a", "A.b-c_9", "0", strings.Repeat("x", 64)} {
		s.mustOpen(name, s.subjects.Short)
		s.ok(s.on(name).Close(s.ctx))
	}
}

func (s *suite) attach() {
	s.mustOpen("leukemia", s.subjects.Short)
	must(s.on("leukemia").Step(s.ctx, 3))
	if status := s.mustOpen("leukemia", s.subjects.Short); status.Step != 3 {
		s.Errorf("opened again it is at step %d, want to attach at 3", status.Step)
	}
	live := s.subjects.Short
	live.Lambda, live.Epochs = new(0.5), 1234
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: live})), errs.Request, "lambda is 1 here, not 0.5",
		"%fsnet set leukemia epochs=1234 lambda=0.5")
	other := s.subjects.Short
	other.K, other.Seed, other.Hidden = s.subjects.Short.K-1, 17, []int{5}
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: other})), errs.Request, "leukemia", "k is 3, not 2",
		"seed is 0, not 17", "hidden is", "not 5", "another name", "replace=true")

	status := must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Attach: true}))
	if status.Step != 3 || status.Config.K != 3 {
		s.Errorf("attached as it is: %+v", status)
	}
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "lymphoma", Attach: true})), errs.NotFound, "lymphoma")
	s.fails(errorOf(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Attach: true, Replace: true})), errs.Request)
}

// replace: opening a session with Replace ends the old one and takes its name.
// If the new one cannot be opened, the old one keeps running.
func (s *suite) replace() {
	s.mustOpen("leukemia", s.subjects.Long)
	ended := s.background(s.ctx, "leukemia")
	_, err := session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "no such data set"}, Replace: true})
	if err == nil {
		s.Error("data that does not exist was opened")
	}
	if status := s.until("leukemia", func(session.Status) bool { return true }); status.State != session.Running {
		s.Errorf("a replacement that failed to open left the session %s", status.State)
	}
	other := s.subjects.Short
	other.K--
	status := must(session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: other, Replace: true}))
	if status.Step != 0 || status.Config.K != other.K || status.State != session.Idle {
		s.Errorf("replaced by %+v", status)
	}
	s.fails(errorOf(s.end(ended)), errs.NotFound, "leukemia")
}

// openAtOnce: many clients that open one name get one training. It counts the
// looks of all of them.
func (s *suite) openAtOnce() {
	const clients = 16
	var all sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		all.Go(func() {
			if _, errs[i] = session.VerbOpen.Call(s.ctx, s, session.OpenRequest{Session: "leukemia", Config: s.subjects.Short}); errs[i] == nil {
				_, errs[i] = s.on("leukemia").Evaluate(s.ctx, "test")
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		s.ok(err)
	}
	status := must(s.on("leukemia").Status(s.ctx))
	if status.TestLooks != clients {
		s.Errorf("%d looks, want %d: not all got the same training", status.TestLooks, clients)
	}
}
