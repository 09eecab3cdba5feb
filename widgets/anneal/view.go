package anneal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/follow"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// View is the annealing of one session.
type View struct {
	life     context.Context
	service  session.Service
	name     string
	any      *ipywidgets.Any
	follower *follow.Follower
	still    *still.Keeper

	mu       sync.Mutex
	status   session.Status
	selected []session.Selected
	history  session.History
	answers  int
	trouble  bool // the line says what is over when the session goes on
}

var _ ipywidgets.Widget = (*View)(nil)

const (
	rate       = 5   // updates a second
	pastPoints = 200 // of the curve behind
)

// New makes the view of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, status session.Status) *View {
	v := &View{life: life, service: s, name: status.Session, status: status}
	v.any = ipywidgets.NewAny(m, frontend.Module("schedule"), map[string]ipywidgets.Entry{
		"now":     {Value: nowState(status)},
		"past":    {Value: []byte{}}, // epochs and temperatures in turn, float32
		"plan":    {Value: []any{}},  // the curve as it is meant, and its points
		"points":  {Value: []any{}},
		"rows":    {Value: []any{}},
		"message": {Value: ""},
		"answer":  {Value: 0}, // counts the edits that were answered

		still.Entry: {},
	})
	v.any.AddClass("fsnet-anneal")
	v.any.Layout.Set(map[string]string{"width": "auto", "max_width": "1100px"})
	v.any.Set(v.planState(status))
	v.any.OnMessage(v.edit)
	v.still = still.New(life, v.any, v.Root, v.draw)
	request := session.WatchRequest{
		Selection: true, History: &session.HistoryRequest{Metrics: []string{"tau", "max_probability"}, Points: pastPoints}, Rate: rate,
	}
	v.follower = follow.New(life, s, status.Session, request, v.tell, v.fail)
	return v
}

// Root implements ipywidgets.Widget.
func (v *View) Root() *ipywidgets.Model { return v.any.Root() }

// Follow shows the session from now on, also one that was opened again under the name.
func (v *View) Follow() { v.follower.Follow() }

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	if u.Status.State == session.Closed {
		v.mu.Lock()
		v.history, v.trouble = session.History{}, true
		v.mu.Unlock()
		v.say("session " + v.name + " is closed: open it again, and this view goes on")
		return
	}
	v.mu.Lock()
	over := v.trouble && u.Problem == ""
	v.status, v.trouble = u.Status, u.Problem != ""
	if u.Problem == "" {
		v.selected = u.Selection
	}
	if u.History != nil {
		v.history.Apply(*u.History)
		v.history.Curves = thinned(v.history.Curves)
	}
	past := pastState(v.history)
	v.mu.Unlock()
	state := v.planState(u.Status)
	state["now"], state["past"] = nowState(u.Status), past
	if u.Problem == "" {
		state["rows"] = rowsState(u.Selection)
	} else {
		state["message"] = u.Problem
	}
	if over {
		state["message"] = ""
	}
	v.any.Set(state)
	v.still.Changed(u.Status.State == session.Running)
}

// thinned keeps curves that grow with every update from growing without end: of those much longer than they are drawn, every second point.
func thinned(curves map[string]session.Curve) map[string]session.Curve {
	for name, c := range curves {
		if len(c.Steps) < 4*pastPoints {
			continue
		}
		var thin session.Curve
		for i := range c.Steps {
			if i%2 == 0 || i == len(c.Steps)-1 {
				thin.Steps, thin.Values = append(thin.Steps, c.Steps[i]), append(thin.Values, c.Values[i])
			}
		}
		curves[name] = thin
	}
	return curves
}

// edit takes the points ahead as a person has drawn them: {"points": [[epoch, τ], …]}.
func (v *View) edit(content json.RawMessage, _ [][]byte) {
	v.follower.Follow()
	ahead, err := readPoints(content)
	var line string
	if err == nil {
		line, err = v.set(ahead)
	}
	if err != nil {
		line = err.Error()
	}
	v.mu.Lock()
	v.answers++
	answers, status := v.answers, v.status
	v.mu.Unlock()
	state := v.planState(status)
	state["answer"], state["message"] = answers, oneLine(line)
	v.any.Set(state)
}

func readPoints(content json.RawMessage) ([]Point, error) {
	var message struct {
		Points [][]float64 `json:"points"`
	}
	const remedy = "nothing changed; reload the page if it happens again"
	if err := json.Unmarshal(content, &message); err != nil || message.Points == nil {
		return nil, fault.New(fault.Request, remedy, "a message to the annealing has no points")
	}
	points := make([]Point, len(message.Points))
	for i, pair := range message.Points {
		if len(pair) != 2 {
			return nil, fault.New(fault.Request, remedy, "point %d has %d numbers, not an epoch and a temperature", i, len(pair))
		}
		points[i] = Point{pair[0], pair[1]}
	}
	return points, nil
}

// set puts the points into force.
func (v *View) set(ahead []Point) (line string, err error) {
	status, err := v.service.Status(v.life, v.name)
	if err != nil {
		return "", err
	}
	schedule, passed, err := Compose(status, ahead)
	if err != nil {
		return "", err
	}
	event, err := v.service.Set(v.life, v.name, session.Config{Schedule: schedule})
	if err != nil {
		return "", err
	}
	v.mu.Lock()
	v.status.Config.Schedule = schedule
	v.mu.Unlock()
	line = event.String()
	if passed > 0 {
		line += fmt.Sprintf(" (%d passed meanwhile)", passed)
	}
	return line, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (v *View) say(line string) { v.any.Set(map[string]any{"message": oneLine(line)}) }

func (v *View) fail(err error) { v.say(err.Error()) }

// planState is the schedule as the page draws it.
func (v *View) planState(s session.Status) map[string]any {
	state := map[string]any{}
	plan, err := along(s, curve)
	points, err2 := Points(s)
	if err != nil || err2 != nil || s.Config.Epochs < 1 { // not reached: settings are checked
		return state
	}
	state["plan"], state["points"] = pairs(plan), pairs(points)
	return state
}

func pairs(points []Point) []any {
	list := make([]any, len(points))
	for i, p := range points {
		list[i] = []any{p.Epoch, p.Tau}
	}
	return list
}
