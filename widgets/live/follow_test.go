package live

import (
	"context"
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// service remembers what its watches were asked for; close ends the one that is on.
type service struct {
	session.Caller
	asked []session.WatchRequest
	end   chan error
}

func (s *service) Watch(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
	s.asked = append(s.asked, r)
	tell(session.Update{})
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.end:
		return err
	}
}

// A session is closed and opened again before its view has heard of the end: the view goes on with the new one. One that is only closed
// leaves the line that says so.
func TestFollowerOfASessionThatIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{end: make(chan error)}
		failed := 0
		f := newFollower(t.Context(), session.On(s, "a"), session.WatchRequest{}, func(session.Update) {}, func(error) { failed++ })
		f.follow()
		synctest.Wait()
		f.follow()   // it was opened again
		s.end <- nil // and only now the end of the first is told
		synctest.Wait()
		if len(s.asked) != 2 {
			t.Fatalf("%d watches: the session that was opened again is not followed", len(s.asked))
		}
		f.follow()
		s.end <- nil
		synctest.Wait()
		s.end <- fault.New(fault.NotFound, "open it", "there is no session")
		synctest.Wait()
		if len(s.asked) != 3 || failed != 0 {
			t.Errorf("%d watches, %d failures, want 3 and none", len(s.asked), failed)
		}
		f.follow()
		synctest.Wait()
		s.end <- fault.New(fault.NotFound, "open it", "there is no session")
		synctest.Wait()
		if len(s.asked) != 4 || failed != 1 {
			t.Errorf("%d watches, %d failures, want 4 and one", len(s.asked), failed)
		}
	})
}

func TestFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{end: make(chan error)}
		told, failed := 0, 0
		f := newFollower(t.Context(), session.On(s, "a"), session.WatchRequest{Rate: 1}, func(session.Update) { told++ }, func(error) { failed++ })
		f.follow()
		f.follow()
		synctest.Wait()
		if len(s.asked) != 1 || told != 1 {
			t.Fatalf("%d watches, told %d times, want one", len(s.asked), told)
		}
		f.ask(session.WatchRequest{Rate: 2})
		synctest.Wait()
		if len(s.asked) != 2 || s.asked[1].Rate != 2 || told != 2 {
			t.Fatalf("after Ask: %v, told %d times", s.asked, told)
		}
		s.end <- nil // the session is closed
		synctest.Wait()
		f.ask(session.WatchRequest{Rate: 3})
		synctest.Wait()
		if len(s.asked) != 2 || failed != 0 {
			t.Fatalf("a closed session is watched, %d failures", failed)
		}
		f.follow()
		synctest.Wait()
		if len(s.asked) != 3 || s.asked[2].Rate != 3 {
			t.Fatalf("opened again: %v", s.asked)
		}
		s.end <- fault.New(fault.NotFound, "open it", "gone")
		synctest.Wait()
		if failed != 1 {
			t.Errorf("%d failures, want one", failed)
		}
	})
}
