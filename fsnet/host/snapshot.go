package host

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
)

// snapshot is the state of a session at the end of its last chunk, so that a
// status needs no turn during the next chunk.
type snapshot struct {
	mu     sync.Mutex
	status session.Status // status as the training reported it
	record historyFunc    // record up to that step
	making bool           // steps are in progress
	begun  chan struct{}  // Closed while steps are in progress. It is nil before the first call of busy.
}

// historyFunc returns a history from the record of a training at some moment.
type historyFunc func(session.HistoryRequest) (session.History, error)

// set replaces the status and the record of the snapshot.
func (p *snapshot) set(status session.Status, record historyFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.record = status, record
}

// busy returns a channel that is closed as soon as steps are in progress. If
// they are in progress now, it is closed already.
func (p *snapshot) busy() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun == nil {
		p.begun = make(chan struct{})
		if p.making {
			close(p.begun)
		}
	}
	return p.begun
}

// during calls steps and marks the session as busy until it returns. The caller
// must have the turn.
func (p *snapshot) during(steps func()) {
	p.mu.Lock()
	p.making = true
	if p.begun != nil {
		close(p.begun)
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.making, p.begun = false, nil
	}()
	steps()
}

// whileBusy calls look with the snapshot if steps are in progress. Otherwise
// it returns at once. No run can begin or end while look runs.
func (p *snapshot) whileBusy(look func(session.Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.making {
		look(p.status)
	}
}

// currentStatus returns the current status. While steps are in progress, it
// returns the status at the end of the last chunk; its step says which. If
// the engine has crashed, it returns the last known status.
func (s *live) currentStatus(ctx context.Context) (status session.Status, err error) {
	status, _, err = s.current(ctx)
	return status, err
}

// current returns the same status as currentStatus, and the record up to it. It
// waits only if a verb that makes no steps has the turn. If the engine has
// crashed, record returns the error.
func (s *live) current(ctx context.Context) (status session.Status, record historyFunc, err error) {
	for {
		mine, err := s.turnOrBusy(ctx)
		switch {
		case err != nil:
			return status, nil, err
		case mine:
			return s.currentOnTurn()
		}
		s.snapshot.whileBusy(func(last session.Status) { status, record = s.visibleStatusOf(last, ""), s.snapshot.record })
		if record != nil {
			return status, record, nil
		}
	}
}

// currentOnTurn asks the training for its status and record, and gives the
// turn back. The caller must have it.
func (s *live) currentOnTurn() (status session.Status, record historyFunc, err error) {
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return status, nil, s.closedError()
	}
	if crashed := s.guard(func(t session.Training) error { s.status(t); record = s.snapshot.record; return nil }); crashed != nil {
		record = func(session.HistoryRequest) (session.History, error) { return session.History{}, crashed }
	}
	return s.visibleStatus(), record, nil
}

// turnOrBusy waits until this caller has the turn (mine is true) or steps
// are in progress.
func (s *live) turnOrBusy(ctx context.Context) (mine bool, err error) {
	select {
	case s.turn <- struct{}{}:
		return true, nil
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return true, nil
	case <-s.snapshot.busy():
		if s.life.Err() != nil {
			return false, s.closedError()
		}
		return false, nil
	case <-s.life.Done(): // Its last checkpoint may take a while.
		return false, s.closedError()
	case <-ctx.Done():
		return false, interruptedError(ctx, s.name)
	}
}
