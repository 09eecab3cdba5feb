package panel

import (
	"fsnetlab/fsnet/session"
)

// step makes n steps, or adds them to those that are being made.
func (p *Panel) step(n int) {
	p.Follow()
	p.mu.Lock()
	p.wanted += n
	if p.stepping {
		p.mu.Unlock()
		return
	}
	p.stepping = true
	p.mu.Unlock()
	for {
		p.mu.Lock()
		n := p.wanted
		p.wanted = 0
		p.stepping = n > 0
		p.mu.Unlock()
		if n == 0 {
			return
		}
		p.say(counted(n, "step") + " …")
		status, err := p.service.Step(p.life, p.name, n)
		if err != nil {
			p.forgetSteps()
			p.fail(err)
			continue
		}
		p.show(status) // at once: the watch tells it within a tenth of a second
		p.say(ended(status))
	}
}

func (p *Panel) forgetSteps() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = 0
}

// run begins a run in the background.
func (p *Panel) run() {
	p.Follow()
	p.say("starting …")
	status, err := p.service.Run(p.life, p.name, session.Until{Wait: new(false)})
	if err != nil {
		p.fail(err)
		return
	}
	p.say("")
	if status.State != session.Running { // it was at its end
		p.show(status)
		p.say(ended(status))
	}
}

// pause ends what runs, and the steps that are waiting.
func (p *Panel) pause() {
	p.Follow()
	p.forgetSteps()
	p.say("pausing …")
	status, err := p.service.Pause(p.life, p.name)
	if err != nil {
		p.fail(err)
		return
	}
	p.show(status)
	p.say("")
}

// set changes a live key from the next step on.
func (p *Panel) set(key, text string) {
	p.Follow()
	var changes session.Config
	err := changes.Set(key, text)
	var event session.Event
	if err == nil {
		event, err = p.service.Set(p.life, p.name, changes)
	}
	if err != nil {
		p.fail(err)
		p.mu.Lock()
		now := p.status
		p.mu.Unlock()
		p.show(now) // the controls show what is in force
		return
	}
	p.say(event.String())
	if status, err := p.service.Status(p.life, p.name); err == nil {
		p.show(status)
	}
}
