package panel

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// Panel is the panel of one session.
type Panel struct {
	life    context.Context
	service session.Service
	name    string

	root     *ipywidgets.Box
	headline *ipywidgets.Text
	bar      *ipywidgets.Number[float64]
	facts    *ipywidgets.Text
	lambda   *ipywidgets.Number[float64] // exponents of ten
	exact    *ipywidgets.Number[float64] // the same number, also 0
	message  *ipywidgets.Text

	mu        sync.Mutex
	status    session.Status
	following bool
	wanted    int // steps that were asked for and are not begun
	stepping  bool
}

var _ ipywidgets.Widget = (*Panel)(nil)

// New makes the panel of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, now session.Status) *Panel {
	p := &Panel{life: life, service: s, name: now.Session}
	p.build(m)
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
	err := p.service.Watch(p.life, p.name, session.WatchRequest{}, func(u session.Update) { p.show(u.Status) })
	p.mu.Lock()
	p.following = false
	p.mu.Unlock()
	if err != nil && p.life.Err() == nil {
		p.fail(err)
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
		p.exact.Value.Set(within(p.exact, s.Config.Lambda))
		p.lambda.Value.Set(onSlider(s.Config.Lambda))
	}
}
