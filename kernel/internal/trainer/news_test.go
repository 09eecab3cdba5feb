package trainer

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// tells is for an error that says how a process ended, and that leukemia stopped with it.
func tells(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "ended (signal: killed); stopped with it, and kept up to their last checkpoints: leukemia") {
		t.Errorf("the end is not told: %v", err)
	}
}

// An open that fails has said something else: how the process ended is told by the next verb.
func TestAFailedOpenDoesNotTakeTheNews(t *testing.T) {
	h, ctx := newLink(t, limit)
	s := h
	if _, err := session.VerbOpen.Call(ctx, s, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	h.kill(t)
	wrong := open("other")
	wrong.Config.Data = "absent"
	for range 2 {
		if _, err := session.VerbOpen.Call(ctx, s, wrong); err == nil || !strings.Contains(err.Error(), "absent") {
			t.Errorf("%v", err)
		}
	}
	_, err := session.On(s, "leukemia").Status(ctx)
	tells(t, err)
	if _, err := session.On(s, "leukemia").Status(ctx); !fault.Is(err, fault.NotFound) {
		t.Errorf("told twice: %v", err)
	}
}

// Nor does typing, which shows no errors.
func TestTypingDoesNotTakeTheNews(t *testing.T) {
	h, ctx := newLink(t, limit)
	s := h
	if _, err := session.VerbOpen.Call(ctx, s, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	h.kill(t)
	if err := session.On(s, "leukemia").Watch(ctx, session.WatchRequest{}, func(session.Update) {}); !fault.Is(err, fault.NotFound) { // another host runs
		t.Errorf("%v", err)
	}
	if list, err := session.VerbSessions.Call(WithoutStart(ctx), s, session.None{}); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	_, err := session.On(s, "leukemia").Status(ctx)
	tells(t, err)
}

// The verb that waited says what stopped, also where a view has started another process before; nobody else says it then. And the end
// of that other one is told as well.
func TestWhoWaitedIsTold(t *testing.T) {
	h, ctx := newLink(t, limit)
	s := h
	if _, err := session.VerbOpen.Call(ctx, s, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	old := h.Current()
	h.kill(t)
	if _, err := h.get(ctx); err != nil { // as a view does
		t.Fatal(err)
	}
	_, lost := session.On(old, "leukemia").Status(ctx) // as a verb does that waited
	died, err := h.explain(old, lost)
	tells(t, err)
	if !died {
		t.Error("it is not known that the process ended")
	}
	h.noticed(old)
	if _, err := session.VerbOpen.Call(ctx, s, open("leukemia")); err != nil {
		t.Fatal(err)
	}
	h.kill(t)
	_, err = session.On(s, "leukemia").Status(ctx)
	tells(t, err)
}

// What two processes took with them is told together.
func TestTwoEndsAreToldTogether(t *testing.T) {
	h, ctx := newLink(t, limit)
	s := h
	for _, name := range []string{"leukemia", "glioma"} {
		died := h.TakeNotice()
		if _, err := session.VerbOpen.Call(ctx, s, open(name)); err != nil {
			t.Fatal(err)
		}
		h.KeepNotice(died)
		h.kill(t)
	}
	_, err := session.On(s, "leukemia").Status(ctx)
	tells(t, err)
	if !strings.Contains(err.Error(), "glioma") {
		t.Errorf("%v", err)
	}
}
