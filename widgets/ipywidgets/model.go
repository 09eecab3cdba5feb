package ipywidgets

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"
	"time"
)

// anywidgetVersion is the version of the front end's extension that runs modules.
const anywidgetVersion = "~0.11.*"

// Module is the code of a widget: an ES module whose default export has render({model, el}), and its style sheet.
type Module struct {
	Name string // the same for all widgets that this code makes
	ESM  string
	CSS  string
}

// Entry is one entry of a widget's state.
type Entry struct {
	// Value at the start: what JSON can say, or []byte.
	Value any
	// Person says that the browser may change it.
	Person bool
	// Check, which may be nil, says why a value of the browser's is none. Numbers arrive as float64.
	Check func(value any) error
}

// Model is one widget: a comm, a module and its state.
type Model struct {
	id      string
	name    string // of its module
	manager *Manager
	entries map[string]Entry

	mu       sync.Mutex
	state    map[string]any
	changed  map[string]bool // set here and not sent yet
	pace     pace
	timer    *time.Timer
	closed   bool
	handlers map[string][]func(any)
	customs  []func(content json.RawMessage)
	waiting  []event
	working  bool
}

// NewModel makes a widget of a module and its state, and opens it. Names that begin with _, and layout, tabbable and tooltip, are the
// protocol's.
func NewModel(m *Manager, module Module, state map[string]Entry) *Model {
	w := &Model{
		id: m.options.NewID(), name: module.Name, manager: m, entries: maps.Clone(state),
		state: map[string]any{}, changed: map[string]bool{}, handlers: map[string][]func(any){},
	}
	if w.entries == nil {
		w.entries = map[string]Entry{}
	}
	for name, value := range map[string]any{
		"_model_module": "anywidget", "_model_module_version": anywidgetVersion, "_model_name": "AnyModel",
		"_view_module": "anywidget", "_view_module_version": anywidgetVersion, "_view_name": "AnyView", "_view_count": nil,
		"_anywidget_id": module.Name, "_esm": module.ESM, "_css": module.CSS,
		"_dom_classes": []string{}, "layout": nil, "tabbable": nil, "tooltip": nil, // a module's sheet says where it is and how large
	} {
		w.entries[name] = Entry{Value: value}
	}
	for name, entry := range w.entries {
		w.state[name] = entry.Value
	}
	m.add(w)
	return w
}

// ID is the model's, and its comm's.
func (w *Model) ID() string { return w.id }

// Get is one entry of the state.
func (w *Model) Get(name string) any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state[name]
}

// OnChange is called when a person, or the module for them, has changed the entry.
func (w *Model) OnChange(name string, handler func(any)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[name] = append(w.handlers[name], handler)
}

// OnMessage is called with messages of the module's own.
func (w *Model) OnMessage(handler func(content json.RawMessage)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.customs = append(w.customs, handler)
}

// Send sends a message of one's own to the module.
func (w *Model) Send(content any) {
	body := encode(map[string]any{"method": "custom", "content": content})
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: body})
	}
}

// Set changes entries of the state, all at once, and tells the front ends. A value that cannot be sent, or is no entry, is the program's
// mistake: it is reported, and nothing changes.
func (w *Model) Set(values map[string]any) {
	w.mu.Lock()
	err := w.accept(values, sendable)
	if err == nil {
		for name, value := range values {
			if !reflect.DeepEqual(w.state[name], value) {
				w.state[name] = value
				w.changed[name] = true
			}
		}
		w.flush()
	}
	w.mu.Unlock()
	if err != nil {
		w.manager.report(nil, "%s was not set: %v", w.name, err)
	}
}

// pace lets a short burst through at once and then one in every interval.
type pace struct{ next time.Time }

const (
	updateInterval = 100 * time.Millisecond
	updateBurst    = 3
)

// wait is how long the next one has to wait; where that is 0 it is counted as sent.
func (p *pace) wait(now time.Time, interval time.Duration) time.Duration {
	if p.next.Before(now) {
		p.next = now
	}
	if ahead := p.next.Sub(now) - (updateBurst-1)*interval; ahead > 0 {
		return ahead
	}
	p.next = p.next.Add(interval)
	return 0
}

// flush sends what was changed, now or as soon as it may. The caller holds the lock.
func (w *Model) flush() {
	if len(w.changed) == 0 || w.timer != nil || w.closed {
		return
	}
	if wait := w.pace.wait(time.Now(), w.manager.options.Interval); wait > 0 {
		w.timer = time.AfterFunc(wait, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.timer = nil
			w.flush()
		})
		return
	}
	state := map[string]any{}
	for name := range w.changed {
		state[name] = w.state[name]
	}
	clear(w.changed)
	w.send("update", state, nil)
}

// send sends state. The caller holds the lock, so that a model's messages are in order.
func (w *Model) send(method string, state map[string]any, cause any) {
	if w.closed {
		return
	}
	var b binary
	data := encode(map[string]any{"method": method, "state": b.split(state), "buffer_paths": b.listed()})
	w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: data, Buffers: b.buffers, Cause: cause})
}

// end tells the module, and sends nothing any more.
func (w *Model) end() {
	w.Send(map[string]any{"ended": true})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
