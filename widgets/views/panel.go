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

// panelView is the panel of one session: buttons that step, run, pause, rewind and fork it, its live hyperparameters, its curves, and where
// it stands. What is shown is what the session's watch tells, so the panel shows the truth whoever steers: another tab, a cell, a magic.
type panelView struct {
	*View
	manager *ipywidgets.Manager
	curves  *liveCurves
	trips   sync.Mutex // rewinds and forks are made one after another

	mu       sync.Mutex
	wanted   int // steps that were asked for and are not begun
	stepping bool
	sure     *time.Timer     // runs while Reset waits for its second press
	rested   bool            // whether the last update was of a session at rest
	drawn    map[string]bool // other sessions whose curves are followed
	beside   *panelView      // of the last fork; nil is none
	asking   bool            // for the selection
	askedAt  time.Time
	end      context.CancelFunc
}

const (
	bySpan       = -1              // noisy curves are smoothed as the epochs that are shown suggest
	mostName     = 200             // characters of a fork's name
	resetLimit   = 5 * time.Second // within which Reset is pressed again
	branchRate   = 1               // updates a second of another session's curves
	mostBranches = 8
)

// Panel makes the panel of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func Panel(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	return newPanel(life, m, host, status).View
}

func newPanel(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *panelView {
	v := &panelView{manager: m, drawn: map[string]bool{}}
	life, v.end = context.WithCancel(life)
	state := map[string]ipywidgets.Entry{
		"head":  {Value: headState(status)},
		"facts": {Value: factsState(status)}, // class, title and text of each
		// what of
		"meaning": {Value: ""},
		"step":    {Value: status.Step},
		"steps":   {Value: status.Steps},
		"past":    {Value: now, Person: true, Check: isWhole(now, mostStep)}, // a past step for Rewind and Fork
		"sure":    {Value: false},                                            // Reset waits for its second press
		"fork":    {Value: nextName(status.Session), Person: true, Check: isText(mostName)},
		"beside":  {Value: ""}, // the model of the last fork's panel
		"knobs":   {Value: knobsState()},
		"idle":    {},
		"saved":   {Value: ""}, // the curves
		// what the inspector knows of selectors that want one gene
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
		v.travel(integer(step))
		v.showPast()
	})
	v.OnChange("smoothing", func(epochs any) {
		v.curves.smoothOver(integer(epochs))
		v.changed()
	})
	v.OnMessage(v.pressed)
	v.begin = v.curves.clear // a session that is opened again may be another
	v.watches(session.WatchRequest{History: curvesRequest()}, v.tell, v.draw)
	v.travels(func(step int) {
		v.Set(map[string]any{"past": step})
		v.showPast()
	})
	return v
}

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
		if err := v.curves.apply(*u.History); err != nil {
			v.fail(err)
		}
	}
	if looks {
		go v.guard(v.findBranches)
	}
	v.wants(rests)
}

// wants says which selectors want one gene, where the last look at P saw some: at rest always, in a run at most once a second.
func (v *panelView) wants(rests bool) {
	s := v.curves.own().Selectors
	if s == nil || len(s.Looks) == 0 || len(slices.Compact(slices.Sorted(slices.Values(s.Looks[len(s.Looks)-1].Leaders)))) == len(s.Looks[len(s.Looks)-1].Leaders) {
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
		if err == nil { // the watch says why not
			v.Set(map[string]any{"sentence": rivals(selected)})
		}
	})
}

const (
	wanted     = 0.1 // the probability from which a selector wants its leader: below it leaders come and go
	mostRivals = 3   // genes that several selectors want are told of
)

// rivals says which selectors want one gene, and what those are likely to get that do not get it.
func rivals(selected []session.Selected) string {
	var parts []string
	losers := map[int][]session.Selected{} // by the selector that wins
	for _, s := range bySelector(selected) {
		if s.LostTo != nil && s.Leader.Probability >= wanted {
			losers[*s.LostTo] = append(losers[*s.LostTo], s)
		}
	}
	for _, winner := range slices.Sorted(maps.Keys(losers)) {
		want, get := []int{winner}, ""
		for _, s := range losers[winner] {
			want = append(want, s.Selector)
			get += fmt.Sprintf("; %d is likely to get %s", s.Selector, oneLine(s.Name))
		}
		slices.Sort(want)
		all := "all"
		if len(want) == 2 {
			all = "both"
		}
		parts = append(parts, fmt.Sprintf("selectors %s %s want %s%s", words.Listed(want), all, oneLine(losers[winner][0].Leader.Name), get))
	}
	if more := len(parts) - mostRivals; more > 0 {
		parts = append(parts[:mostRivals], fmt.Sprintf("and so of %s more", phrase.Count(more, "gene")))
	}
	return strings.Join(parts, ". ")
}

// show shows where the session stands.
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

