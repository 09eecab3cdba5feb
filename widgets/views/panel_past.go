package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
)

// resetLimit is the time within which Reset is pressed again.
const resetLimit = 5 * time.Second

// showPast lets the slider stand at the present step where the chosen one is not past, or not any more.
func (v *panelView) showPast() {
	if integer(v.Get("past")) >= v.Status().Step {
		v.Set(map[string]any{"past": now})
	}
}

func (v *panelView) rewind(step int) {
	status := v.Status()
	if step < 0 || (step >= status.Step && status.State != session.Running) {
		v.say(fmt.Sprintf("it is at step %d: choose an earlier one with the slider", status.Step))
		return
	}
	v.back(step)
}

// reset goes to the beginning. It asks first, because what was made is forgotten.
func (v *panelView) reset() {
	v.mu.Lock()
	sure := v.sure != nil && v.sure.Stop()
	v.sure = nil
	if !sure {
		v.sure = time.AfterFunc(resetLimit, func() { v.Set(map[string]any{"sure": false}) })
	}
	v.mu.Unlock()
	v.Set(map[string]any{"sure": !sure})
	if !sure {
		v.say("Reset takes it back to step 0 and forgets what it has learned: press Reset again within 5 s, or Fork first to keep it")
		return
	}
	v.back(0)
}

// back takes the session to a past step.
func (v *panelView) back(step int) {
	v.travel.Lock()
	defer v.travel.Unlock()
	v.forgetSteps()
	v.say("rewinding to step " + strconv.Itoa(step) + " …")
	status, err := v.service.Rewind(v.life, v.name, step)
	if err != nil {
		v.fail(err)
		return
	}
	v.Set(map[string]any{"past": now})
	v.show(status)
	v.say("rewound to step " + strconv.Itoa(status.Step))
}

// fork makes another session of the past up to a step, or the present one, and opens its panel beside this one.
func (v *panelView) fork(as string, step int) {
	v.travel.Lock()
	defer v.travel.Unlock()
	as = strings.TrimSpace(as)
	v.say("forking …")
	status, err := v.service.Fork(v.life, v.name, session.ForkRequest{As: as, Step: step})
	if err != nil {
		v.fail(err)
		return
	}
	beside := Panel(v.life, v.manager, v.service, status)
	beside.Follow()
	v.Set(map[string]any{"fork": next(as), "beside": beside.ID()})
	v.say(fmt.Sprintf("forked at step %d: the panel of %s opens beside; %%fsnet panel %s shows it in another cell", status.Step, as, as))
	v.branch(as, status.Step)
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
