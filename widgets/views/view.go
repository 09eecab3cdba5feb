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
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// View is one module in the page that shows one session. It is safe for concurrent use.
type View struct {
	*ipywidgets.Model
	*keeper

	life    context.Context
	host    session.Caller
	shared  *shared
	session session.Session
	name    string // of the session
	update  func(session.Update)
	adjust  func(session.MatrixRequest) // of the matrix; may be nil
	restart func()                      // is called before each watch, which may be of another session of that name; may be nil

	mu        sync.Mutex
	status    session.Status
	trouble   bool // the message reports a problem that ends when the session continues
	request   session.WatchRequest
	cancel    context.CancelFunc // of the running watch, or nil
	following bool
	again     bool // Follow was called during this watch, which may be about to end
}

// newView makes a module with this state. It acts until life ends.
func newView(life context.Context, m *ipywidgets.Manager, host session.Caller, status session.Status, code ipywidgets.Module,
	state map[string]ipywidgets.Entry) *View {
	state["message"], state["failed"], state[snapshotEntry] = ipywidgets.Entry{Value: ""}, ipywidgets.Entry{Value: false}, ipywidgets.Entry{}
	return &View{Model: ipywidgets.NewModel(m, code, state), life: life, host: host, shared: sharedBy(m), session: session.On(host, status.Session),
		name: status.Session, status: status}
}

// setUp configures what the view watches, how it handles an update, and how it is drawn for readers
// without widgets, and returns the view. Follow starts it.
func (v *View) setUp(request session.WatchRequest, update func(session.Update), draw func() ipywidgets.Bundle) *View {
	v.request, v.update = request, update
	v.keeper = newKeeper(v.life, v.Model, func() (b ipywidgets.Bundle) {
		v.guard(func() { b = draw() })
		return b
	})
	return v
}

// Widget returns the view's model in the page.
func (v *View) Widget() *ipywidgets.Model { return v.Model }

// Adjust shows the requested matrix; fields left out stay. Other views ignore it.
func (v *View) Adjust(request session.MatrixRequest) {
	if v.adjust != nil {
		v.adjust(request)
	}
}

// Status returns the session's status as the view knows it.
func (v *View) Status() session.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// setStatus stores a status that a verb returned.
func (v *View) setStatus(s session.Status) {
	v.mu.Lock()
	v.status = s
	v.mu.Unlock()
	v.moved(s.Moves)
}

// Follow shows the session from now on, until its view's life ends, and returns at once. If a watch
// is running, another one may start after it: the running one may be of a session that was closed,
// and may not know it yet.
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

// follow changes what is watched; a request equal to the last changes nothing. The new watch
// reports the present state at once.
func (v *View) follow(request session.WatchRequest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	same := reflect.DeepEqual(v.request, request)
	v.request = request
	if v.cancel != nil && !same {
		v.cancel()
	}
}

// watch follows the session until its watch ends for good. It watches again with what follow has
// changed, and, if Follow was called meanwhile, a session of the same name that has replaced the
// one that was closed.
func (v *View) watch() {
	for replaced, changed := false, false; ; { // a session that was closed and not replaced is gone, which is no failure
		v.mu.Lock()
		ctx, cancel := context.WithCancel(v.life)
		v.cancel, v.again = cancel, false
		request := v.request
		v.trouble = v.trouble || !changed && v.Get("failed") == true // an error of the last session ends with the first update of this one
		v.mu.Unlock()
		if v.restart != nil {
			v.restart()
		}
		err := v.watchSession(ctx, v.name, request, func(u session.Update) { v.update(v.note(u)) })
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

// lost explains why the session is no longer followed. If its process is gone, it looks closed.
func (v *View) lost(err error) {
	if errs.Is(err, errs.Unavailable) {
		status := v.Status()
		status.State, status.Reason, status.StepsPerSecond, status.SecondsLeft = session.Closed, "its process has ended", 0, 0
		v.update(v.note(session.Update{Progress: session.Progress{Session: v.name, Status: status}}))
	}
	v.fail(err)
}

// watchSession watches a session until it is closed or the context ends, and returns nil then. A
// panic over an update also ends it, and is returned as the error.
func (v *View) watchSession(ctx context.Context, name string, request session.WatchRequest, update func(session.Update)) error {
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := session.On(v.host, name).Watch(ctx, request, func(u session.Update) {
		if ctx.Err() == nil {
			if panicked := v.try(func() { update(u) }); panicked != nil {
				cancel(panicked)
			}
		}
	})
	if ctx.Err() != nil && outer.Err() == nil {
		return context.Cause(ctx)
	}
	return err
}

// note stores the status of an update, and shows its problem, that a problem is over, or that the
// session is closed. If a step, a run or a rewind has begun, all views of the session show the
// present. note returns the update; a closed session keeps its last status.
func (v *View) note(u session.Update) session.Update {
	closed := u.Status.State == session.Closed
	v.mu.Lock()
	if closed && u.Status.Steps == 0 { // a closed session reports no more than that
		last := v.status
		last.State, last.Reason = u.Status.State, u.Status.Reason
		u.Status = last
	}
	over := v.trouble && !closed && u.Problem == ""
	v.status, v.trouble = u.Status, closed || u.Problem != ""
	v.mu.Unlock()
	switch {
	case closed:
		v.forgetMoves()
		v.say("session " + v.name + " is closed: open it again, and this view continues")
	case u.Problem != "":
		v.fail(errors.New(u.Problem))
	case over:
		v.say("")
	}
	if !closed {
		v.moved(u.Status.Moves)
	}
	return u
}

// try runs a part of the view's work, in the caller's goroutine. It returns a panic as the error
// and logs the stack.
func (v *View) try(work func()) error { return tryOf("the view of session "+v.name, work) }

// tryOf is try for a view of another name.
func tryOf(name string, work func()) error {
	return errs.Guard(slog.Error, name, func() error { work(); return nil })
}

// guard runs a part of the view's work, in the caller's goroutine. If it panics, the message says
// so.
func (v *View) guard(work func()) {
	if err := v.try(work); err != nil {
		v.fail(err)
	}
}

// changed notes that the view shows something new.
func (v *View) changed() { v.keeper.changed(v.Status().State == session.Running) }

// say shows a line for a person.
func (v *View) say(line string) { v.Set(map[string]any{"message": oneLine(line), "failed": false}) }

// fail shows an error in place of the message.
func (v *View) fail(err error) {
	v.Set(map[string]any{"message": oneLine(err.Error()), "failed": true})
}

// oneLine replaces line breaks by spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Values that several views use:
const (
	now      = -1 // the present step
	mostStep = 1_000_000_000
)

// featureState returns a feature for feature.js: histogram by class, embedding and course in P.
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

// check returns an Entry.Check for an allowed T, which words describe; numbers arrive as float64.
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

// integer returns a whole number of the state, whether the browser or this program set it; 0 for
// any other value.
func integer(v any) int {
	if x, ok := v.(float64); ok {
		return int(x)
	}
	n, _ := v.(int)
	return n
}