// showPast lets the slider stand at the present step where the chosen one is not past, or not any more.
func (v *panelView) showPast() {
	if integer(v.Get("past")) >= v.Status().Step {
		v.Set(map[string]any{"past": now})
		v.travel(now)
	}
	v.Set(v.facts())
}

// facts are the tiles of the step that is looked at, and what their values are of.
func (v *panelView) facts() map[string]any {
	status, at := v.Status(), integer(v.Get("past"))
	if at >= 0 {
		return map[string]any{"facts": factsState(pastStatus(v.curves.own(), status, at)),
			"meaning": fmt.Sprintf("as the curves have it at step %d; the training stands at step %d", at, status.Step)}
	}
	meaning := "τ and σ: of the next step"
	if status.Trained {
		meaning = "losses and training " + status.TrainScore.Metric.Name() + ": means of the last epoch"
		if status.StepsPerEpoch > 0 && status.Step%status.StepsPerEpoch != 0 {
			meaning = "losses and training " + status.TrainScore.Metric.Name() + ": means over an epoch up to this step"
		}
		if status.ValidationScore != nil {
			meaning += "; validation: at the last regular look at P"
		}
		meaning += "; τ and σ: of the next step"
	}
	return map[string]any{"facts": factsState(status), "meaning": meaning}
}

// draw is the panel for readers without a kernel: the curves and the status line.
func (v *panelView) draw() ipywidgets.Bundle {
	status := v.Status()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	history, err := ask(v.life, func(ctx context.Context) (session.History, error) {
		return v.session.History(ctx, *curvesRequest())
	})
	if known := v.curves.own(); err != nil && len(known.Curves) > 0 && status.State != session.Closed {
		history, err = known, nil
	}
	if err == nil {
		if epochs, chosen := v.Get("smoothing").(float64); chosen && epochs >= 0 {
			history.Smooth = new(int(epochs))
		}
		if drawn, err := chart.Panel(history, v.shared.palette); err == nil {
			drawn.Text = picture.Text
			picture = drawn
		}
	}
	return snapshot(picture)
}

// pressed takes what a person pressed, and a page that asks for the curves. A verb may take long and another one, such as Pause, end it: so
// none waits for the one before.
func (v *panelView) pressed(content json.RawMessage) {
	var message struct {
		Do     string `json:"do"`
		N      int    `json:"n"`      // of step
		Step   int    `json:"step"`   // of rewind and fork; now is the present one
		As     string `json:"as"`     // of fork
		Pace   string `json:"pace"`   // of run
		Column int    `json:"column"` // of feature; below 0 is none
		Event  int    `json:"event"`  // of without: its number in the history
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
		"apart":   func() { v.standBeside(nil) },
		"without": func() { v.without(message.Event) },
		"fork":    func() { v.fork(strings.TrimSpace(message.As), message.Step) },
	}
	if err == nil && message.Do == "curves" {
		v.curves.tellAll()
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

// do says that a verb begins, makes it, and says why it was not done. status and done are its answer.
func (v *panelView) do(begins string, verb func() (session.Status, error)) (status session.Status, done bool) {
	v.say(begins + " …")
	status, err := verb()
	if err != nil {
		v.fail(err)
	}
	return status, err == nil
}

// step makes n steps, or adds them to those that are being made: 10 × step 1 is step 10, bit for bit.
func (v *panelView) step(n int) {
	v.mu.Lock()
	v.wanted += n
	busy := v.stepping
	v.stepping = true
	v.mu.Unlock()
	for !busy {
		v.mu.Lock()
		n := v.wanted
		v.wanted = 0
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
		v.show(status) // at once: the watch tells it within a tenth of a second
		v.say(endReason(status))
	}
}

func (v *panelView) forgetSteps() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wanted = 0
}

// run begins a run in the background.
func (v *panelView) run(pace string) {
	status, done := v.do("starting", func() (session.Status, error) {
		return v.session.Run(v.life, session.Until{Wait: new(false), Pace: pace})
	})
	if !done {
		return
	}
	v.say("")
	if status.State != session.Running { // it was at its end
		v.show(status)
		v.say(endReason(status))
	}
}

// pause ends what runs, and the steps that are waiting.
func (v *panelView) pause() {
	v.forgetSteps()
	if status, done := v.do("pausing", func() (session.Status, error) { return v.session.Pause(v.life) }); done {
		v.show(status)
		v.say("")
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
	v.trips.Lock()
	defer v.trips.Unlock()
	v.forgetSteps()
	status, done := v.do(fmt.Sprint("rewinding to step ", step), func() (session.Status, error) { return v.session.Rewind(v.life, step) })
	if done {
		v.Set(map[string]any{"past": now})
		v.travel(now)
		v.show(status)
		v.say(fmt.Sprint("rewound to step ", status.Step))
	}
}

// without takes the session back to where something was changed, and runs on without the change.
func (v *panelView) without(number int) {
	events := v.curves.own().Events
	if number < 0 || number >= len(events) || events[number].Kind != "set" {
		v.say("this change is not there any more")
		return
	}
	e, alone := events[number], true
	for i, other := range events {
		alone = alone && (i == number || other.Step != e.Step)
	}
	if alone && e.Step > 0 { // the steps before it alone come again
		v.back(e.Step - 1)
	} else { // with what else happened there
		v.back(e.Step)
		for _, c := range e.Changes {
			v.set(c.Key, c.From)
		}
	}
	if v.Get("failed") != true {
		v.run("")
	}
}

// fork makes another session of the past up to a step, or the present one, and opens its panel beside this one.
func (v *panelView) fork(as string, step int) {
	v.trips.Lock()
	defer v.trips.Unlock()
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
	v.standBeside(newPanel(v.life, v.manager, v.host, status))
	v.say(fmt.Sprintf("forked at step %d: the panel of %s opens beside; %%fsnet panel %s shows it in another cell", status.Step, as, as))
	v.branch(as, status.Step)
}

// standBeside shows the panel of a fork beside this one, or with nil none. The panel that stood there ends, with the forks' panels beside it.
func (v *panelView) standBeside(next *panelView) {
	id := ""
	if next != nil {
		next.Follow()
		id = next.ID()
	}
	v.mu.Lock()
	last := v.beside
	v.beside = next
	v.mu.Unlock()
	v.Set(map[string]any{"beside": id})
	if last != nil {
		last.standBeside(nil)
		last.end()
		v.manager.Forget(last.Model)
	}
}

// nextName is the name that a fork of a session gets where a person gives none: NAME-2, and of that NAME-3.
func nextName(name string) string {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil && n > 1 && n < 1e6 {
			return name[:at+1] + strconv.Itoa(n+1)
		}
	}
	return name + "-2"
}

// feature shows the feature of a column below the curves, or none.
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

// set changes a live key from the next step on.
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
		v.show(v.Status()) // the controls show what is in force
		return
	}
	v.say(event.String())
	if status, err := v.session.Status(v.life); err == nil {
		v.show(status)
	}
}

