package live

import (
	"context"
	"log/slog"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// follower watches one session. It may be used from any goroutine.
type follower struct {
	life    context.Context
	session session.Session
	tell    func(session.Update)
	fail    func(error)
	begin   func() // is called before each watch; nil is nothing

	mu        sync.Mutex
	request   session.WatchRequest
	cancel    context.CancelFunc // of the watch that is on; nil is none
	following bool
	again     bool // follow was called during that watch, which may be about to end
}

// newFollower makes one that tells nothing yet. It ends with life. tell is called from one goroutine at a time; fail with the reason why a
// watch could not go on.
func newFollower(life context.Context, s session.Session, request session.WatchRequest, tell func(session.Update),
	fail func(error)) *follower {
	return &follower{life: life, session: s, request: request, tell: tell, fail: fail}
}

// follow tells of the session from now on, where that is not so already. A watch that is on may be of one that was closed, which it has not
// told yet: then another begins behind it.
func (f *follower) follow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.following || f.life.Err() != nil {
		f.again = f.following
		return
	}
	f.following = true
	go f.watch()
}

// ask changes what is told from now on. The session as it is now is told at once.
func (f *follower) ask(request session.WatchRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.request = request
	if f.cancel != nil {
		f.cancel()
	}
}

func (f *follower) watch() {
	for perhaps := false; ; { // nothing is to be told, where the session is not there
		f.mu.Lock()
		ctx, cancel := context.WithCancel(f.life)
		f.cancel, f.again = cancel, false
		request := f.request
		f.mu.Unlock()
		if f.begin != nil {
			f.begin()
		}
		err := Watch(ctx, f.session, request, f.tell)
		f.mu.Lock()
		asked := ctx.Err() != nil // for something else
		closed := err == nil && !asked && f.again
		again := (asked || closed) && f.life.Err() == nil
		cancel()
		f.cancel = nil
		f.following = again
		f.mu.Unlock()
		if again {
			perhaps = closed
			continue
		}
		if err != nil && f.life.Err() == nil && (!perhaps || !fault.Is(err, fault.NotFound)) {
			f.fail(err)
		}
		return
	}
}

// guard does what a view does beside its watch. A panic is the view's failure, with a line; its calls go to the log.
func guard(name string, fail func(error), work func()) {
	err := boundary.Do(slog.Default(), "the view of session "+name, func() error { work(); return nil })
	if err != nil {
		fail(err)
	}
}

// drawn is a view's drawing, which gives nothing where it panics.
func drawn(name string, fail func(error), draw func() ipywidgets.Bundle) func() ipywidgets.Bundle {
	return func() (b ipywidgets.Bundle) {
		guard(name, fail, func() { b = draw() })
		return b
	}
}

// Watch watches a session for a view until the context ends. Where the view panics over what it is told, the watch ends, and the error says
// so.
func Watch(ctx context.Context, s session.Session, request session.WatchRequest, tell func(session.Update)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var panicked error
	err := s.Watch(ctx, request, func(u session.Update) {
		if ctx.Err() == nil {
			guard(s.Name(), func(err error) { panicked = err; cancel() }, func() { tell(u) })
		}
	})
	if panicked != nil {
		return panicked
	}
	return err
}
