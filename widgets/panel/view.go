package panel

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// View is the panel of one session.
type View struct {
	*live.View
	curves *curves.Curves
	travel sync.Mutex // rewinds and forks are made one after another

	mu       sync.Mutex
	wanted   int // steps that were asked for and are not begun
	stepping bool
	sure     *time.Timer     // runs while Reset waits for its second press
	rested   bool            // whether the last update was of a session at rest
	drawn    map[string]bool // other sessions whose curves are followed
}

const (
	now      = -1 // the past step that is chosen where nobody chose one
	bySpan   = -1 // noisy curves are smoothed as the epochs that are shown suggest
	mostStep = 1_000_000_000
	mostName = 200 // characters of a fork's name
)

// New makes the panel of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, c session.Caller, status session.Status) *View {
	v := &View{drawn: map[string]bool{}}
	state := map[string]ipywidgets.Entry{
		"head":  {Value: headState(status)},
		"facts": {Value: factsState(status)}, // class, title and text of each
		"step":  {Value: status.Step},
		"steps": {Value: status.Steps},
		"past":  {Value: now, Person: true, Check: live.Whole(now, mostStep)}, // a past step for Rewind and Fork
		"sure":  {Value: false},                                               // Reset waits for its second press
		"fork":  {Value: next(status.Session), Person: true, Check: live.Text(mostName)},
		"knobs": {Value: knobsState()},
		"idle":  {},
		"saved": {Value: ""}, // the curves
		// epochs over which noisy curves are smoothed
		"smoothing": {Value: bySpan, Person: true, Check: live.Whole(bySpan, mostStep)},
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
	v.View = live.New(life, m, c, status, frontend.Module("panel"), state)
	v.curves = curves.New(v.Model)
	for _, k := range knobs() {
		v.OnChange(k.key, func(value any) { v.set(k.key, text(value)) })
	}
	v.OnChange("past", func(any) { v.showPast() })
	v.OnChange("smoothing", func(any) { v.Changed() })
	v.OnMessage(v.pressed)
	v.Watch(session.WatchRequest{History: curves.Request()}, v.tell, v.draw)
	v.Begin(v.curves.Clear) // a session that is opened again may be another
	return v
}

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
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
		go v.Do(v.branches)
	}
}

// show shows where the session stands.
func (v *View) show(s session.Status) {
	v.Know(s)
	state := map[string]any{"head": headState(s), "facts": factsState(s), "step": s.Step, "steps": s.Steps}
	if s.State != session.Closed {
		maps.Copy(state, inForce(s.Config))
	}
	v.Set(state)
	v.showPast()
	if s.State != session.Closed {
		v.Changed()
	}
}

// draw is the panel for readers without a kernel: the curves and the status line.
func (v *View) draw() ipywidgets.Bundle {
	status := v.Status()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	history, err := live.Ask(v.Life, func(ctx context.Context) (session.History, error) {
		return v.Session.History(ctx, *curves.Request())
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
	return live.Snapshot(picture)
}

// smooth is over how many epochs a person wants noisy curves smoothed; nil: as their length suggests.
func (v *View) smooth() *int {
	if epochs, chosen := v.Get("smoothing").(float64); chosen && epochs >= 0 {
		return new(int(epochs))
	}
	return nil
}