// findBranches finds the other sessions that have a part of this one's past, forks and what it was forked from, and draws them.
func (v *panelView) findBranches() {
	events := func(name string) ([]session.Event, error) {
		h, err := session.On(v.host, name).History(v.life, session.HistoryRequest{Metrics: []string{"tau"}, Points: 4}) // the curve is a by-product
		return h.Events, err
	}
	mine, err := events(v.name)
	if err != nil {
		return // the watch says why
	}
	sessions, err := session.VerbSessions.Call(v.life, v.host, session.None{})
	if err != nil {
		return
	}
	own := v.Status()
	for _, s := range sessions {
		v.mu.Lock()
		known := v.drawn[s.Session]
		v.mu.Unlock()
		if known || s.Session == v.name || s.Dataset != own.Dataset || s.D != own.D || s.Config.K != own.Config.K ||
			s.Config.Seed != own.Config.Seed {
			continue
		}
		if theirs, err := events(s.Session); err == nil {
			if step, ok := parted(mine, theirs); ok {
				v.branch(s.Session, step)
			}
		}
	}
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

// branch draws another session's curves from a step on, until it is closed.
func (v *panelView) branch(name string, from int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.drawn[name] || len(v.drawn) >= mostBranches {
		return
	}
	v.drawn[name] = true
	request := curvesRequest()
	request.From, request.Selectors = from, false // those of one session are enough to look at
	go func() {
		//nolint:errcheck // a branch that cannot be watched any more stays as it was drawn
		v.watchSession(v.life, name, session.WatchRequest{History: request, Rate: branchRate}, func(u session.Update) {
			if u.History != nil {
				if err := v.curves.applyBranch(name, *u.History); err != nil {
					v.fail(err)
				}
			}
		})
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.drawn, name)
	}()
}

// headState is the session's name, its state, what trains its selectors, and what does not work beside the training.
func headState(s session.Status) map[string]any {
	data := ""
	if s.Dataset != "" {
		data = fmt.Sprintf("%s, %d × %d, K = %d", s.Dataset, s.N, s.D, s.Config.K)
		if s.Backend != "" {
			data += ", on " + s.Backend
		}
	}
	return map[string]any{
		"session": s.Session, "state": string(s.State), "reason": s.Reason, "data": data, "method": s.Method(), "read_only": s.ReadOnly,
		"warning": s.Warning, "directory": s.RunDirectory,
	}
}

// endReason says why steps ended, where that is more than that they were made.
func endReason(s session.Status) string {
	switch s.State {
	case session.Settled, session.Done, session.Broken:
		return s.Reason
	}
	return ""
}
