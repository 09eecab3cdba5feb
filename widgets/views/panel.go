package views

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// panelView is the panel of one session: buttons that step, run, pause, rewind and fork it, its
// live hyperparameters, its curves and its status. It shows only what the session's watch reports,
// so it is right whoever steers: another tab, a cell, a magic.
type panelView struct {
	*View
	manager *ipywidgets.Manager
	curves  *liveCurves
	moving  sync.Mutex // serialises rewinds and forks

	mu         sync.Mutex
	pending    int // steps that were requested and have not begun
	stepping   bool
	resetTimer *time.Timer // runs while Reset waits for its second press
	forkPanel  *panelView  // panel of the last fork, or nil
	asking     bool        // for the selection
	askedAt    time.Time
	end        context.CancelFunc
}

const (
	bySpan     = -1              // smooths noisy curves over a share of the epochs that are shown
	mostName   = 200             // characters of a fork's name
	resetLimit = 5 * time.Second // for the second press of Reset
	forkRate   = 1               // updates a second of a fork's curves
)

// Panel makes the panel of the session with this status. It acts until life ends; Follow starts it.
func Panel(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	return newPanel(life, m, host, status).View
}

// newPanel makes a panel, which ends with life or when the panel that forked it closes it. A fork's
// panel shares the manager, so that its colours are the same.
func newPanel(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *panelView {
	v := &panelView{manager: m}
	life, v.end = context.WithCancel(life)
	state := map[string]ipywidgets.Entry{
		"head":   {Value: headState(status)},
		"facts":  {Value: factsState(status)}, // class, title, text and hint of each
		"step":   {Value: status.Step},
		"steps":  {Value: status.Steps},
		"past":   {Value: now, Person: true, Check: isWhole(now, mostStep)}, // a past step for Rewind and Fork
		"sure":   {Value: false},                                            // whether Reset waits for its second press
		"fork":   {Value: nextName(status.Session), Person: true, Check: isText(mostName)},
		"beside": {Value: ""}, // the model of the last fork's panel
		"knobs":  {Value: knobsState()},
		"idle":   {},
		"saved":  {Value: ""}, // the curves
		// names selectors that compete for one gene
		"sentence": {Value: ""},
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
	v.View = newView(life, m, host, status, module("panel"), state)
	v.curves = newCurves(v.Model, sharedBy(m).palette)
	for _, k := range knobs() {
		v.OnChange(k.key, func(value any) { v.set(k.key, setText(value)) })
	}
	v.OnChange("past", func(step any) {
		v.sharePast(integer(step))
		v.showPast()
	})
	v.OnChange("smoothing", func(epochs any) {
		v.curves.smoothOver(integer(epochs))
		v.changed()
	})
	v.OnMessage(v.handle)
	v.restart = v.curves.clear // a session that is opened again may be another one
	v.setUp(session.WatchRequest{History: curvesRequest()}, v.update, v.draw)
	v.followPast(func(step int) {
		v.Set(map[string]any{"past": step})
		v.showPast()
	}, v.curves.lookAt)
	return v
}

// update shows the status, with the progress of a replay as reason, draws the changes of the
// history, and names rivals.
func (v *panelView) update(u session.Update) {
	if (u.Verb == "rewind" || u.Verb == "fork") && u.Reached < u.Target {
		u.Status.Reason = fmt.Sprintf("%s: repeating step %d of %d", u.Verb, u.Reached, u.Target)
	}
	v.show(u.Status)
	if u.History != nil {
		if err := v.curves.apply(*u.History); err != nil {
			v.fail(err)
		}
	}
	v.showRivals(u.Status.State != session.Running && u.Status.State != session.Closed && u.Verb == "")
}

// showRivals names the selectors that competed for one gene at the last look at P, in the
// background: always while the session rests, at most once a second during a run.
func (v *panelView) showRivals(rests bool) {
	s := v.curves.own().Selectors
	var leaders []int
	if s != nil && len(s.Looks) > 0 {
		leaders = slices.Sorted(slices.Values(s.Looks[len(s.Looks)-1].Leaders))
	}
	if len(slices.Compact(leaders)) == len(leaders) {
		v.Set(map[string]any{"sentence": ""})
		return
	}
	v.mu.Lock()
	due := !v.asking && (rests || time.Since(v.askedAt) > time.Second)
	if due {
		v.asking, v.askedAt = true, time.Now()
	}
	v.mu.Unlock()
	if !due {
		return
	}
	go v.guard(func() {
		selected, err := v.session.Selection(v.life)
		v.mu.Lock()
		v.asking = false
		v.mu.Unlock()
		if err == nil { // the watch reports errors
			v.Set(map[string]any{"sentence": rivals(selected, v.Status().Unfinished() != "")})
		}
	})
}

const (
	rivalFrom  = 0.1 // the probability from which a selector competes for its leader: below it, leaders fluctuate
	mostRivals = 3   // genes whose rivals are named
)

// rivals names selectors that compete for one gene, and what the losers are assigned, which may
// still change while it trains; "" if none do.
func rivals(selected []session.Selected, trains bool) string {
	gets := "gets"
	if trains {
		gets = "is likely to get"
	}
	var parts []string
	losers := map[int][]session.Selected{} // by the selector that wins
	for _, s := range bySelector(selected) {
		if s.LostTo != nil && s.Leader.Probability >= rivalFrom {
			losers[*s.LostTo] = append(losers[*s.LostTo], s)
		}
	}
	for _, winner := range slices.Sorted(maps.Keys(losers)) {
		want, get := []int{winner}, ""
		for _, s := range losers[winner] {
			want = append(want, s.Selector)
			get += fmt.Sprintf("; %d %s %s", s.Selector, gets, oneLine(s.Name))
		}
		slices.Sort(want)
		all := "all"
		if len(want) == 2 {
			all = "both"
		}
		parts = append(parts, fmt.Sprintf("selectors %s %s want %s%s", words.List(want), all, oneLine(losers[winner][0].Leader.Name), get))
	}
	if more := len(parts) - mostRivals; more > 0 {
		parts = append(parts[:mostRivals], fmt.Sprintf("and so of %s more", phrase.Count(more, "gene")))
	}
	return strings.Join(parts, ". ")
}

// show stores a status and shows it, with the live keys in force unless the session is closed.
func (v *panelView) show(s session.Status) {
	v.setStatus(s)
	state := map[string]any{"head": headState(s), "step": s.Step, "steps": s.Steps}
	if s.State != session.Closed {
		maps.Copy(state, inForce(s.Config))
	}
	v.Set(state)
	v.showPast()
	if s.State != session.Closed {
		v.changed()
	}
}

// showPast shows the facts of the chosen step, past or present.
func (v *panelView) showPast() {
	status := v.Status()
	if at := integer(v.Get("past")); at >= 0 {
		status = pastStatus(v.curves.own(), status, at)
	}
	v.Set(map[string]any{"facts": factsState(status)})
}

// draw renders the panel for readers without a kernel: the curves and the status line.
func (v *panelView) draw() ipywidgets.Bundle {
	var known session.History
	if v.Status().State != session.Closed {
		known = v.curves.whole()
	}
	return snapshot(v.drawHistory(*curvesRequest(), known, func(h session.History) (chart.Picture, error) {
		if epochs, chosen := v.Get("smoothing").(float64); chosen && epochs >= 0 {
			h.Smooth = new(int(epochs))
		}
		return chart.Panel(h, v.shared.palette)
	}))
}

// handle takes a message from the page: a press, or a request for the curves. Presses do not wait
// for each other, because a verb may take long, and another one, such as Pause, may end it.
func (v *panelView) handle(content json.RawMessage) {
	var message struct {
		Do     string `json:"do"`
		N      int    `json:"n"`      // for step
		Step   int    `json:"step"`   // for rewind and fork; now is the present one
		As     string `json:"as"`     // for fork
		Pace   string `json:"pace"`   // for run
		Column int    `json:"column"` // for feature; closes it if below 0
		Event  int    `json:"event"`  // for without: the change's number in the history
	}
	message.Step = now
	err := json.Unmarshal(content, &message)
	verbs := map[string]func(){
		"step":    func() { v.step(message.N) },
		"run":     func() { v.run(message.Pace) },
		"pause":   v.pause,
		"rewind":  func() { v.rewind(message.Step) },
		"reset":   v.reset,
		"feature": func() { v.feature(message.Column) },
		"apart":   func() { v.showFork(nil) },
		"without": func() { v.undo(message.Event) },
		"fork":    func() { v.fork(strings.TrimSpace(message.As), message.Step) },
	}
	if err == nil && message.Do == "curves" {
		v.curves.sendAll()
		return
	}
	verb, known := verbs[message.Do]
	if err != nil || !known {
		v.fail(errs.New(errs.Request, "nothing changed; reload the page if it happens again",
			"a message to the panel asks for something it cannot do"))
		return
	}
	v.Follow()
	go v.guard(verb)
}

// do announces a verb, runs it, and shows its error. It returns when the session has answered. done
// is false if the verb failed.
func (v *panelView) do(announcement string, verb func() (session.Status, error)) (status session.Status, done bool) {
	v.say(announcement + " …")
	status, err := verb()
	if err != nil {
		v.fail(err)
	}
	return status, err == nil
}

// step shows the present, makes n steps and returns when they are done. If steps are in progress, it adds n to them
// and returns at once: 10 × step 1 is step 10, bit for bit. A failure, Pause or a rewind drops what
// waits.
func (v *panelView) step(n int) {
	v.showNow()
	v.mu.Lock()
	v.pending += n
	busy := v.stepping
	v.stepping = true
	v.mu.Unlock()
	for !busy {
		v.mu.Lock()
		n := v.pending
		v.pending = 0
		v.stepping = n > 0
		v.mu.Unlock()
		if n == 0 {
			return
		}
		status, done := v.do(phrase.Count(n, "step"), func() (session.Status, error) { return v.session.Step(v.life, n) })
		if !done {
			v.forgetSteps()
			continue
		}
		v.show(status) // at once, although the watch reports it within a tenth of a second
		v.say(endReason(status))
	}
}

// forgetSteps drops the steps that were requested and have not begun.
func (v *panelView) forgetSteps() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pending = 0
}

// run shows the present, starts a run and returns once it has started. pace is "" for full speed, or watch.
func (v *panelView) run(pace string) {
	v.showNow()
	status, done := v.do("starting", func() (session.Status, error) {
		return v.session.Run(v.life, session.Until{Wait: new(false), Pace: pace})
	})
	if !done {
		return
	}
	v.say("")
	if status.State != session.Running { // it had already ended
		v.show(status)
		v.say(endReason(status))
	}
}

// pause stops the run and drops pending steps.
func (v *panelView) pause() {
	v.forgetSteps()
	if status, done := v.do("pausing", func() (session.Status, error) { return v.session.Pause(v.life) }); done {
		v.show(status)
		v.say("")
	}
}

// rewind takes the session to a past step. If the step isn't in the past, it
// shows a message instead. During a run it accepts any step, because the status
// known here may be out of date.
func (v *panelView) rewind(step int) {
	status := v.Status()
	if step < 0 || (step >= status.Step && status.State != session.Running) {
		v.say(fmt.Sprintf("it is at step %d: choose an earlier one with the slider", status.Step))
		return
	}
	v.back(step)
}

// reset returns to step 0 at its second press within resetLimit. It asks first, because the
// training is lost.
func (v *panelView) reset() {
	v.mu.Lock()
	confirmed := v.resetTimer != nil && v.resetTimer.Stop()
	v.resetTimer = nil
	if !confirmed {
		v.resetTimer = time.AfterFunc(resetLimit, func() { v.Set(map[string]any{"sure": false}) })
	}
	v.mu.Unlock()
	v.Set(map[string]any{"sure": !confirmed})
	if !confirmed {
		v.say("Reset takes it back to step 0 and forgets what it has learned: press Reset again within 5 s, or Fork first to keep it")
		return
	}
	v.back(0)
}

// back takes the session to a past step, waits for it, and shows the present in all views. It
// reports whether the session arrived.
func (v *panelView) back(step int) bool {
	v.moving.Lock()
	defer v.moving.Unlock()
	v.forgetSteps()
	status, done := v.do(fmt.Sprint("rewinding to step ", step), func() (session.Status, error) { return v.session.Rewind(v.life, step) })
	if done {
		v.showNow()
		v.show(status)
		v.say(fmt.Sprint("rewound to step ", status.Step))
	}
	return done
}

// undo trains anew without a change of settings: it takes the session back to before the change,
// makes the later changes again at their steps, and runs to where the session stood. number is the
// change's place in the history. Pause ends it early, and drops the changes that are still to come.
func (v *panelView) undo(number int) {
	events := v.curves.own().Events
	if number < 0 || number >= len(events) || events[number].Kind != "set" {
		v.say("this change is not there any more")
		return
	}
	undone, status := events[number], v.Status()
	if !v.back(max(undone.Step-1, 0)) {
		return
	}
	if undone.Step == 0 { // a rewind to step 0 keeps what was set there
		for _, c := range undone.Changes {
			v.set(c.Key, c.From)
		}
	}
	for i, e := range events {
		if i == number || e.Kind != "set" || e.Step < undone.Step || e.Step == 0 && i < number {
			continue
		}
		if !v.runTo(e.Step) {
			return
		}
		for _, c := range e.Changes {
			if v.set(c.Key, c.To); v.Get("failed") == true {
				return
			}
		}
	}
	if status.Step < status.Steps {
		v.runTo(status.Step)
	} else {
		v.run("") // to its end, and what comes after it
	}
}

// runTo runs to a step, waits for it, and reports whether the session stands there.
func (v *panelView) runTo(step int) bool {
	if v.Status().Step >= step {
		return true
	}
	status, done := v.do(fmt.Sprint("training to step ", step), func() (session.Status, error) {
		return v.session.Run(v.life, session.Until{Step: step})
	})
	if done {
		v.show(status)
		v.say(endReason(status))
	}
	return done && status.Step == step
}

// fork starts another session with the past up to a step, or the present one if step is below 0,
// opens its panel beside this one, and draws its curves in this one.
func (v *panelView) fork(as string, step int) {
	v.moving.Lock()
	defer v.moving.Unlock()
	request := session.ForkRequest{Session: v.name, As: as, Step: &step}
	if step < 0 {
		request.Step = nil
	}
	status, done := v.do("forking", func() (session.Status, error) {
		return session.VerbFork.Call(v.life, v.host, request)
	})
	if !done {
		return
	}
	v.Set(map[string]any{"fork": nextName(as)})
	v.showFork(newPanel(v.life, v.manager, v.host, status))
	v.say(fmt.Sprintf("forked at step %d: the panel of %s opens beside; %%fsnet panel %s shows it in another cell", status.Step, as, as))
	go v.followFork(as, status.Step)
}

// showFork shows the panel of a fork next to this one. Nil closes it. The
// previous panel is closed, along with the panels of its own forks.
func (v *panelView) showFork(next *panelView) {
	id := ""
	if next != nil {
		next.Follow()
		id = next.ID()
	}
	v.mu.Lock()
	last := v.forkPanel
	v.forkPanel = next
	v.mu.Unlock()
	v.Set(map[string]any{"beside": id})
	if last != nil {
		last.showFork(nil)
		last.end()
		v.manager.Forget(last.Model)
	}
}

// nextName returns the default name of a session's fork: NAME-2, then NAME-3.
func nextName(name string) string {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil && n > 1 && n < 1e6 {
			return name[:at+1] + strconv.Itoa(n+1)
		}
	}
	return name + "-2"
}

