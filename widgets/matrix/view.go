package matrix

import (
	"context"
	"strings"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/follow"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// View is the live matrix of one session.
type View struct {
	life     context.Context
	service  session.Service
	name     string
	any      *ipywidgets.Any
	follower *follow.Follower
	still    *still.Keeper

	mu     sync.Mutex
	wish   wish
	status session.Status
	last   session.Matrix // as the session sent it
	drawn  int            // counts what is shown, so that an old answer is known
}

var _ ipywidgets.Widget = (*View)(nil)

// wish is what a person wants to see.
type wish struct {
	of    string
	top   int     // columns at the most
	least float64 // a column has a value of at least this
	at    int     // a step; now is the present one
}

// now follows the run.
const now = -1

// The limits of what a person may ask for.
const (
	usualTop = 40
	mostTop  = 200
	mostStep = 1_000_000_000
)

// New makes the view of the session whose status is given. It acts until life ends; Follow begins to show what happens.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, status session.Status) *View {
	v := &View{life: life, service: s, name: status.Session, status: status}
	v.wish = wish{of: "probability", top: min(max(usualTop, status.Config.K), mostTop), at: now}
	v.any = ipywidgets.NewAny(m, frontend.Module("matrix", "feature"), map[string]ipywidgets.Entry{
		"of":      {Value: v.wish.of, Person: true, Check: oneOf("probability", "sample", "soft")},
		"top":     {Value: v.wish.top, Person: true, Check: whole(1, mostTop)},
		"least":   {Value: v.wish.least, Person: true, Check: between(0, 1)},
		"at":      {Value: now, Person: true, Check: whole(now, mostStep)},
		"log":     {Value: true, Person: true, Check: yesOrNo},
		"picked":  {Value: now, Person: true, Check: whole(now, mostStep)}, // a column of the file
		"feature": {},
		"session": {Value: status.Session},
		"status":  {Value: statusState(status)},
		"message": {Value: ""},
		"when":    {Value: nil},
		"columns": {Value: []any{}},
		"rows":    {Value: []any{}},
		"values":  {Value: []byte{}}, // rows × (columns + 1), the last is the mass left out

		still.Entry: {},
	})
	v.any.AddClass("fsnet-matrix")
	v.any.Layout.Set(map[string]string{"width": "auto", "max_width": "1100px"})
	v.any.OnChange("of", func(value any) { v.ask(func(w *wish) { w.of, _ = value.(string) }) })
	v.any.OnChange("top", func(value any) { v.ask(func(w *wish) { w.top = integer(value) }) })
	v.any.OnChange("at", func(value any) { v.ask(func(w *wish) { w.at = integer(value) }) })
	v.any.OnChange("least", func(value any) { v.setLeast(value) })
	v.any.OnChange("picked", func(value any) { v.pick(integer(value)) })
	v.still = still.New(life, v.any, v.Root, v.draw)
	v.follower = follow.New(life, s, status.Session, v.request(v.wish), v.tell, v.fail)
	return v
}

// Root implements ipywidgets.Widget.
func (v *View) Root() *ipywidgets.Model { return v.any.Root() }

// Follow shows the session from now on, also one that was opened again under the name.
func (v *View) Follow() { v.follower.Follow() }

// Adjust shows what a request asks for; what it leaves open stays as it is.
func (v *View) Adjust(request session.MatrixRequest) {
	v.mu.Lock()
	if request.Of != "" {
		v.wish.of = request.Of
	}
	if request.Top > 0 {
		v.wish.top = min(request.Top, mostTop)
	}
	if request.Step != nil {
		v.wish.at = *request.Step
	}
	w := v.wish
	v.mu.Unlock()
	v.any.Set(map[string]any{"of": w.of, "top": w.top, "at": w.at})
	go v.get(w) // a past step may take a moment
}

// ask changes the wish and gets what it asks for.
func (v *View) ask(change func(*wish)) {
	v.mu.Lock()
	change(&v.wish)
	w := v.wish
	v.mu.Unlock()
	v.get(w)
}

func (v *View) get(w wish) {
	v.follower.Ask(v.request(w))
	v.follower.Follow()
	if w.at != now {
		v.past(w)
	}
}

// bytesPerSecond is how much the heat map may send: a page on the other side of a slow line goes on to answer.
const bytesPerSecond = 80_000

// request is what to watch: the matrix where the present one is shown.
func (v *View) request(w wish) session.WatchRequest {
	if w.at != now {
		return session.WatchRequest{Rate: 2}
	}
	v.mu.Lock()
	k := max(1, v.status.Config.K)
	v.mu.Unlock()
	size := 4*k*(w.top+1) + 40*w.top + 800 // values, names, frame
	rate := min(session.MaxRate, max(0.1, float64(bytesPerSecond)/float64(size)))
	return session.WatchRequest{Matrix: &session.MatrixRequest{Of: w.of, Top: w.top}, Rate: rate}
}

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	s := u.Status
	v.mu.Lock()
	if s.State == session.Closed && s.Steps == 0 { // a session that has gone says no more than that
		s = v.status
		s.State = session.Closed
	}
	moved := s.Step != v.status.Step && s.State != session.Running
	v.status = s
	w := v.wish
	v.mu.Unlock()
	v.any.Set(map[string]any{"status": statusState(s)})
	switch {
	case s.State == session.Closed:
		v.say("session " + s.Session + " is closed: open it again, and this view goes on")
		return
	case u.Problem != "":
		v.say(u.Problem)
		return
	case w.at > s.Step: // a rewind went behind it
		v.ask(func(w *wish) { w.at = now })
		v.any.Set(map[string]any{"at": now})
		return
	}
	if u.Matrix != nil && w.at == now {
		v.show(*u.Matrix)
	}
	if picked := integer(v.any.Get("picked")); moved && picked >= 0 {
		go v.pick(picked) // its course has grown
	}
}

// past shows the matrix after an earlier step.
func (v *View) past(w wish) {
	v.mu.Lock()
	v.drawn++
	mine := v.drawn
	v.mu.Unlock()
	m, err := v.service.Matrix(v.life, v.name, session.MatrixRequest{Of: w.of, Top: w.top, Step: &w.at})
	v.mu.Lock()
	late := mine != v.drawn || v.wish.at != w.at
	v.mu.Unlock()
	switch {
	case late:
	case err != nil:
		v.fail(err)
	default:
		v.show(m)
	}
}

func (v *View) setLeast(value any) {
	least, _ := value.(float64)
	v.mu.Lock()
	v.wish.least = least
	m := v.last
	v.mu.Unlock()
	if len(m.Values) > 0 {
		v.show(m)
	}
}

// show puts a matrix into the page.
func (v *View) show(m session.Matrix) {
	v.mu.Lock()
	v.last = m
	least, running := v.wish.least, v.status.State == session.Running
	v.mu.Unlock()
	state, err := matrixState(holding(m, least))
	if err != nil {
		v.fail(err)
		return
	}
	state["message"] = ""
	v.any.Set(state)
	v.still.Changed(running)
}

func (v *View) say(line string) {
	v.any.Set(map[string]any{"message": strings.Join(strings.Fields(line), " ")})
}

func (v *View) fail(err error) { v.say(err.Error()) }
