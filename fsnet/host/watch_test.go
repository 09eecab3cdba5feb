package host_test

import (
	"testing"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// A change during an update that doesn't contain it is in the next one.
func TestWatch_ChangeDuringUpdate(t *testing.T) {
	h := newHost(t, fake.Open)
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
	steps, resume := make(chan int), make(chan struct{})
	go session.On(h, "leukemia").Watch(t.Context(), session.WatchRequest{}, func(u session.Update) { //nolint:errcheck // a missing update fails
		steps <- u.Status.Step
		<-resume
	})
	<-steps
	must(session.On(h, "leukemia").Step(t.Context(), 4))(t)
	close(resume)
	select {
	case step := <-steps:
		if step != 4 {
			t.Errorf("the next update has step %d, want 4", step)
		}
	case <-time.After(patience):
		t.Error("no update follows")
	}
}
