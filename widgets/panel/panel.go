package panel

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/follow"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// Panel is the panel of one session.
type Panel struct {
	life    context.Context
	service session.Service
	name    string

	root        *ipywidgets.Box
	headline    *ipywidgets.Text
	bar         *ipywidgets.Number[float64]
	facts       *ipywidgets.Text
	message     *ipywidgets.Text
	knobs       []knob
	curves      *curves.Curves
	still       *still.Keeper
	travel      *ipywidgets.Number[int]
	resetButton *ipywidgets.Button
	forkName    *ipywidgets.Line

	mu        sync.Mutex
	status    session.Status
	following bool
	wanted    int // steps that were asked for and are not begun
	stepping  bool
	chosen    bool            // a person chose a past step
	seen      int             // the step at which the slider over the past was last seen
	travelled time.Time       // when a person last moved it
	moved     time.Time       // when it was last brought up to date
	sure      *time.Timer     // runs while Reset waits for its second press
	rested    bool            // whether the last update was of a session at rest
	drawn     map[string]bool // other sessions whose curves are followed
}

var _ ipywidgets.Widget = (*Panel)(nil)

// New makes the panel of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) *Panel {
	p := &Panel{life: life, service: s, name: now.Session, drawn: map[string]bool{}}
	p.build(m)
	p.still = still.New(life, p.curves.Any, p.Root, follow.Drawn(p.name, p.fail, p.draw))
	p.show(now)
	return p
}

// Root implements ipywidgets.Widget.
func (p *Panel) Root() *ipywidgets.Model { return p.root.Root() }

// Follow shows the session from now on, also one that was opened again under the name. It does nothing where that is so already.
func (p *Panel) Follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.following || p.life.Err() != nil {
		return
	}
	p.following = true
	go p.follow()
}

func (p *Panel) follow() {
	p.curves.Clear() // a session that is opened again may be another
	err := follow.Watch(p.life, p.service, p.name, session.WatchRequest{History: curves.Request()}, p.tell)
	p.mu.Lock()
	p.following = false
	p.mu.Unlock()
	if err != nil && p.life.Err() == nil {
		p.fail(err)
	}
}

// tell takes what the session's watch tells.
func (p *Panel) tell(u session.Update) {
	p.mu.Lock()
	rests := u.Status.State != session.Running && u.Status.State != session.Closed && u.Verb == ""
	looks := rests && !p.rested
	p.rested = rests
	p.mu.Unlock()
	if (u.Verb == "rewind" || u.Verb == "fork") && u.Reached < u.Target {
		u.Status.Reason = fmt.Sprintf("%s: step %d of %d is made again", u.Verb, u.Reached, u.Target)
	}
	p.show(u.Status)
	if u.History != nil {
		p.curves.Apply(*u.History)
	}
	if u.Problem != "" {
		p.note(u.Problem, failed)
	}
	if looks {
		go follow.Guard(p.name, p.fail, p.branches)
	}
}

// show shows where the session stands.
func (p *Panel) show(s session.Status) {
	p.mu.Lock()
	if s.State == session.Closed && s.Steps == 0 { // a session that has gone says no more than that
		last := p.status
		last.State, last.Reason = s.State, s.Reason
		s = last
	}
	p.status = s
	p.mu.Unlock()
	p.headline.Value.Set(headline(s))
	p.facts.Value.Set(facts(s))
	p.bar.Value.Set(share(s))
	p.bar.Bar().Set(barLook(s.State))
	if s.State != session.Closed {
		p.showPast(s)
		for _, k := range p.knobs {
			k.show(s.Config.Text(k.key))
		}
		p.still.Changed(s.State == session.Running)
	}
}
