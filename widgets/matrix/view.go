package matrix

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/frontend"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// View is the live matrix of one session.
type View struct {
	*live.View

	mu    sync.Mutex
	wish  wish
	step  int            // of the last update
	last  session.Matrix // as the session sent it
	drawn int            // counts what is shown, so that an old answer is known
}

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
func New(life context.Context, m *ipywidgets.Manager, c session.Caller, status session.Status) *View {
	v := &View{step: status.Step}
	v.wish = wish{of: "probability", top: min(max(usualTop, status.Config.K), mostTop), at: now}
	v.View = live.New(life, m, c, status, frontend.Module("matrix"), map[string]ipywidgets.Entry{
		"of":      {Value: v.wish.of, Person: true, Check: live.OneOf("probability", "sample", "soft")},
		"top":     {Value: v.wish.top, Person: true, Check: live.Whole(1, mostTop)},
		"least":   {Value: v.wish.least, Person: true, Check: live.Between(0, 1)},
		"at":      {Value: now, Person: true, Check: live.Whole(now, mostStep)},
		"log":     {Value: true, Person: true, Check: live.YesOrNo},
		"picked":  {Value: now, Person: true, Check: live.Whole(now, mostStep)}, // a column of the file
		"feature": {},
		"session": {Value: status.Session},
		"status":  {Value: statusState(status)},
		"when":    {Value: nil},
		"columns": {Value: []any{}},
		"rows":    {Value: []any{}},
		"leaders": {Value: []any{}},  // names of the rows' largest values, where another column may be theirs that is not shown
		"values":  {Value: []byte{}}, // rows × (columns + 1), the last is the mass left out
	})
	v.OnChange("of", func(value any) { v.ask(func(w *wish) { w.of, _ = value.(string) }) })
	v.OnChange("top", func(value any) { v.ask(func(w *wish) { w.top = live.Integer(value) }) })
	v.OnChange("at", func(value any) { v.ask(func(w *wish) { w.at = live.Integer(value) }) })
	v.OnChange("least", func(value any) { v.setLeast(value) })
	v.OnChange("picked", func(value any) { v.pick(live.Integer(value)) })
	v.Watch(v.request(v.wish), v.tell, v.draw)
	return v
}

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
	v.Set(map[string]any{"of": w.of, "top": w.top, "at": w.at})
	go v.Do(func() { v.get(w) }) // a past step may take a moment
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
	v.Ask(v.request(w))
	v.Follow()
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
	k := max(1, v.Status().Config.K)
	size := 4*k*(w.top+1) + 40*w.top + 800 // values, names, frame
	rate := min(session.MaxRate, max(0.1, float64(bytesPerSecond)/float64(size)))
	return session.WatchRequest{Matrix: &session.MatrixRequest{Of: w.of, Top: w.top}, Rate: rate}
}

// tell shows what the session has told.
func (v *View) tell(u session.Update) {
	s := u.Status
	v.mu.Lock()
	moved := s.Step != v.step && s.State != session.Running
	v.step = s.Step
	w := v.wish
	v.mu.Unlock()
	v.Set(map[string]any{"status": statusState(s)})
	switch {
	case s.State == session.Closed, u.Problem != "":
		return
	case w.at > s.Step: // a rewind went behind it
		v.ask(func(w *wish) { w.at = now })
		v.Set(map[string]any{"at": now})
		return
	}
	if u.Matrix != nil && w.at == now {
		v.show(*u.Matrix)
	}
	if picked := live.Integer(v.Get("picked")); moved && picked >= 0 {
		go v.Do(func() { v.pick(picked) }) // its course has grown
	}
}

// past shows the matrix after an earlier step.
func (v *View) past(w wish) {
	v.mu.Lock()
	v.drawn++
	mine := v.drawn
	v.mu.Unlock()
	m, err := v.Session.Matrix(v.Life, session.MatrixRequest{Of: w.of, Top: w.top, Step: &w.at})
	v.mu.Lock()
	late := mine != v.drawn || v.wish.at != w.at
	v.mu.Unlock()
	switch {
	case late:
	case err != nil:
		v.Fail(err)
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
	least := v.wish.least
	v.mu.Unlock()
	state, err := matrixState(holding(m, least))
	if err != nil {
		v.Fail(err)
		return
	}
	state["message"] = ""
	v.Set(state)
	v.Changed()
}
