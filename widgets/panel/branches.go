package panel

import (
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/live"
)

const (
	branchRate   = 1 // updates a second of another session's curves
	mostBranches = 8
)

// branches finds the other sessions that have a part of this one's past, forks and what it was forked from, and draws them.
func (v *View) branches() {
	mine, err := v.Session.History(v.Life, slight())
	if err != nil {
		return // the watch says why
	}
	sessions, err := session.VerbSessions.Call(v.Life, v.Host, session.None{})
	if err != nil {
		return
	}
	own := v.Status()
	for _, s := range sessions {
		if s.Session == v.Name || s.Dataset != own.Dataset || s.D != own.D || s.Config.K != own.Config.K || s.Config.Seed != own.Config.Seed ||
			v.knows(s.Session) {
			continue
		}
		if theirs, err := session.On(v.Host, s.Session).History(v.Life, slight()); err == nil {
			if step, ok := parted(mine.Events, theirs.Events); ok {
				v.branch(s.Session, step)
			}
		}
	}
}

// slight asks for the events; the curve is a by-product.
func slight() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"tau"}, Points: 4}
}

// parted is the step at which one of two sessions was forked from the other: up to there the same happened to both.
func parted(a, b []session.Event) (step int, ok bool) {
	n := 0
	for n < len(a) && n < len(b) && a[n].Step == b[n].Step && a[n].Kind == b[n].Kind && a[n].Text == b[n].Text {
		n++
	}
	for _, events := range [][]session.Event{a, b} {
		if n > 0 && n < len(events) && events[n].Kind == "fork" {
			return events[n].Step, true
		}
	}
	return 0, false
}

func (v *View) knows(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.drawn[name]
}

// branch draws another session's curves from a step on, until it is closed.
func (v *View) branch(name string, from int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.drawn[name] || len(v.drawn) >= mostBranches {
		return
	}
	v.drawn[name] = true
	request := curves.Request()
	request.From, request.Selectors = from, false // those of one session are enough to look at
	go func() {
		//nolint:errcheck // a branch that cannot be watched any more stays as it was drawn
		live.Watch(v.Life, session.On(v.Host, name), session.WatchRequest{History: request, Rate: branchRate}, func(u session.Update) {
			if u.History != nil {
				v.curves.ApplyBranch(name, *u.History)
			}
		})
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.drawn, name)
	}()
}
