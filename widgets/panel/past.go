package panel

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

const (
	resetLimit  = 5 * time.Second // within which Reset is pressed again
	travelEvery = time.Second     // how often the slider's end follows a run
	// A page sends a slider's next value when the one before was answered, and a press at once. So a press that comes right after a value
	// waits for those that may be behind it: what is taken is what the slider shows.
	travelRest = 400 * time.Millisecond
)

// past makes the controls that go back: a slider over every past step, which alone does nothing, and the buttons that take it.
func (p *Panel) past(m *ipywidgets.Manager) ipywidgets.Widget {
	p.travel = ipywidgets.NewIntSlider(m, ipywidgets.Range[int]{Max: 1, Description: "past step"})
	p.travel.Continuous().Set(false)
	p.travel.SetTooltip("A step of the past, for Rewind and Fork; nothing happens until one of them is pressed")
	p.travel.Layout.Set(css{"flex": "1 1 260px", "width": "auto", "max_width": "460px"})
	p.travel.Style.Set(css{"description_width": "64px"})
	p.travel.Value.OnChange(func(step int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.chosen = step < p.status.Step
		p.seen, p.travelled = step, time.Now()
	})
	rewind := button(m, "Rewind", "Take the session back to the past step, as it stood there; what came later is drawn faded and forgotten", p.rewind)
	rewind.Icon().Set("step-backward")
	p.resetButton = button(m, "Reset", "Take the session back to step 0", p.reset)
	p.resetButton.Icon().Set("fast-backward")
	p.forkName = ipywidgets.NewText(m, "", next(p.name))
	p.forkName.SetTooltip("The name of the fork")
	p.forkName.Continuous().Set(false)
	p.forkName.Layout.Set(css{"width": "150px"})
	p.forkName.AddClass("fsnet-fork-name")
	fork := button(m, "Fork", "Make another session with the same past up to the past step; both go on", p.fork)
	fork.Icon().Set("code-fork")
	box := row(m, p.travel, rewind, p.resetButton, fork, p.forkName)
	box.AddClass("fsnet-past")
	return box
}

// showPast lets the slider reach the present step, and stand there where nobody chose another.
func (p *Panel) showPast(s session.Status) {
	p.mu.Lock()
	if s.State == session.Running && time.Since(p.moved) < travelEvery { // twenty messages a second otherwise
		p.mu.Unlock()
		return
	}
	p.moved = time.Now()
	chosen, was := p.chosen, p.travel.Value.Get()
	if was > s.Step {
		p.chosen, chosen = false, false
	}
	p.mu.Unlock()
	most := max(s.Step, 1)
	if most > p.travel.Max.Get() {
		p.travel.Max.Set(most)
	}
	if !chosen {
		p.mu.Lock()
		p.seen = s.Step
		p.mu.Unlock()
		p.travel.Value.Set(s.Step)
	}
	p.travel.Max.Set(most)
}

// pastStep is where the slider came to rest, and whether a person put it there.
func (p *Panel) pastStep() (step int, chosen bool) {
	for {
		step = p.travel.Value.Get()
		p.mu.Lock()
		rest := travelRest - time.Since(p.travelled)
		if step != p.seen { // moved this moment
			p.seen, rest = step, travelRest
		}
		chosen = p.chosen
		p.mu.Unlock()
		if rest <= 0 || p.life.Err() != nil {
			return step, chosen
		}
		select {
		case <-time.After(rest):
		case <-p.life.Done():
		}
	}
}

func (p *Panel) rewind() {
	p.Follow()
	step, _ := p.pastStep()
	p.mu.Lock()
	now := p.status
	p.mu.Unlock()
	if step >= now.Step && now.State != session.Running {
		p.say(fmt.Sprintf("it stands at step %d: choose an earlier one with the slider", now.Step))
		return
	}
	p.back(step)
}

// reset goes to the beginning. It asks first, because what was made is forgotten.
func (p *Panel) reset() {
	p.Follow()
	p.mu.Lock()
	sure := p.sure != nil && p.sure.Stop()
	p.sure = nil
	if !sure {
		p.sure = time.AfterFunc(resetLimit, p.unsure)
	}
	p.mu.Unlock()
	if !sure {
		p.resetButton.Look().Set("warning")
		p.say("Reset takes it back to step 0 and forgets what it has learned: press Reset again within 5 s, or Fork first to keep it")
		return
	}
	p.resetButton.Look().Set("")
	p.back(0)
}

func (p *Panel) unsure() { p.resetButton.Look().Set("") }

// back takes the session to a past step.
func (p *Panel) back(step int) {
	p.forgetSteps()
	p.say("rewinding to step " + strconv.Itoa(step) + " …")
	status, err := p.service.Rewind(p.life, p.name, step)
	if err != nil {
		p.fail(err)
		return
	}
	p.mu.Lock()
	p.chosen = false
	p.mu.Unlock()
	p.show(status)
	p.say("rewound to step " + strconv.Itoa(status.Step))
}

// fork makes another session of the past up to the chosen step, or the present one.
func (p *Panel) fork() {
	p.Follow()
	step, chosen := p.pastStep()
	if !chosen {
		step = -1
	}
	as := strings.TrimSpace(p.forkName.Value.Get())
	p.say("forking …")
	status, err := p.service.Fork(p.life, p.name, session.ForkRequest{As: as, Step: step})
	if err != nil {
		p.fail(err)
		return
	}
	p.forkName.Value.Set(next(as))
	p.say(fmt.Sprintf("forked at step %d: %%fsnet panel %s shows the panel of %s", status.Step, as, as))
	p.branch(as, status.Step)
}

// next is the name that a fork of a session gets where a person gives none: NAME-2, and of that NAME-3.
func next(name string) string {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil && n > 1 && n < 1e6 {
			return name[:at+1] + strconv.Itoa(n+1)
		}
	}
	return name + "-2"
}
