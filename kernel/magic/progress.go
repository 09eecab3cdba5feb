package magic

import (
	"context"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/boundary"
	"fsnetlab/widgets/chart"
)

// Follow reports the progress of a session while it is busy, until stop is called. When stop has returned, report is not called any more;
// its error is that of a report that panicked, after which there is no other.
func (i *Interpreter) Follow(ctx context.Context, host session.Service, name string, report func(session.Progress)) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		var panicked error
		host.Watch(ctx, name, session.WatchRequest{}, func(u session.Update) { //nolint:errcheck // the verb that is followed says what is wrong
			if u.Verb == "" || ctx.Err() != nil {
				return
			}
			panicked = boundary.Do(i.options.Log, "drawing the progress of session "+name, func() error { report(u.Progress); return nil })
			if panicked != nil {
				cancel()
			}
		})
		ended <- panicked
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// Progress draws what a Go cell's step or run reports, in place under that cell, until its end.
func (i *Interpreter) Progress(out Output) func(session.Progress) {
	id := i.options.NewID()
	return func(p session.Progress) {
		if p.Status.State == session.Running {
			out.Update(id, chart.Progress(p))
			return
		}
		out.Update(id, chart.Status(p.Status))
	}
}
