package session_test

import (
	"fmt"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func ExampleSession_Rewind() {
	_, end := demo()
	defer end()
	var s = session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	s.Must().Step(30)
	status := s.Must().Rewind(12)
	fmt.Println(status.Step, status.State)
	history := s.Must().History(session.HistoryRequest{})
	fmt.Println(history.Events[len(history.Events)-1])
	// Output:
	// 12 paused
	// step 12 (epoch 4): rewound from step 30
}

func ExampleSession_Fork() {
	_, end := demo()
	defer end()
	var s = session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	s.Must().Step(30)
	warmer := s.Must().Fork("warmer", 12)
	warmer.Must().Set(session.Config{Schedule: "hold:1"})
	fmt.Println(warmer.Must().Step(3).Step, s.Must().Status().Step)
	// Output: 15 30
}

func ExampleUntil() {
	_, end := demo()
	defer end()
	var s = session.UseAlone("leukemia", session.Config{Data: "planted", K: 3, Epochs: 1_000_000_000, Stop: "never"})
	fmt.Println(s.Must().Run(session.Until{Wait: new(false)}).State) // and other cells go on
	fmt.Println(s.Must().Pause().State == session.Running)
	// Output:
	// running
	// false
}

// A fork's handle is usable at once, and never opens a session that no longer
// exists.
func TestFork_Handle(t *testing.T) {
	newDemo(t)
	ctx := t.Context()
	s := session.UseAlone("leukemia", session.Config{Data: "planted", K: 3})
	branch, err := s.Fork(ctx, "branch", -1) // the first verb of s
	require(t, err)
	if status, err := branch.Step(ctx, 2); branch.Name() != "branch" || err != nil || status.Session != "branch" || status.Step != 2 {
		t.Errorf("the fork %s: %+v, %v", branch.Name(), status, err)
	}
	if status, err := s.Status(ctx); err != nil || status.Step != 0 {
		t.Errorf("its parent: %+v, %v", status, err)
	}
	if status, err := session.UseAlone("branch", session.Config{}).Status(ctx); err != nil || status.Step != 2 {
		t.Errorf("attached to by name: %+v, %v", status, err)
	}
	for name, verb := range map[string]func() error{
		"forked again":    func() error { _, err := s.Fork(ctx, "branch", 0); return err },
		"forked too late": func() error { _, err := s.Fork(ctx, "late", 1); return err },
		"rewound too far": func() error { _, err := branch.Rewind(ctx, 3); return err },
	} {
		if err := verb(); !errs.Is(err, errs.Request) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := branch.Rewind(ctx, 1); err != nil {
		t.Error(err)
	}
	require(t, branch.Close(ctx))
	if _, err := branch.Status(ctx); !errs.Is(err, errs.NotFound) {
		t.Errorf("closed, the fork's handle says %v", err)
	}
}
