package views

import (
	"context"
	"maps"
	"slices"
	"sync"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// shared holds what a notebook's views share: colours of genes, and the
// position of each session.
type shared struct {
	palette *chart.Palette

	mu        sync.Mutex
	positions map[string]*position // by session
}

// position is the past step that all views of a session show.
type position struct {
	at    int // or now
	moves int // the most moves that a view knows of, see [session.Status.Moves]
	show  map[*View]func(step int)
	snap  map[*View]func(step int) int // returns the last look at P up to a step
}

// sharedBy returns what the views of a manager share. The first call creates
// it.
func sharedBy(m *ipywidgets.Manager) *shared {
	return m.Shared(func() any { return &shared{palette: new(chart.Palette), positions: map[string]*position{}} }).(*shared)
}

// position returns the position of a session. The caller must hold the lock.
func (s *shared) position(name string) *position {
	p := s.positions[name]
	if p == nil {
		p = &position{at: now, show: map[*View]func(int){}, snap: map[*View]func(int) int{}}
		s.positions[name] = p
	}
	return p
}

// Palette returns the colours of genes in the views of a notebook. If m is nil,
// it returns a new palette.
func Palette(m *ipywidgets.Manager) *chart.Palette {
	if m == nil {
		return new(chart.Palette)
	}
	return sharedBy(m).palette
}

// followPast calls show with the past step that the session's views show,
// whenever it changes, until the view's life ends. show receives now for the
// current state. snap returns the last look at P up to a step, at which all
// views of the session stop. It may be nil.
func (v *View) followPast(show func(step int), snap func(step int) int) {
	s := v.shared
	s.mu.Lock()
	p := s.position(v.name)
	p.show[v] = show
	if snap != nil {
		p.snap[v] = snap
	}
	at := p.at
	s.mu.Unlock()
	if at != now {
		show(at)
	}
	context.AfterFunc(v.life, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(p.show, v)
		delete(p.snap, v)
	})
}

// sharePast shows a step in all views of the session, unless they already show
// it. It shows the last look at P up to the step, or the current state if the
// step isn't past. It calls the other views one after another, in the caller's
// goroutine. It calls this view if that shows a step other than the chosen one.
func (v *View) sharePast(chosen int) {
	step := chosen
	if step >= v.Status().Step {
		step = now
	}
	s := v.shared
	s.mu.Lock()
	p := s.position(v.name)
	for _, snap := range p.snap {
		if step != now {
			step = snap(step)
		}
	}
	changed := p.at != step
	p.at = step
	var shows []func(int)
	for other, show := range p.show {
		if other == v && step != chosen || other != v && changed {
			shows = append(shows, show)
		}
	}
	s.mu.Unlock()
	for _, show := range shows {
		show(step)
	}
}

// showNow shows the present in all views of the session, this one included.
func (v *View) showNow() { v.showNowIf(func(*position) bool { return true }) }

// moved is called with the number of the session's moves as of some status, and shows the present
// if no view has known of so many. A view that hears of a run later than others must not take
// somebody back to the present who looks at the past again.
func (v *View) moved(moves int) {
	v.showNowIf(func(p *position) bool {
		news := moves > p.moves
		p.moves = max(p.moves, moves)
		return news
	})
}

// forgetMoves prepares for another session of the name, which counts from 0.
func (v *View) forgetMoves() {
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	v.shared.position(v.name).moves = -1
}

// showNowIf shows the present in all views of the session if due says so of their position.
func (v *View) showNowIf(due func(*position) bool) {
	s := v.shared
	s.mu.Lock()
	p := s.position(v.name)
	var shows []func(int)
	if due(p) && p.at != now {
		p.at, shows = now, slices.Collect(maps.Values(p.show))
	}
	s.mu.Unlock()
	for _, show := range shows {
		show(now)
	}
}

// pastStep shows steps one after another. Of the steps requested while one is being shown, only the
// last is shown. The zero value is at step 0.
type pastStep struct {
	mu   sync.Mutex
	at   int
	busy bool
}

// goTo calls show with the step, and again if another step was requested in the
// meantime. If another call is showing a step, goTo only leaves the step for
// that call and returns. If show panics, so does goTo, and the next step is
// shown as usual.
func (p *pastStep) goTo(step int, show func(step int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = step
	if p.busy {
		return
	}
	p.busy = true
	defer func() { p.busy = false }()
	for again := true; again; {
		at := p.at
		func() {
			p.mu.Unlock()
			defer p.mu.Lock()
			show(at)
		}()
		again = p.at != at
	}
}

func (p *pastStep) step() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}
