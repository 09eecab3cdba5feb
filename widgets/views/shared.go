package views

import (
	"context"
	"sync"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// shared is what the views of one notebook have in common: the colours of genes, and which past step of a session is looked at.
type shared struct {
	palette *chart.Palette

	mu    sync.Mutex
	at    map[string]int                 // by session; one that is absent is looked at now
	moved map[string]map[*View]func(int) // by session and view
}

func sharedBy(m *ipywidgets.Manager) *shared {
	return m.Shared(func() any {
		return &shared{palette: new(chart.Palette), at: map[string]int{}, moved: map[string]map[*View]func(int){}}
	}).(*shared)
}

// Palette returns the colours of genes in the views of a notebook; nil is one without views.
func Palette(m *ipywidgets.Manager) *chart.Palette {
	if m == nil {
		return new(chart.Palette)
	}
	return sharedBy(m).palette
}

// travels lets the view show the past step that the session's views look at, until its life ends. show is called with it, or with now.
func (v *View) travels(show func(step int)) {
	s := v.shared
	s.mu.Lock()
	if s.moved[v.name] == nil {
		s.moved[v.name] = map[*View]func(int){}
	}
	s.moved[v.name][v] = show
	at, past := s.at[v.name]
	s.mu.Unlock()
	if past {
		show(at)
	}
	context.AfterFunc(v.life, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.moved[v.name], v)
	})
}

// travel lets all other views of the session show a past step, or now.
func (v *View) travel(step int) {
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
	for other, show := range s.moved[v.name] {
		if other != v {
			others = append(others, show)
		}
	}
	s.mu.Unlock()
	for _, show := range others {
		show(step)
	}
}

// journey leads a view to the step that is looked at, one step after the other: of those that are asked for while it is under way only the
// last one counts. The zero value is at step 0.
type journey struct {
	mu   sync.Mutex
	at   int
	busy bool
}

// to calls show with the step, and again while another is asked for meanwhile.
func (j *journey) to(step int, show func(step int)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at = step
	for !j.busy {
		at := j.at
		j.busy = true
		j.mu.Unlock()
		show(at)
		j.mu.Lock()
		j.busy = false
		if j.at == at {
			return
		}
	}
}

func (j *journey) step() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.at
}