// feature shows the feature of a column below the curves; a column below 0 closes it.
func (v *panelView) feature(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	f, err := v.session.Feature(v.life, v.curves.leader(column))
	if err != nil {
		v.fail(err)
		return
	}
	v.Set(map[string]any{"feature": featureState(f)})
}

// set changes a live key from the next step on, to a value as the verb set reads it. It returns
// when the session has answered; after an error the controls show the values in force again.
func (v *panelView) set(key, text string) {
	v.Follow()
	var changes session.Config
	err := changes.Set(key, text)
	var event session.Event
	if err == nil {
		event, err = v.session.Set(v.life, changes)
	}
	if err != nil {
		v.fail(err)
		v.show(v.Status()) // the controls return to the values in force
		return
	}
	v.say(event.String())
	if status, err := v.session.Status(v.life); err == nil {
		v.show(status)
	}
}

// followFork draws a fork's curves from a step on. It returns when the fork is closed or the panel
// ends.
func (v *panelView) followFork(name string, from int) {
	request := curvesRequest()
	request.From, request.Selectors = from, false // the selectors of one session are enough
	//nolint:errcheck // a fork that can no longer be watched stays as drawn
	v.watchSession(v.life, name, session.WatchRequest{History: request, Rate: forkRate}, func(u session.Update) {
		if u.History != nil {
			if err := v.curves.applyFork(name, *u.History); err != nil {
				v.fail(err)
			}
		}
	})
}

// headState returns the session, its state and data, what trains its selectors, and warnings.
func headState(s session.Status) map[string]any {
	data := ""
	if s.Dataset != "" {
		data = fmt.Sprintf("%s, %d × %d, K = %d", s.Dataset, s.N, s.D, s.Config.K)
		if s.Backend != "" {
			data += ", on " + s.Backend
		}
	}
	var final map[string]any // scores of the final networks, if there are any
	if s.Final != nil {
		final = map[string]any{"train": value(s.Final.Train), "validation": value(s.Final.Validation)}
	}
	return map[string]any{
		"final":   final,
		"session": s.Session, "state": string(s.State), "reason": s.Reason, "data": data, "method": s.Method(), "read_only": s.ReadOnly,
		"warning": s.Warning, "directory": s.RunDirectory,
	}
}

// value returns a score as the page has it, nil if it is not known.
func value(s *session.Score) any {
	if s == nil {
		return nil
	}
	return s.Value
}

// endReason returns why the training ended, or "" if it can continue.
func endReason(s session.Status) string {
	switch s.State {
	case session.Settled, session.Done, session.Broken:
		return s.Reason
	}
	return ""
}
