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
	record recorded       // up to there
	making bool           // steps are being made
	begun  chan struct{}  // closed while they are; nil where nobody has asked
}

// recorded is what a training recorded up to a moment.
type recorded func(session.HistoryRequest) (session.History, error)

func (n *seen) keep(status session.Status, record recorded) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.status, n.record = status, record
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
		mine, err := s.turnOrBusy(ctx)
		switch {
		case err != nil:
			return status, err
		case mine:
			return s.statusOnTurn()
		}
		var making bool
		s.glimpse(func() { making, status = true, s.shownAs(s.seen.status, "") })
		if making {
			return status, nil
		}
	}
}

// currentRecord is what was recorded up to this moment, or, while steps are being made, up to the end of the last chunk: the history's step
// says which.
func (s *live) currentRecord(ctx context.Context) (record recorded, err error) {
	for {
		mine, err := s.turnOrBusy(ctx)
		switch {
		case err != nil:
			return nil, err
		case mine:
			err := s.useTurn(func(t Training) error { record = t.Recorded(); return nil })
			return record, err
		}
		if s.glimpse(func() { record = s.seen.record }); record != nil {
			return record, nil
		}
	}
}

// turnOrBusy waits until this caller has the turn, which mine says, or steps are being made.
func (s *live) turnOrBusy(ctx context.Context) (mine bool, err error) {
	select {
	case s.turn <- struct{}{}:
		return true, nil
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return true, nil
	case <-s.seen.busy():
		if s.life.Err() != nil {
			return false, s.gone()
		}
		return false, nil
	case <-ctx.Done():
		return false, interrupted(ctx, s.name)
	}
}

// glimpse lets look at what is known of the end of the last chunk, where steps are being made: so long no run can begin or end.
func (s *live) glimpse(look func()) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	if s.seen.making {
		look()
	}
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
