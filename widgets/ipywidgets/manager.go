package ipywidgets

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is the type of a message, in Jupyter's terms.
type Kind string

// Kinds of messages.
const (
	Open  Kind = "comm_open"
	Tell  Kind = "comm_msg"
	Close Kind = "comm_close"
)

// Targets of comms.
const (
	Target        = "jupyter.widget"         // a model
	ControlTarget = "jupyter.widget.control" // requests the state of all models
)

const (
	protocolVersion = "2.1.0"
	maxControls     = 256 // concurrent control comms; a front end needs one, for a moment
)

// Message is a message of a comm, in either direction.
type Message struct {
	Kind     Kind
	Comm     string          // the id of the comm and its model
	Target   string          // for Open
	Metadata json.RawMessage // for Open, outgoing
	Data     json.RawMessage
	Buffers  [][]byte // outgoing
	// Cause is the front end's message that this one answers, as the channel
	// knows it, or nil.
	Cause any
}

// Channel carries messages to all front ends, in order. Send must be safe for
// concurrent use and must not call the manager.
type Channel interface {
	Send(Message)
}

// Options configures a manager. Each zero value has a default.
type Options struct {
	// Report receives a line that explains why a message changed nothing. cause
	// is the cause of that message. Nil discards the line.
	Report func(cause any, line string)
	// Guard runs a handler and returns its panic as an error. Nil means a
	// simple guard.
	Guard func(doing string, work func()) error
	// NewID returns the id of a new model. Nil means random ids.
	NewID func() string
	// Interval separates updates of one model after a short burst. Zero means a
	// tenth of a second.
	Interval time.Duration
}

// Manager holds the models of one kernel. It is safe for concurrent use.
type Manager struct {
	channel Channel
	options Options

	mu       sync.Mutex
	models   map[string]*Model
	order    []*Model // in the order of opening
	controls map[string]bool
	views    map[string]*Shown // by widget
	shared   any               // value of Shared
	closed   bool
}

// Shared returns a value that the widgets of this manager share. The first call
// creates it.
func (m *Manager) Shared(create func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared == nil {
		m.shared = create()
	}
	return m.shared
}

// NewManager returns a manager without models.
func NewManager(c Channel, o Options) *Manager {
	if o.Report == nil {
		o.Report = func(any, string) {}
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.Guard == nil {
		o.Guard = guard
	}
	if o.Interval <= 0 {
		o.Interval = updateInterval
	}
	return &Manager{channel: c, options: o, models: map[string]*Model{}, controls: map[string]bool{}, views: map[string]*Shown{}}
}

// guard runs work and returns a panic as an error, without its stack.
func guard(doing string, work func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s failed: %v", doing, p)
		}
	}()
	work()
	return nil
}

func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// report explains in one line why something changed nothing.
func (m *Manager) report(cause any, format string, args ...any) {
	m.options.Report(cause, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// add registers a model. Unless the manager is closed, it also opens the model
// at the front ends.
func (m *Manager) add(w *Model) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.models[w.id] = w
	m.order = append(m.order, w)

	if m.closed {
		return
	}

	var b binary
	// This needs no lock, because no other goroutine knows the model yet.
	state := map[string]any{"state": b.split(w.state), "buffer_paths": b.list()}
	m.channel.Send(Message{Kind: Open, Comm: w.id, Target: Target, Metadata: json.RawMessage(`{"version":"` + protocolVersion + `"}`),
		Data: encode(state), Buffers: b.buffers})
}

// Comms returns the ids of the open models, sorted, as comm_info answers for
// Target.
func (m *Manager) Comms() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.models))
}

// Receive handles a message of a front end. It returns soon, because handlers
// run elsewhere. If the comm doesn't belong to this manager, it does nothing
// and mine is false.
func (m *Manager) Receive(msg Message) (mine bool) {
	m.mu.Lock()
	w, control := m.models[msg.Comm], m.controls[msg.Comm]
	if control && msg.Kind == Close {
		delete(m.controls, msg.Comm)
	}
	m.mu.Unlock()

	switch {
	case msg.Kind == Open:
		return m.open(msg)
	case w != nil && msg.Kind == Tell: // a front end that closes has left, but the model stays for the others
		w.receive(msg)
	case control && msg.Kind == Tell:
		m.sendAll(msg)
	}

	return w != nil || control
}

// open answers a comm that a front end opens. It accepts a control comm. It
// reports and closes a widget made in the browser. mine is false for other
// targets.
func (m *Manager) open(msg Message) (mine bool) {
	switch msg.Target {
	case ControlTarget:
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.controls) >= maxControls {
			clear(m.controls) // left over from closed pages
		}
		m.controls[msg.Comm] = true
		return true
	case Target:
		m.report(msg.Cause, "the kernel does not know a widget made in the browser: make it from a cell")
		m.channel.Send(Message{Kind: Close, Comm: msg.Comm, Data: json.RawMessage(`{}`), Cause: msg.Cause})
		return true
	}
	return false
}

// sendAll answers a front end that requests the state of all models, as after a
// reload. It reports any other request.
func (m *Manager) sendAll(msg Message) {
	var request struct {
		Method string `json:"method"`
	}
	if err := json.Unmarshal(msg.Data, &request); err != nil || request.Method != "request_states" {
		m.report(msg.Cause, "the widgets were asked for %q, which is not request_states", clip(request.Method))
		return
	}

	m.mu.Lock()
	models := slices.Clone(m.order)
	m.mu.Unlock()

	var b binary
	states := map[string]any{}
	for _, w := range models {
		w.mu.Lock()
		state := maps.Clone(w.state)
		w.mu.Unlock()
		states[w.id] = map[string]any{
			"model_name": state["_model_name"], "model_module": state["_model_module"], "model_module_version": state["_model_module_version"],
			"state": b.split(state, w.id, "state"),
		}
	}

	body := map[string]any{"method": "update_states", "states": states, "buffer_paths": b.list()}
	m.channel.Send(Message{Kind: Tell, Comm: msg.Comm, Data: encode(body), Buffers: b.buffers, Cause: msg.Cause})
}

// binary separates binary entries from states, because the protocol sends them
// next to the JSON text, with a path to the place of each.
type binary struct {
	paths   [][]any
	buffers [][]byte
}

// split returns the state without its binary entries. within is the path to the
// state.
func (b *binary) split(state map[string]any, within ...any) map[string]any {
	text := make(map[string]any, len(state))
	for name, value := range state {
		if bytes, ok := value.([]byte); ok {
			b.paths = append(b.paths, append(within[:len(within):len(within)], name))
			b.buffers = append(b.buffers, bytes)
		} else {
			text[name] = value
		}
	}
	return text
}

// list returns the paths for JSON. If there are none, it returns [] rather than
// null.
func (b *binary) list() [][]any { return append([][]any{}, b.paths...) }

// encode returns a value as JSON. It panics for values that JSON can't
// represent.
func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipywidgets: a %T is not JSON: %v", v, err)) // every value was checked when it was set
	}
	return text
}

// clip shortens a text from the browser to 60 characters and an ellipsis, for
// an error.
func clip(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
