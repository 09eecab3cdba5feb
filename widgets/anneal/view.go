package anneal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// View is the annealing of one session.
type View struct {
	*live.View

	mu       sync.Mutex
	selected []session.Selected
	history  session.History
	answers  int
}

const (
	rate       = 5   // updates a second
	pastPoints = 200 // of the curve behind
)

// New makes the view of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, c session.Caller, status session.Status) *View {
	v := new(View)
	v.View = live.New(life, m, c, status, frontend.Module("anneal"), map[string]ipywidgets.Entry{
		"now":            {Value: nowState(status)},
		"past_tau":       {Value: []byte{}}, // epochs and values in turn, float32
		"past_sharpness": {Value: []byte{}},
		"plan":           {Value: map[string]any{}}, // by what is drawn: the curve as it is meant, and its points
		"points":         {Value: map[string]any{}},
		"rows":           {Value: []any{}},
		"answer":         {Value: 0}, // counts the edits that were answered
	})
	v.Set(v.planState(status))
	v.OnMessage(v.edit)
	v.Watch(session.WatchRequest{
		Selection: true, History: &session.HistoryRequest{Metrics: []string{"tau", "sharpness", "max_probability"}, Points: pastPoints},
		Rate: rate,
	}, v.tell, v.draw)
	return v
}

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	closed := u.Status.State == session.Closed
	v.mu.Lock()
	switch {
	case closed:
		v.history = session.History{}
	case u.Problem == "":
		v.selected = u.Selection
	}
	if u.History != nil {
		v.history.Apply(*u.History)
		for name, c := range v.history.Curves {
			if len(c.Steps) > 4*pastPoints { // they grow with every update
				v.history.Curves[name] = c.Thin(2 * pastPoints)
			}
		}
	}
	past := map[Drawn][]byte{}
	for _, d := range both() {
		past[d] = d.pastState(v.history)
	}
	v.mu.Unlock()
	if closed {
		return
	}
	state := v.planState(u.Status)
	state["now"] = nowState(u.Status)
	for d, bytes := range past {
		state["past_"+string(d)] = bytes
	}
	if u.Problem == "" {
		state["rows"] = rowsState(u.Selection)
	}
	v.Set(state)
	v.Changed()
}

// edit takes the points ahead as a person has drawn them: {"drawn": "sharpness", "points": [[epoch, σ], …]}; not said, it is the
// temperature.
func (v *View) edit(content json.RawMessage) {
	v.Follow()
	drawn, ahead, err := readPoints(content)
	var line string
	if err == nil {
		line, err = v.set(drawn, ahead)
	}
	if err != nil {
		v.Fail(err)
	} else {
		v.Say(line)
	}
	v.mu.Lock()
	v.answers++
	answers := v.answers
	v.mu.Unlock()
	state := v.planState(v.Status())
	state["answer"] = answers
	v.Set(state)
}

func readPoints(content json.RawMessage) (Drawn, []Point, error) {
	var message struct {
		Drawn  Drawn       `json:"drawn"`
		Points [][]float64 `json:"points"`
	}
	const remedy = "nothing changed; reload the page if it happens again"
	if err := json.Unmarshal(content, &message); err != nil || message.Points == nil {
		return "", nil, fault.New(fault.Request, remedy, "a message to the annealing has no points")
	}
	if message.Drawn = cmp.Or(message.Drawn, Temperature); !message.Drawn.known() {
		return "", nil, fault.New(fault.Request, remedy, "%.40q cannot be drawn", message.Drawn)
	}
	points := make([]Point, len(message.Points))
	for i, pair := range message.Points {
		if len(pair) != 2 {
			return "", nil, fault.New(fault.Request, remedy, "point %d has %d numbers, not an epoch and a value", i, len(pair))
		}
		points[i] = Point{pair[0], pair[1]}
	}
	return message.Drawn, points, nil
}

// set puts the points into force.
func (v *View) set(drawn Drawn, ahead []Point) (line string, err error) {
	status, err := v.Session.Status(v.Life)
	if err != nil {
		return "", err
	}
	schedule, passed, err := drawn.Compose(status, ahead)
	if err != nil {
		return "", err
	}
	of := drawn.drawing()
	event, err := v.Session.Set(v.Life, of.change(schedule))
	if err != nil {
		return "", err
	}
	*of.schedule(&status.Config.Live) = schedule
	v.Know(status)
	line = event.String()
	if passed > 0 {
		line += fmt.Sprintf(" (%d passed meanwhile)", passed)
	}
	return line, nil
}

// planState is the schedules as the page draws them.
func (v *View) planState(s session.Status) map[string]any {
	plans, shown := map[string]any{}, map[string]any{}
	for _, d := range both() {
		plan, err := d.along(s, curve, true)
		points, err2 := d.Points(s)
		if err != nil || err2 != nil || s.Config.Epochs < 1 { // not reached: settings are checked
			return map[string]any{}
		}
		plans[string(d)], shown[string(d)] = pairs(plan), pairs(points)
	}
	return map[string]any{"plan": plans, "points": shown}
}

func pairs(points []Point) []any {
	list := make([]any, len(points))
	for i, p := range points {
		list[i] = []any{p.Epoch, p.Value}
	}
	return list
}
