package views

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// View is one module in the page that shows one session. It may be used from any goroutine.
type View struct {
	*ipywidgets.Model
	*keeper

	life    context.Context
	host    session.Caller
	shared  *shared
	session session.Session
	name    string // of the session
	tell    func(session.Update)
	adjust  func(session.MatrixRequest) // of the matrix
	begin   func()                      // is called before each watch, whose session may be another of the name; nil is nothing

	mu        sync.Mutex
	status    session.Status
	trouble   bool // the message says something that is over when the session goes on
	request   session.WatchRequest
	cancel    context.CancelFunc // of the running watch; nil is none
	following bool
	again     bool // Follow was called during this watch, which may be about to end
}

// newView makes the module with this state. It acts until life ends.
func newView(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status, code ipywidgets.Module,
	state map[string]ipywidgets.Entry) *View {
	state["message"], state["failed"], state[snapshotEntry] = ipywidgets.Entry{Value: ""}, ipywidgets.Entry{Value: false}, ipywidgets.Entry{}
	return &View{Model: ipywidgets.NewModel(m, code, state), life: life, host: host, shared: sharedBy(m), session: session.On(host, status.Session),
		name: status.Session, status: status}
}

// watches says what the view follows, what it does with an update, and how it is drawn for readers without widgets. Follow begins.
func (v *View) watches(request session.WatchRequest, tell func(session.Update), draw func() ipywidgets.Bundle) *View {
	v.request, v.tell = request, tell
	v.keeper = newKeeper(v.life, v.Model, func() (b ipywidgets.Bundle) {
		v.guard(func() { b = draw() })
		return b
	})
	return v
}

// Widget is the view's model in the page.
func (v *View) Widget() *ipywidgets.Model { return v.Model }

// Adjust shows the matrix that a request asks for; what the request leaves open stays. Other views have nothing to adjust.
func (v *View) Adjust(request session.MatrixRequest) {
	if v.adjust != nil {
		v.adjust(request)
	}
}

// Status is the session's as the view knows it.
func (v *View) Status() session.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// setStatus takes a status that a verb has answered.
func (v *View) setStatus(s session.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status = s
}

// Follow shows the session from now on. A running watch may be of a session that was closed, and not have been told so yet: then another
// begins behind it.
func (v *View) Follow() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.following || v.life.Err() != nil {
		v.again = v.following
		return
	}
	v.following = true
	go v.watch()
}

// follow follows something else from now on. The session as it is now is told at once.
func (v *View) follow(request session.WatchRequest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	same := reflect.DeepEqual(v.request, request)
	v.request = request
	if v.cancel != nil && !same {
		v.cancel()
	}
}

func (v *View) watch() {
	for replaced, changed := false, false; ; { // where the session was not replaced but closed, there is none of its name: that is no failure
		v.mu.Lock()
		ctx, cancel := context.WithCancel(v.life)
		v.cancel, v.again = cancel, false
		request := v.request
		v.trouble = v.trouble || !changed && v.Get("failed") == true // an error of the last session ends with the first update of this one
		v.mu.Unlock()
		if v.begin != nil {
			v.begin()
		}
		err := v.watchSession(ctx, v.name, request, func(u session.Update) { v.tell(v.take(u)) })
		v.mu.Lock()
		other := ctx.Err() != nil // follow was called
		closed := err == nil && !other && v.again
		again := (other || closed) && v.life.Err() == nil
		cancel()
		v.cancel, v.following = nil, again
		v.mu.Unlock()
		if !again {
			if err != nil && v.life.Err() == nil && (!replaced || !errs.Is(err, errs.NotFound)) {
				v.guard(func() { v.lost(err) })
			}
			return
		}
		replaced, changed = closed, other
	}
}

// lost says why the session is not followed any more. Where the process that trained it is not there, nothing is claimed of it.
func (v *View) lost(err error) {
	if errs.Is(err, errs.Unavailable) {
		status := v.Status()
		status.State, status.Reason, status.StepsPerSecond, status.SecondsLeft = session.Closed, "its process has ended", 0, 0
		v.tell(v.take(session.Update{Progress: session.Progress{Session: v.name, Status: status}}))
	}
	v.fail(err)
}

