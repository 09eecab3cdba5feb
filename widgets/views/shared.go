package views

import (
	"context"
	"sync"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// shared holds what a notebook's views share: colours of genes, and the past step of each session.
type shared struct {
	palette *chart.Palette

	mu   sync.Mutex
	at   map[string]int                 // by session; absent while the present is shown
	show map[string]map[*View]func(int) // by session and view
}

// sharedBy returns what the views of a manager share; the first call makes it.
func sharedBy(m *ipywidgets.Manager) *shared {
	return m.Shared(func() any {
		return &shared{palette: new(chart.Palette), at: map[string]int{}, show: map[string]map[*View]func(int){}}
	}).(*shared)
}

// Palette returns the colours of genes in the views of a notebook; for a nil m, a new palette.
func Palette(m *ipywidgets.Manager) *chart.Palette {
	if m == nil {
		return new(chart.Palette)
	}
	return sharedBy(m).palette
}

// followPast calls show with the past step that the session's views show, whenever it changes,
// until the view's life ends. show receives now for the present.
func (v *View) followPast(show func(step int)) {
	s := v.shared
	s.mu.Lock()
	if s.show[v.name] == nil {
		s.show[v.name] = map[*View]func(int){}
	}
	s.show[v.name][v] = show
	at, past := s.at[v.name]
	s.mu.Unlock()
	if past {
		show(at)
	}
	context.AfterFunc(v.life, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.show[v.name], v)
	})
}

// sharePast shows a past step, or now, in all other views of the session, unless they show it
// already. It calls them one after another, in the caller's goroutine.
func (v *View) sharePast(step int) {
	s := v.shared
	s.mu.Lock()
	at, past := s.at[v.name]
	if past && at == step || !past && step == now {
		s.mu.Unlock()
		return
	}
	if s.at[v.name] = step; step == now {
		delete(s.at, v.name)
	}
	var others []func(int)
	for other, show := range s.show[v.name] {
		if other != v {
			others = append(others, show)
		}
	}
	s.mu.Unlock()
	for _, show := range others {
		show(step)
	}
}

// pastStep shows steps one after another. Of the steps requested while one is being shown, only the
// last is shown. The zero value is at step 0.
type pastStep struct {
	mu   sync.Mutex
	at   int
	busy bool
}

// goTo calls show with the step, and again if another step was requested meanwhile. While another
// call is showing, it only leaves the step for that call and returns. If show panics, so does goTo,
// and the next step is shown as usual.
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
