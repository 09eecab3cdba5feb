package views

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// panelView is the panel of one session.
type panelView struct {
	*View
	manager *ipywidgets.Manager
	curves  *liveCurves
	travel  sync.Mutex // rewinds and forks are made one after another

	mu       sync.Mutex
	wanted   int // steps that were asked for and are not begun
	stepping bool
	sure     *time.Timer     // runs while Reset waits for its second press
	rested   bool            // whether the last update was of a session at rest
	drawn    map[string]bool // other sessions whose curves are followed
}

const (
	bySpan   = -1  // noisy curves are smoothed as the epochs that are shown suggest
	mostName = 200 // characters of a fork's name
)

// Panel makes the panel of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func Panel(life context.Context, m *ipywidgets.Manager, s session.Service, status session.Status) *View {
	v := &panelView{manager: m, drawn: map[string]bool{}}
	state := map[string]ipywidgets.Entry{
		"head":   {Value: headState(status)},
		"facts":  {Value: factsState(status)}, // class, title and text of each
		"step":   {Value: status.Step},
		"steps":  {Value: status.Steps},
		"past":   {Value: now, Person: true, Check: isWhole(now, mostStep)}, // a past step for Rewind and Fork
		"sure":   {Value: false},                                            // Reset waits for its second press
		"fork":   {Value: next(status.Session), Person: true, Check: isText(mostName)},
		"beside": {Value: ""}, // the model of the last fork's panel
		"knobs":  {Value: knobsState()},
		"idle":   {},
		"saved":  {Value: ""}, // the curves
		// epochs over which noisy curves are smoothed
		"smoothing": {Value: bySpan, Person: true, Check: isWhole(bySpan, mostStep)},
		"feature":   {},
	}
	for _, k := range knobs() {
		state[k.key] = ipywidgets.Entry{Person: true, Check: k.check()}
	}
	for name, value := range inForce(status.Config) {
		entry := state[name]
		entry.Value = value
		state[name] = entry
	}
	v.View = newView(life, m, s, status, module("panel"), state)
	v.curves = newCurves(v.Model)
	for _, k := range knobs() {
		v.OnChange(k.key, func(value any) { v.set(k.key, setText(value)) })
	}
	v.OnChange("past", func(any) { v.showPast() })
	v.OnChange("smoothing", func(any) { v.changed() })
	v.OnMessage(v.pressed)
	v.begin = v.curves.Clear // a session that is opened again may be another
	return v.watches(session.WatchRequest{History: curvesRequest()}, v.tell, v.draw)
}

// tell shows what the session has told.
func (v *panelView) tell(u session.Update) {
	v.mu.Lock()
	rests := u.Status.State != session.Running && u.Status.State != session.Closed && u.Verb == ""
	looks := rests && !v.rested
	v.rested = rests
	v.mu.Unlock()
	if (u.Verb == "rewind" || u.Verb == "fork") && u.Reached < u.Target {
		u.Status.Reason = fmt.Sprintf("%s: repeating step %d of %d", u.Verb, u.Reached, u.Target)
	}
	v.show(u.Status)
	if u.History != nil {
		v.curves.Apply(*u.History, rests)
	}
	if looks {
		go v.guard(v.branches)
	}
}

// show shows where the session stands.
func (v *panelView) show(s session.Status) {
	v.setStatus(s)
	state := map[string]any{"head": headState(s), "facts": factsState(s), "step": s.Step, "steps": s.Steps}
	if s.State != session.Closed {
		maps.Copy(state, inForce(s.Config))
	}
	v.Set(state)
	v.showPast()
	if s.State != session.Closed {
		v.changed()
	}
}

// draw is the panel for readers without a kernel: the curves and the status line.
func (v *panelView) draw() ipywidgets.Bundle {
	status := v.Status()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	history, err := ask(v.life, func(ctx context.Context) (session.History, error) {
		return v.service.History(ctx, v.name, *curvesRequest())
	})
	if known := v.curves.Tracks()[0].History(); err != nil && len(known.Curves) > 0 && status.State != session.Closed {
		history, err = known, nil
	}
	if err == nil {
		history.Smooth = v.smooth()
		if drawn, err := chart.Curves(history); err == nil {
			drawn.Text = picture.Text
			picture = drawn
		}
	}
	return snapshot(picture)
}

// smooth is over how many epochs a person wants noisy curves smoothed; nil: as their length suggests.
func (v *panelView) smooth() *int {
	if epochs, chosen := v.Get("smoothing").(float64); chosen && epochs >= 0 {
		return new(int(epochs))
	}
	return nil
}