// watchSession watches a session until the context ends, or the view panics over an update, which is then the error.
func (v *View) watchSession(ctx context.Context, name string, request session.WatchRequest, tell func(session.Update)) error {
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := session.On(v.host, name).Watch(ctx, request, func(u session.Update) {
		if ctx.Err() == nil {
			if panicked := v.guarded(func() { tell(u) }); panicked != nil {
				cancel(panicked)
			}
		}
	})
	if ctx.Err() != nil && outer.Err() == nil {
		return context.Cause(ctx)
	}
	return err
}

// take remembers the status of an update, and shows what is wrong with it, or that this is over.
func (v *View) take(u session.Update) session.Update {
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
		v.say("session " + v.name + " is closed: open it again, and this view continues")
	case u.Problem != "":
		v.fail(errors.New(u.Problem))
	case over:
		v.say("")
	}
	return u
}

// guarded does a part of the view's work; its panic is the error, and the stack goes to the log.
func (v *View) guarded(work func()) error {
	return boundary.Do(slog.Default(), "the view of session "+v.name, func() error { work(); return nil })
}

// guard does a part of the view's work beside its watch. The message tells of a panic.
func (v *View) guard(work func()) {
	if err := v.guarded(work); err != nil {
		v.fail(err)
	}
}

// changed says that the view shows something new.
func (v *View) changed() { v.keeper.changed(v.Status().State == session.Running) }

// say shows a line for a person.
func (v *View) say(line string) { v.Set(map[string]any{"message": oneLine(line), "failed": false}) }

// fail says why something was not done.
func (v *View) fail(err error) {
	v.Set(map[string]any{"message": oneLine(err.Error()), "failed": true})
}

// oneLine is a text without breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// What stands in more than one view:
const (
	now      = -1 // the present step, where a person chose none of the past
	mostStep = 1_000_000_000
)

// featureState is a feature as frontend/feature.js draws it: its histogram by class, its embedding and its course in P.
func featureState(f session.Feature) map[string]any {
	classes := make([]any, len(f.Classes))
	for i, c := range f.Classes {
		classes[i] = map[string]any{"name": c.Class, "n": c.N, "missing": c.Missing, "mean": c.Mean, "sd": c.SD, "median": c.Median}
	}
	return map[string]any{
		"index": f.Index, "name": f.Name, "kept": f.Kept,
		"edges": f.Bins.Edges, "counts": f.Bins.Counts, "classes": classes,
		"embedding": f.Embedding, "labels": f.EmbeddingLabels, "probability": f.Probability,
		"course": map[string]any{"steps": f.Course.Steps, "values": f.Course.Probability, "selectors": f.Course.Selectors},
	}
}

// check is what the page may set: a T (numbers arrive as float64) that is allowed; the words say what that is.
func check[T any](allowed func(T) bool, words string, args ...any) func(any) error {
	return func(v any) error {
		if x, ok := v.(T); !ok || !allowed(x) {
			return fmt.Errorf("is not "+words, args...)
		}
		return nil
	}
}

func isOneOf(words ...string) func(any) error {
	return check(func(word string) bool { return slices.Contains(words, word) }, "one of %s", strings.Join(words, " · "))
}

func isNumber(v any) error { return check(func(float64) bool { return true }, "a number")(v) }

func isWhole(low, high int) func(any) error {
	return check(func(x float64) bool { return x == math.Trunc(x) && x >= float64(low) && x <= float64(high) },
		"a whole number from %d to %d", low, high)
}

func isText(most int) func(any) error {
	return check(func(text string) bool { return utf8.RuneCountInString(text) <= most }, "text of at most %d characters", most)
}

func isBool(v any) error { return check(func(bool) bool { return true }, "true or false")(v) }

// integer is a whole number of the state, which the browser or this program has set.
func integer(v any) int {
	if x, ok := v.(float64); ok {
		return int(x)
	}
	n, _ := v.(int)
	return n
}
