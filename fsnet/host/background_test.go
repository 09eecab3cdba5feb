package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// Watchers are told of a failure in the background that nobody waits for.
func TestBackground_TellsFailure(t *testing.T) {
	h := newHost(t, fake.Open)
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "nan:70", K: 3}}))(t)
	client := dial(t, serve(t, h))
	told := make(chan session.Update, 1000)
	go func() {
		told <- session.Update{Problem: fmt.Sprint(session.On(client, "leukemia").Watch(t.Context(), session.WatchRequest{},
			func(u session.Update) { told <- u }))}
	}()
	status, err := session.On(client, "leukemia").Run(t.Context(), session.Until{Wait: new(false)})
	if err != nil || status.State != session.Running {
		t.Fatalf("%+v, %v", status, err)
	}
	limit := time.After(patience)
	for {
		select {
		case u := <-told:
			switch {
			case u.Problem != "":
				t.Fatalf("the watch ended: %s", u.Problem)
			case u.Status.State == session.Broken && !strings.Contains(u.Status.Reason, "not a number"):
				t.Errorf("it was told that it failed (%s)", u.Status.Reason)
			case u.Status.State == session.Broken:
				return
			}
		case <-limit:
			t.Fatal("nobody was told")
		}
	}
}

// whimsical fails once without failing as a training.
type whimsical struct {
	session.Training
	failed bool
}

func (w *whimsical) Advance(ctx context.Context, n int) (int, error) {
	if !w.failed {
		w.failed = true
		return 0, errors.New("the device is out of sorts")
	}
	return w.Training.Advance(ctx, n)
}

// compiled is a training on XLA, whose first call takes until it is let.
type compiled struct {
	session.Training
	may chan struct{}
}

func (c *compiled) Status() session.Status {
	s := c.Training.Status()
	s.Backend = "xla:cpu"
	return s
}

func (c *compiled) Advance(ctx context.Context, n int) (int, error) {
	<-c.may
	return c.Training.Advance(ctx, n)
}

// The status says that a session is compiling, and no longer once steps are
// made.
func TestBackground_SaysCompiling(t *testing.T) {
	may := make(chan struct{})
	h := newHost(t, wrapped(func(training session.Training) session.Training { return &compiled{training, may} }))
	if opened, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}); err != nil || opened.Compiling {
		t.Fatal(opened, err)
	}
	status, err := session.On(h, "leukemia").Run(t.Context(), session.Until{Step: 5, Wait: new(false)})
	if err != nil || !status.Compiling || !strings.Contains(status.String(), "compiling the steps") {
		t.Fatal(status, err)
	}
	close(may)
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.Step == 5 && s.State == session.Paused })
	if status, err = session.On(h, "leukemia").Run(t.Context(), session.Until{Step: 500, Wait: new(false)}); err != nil || status.Compiling {
		t.Error(status, err)
	}
}

// An error that doesn't harm the training is still the session's state until it
// is used again.
func TestBackground_KeepsError(t *testing.T) {
	h := newHost(t, wrapped(func(training session.Training) session.Training { return &whimsical{Training: training} }))
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
	must(session.On(h, "leukemia").Run(t.Context(), session.Until{Wait: new(false)}))(t)
	waitFor(t, h, "leukemia", func(s session.Status) bool {
		return s.State == session.Broken && strings.Contains(s.Reason, "out of sorts")
	})
	status, err := session.On(h, "leukemia").Step(t.Context(), 3)
	if err != nil || status.State != session.Paused || status.Step != 3 || status.Reason != "" {
		t.Errorf("the next step: %+v, %v", status, err)
	}
	fork, err := session.VerbFork.Call(t.Context(), h, session.ForkRequest{Session: "leukemia", As: "branch", Step: new(2)})
	if err != nil || fork.Step != 2 {
		t.Errorf("its fork: %+v, %v", fork, err)
	}
}

// The end of the host ends background runs, long rewinds and long forks.
func TestShutdown_EndsBackground(t *testing.T) {
	h := newHost(t, fake.Open)
	for name, c := range map[string]session.Config{"runs": endless(), "rewinds": {Data: "long", K: 3}, "forks": {Data: "long", K: 3}} {
		must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: name, Config: c}))(t)
		must(session.On(h, name).Step(t.Context(), 5))(t)
	}
	must(session.On(h, "runs").Run(t.Context(), session.Until{Wait: new(false)}))(t)
	ended := make(chan error, 2)
	go func() { _, err := session.On(h, "rewinds").Rewind(context.Background(), 3); ended <- err }()
	go func() {
		_, err := session.VerbFork.Call(context.Background(), h, session.ForkRequest{Session: "forks", As: "branch", Step: new(3)})
		ended <- err
	}()
	shut := make(chan error, 1)
	go func() { h.Shutdown(); shut <- nil }()
	if err := endsWithin(t, "the shutdown", patience, shut); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := endsWithin(t, "a verb that takes long", patience, ended); err == nil {
			t.Error("it says that it was done")
		}
	}
}
