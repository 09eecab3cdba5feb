package panel

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/live"
)

// resetLimit is the time within which Reset is pressed again.
const resetLimit = 5 * time.Second

// showPast lets the slider stand at the present step where the chosen one is not past, or not any more.
func (v *View) showPast() {
	if live.Integer(v.Get("past")) >= v.Status().Step {
		v.Set(map[string]any{"past": now})
	}
}

func (v *View) rewind(step int) {
	status := v.Status()
	if step < 0 || (step >= status.Step && status.State != session.Running) {
		v.Say(fmt.Sprintf("it is at step %d: choose an earlier one with the slider", status.Step))
		return
	}
	v.back(step)
}

// reset goes to the beginning. It asks first, because what was made is forgotten.
func (v *View) reset() {
	v.mu.Lock()
	sure := v.sure != nil && v.sure.Stop()
	v.sure = nil
	if !sure {
		v.sure = time.AfterFunc(resetLimit, func() { v.Set(map[string]any{"sure": false}) })
	}
	v.mu.Unlock()
	v.Set(map[string]any{"sure": !sure})
	if !sure {
		v.Say("Reset takes it back to step 0 and forgets what it has learned: press Reset again within 5 s, or Fork first to keep it")
		return
	}
	v.back(0)
}

// back takes the session to a past step.
func (v *View) back(step int) {
	v.travel.Lock()
	defer v.travel.Unlock()
	v.forgetSteps()
	v.Say("rewinding to step " + strconv.Itoa(step) + " …")
	status, err := v.Session.Rewind(v.Life, step)
	if err != nil {
		v.Fail(err)
		return
	}
	v.Set(map[string]any{"past": now})
	v.show(status)
	v.Say("rewound to step " + strconv.Itoa(status.Step))
}

// fork makes another session of the past up to a step, or the present one.
func (v *View) fork(as string, step int) {
	v.travel.Lock()
	defer v.travel.Unlock()
	as = strings.TrimSpace(as)
	v.Say("forking …")
	request := session.ForkRequest{Session: v.Name, As: as, Step: &step}
	if step < 0 {
		request.Step = nil
	}
	status, err := session.VerbFork.Call(v.Life, v.Host, request)
	if err != nil {
		v.Fail(err)
		return
	}
	v.Set(map[string]any{"fork": next(as)})
	v.Say(fmt.Sprintf("forked at step %d: %%fsnet panel %s shows the panel of %s", status.Step, as, as))
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
