package host

import (
	"context"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Step implements session.Service. A context that ends pauses it, like [Host.Run].
func (h *Host) Step(ctx context.Context, name string, n int) (session.Status, error) {
	if n < 1 {
		return session.Status{}, fault.New(fault.Request, "take 1 or more", "step %d goes nowhere", n)
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	from := -1
	return h.advance(ctx, s, "step", func(now session.Status) (int, bool) {
		if from < 0 {
			from = now.Step
		}
		return from + min(n, now.Steps-from), false
	}, false)
}

// Run implements session.Service.
func (h *Host) Run(ctx context.Context, name string, until session.Until) (session.Status, error) {
	if until.Epoch < 0 || until.Step < 0 {
		return session.Status{}, fault.New(fault.Request, "take an epoch or step from 1, or leave it out", "a run cannot end at epoch %d, step %d", until.Epoch, until.Step)
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	return h.advance(ctx, s, "run", func(now session.Status) (int, bool) {
		target := now.Steps
		if until.Step > 0 {
			target = min(target, until.Step)
		}
		if until.Epoch > 0 && until.Epoch <= now.Steps/max(now.StepsPerEpoch, 1) {
			target = min(target, until.Epoch*now.StepsPerEpoch)
		}
		return target, until.Settled && now.State == session.Settled
	}, until == session.Until{})
}

// advance makes chunks until the target, which is asked for before each since live keys can move it. The stop key ends runs that
// have no target of their own.
func (h *Host) advance(ctx context.Context, s *live, verb string, target func(now session.Status) (step int, reached bool), stops bool) (session.Status, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	if err := s.begin(verb, cancel); err != nil {
		return session.Status{}, err
	}
	var failure error
	for more := true; more && failure == nil && ctx.Err() == nil; {
		failure = s.use(ctx, func(t Training) error {
			s.last = finiteStatus(t.Status())
			if s.last.State == session.Broken {
				return fault.New(fault.Failed, "open it again with replace=true, perhaps with a smaller learning_rate", "session %q failed: %s", s.name, s.last.Reason)
			}
			end, reached := target(s.last)
			if reached || s.last.Step >= end {
				more = false
				return nil
			}
			made, err := t.Advance(ctx, end-s.last.Step)
			status := s.status(t)
			end, reached = target(s.last)
			h.watchers.tell(session.Progress{Session: s.name, Target: end, Status: status})
			more = made > 0 && !reached && s.last.Step < end && (!stops || t.Stopped() == "")
			return err
		})
	}
	status, err := s.finish()
	if fault.Is(err, fault.NotFound) {
		status = session.Status{Session: s.name, State: session.Closed}
	}
	h.watchers.tell(session.Progress{Session: s.name, Target: status.Step, Status: status})
	switch {
	case failure != nil && (ctx.Err() == nil || !cancelled(failure)):
		return status, fault.Of(failure)
	case err != nil:
		return status, err
	}
	return status, nil
}

// cancelled: a pause ended a wait or a step, which is no failure.
func cancelled(err error) bool { return fault.Is(err, fault.Interrupted) || isContext(err) }

// begin enters a run, or says which one is in the way.
func (s *live) begin(verb string, stop context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		return fault.New(fault.Busy, "pause it first", "session %q is running since %s (%s)", s.name, s.run.since.Format(time.TimeOnly), s.run.verb)
	}
	s.run = &run{verb: verb, since: time.Now(), stop: stop, ended: make(chan struct{})}
	return nil
}

// finish leaves the run and returns the status that it left.
func (s *live) finish() (session.Status, error) {
	s.mu.Lock()
	r := s.run
	s.run = nil
	s.mu.Unlock()
	defer close(r.ended)
	return s.currentStatus(context.Background())
}

// Pause implements session.Service.
func (h *Host) Pause(ctx context.Context, name string) (session.Status, error) {
	s, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.stop()
		select {
		case <-r.ended:
		case <-ctx.Done():
			return session.Status{}, interrupted(ctx, name)
		}
	}
	return s.currentStatus(ctx)
}
