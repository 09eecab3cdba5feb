package live

import (
	"context"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// View is one module in the page that shows one session.
type View struct {
	*ipywidgets.Model
	Life    context.Context
	Service session.Service
	Name    string // of the session

	follower *follower
	snapshot *keeper
}

// New makes the module with this state. It acts until life ends.
func New(life context.Context, m *ipywidgets.Manager, s session.Service, name string, code ipywidgets.Module, state map[string]ipywidgets.Entry) *View {
	state["message"], state["failed"], state[entry] = ipywidgets.Entry{Value: ""}, ipywidgets.Entry{Value: false}, ipywidgets.Entry{}
	return &View{Model: ipywidgets.NewModel(m, code, state), Life: life, Service: s, Name: name}
}

// Widget is the view's model in the page.
func (v *View) Widget() *ipywidgets.Model { return v.Model }

// Watch says what the view follows, what it does with it, and how it is drawn for readers without widgets. Follow begins.
func (v *View) Watch(request session.WatchRequest, tell func(session.Update), draw func() ipywidgets.Bundle) {
	v.snapshot = newKeeper(v.Life, v.Model, drawn(v.Name, v.Fail, draw))
	v.follower = newFollower(v.Life, v.Service, v.Name, request, tell, v.Fail)
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

// Changed says that the view shows something new of a session that is as given.
func (v *View) Changed(s session.Status) { v.snapshot.Changed(s.State == session.Running) }

// Say shows a line for a person.
func (v *View) Say(line string) { v.Set(map[string]any{"message": OneLine(line), "failed": false}) }

// Fail says why something was not done.
func (v *View) Fail(err error) {
	v.Set(map[string]any{"message": OneLine(err.Error()), "failed": true})
}

// Closed says that the session has gone and what brings the view back to life.
func (v *View) Closed() {
	v.Say("session " + v.Name + " is closed: open it again, and this view goes on")
}

// OneLine is a text without breaks.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
