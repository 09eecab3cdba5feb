package host

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
)

// snapshot is where a session stood at the end of its last chunk: a status needs no turn while the next chunk is made.
type snapshot struct {
	mu     sync.Mutex
	status session.Status // as the training said
	record recorded       // up to there
	making bool           // steps are being made
	begun  chan struct{}  // closed while they are; nil where nobody has asked
}

// recorded is what a training recorded up to a moment.
type recorded func(session.HistoryRequest) (session.History, error)

func (p *snapshot) set(status session.Status, record recorded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.record = status, record
}

func (p *snapshot) last() session.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// busy is closed when steps are being made, now or next.
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

// during does what makes steps. The caller has the turn.
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

// whileBusy looks at the snapshot where steps are being made; no run can begin or end meanwhile.
func (p *snapshot) whileBusy(look func(session.Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.making {
		look(p.status)
	}
}

// currentStatus is that of this moment, or, while steps are being made, of the end of the last chunk: its step says which. Of a crashed
// engine it is what was last known.
func (s *live) currentStatus(ctx context.Context) (status session.Status, err error) {
	status, _, err = s.current(ctx)
	return status, err
}

// current is the status, and what was recorded up to there.
func (s *live) current(ctx context.Context) (status session.Status, record recorded, err error) {
	for {
		mine, err := s.turnOrBusy(ctx)
		switch {
		case err != nil:
			return status, nil, err
		case mine:
			return s.currentOnTurn()
		}
		s.snapshot.whileBusy(func(last session.Status) { status, record = s.shownAs(last, ""), s.snapshot.record })
		if record != nil {
			return status, record, nil
		}
	}
}

// currentOnTurn asks the training and gives the turn back.
func (s *live) currentOnTurn() (status session.Status, record recorded, err error) {
	defer func() { <-s.turn }()
	if s.life.Err() != nil {
		return status, nil, s.closedError()
	}
	if crashed := s.guard(func(t session.Training) error { s.status(t); record = s.snapshot.record; return nil }); crashed != nil {
		record = func(session.HistoryRequest) (session.History, error) { return session.History{}, crashed }
	}
	return s.shown(), record, nil
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
	case <-s.snapshot.busy():
		if s.life.Err() != nil {
			return false, s.closedError()
		}
		return false, nil
	case <-s.life.Done(): // its last checkpoint may take a while
		return false, s.closedError()
	case <-ctx.Done():
		return false, interrupted(ctx, s.name)
	}
}
