package follow

import (
	"context"
	"os"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/boundary"
	"fsnetlab/widgets/ipywidgets"
)

// Guard does what a view does beside its watch. A panic is the view's failure, with a line; its stack goes to standard error.
func Guard(name string, fail func(error), work func()) {
	err := boundary.Do(os.Stderr, "the view of session "+name, func() error { work(); return nil })
	if err != nil {
		fail(err)
	}
}

// Drawn is a view's drawing, which gives nothing where it panics.
func Drawn(name string, fail func(error), draw func() ipywidgets.Bundle) func() ipywidgets.Bundle {
	return func() (b ipywidgets.Bundle) {
		Guard(name, fail, func() { b = draw() })
		return b
	}
}

// Watch watches a session for a view until the context ends. Where the view panics over what it is told, the watch ends, and the error says
// so.
func Watch(ctx context.Context, s session.Service, name string, request session.WatchRequest, tell func(session.Update)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var panicked error
	err := s.Watch(ctx, name, request, func(u session.Update) {
		if ctx.Err() == nil {
			Guard(name, func(err error) { panicked = err; cancel() }, func() { tell(u) })
		}
	})
	if panicked != nil {
		return panicked
	}
	return err
}
