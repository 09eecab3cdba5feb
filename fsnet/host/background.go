package host

import (
	"context"

	"fsnetlab/fsnet/session"
)

// background begins a run and returns; the run goes on until its goal, a pause, a close or the end of the host. Where there is nothing to
// do, or the session cannot go on, it says so at once.
func (h *Host) background(ctx context.Context, s *live, c goal) (session.Status, error) {
	if ctx.Err() != nil { // as where it waits: nothing is begun, and the status says so
		return s.currentStatus(context.WithoutCancel(ctx))
	}
	running, done, err := h.begin(context.WithoutCancel(ctx), s, c.verb)
	if err != nil {
		return session.Status{}, err
	}
	var begun session.Status
	var left int
	err = s.use(ctx, func(t Training) error {
		var err error
		left, err = s.left(t, c)
		begun = s.shown()
		return err
	})
	if err != nil || left == 0 {
		defer done()
		return h.finish(ctx, s, err)
	}
	go func() {
		defer done()
		failure := h.follow(running, s, c)
		if failure != nil && running.Err() == nil {
			s.mu.Lock()
			s.failure = failure.Error()
			s.mu.Unlock()
		}
		h.finish(running, s, failure) //nolint:errcheck // the status and the watchers have it
	}()
	return begun, nil
}
