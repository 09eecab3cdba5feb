package ipywidgets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// anywidgetVersion is the version of the extension that runs modules in the
	// front end.
	anywidgetVersion = "~0.11.*"

	updateInterval = 100 * time.Millisecond
	updateBurst    = 3
	maxState       = 8 << 20 // bytes of a message's JSON text; a user's changes take only a few
	maxWaiting     = 4096    // events that may wait for a model's handlers
)

// Module is a widget's code: an ES module whose default export has
// render({model, el}), and a style sheet.
type Module struct {
	Name string // the same for all widgets of this code
	ESM  string
	CSS  string
}

// Entry is one entry of a widget's state.
type Entry struct {
	// Value is the initial value: anything that JSON can represent, or []byte.
	Value any
	// Person allows the browser to change the entry.
	Person bool
	// Check returns an error if a browser's value is invalid. Numbers arrive as
	// float64. Nil accepts every value.
	Check func(value any) error
}

// Model is one widget: a comm, a module and its state.
type Model struct {
	id      string
	name    string // of its module
	manager *Manager
	entries map[string]Entry

	mu      sync.Mutex
	state   map[string]any
	text    map[string]json.RawMessage // JSON of entries that have been encoded and aren't bytes
	changed map[string]bool            // set by the program and not sent yet
	next    time.Time                  // the time up to which updates are accounted for, one interval each
	timer   *time.Timer
	closed  bool
	change  map[string]func(any) // by entry
	message func(content json.RawMessage)
	waiting []event
	working bool
}

// event is an action of the user that handlers haven't seen.
type event struct {
	entry string // the entry that changed; "" for a message, because messages are never merged
	cause any    // the front end's message
	run   func()
}

// NewModel creates a widget of a module with its state, and opens it. The
// protocol reserves names that start with _, and layout, tabbable and tooltip.
func NewModel(m *Manager, module Module, state map[string]Entry) *Model {
	w := &Model{
		id: m.options.NewID(), name: module.Name, manager: m, entries: map[string]Entry{}, state: map[string]any{}, changed: map[string]bool{},
		text:   map[string]json.RawMessage{},
		change: map[string]func(any){},
	}

	maps.Copy(w.entries, state)
	for name, value := range map[string]any{
		"_model_module": "anywidget", "_model_module_version": anywidgetVersion, "_model_name": "AnyModel",
		"_view_module": "anywidget", "_view_module_version": anywidgetVersion, "_view_name": "AnyView", "_view_count": nil,
		"_anywidget_id": module.Name, "_esm": module.ESM, "_css": module.CSS,
		"_dom_classes": []string{}, "layout": nil, "tabbable": nil, "tooltip": nil, // a module's sheet sets its layout
	} {
		w.entries[name] = Entry{Value: value}
	}

	for name, entry := range w.entries {
		w.state[name] = entry.Value
	}

	m.add(w)
	return w
}

// ID returns the id of the model and its comm.
func (w *Model) ID() string { return w.id }

// Get returns one entry of the state, or nil for an unknown name. A number that
// the user set is a float64.
func (w *Model) Get(name string) any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state[name]
}

// OnChange sets the handler for changes of an entry by the user, or by the
// module on the user's behalf. It replaces an earlier handler.
func (w *Model) OnChange(name string, handler func(any)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.change[name] = handler
}

// OnMessage sets the handler for messages from the module.
func (w *Model) OnMessage(handler func(content json.RawMessage)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.message = handler
}

// Send sends a message to the module at once. Unlike Set, it has no limit. It
// panics if JSON can't represent content, and does nothing once the model has
// ended.
func (w *Model) Send(content any) {
	body := encode(map[string]any{"method": "custom", "content": content})
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: body})
	}
}

