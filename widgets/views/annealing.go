package views

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// annealingView shows the schedules of temperature and sharpness of one
// session, and what each selector is about to choose. The user can move the
// points ahead of the current step. The points behind it stay, and the curve
// shows the values that were used.
type annealingView struct {
	*View

	past pastStep // whose selectors are shown

	mu       sync.Mutex
	selected []session.Selected
	history  session.History
	answers  int
}

const (
	annealingRate = 5   // updates a second
	pastPoints    = 200 // of the curve so far
	stretches     = 200 // of the curve ahead
)

// Annealing returns the live view of the schedules. It acts until life ends.
// Follow starts it.
func Annealing(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status) *View {
	v := &annealingView{past: pastStep{at: now}}
	v.View = newView(life, m, host, status, module("anneal"), map[string]ipywidgets.Entry{
		"now":            {Value: annealingNow(status)},
		"past_tau":       {Value: []byte{}}, // epochs and values alternate, float32
		"past_sharpness": {Value: []byte{}},
		"plan":           {Value: map[string]any{}}, // by schedule: its curve and its points
		"points":         {Value: map[string]any{}},
		"rows":           {Value: []any{}},
		"at":             {Value: now}, // the step of rows
		"then":           {},           // if rows are of a past step: its step, epoch, tau and sharpness
		"answer":         {Value: 0},   // counts the edits that were answered
	})
	v.Set(planState(status))
	v.OnMessage(v.edit)
	request := annealingHistory()
	request.Points = pastPoints
	v.setUp(session.WatchRequest{Selection: true, History: &request, Rate: annealingRate}, v.update, v.draw)
	v.followPast(func(step int) { go v.guard(func() { v.past.goTo(step, v.showAt) }) }, nil)
	return v.View
}

// showAt shows the selectors after a past step, or the current ones if step is
// now. It waits for a replay of the step. An error becomes the view's message.
func (v *annealingView) showAt(step int) {
	var rows []any
	var then any
	if step == now {
		v.mu.Lock()
		rows = annealingRows(v.selected)
		v.mu.Unlock()
	} else {
		m, err := v.session.Matrix(v.life, session.MatrixRequest{Step: &step, Top: mostTop})
		if err != nil {
			v.fail(err)
			return
		}
		v.mu.Lock()
		past := pastStatus(v.history, v.Status(), step)
		v.mu.Unlock()
		rows = pastRows(m)
		then = map[string]any{"step": step, "epoch": m.Epoch, "tau": m.Tau, "sharpness": past.Sharpness}
	}
	if v.past.step() == step {
		v.Set(map[string]any{"rows": rows, "at": step, "then": then})
	}
}

// pastRows returns the selectors of a matrix by number, as annealingRows does,
// with nil for values that a matrix doesn't have. It omits selectors without a
// leader, an assigned feature or a second column.
func pastRows(m session.Matrix) []any {
	rows := make([]any, 0, len(m.Values))
	for i, row := range m.Values {
		best := make([]int, len(row)) // columns, largest value first
		for j := range row {
			best[j] = j
		}
		slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		assigned := -1
		if i < len(m.Selected) {
			assigned = m.Selected[i]
		}
		if len(best) < 2 || assigned < 0 || i >= len(m.Leaders) || i >= len(m.LeaderValues) {
			continue
		}
		var lost any
		if m.Names[assigned] != m.Leaders[i] { // find the selector that has the leader
			for other, j := range m.Selected {
				if j >= 0 && m.Names[j] == m.Leaders[i] {
					lost = m.Selectors[other]
				}
			}
		}
		var replaced any
		if x := m.Contest.Replaced(m.Selectors[i]); x != nil {
			replaced = x.From.Name
		}
		rows = append(rows, []any{m.Selectors[i], m.Leaders[i], m.LeaderValues[i], nil, row[best[0]] - row[best[1]], m.Names[best[1]],
			nil, nil, nil, lost, m.Names[assigned], row[assigned], replaced})
	}
	slices.SortFunc(rows, func(a, b any) int { return cmp.Compare(a.([]any)[0].(int), b.([]any)[0].(int)) })
	return rows
}

func annealingHistory() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"tau", "sharpness", "max_probability", "max_soft"}}
}

