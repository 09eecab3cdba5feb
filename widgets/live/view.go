package live

import (
	"context"
	"errors"
	"strings"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// View is one module in the page that shows one session.
type View struct {
	*ipywidgets.Model
	Life    context.Context
	Host    session.Caller
	Session session.Session
	Name    string // of the session

	follower *follower
	snapshot *keeper

	mu      sync.Mutex
	status  session.Status
	trouble bool // the line says what is over when the session goes on
}

// New makes the module with this state for the session whose status is given. It acts until life ends.
func New(life context.Context, m *ipywidgets.Manager, c session.Caller, status session.Status, code ipywidgets.Module,
	state map[string]ipywidgets.Entry) *View {
	state["message"], state["failed"], state[entry] = ipywidgets.Entry{Value: ""}, ipywidgets.Entry{Value: false}, ipywidgets.Entry{}
	return &View{Model: ipywidgets.NewModel(m, code, state), Life: life, Host: c, Session: session.On(c, status.Session),
		Name: status.Session, status: status}
}

// Widget is the view's model in the page.
func (v *View) Widget() *ipywidgets.Model { return v.Model }

// Watch says what the view follows, what it does with it, and how it is drawn for readers without widgets. Follow begins.
func (v *View) Watch(request session.WatchRequest, tell func(session.Update), draw func() ipywidgets.Bundle) {
	v.snapshot = newKeeper(v.Life, v.Model, drawn(v.Name, v.Fail, draw))
	v.follower = newFollower(v.Life, v.Session, request, func(u session.Update) { tell(v.known(u)) }, v.Fail)
}

// known remembers the status that an update tells, and says what is wrong, or that this is over.
func (v *View) known(u session.Update) session.Update {
	closed := u.Status.State == session.Closed
	v.mu.Lock()
	if closed && u.Status.Steps == 0 { // a session that has gone says no more than that
		last := v.status
		last.State, last.Reason = u.Status.State, u.Status.Reason
		u.Status = last
	}
	over := v.trouble && !closed && u.Problem == ""
	v.status, v.trouble = u.Status, closed || u.Problem != ""
	v.mu.Unlock()
	switch {
	case closed:
		v.Say("session " + v.Name + " is closed: open it again, and this view continues")
	case u.Problem != "":
		v.Fail(errors.New(u.Problem))
	case over:
		v.Say("")
	}
	return u
}

// Status is the session's as it is known.
func (v *View) Status() session.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// Know takes a status that a verb has answered.
func (v *View) Know(s session.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status = s
}

// Follow shows the session from now on, also one that was opened again under the name.
func (v *View) Follow() { v.follower.follow() }

// Begin is called before each watch of a session, which may be another of the name.
func (v *View) Begin(begin func()) { v.follower.begin = begin }

// Ask follows something else from now on.
func (v *View) Ask(request session.WatchRequest) { v.follower.ask(request) }

// Do does what the view does beside what it is told. Where it panics, the view says so.
func (v *View) Do(work func()) { guard(v.Name, v.Fail, work) }

// Picture is the view for readers without a kernel.
func (v *View) Picture() ipywidgets.Bundle { return v.snapshot.Picture() }

// Last is the newest picture; see ipywidgets.Snapshotter.
func (v *View) Last(draw bool) ipywidgets.Bundle { return v.snapshot.Last(draw) }

// Changed says that the view shows something new.
func (v *View) Changed() { v.snapshot.Changed(v.Status().State == session.Running) }

// Say shows a line for a person.
func (v *View) Say(line string) { v.Set(map[string]any{"message": OneLine(line), "failed": false}) }

// Fail says why something was not done.
func (v *View) Fail(err error) {
	v.Set(map[string]any{"message": OneLine(err.Error()), "failed": true})
}

// OneLine is a text without breaks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