// Set changes entries of the state, all at once, and updates the front ends.
// Each value is encoded once. If its JSON is the same as before, it isn't sent.
// A value that can't be sent, or that has no entry, is a mistake of the
// program. Set then reports it and changes nothing.
func (w *Model) Set(values map[string]any) {
	w.mu.Lock()
	texts := map[string]json.RawMessage{}
	err := w.accept(values, func(name string, value any) (err error) {
		if _, isBinary := value.([]byte); !isBinary {
			texts[name], err = sendable(value)
		}
		return err
	})

	if err == nil {
		for name, value := range values {
			if !w.equals(name, value, texts[name]) {
				w.state[name], w.text[name] = value, texts[name]
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

// equals reports whether an entry has this value. text is the value's JSON
// unless it is bytes. The caller must hold the lock.
func (w *Model) equals(name string, value any, text json.RawMessage) bool {
	before, wasBinary := w.state[name].([]byte)
	if now, isBinary := value.([]byte); isBinary || wasBinary {
		return isBinary && wasBinary && bytes.Equal(before, now)
	}
	if w.text[name] == nil { // the initial value, or one that the user set
		w.text[name] = encode(w.state[name])
	}
	return bytes.Equal(w.text[name], text)
}

// flush sends changed entries: a short burst, then one update per interval. If
// it is too early, it sets a timer that sends what has changed by then. The
// caller must hold the lock.
func (w *Model) flush() {
	if len(w.changed) == 0 || w.timer != nil || w.closed {
		return
	}

	now, interval := time.Now(), w.manager.options.Interval
	if w.next.Before(now) {
		w.next = now
	}

	if wait := w.next.Sub(now) - (updateBurst-1)*interval; wait > 0 {
		w.timer = time.AfterFunc(wait, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.timer = nil
			w.flush()
		})
		return
	}

	w.next = w.next.Add(interval)
	state := map[string]any{}
	for name := range w.changed {
		if state[name] = w.state[name]; w.text[name] != nil {
			state[name] = w.text[name]
		}
	}

	clear(w.changed)
	w.send("update", state, nil)
}

// send sends state. The caller must hold the lock, so that a model's messages
// stay in order.
func (w *Model) send(method string, state map[string]any, cause any) {
	if w.closed {
		return
	}
	var b binary
	data := encode(map[string]any{"method": method, "state": b.split(state), "buffer_paths": b.list()})
	w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: data, Buffers: b.buffers, Cause: cause})
}

// close ends all sending. Handlers that wait still run.
func (w *Model) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// receive handles a front end's message to this model. It applies a change,
// sends the state, or leaves a message of the module to the handler. Any other
// message is reported and changes nothing.
func (w *Model) receive(msg Message) {
	var body struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Paths   [][]any                    `json:"buffer_paths"`
		Content json.RawMessage            `json:"content"`
	}

	if len(msg.Data) > maxState {
		w.manager.report(msg.Cause, "a message of %d bytes to %s is too long: nothing changed", len(msg.Data), w.name)
		return
	}

	if err := json.Unmarshal(msg.Data, &body); err != nil {
		w.manager.report(msg.Cause, "a message to %s cannot be read: nothing changed", w.name)
		return
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	switch body.Method {
	case "update":
		if err := w.update(body.State, len(body.Paths), msg.Cause); err != nil {
			w.manager.report(msg.Cause, "%s: %v: nothing changed", w.name, err)
		}
	case "request_state":
		w.send("update", w.state, msg.Cause)
	case "custom":
		if handler := w.message; handler != nil && !w.enqueue(event{cause: msg.Cause, run: func() { handler(body.Content) }}) {
			w.manager.report(msg.Cause, "%s has %d messages waiting: this one was left out", w.name, maxWaiting)
		}
	default:
		w.manager.report(msg.Cause, "%s: unknown method %q: nothing changed", w.name, clip(body.Method))
	}
}

// update applies a user's change: all entries or none. Every front end receives
// the resulting values. The sender waits for this echo and ignores other
// updates until then, so that a slow echo never moves a slider back under the
// user's hand. The caller must hold the lock.
func (w *Model) update(raw map[string]json.RawMessage, buffers int, cause any) error {
	values, err := decode(raw)
	if buffers > 0 {
		err = errors.New("the browser may not send binary values")
	}
	if err == nil {
		err = w.accept(values, w.validate)
	}

	echo := map[string]any{}
	for name := range raw {
		if _, known := w.entries[name]; known {
			if err == nil {
				w.state[name], w.text[name] = values[name], nil
				delete(w.changed, name) // the user's change is the later one
			}
			echo[name] = w.state[name]
		}
	}

	if len(echo) > 0 {
		w.send("echo_update", echo, cause)
	}
	if err != nil {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(values)) {
		if handler := w.change[name]; handler != nil {
			w.enqueue(event{entry: name, cause: cause, run: func() { handler(values[name]) }})
		}
	}
	return nil
}

// decode reads a user's values. Numbers become float64. The error names an
// entry whose value is out of range.
func decode(raw map[string]json.RawMessage) (map[string]any, error) {
	values := make(map[string]any, len(raw))
	for name, text := range raw {
		var v any
		if err := json.Unmarshal(text, &v); err != nil { // such as 1e999
			return nil, fmt.Errorf("%s = %s is out of range", clip(name), clip(string(text)))
		}
		values[name] = v
	}
	return values, nil
}

// accept returns an error for the first value, by name, that has no entry or
// that check rejects. It changes nothing. The caller must hold the lock.
func (w *Model) accept(values map[string]any, check func(name string, value any) error) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := w.entries[name]; !known {
			return fmt.Errorf("there is no %q", clip(name))
		}
		if err := check(name, values[name]); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return nil
}

// sendable returns the JSON of a program's value, or an error if it can't be
// sent.
func sendable(value any) (json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("cannot be sent: %w", err)
	}
	return text, nil
}

// validate returns an error for an invalid value from the browser.
func (w *Model) validate(name string, value any) error {
	entry := w.entries[name]
	if !entry.Person {
		return errors.New("cannot be changed in the browser")
	}
	if entry.Check != nil {
		return entry.Check(value)
	}
	return nil
}

// enqueue adds an event for the model's handlers. work runs them. It returns
// false if too many events wait. The caller must hold the lock.
func (w *Model) enqueue(e event) bool {
	if e.entry != "" { // only the last change of an entry counts
		w.waiting = slices.DeleteFunc(w.waiting, func(other event) bool { return other.entry == e.entry })
	}

	if len(w.waiting) >= maxWaiting {
		return false
	}

	w.waiting = append(w.waiting, e)
	if !w.working {
		w.working = true
		go w.work()
	}
	return true
}

// work runs the waiting events, one after another, until all have run. If a
// handler panics, it reports that and continues.
func (w *Model) work() {
	for {
		w.mu.Lock()
		if len(w.waiting) == 0 {
			w.working = false
			w.mu.Unlock()
			return
		}
		e := w.waiting[0]
		w.waiting = w.waiting[1:]
		w.mu.Unlock()
		if err := w.manager.options.Guard("what "+w.name+" does", e.run); err != nil {
			w.manager.report(e.cause, "%v", err)
		}
	}
}