// update shows the current schedules and applies changes of the history. The
// selectors follow only while the current state is shown.
func (v *annealingView) update(u session.Update) {
	state := planState(u.Status)
	state["now"] = annealingNow(u.Status)
	v.mu.Lock()
	if u.Status.State == session.Closed {
		v.history = session.History{}
		v.mu.Unlock()
		return
	}
	if u.Problem == "" {
		v.selected = u.Selection
		if v.past.step() == now {
			state["rows"] = annealingRows(u.Selection)
		}
	}
	if u.History != nil {
		if err := v.history.Apply(*u.History); err != nil {
			v.mu.Unlock()
			v.fail(err)
			return
		}
		for name, c := range v.history.Curves {
			if len(c.Steps) > 4*pastPoints { // curves grow with every update
				v.history.Curves[name] = c.Thin(2 * pastPoints)
			}
		}
	}
	for _, d := range schedules() {
		state["past_"+d.metric] = d.past(v.history)
	}
	v.mu.Unlock()
	v.Set(state)
	v.changed()
}

// edit sets the points ahead as the user has drawn them: {"drawn": "sharpness",
// "points": [[epoch, σ], …]}. Without "drawn" they are points of the
// temperature. It counts the answer even if the points are rejected, because
// the page keeps its draft until then.
func (v *annealingView) edit(content json.RawMessage) {
	v.Follow()
	drawn, ahead, err := readPoints(content)
	var line string
	if err == nil {
		line, err = v.set(drawn, ahead)
	}
	if err != nil {
		v.fail(err)
	} else {
		v.say(line)
	}
	v.mu.Lock()
	v.answers++
	answers := v.answers
	v.mu.Unlock()
	state := planState(v.Status())
	state["answer"] = answers
	v.Set(state)
}

// readPoints reads a message. See edit. It checks the message's form, but not
// the values.
func readPoints(content json.RawMessage) (drawn schedule, points []point, err error) {
	var message struct {
		Drawn  string      `json:"drawn"`
		Points [][]float64 `json:"points"`
	}
	const remedy = "nothing changed; reload the page if it happens again"
	if err := json.Unmarshal(content, &message); err != nil || message.Points == nil {
		return drawn, nil, errs.New(errs.Request, remedy, "a message to the annealing has no points")
	}
	metric := cmp.Or(message.Drawn, temperature().metric)
	at := slices.IndexFunc(schedules(), func(d schedule) bool { return d.metric == metric })
	if at < 0 {
		return drawn, nil, errs.New(errs.Request, remedy, "%.40q cannot be drawn", metric)
	}
	for i, pair := range message.Points {
		if len(pair) != 2 {
			return drawn, nil, errs.New(errs.Request, remedy, "point %d has %d numbers, not an epoch and a value", i, len(pair))
		}
		points = append(points, point{pair[0], pair[1]})
	}
	return schedules()[at], points, nil
}

// set makes the points take effect and returns a line that says so, with the
// number of points that the training has passed in the meantime.
func (v *annealingView) set(drawn schedule, ahead []point) (line string, err error) {
	status, err := v.session.Status(v.life)
	if err != nil {
		return "", err
	}
	text, passed, err := drawn.compose(status, ahead)
	if err != nil {
		return "", err
	}
	var changes session.Config
	if err := changes.Set(drawn.key, text); err != nil {
		return "", err
	}
	event, err := v.session.Set(v.life, changes)
	if err != nil {
		return "", err
	}
	*drawn.text(&status.Config.Live) = text
	v.setStatus(status)
	line = event.String()
	if passed > 0 {
		line += fmt.Sprintf(" (%d passed meanwhile)", passed)
	}
	return line, nil
}

// planState returns the schedules as the page draws them. It is empty for a
// session with unknown settings.
func planState(s session.Status) map[string]any {
	plans, shown := map[string]any{}, map[string]any{}
	for _, d := range schedules() {
		plan, err := d.along(s, stretches, true)
		points, err2 := d.points(s)
		if err != nil || err2 != nil || s.Config.Epochs < 1 { // a closed session whose settings were not checked
			return map[string]any{}
		}
		plans[d.metric], shown[d.metric] = pairs(plan), pairs(points)
	}
	return map[string]any{"plan": plans, "points": shown}
}

