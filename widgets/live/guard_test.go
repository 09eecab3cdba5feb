package live

import (
	"strings"
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// A view that panics over what it is told is closed with a line: its watch ends, and the process goes on.
func TestAViewThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{end: make(chan error)}
		told, failed := 0, []string{}
		f := newFollower(t.Context(), session.On(s, "leukemia"), session.WatchRequest{}, func(session.Update) {
			told++
			panic("an odd matrix")
		}, func(err error) { failed = append(failed, err.Error()) })
		f.follow()
		synctest.Wait()
		if told != 1 || len(failed) != 1 ||
			!strings.HasPrefix(failed[0], "the view of session leukemia failed unexpectedly in live.TestAViewThatPanics") ||
			!strings.Contains(failed[0], "an odd matrix") {
			t.Fatalf("told %d times, failed with %q", told, failed)
		}
		f.follow() // such as for a session that was opened again
		synctest.Wait()
		if told != 2 || len(failed) != 2 {
			t.Errorf("told %d times, failed with %q", told, failed)
		}
	})
}

// The watch of a view that panics is given back.
func TestTheWatchOfAViewThatPanicsEnds(t *testing.T) {
	s := &service{end: make(chan error)}
	if err := Watch(t.Context(), session.On(s, "leukemia"), session.WatchRequest{}, func(session.Update) { panic("odd") }); err == nil {
		t.Error("no error")
	}
}

func TestADrawingThatPanics(t *testing.T) {
	var failed error
	draw := drawn("leukemia", func(err error) { failed = err }, func() ipywidgets.Bundle { panic("odd") })
	if b := draw(); len(b.Data) > 0 || failed == nil {
		t.Errorf("%v, %v", b, failed)
	}
}
