package host

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
)

// seen is where a session stood at the end of its last chunk. Whoever only wants to know that need not wait for the one that is being
// made.
type seen struct {
	mu     sync.Mutex
	status session.Status // as the training said
	making bool           // steps are being made
	begun  chan struct{}  // closed while they are; nil where nobody has asked
}

func (n *seen) keep(status session.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.status = status
}

func (n *seen) last() session.Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.status
}

// busy is closed when steps are being made, now or next.
func (n *seen) busy() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.begun == nil {
		n.begun = make(chan struct{})
		if n.making {
			close(n.begun)
		}
	}
	return n.begun
}

// during does what makes steps. The caller has the turn.
func (n *seen) during(steps func()) {
	n.mu.Lock()
	n.making = true
	if n.begun != nil {
		close(n.begun)
	}
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.making, n.begun = false, nil
	}()
	steps()
}

// currentStatus is that of this moment, or, while steps are being made, of the end of the last chunk: its step says which. Of a crashed
// engine it is what was last known.
func (s *live) currentStatus(ctx context.Context) (status session.Status, err error) {
	for {
		select {
		case s.turn <- struct{}{}:
			return s.statusOnTurn()
		default:
		}
		select {
		case s.turn <- struct{}{}:
			return s.statusOnTurn()
		case <-s.seen.busy():
			if s.life.Err() != nil {
				return status, s.gone()
			}
			if status, making := s.glimpse(); making {
				return status, nil
			}
		case <-ctx.Done():
			return status, interrupted(ctx, s.name)
		}
	}
}

// glimpse is the status of the end of the last chunk, while steps are being made: so long no run can begin or end.
func (s *live) glimpse() (status session.Status, making bool) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	if !s.seen.making {
		return status, false
	}
	return s.shownAs(s.seen.status, ""), true
}

// statusOnTurn asks the training and gives the turn back.
func (s *live) statusOnTurn() (status session.Status, err error) {
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return status, s.gone()
	}
	if s.crashed == "" {
		s.guard(func() error { s.status(s.training); return nil }) //nolint:errcheck // a crash is in the status
	}
	return s.shown(), nil
}