// pairs returns points as the page has them, [epoch, value].
func pairs(points []point) []any {
	list := make([]any, len(points))
	for i, p := range points {
		list[i] = []any{p.epoch, p.value}
	}
	return list
}

// annealingNow returns the position of the training, and why schedules have no
// effect.
func annealingNow(s session.Status) map[string]any {
	idle := map[string]any{}
	for _, d := range schedules() {
		if why := d.idle(s.Config); why != "" {
			idle[d.metric] = why
		}
	}
	return map[string]any{
		"idle":    idle,
		"session": s.Session, "step": s.Step, "steps": s.Steps, "epoch": s.Epoch, "epochs": s.Config.Epochs, "state": string(s.State),
		"tau": s.Tau, "schedule": s.Config.Schedule, "by_epoch": s.Config.TauEvery == config.TauEpoch,
		"sharpness": s.Sharpness, "sharpness_schedule": s.Config.SharpnessSchedule,
		"settled": s.SettledRows, "per_epoch": s.StepsPerEpoch,
	}
}

func bySelector(selected []session.Selected) []session.Selected {
	return slices.SortedFunc(slices.Values(selected), func(a, b session.Selected) int { return cmp.Compare(a.Selector, b.Selector) })
}

// annealingRows returns the selectors by number, as lists without names because
// they are sent often. Missing values are nil.
func annealingRows(selected []session.Selected) []any {
	rows := make([]any, len(selected))
	for i, s := range bySelector(selected) {
		var at, lost, replaced any
		if s.Replaced != nil {
			replaced = s.Replaced.Name
		}
		if s.SettlesAt != nil {
			at = *s.SettlesAt
		}
		if s.LostTo != nil {
			lost = *s.LostTo
		}
		rows[i] = []any{
			s.Selector, s.Leader.Name, s.Leader.Probability, s.Entropy, s.Leader.Probability - s.Second.Probability, s.Second.Name,
			s.Changes, s.LeadsSince, at, lost, s.Name, s.Probability, replaced,
		}
	}
	return rows
}

// draw renders the annealing for readers without a kernel: temperature and
// sharpness so far and ahead, and the selectors as text.
func (v *annealingView) draw() ipywidgets.Bundle {
	v.mu.Lock()
	selected, known := slices.Clone(v.selected), v.history
	v.mu.Unlock()
	status := v.Status()
	picture := v.drawHistory(annealingHistory(), known, func(h session.History) (chart.Picture, error) {
		return chart.Annealing(h, temperature().ahead(status), sharpness().ahead(status))
	})
	if len(selected) == 0 {
		// Without an answer, the text is only the status.
		selected, _ = ask(v.life, func(ctx context.Context) ([]session.Selected, error) { return v.session.Selection(ctx) })
	}
	picture.Text += selectorLines(selected, status)
	return snapshot(picture)
}

// selectorLines lists the selectors by number, each after a line break. It
// returns "" if there are none.
func selectorLines(selected []session.Selected, now session.Status) string {
	var b strings.Builder
	for _, s := range bySelector(selected) {
		changed := fmt.Sprintf("changed %d times", s.Changes)
		if s.Changes < 2 {
			changed = []string{"never changed", "changed once"}[s.Changes]
		}
		fmt.Fprintf(&b, "\nselector %d: %s %.3f, entropy %.2f bits, margin %.3f, leader since step %d, %s, %s",
			s.Selector, oneLine(s.Leader.Name), s.Leader.Probability, s.Entropy, s.Leader.Probability-s.Second.Probability,
			s.LeadsSince, changed, settling(s, now))
		if s.LostTo != nil {
			fmt.Fprintf(&b, "; duplicate: selector %d has it, this one gets %s", *s.LostTo, oneLine(s.Name))
		}
		if s.Replaced != nil {
			fmt.Fprintf(&b, "; replaced %s in the contest", oneLine(s.Replaced.Name))
		}
	}
	return b.String()
}

// settling describes when a selector settles, as the page does.
func settling(s session.Selected, now session.Status) string {
	switch at := s.SettlesAt; {
	case at == nil:
		return "no trend to settle"
	case *at > now.Steps:
		return "does not settle within this schedule"
	case *at <= now.Step && s.Leader.Probability >= 0.9:
		return fmt.Sprintf("settled at step %d", *at)
	default:
		return fmt.Sprintf("settles at about step %d", *at)
	}
}
