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

// Kind is the type of a message, in Jupyter's words.
type Kind string

// The kinds of messages.
const (
	Open  Kind = "comm_open"
	Tell  Kind = "comm_msg"
	Close Kind = "comm_close"
)

// The targets of comms.
const (
	Target        = "jupyter.widget"         // a model
	ControlTarget = "jupyter.widget.control" // by which a front end asks for all of them
)

const (
	protocolVersion = "2.1.0"
	maxControls     = 256 // control comms at a time; a front end needs one, for a moment
)

// Message is one message of a comm, in either direction.
type Message struct {
	Kind     Kind
	Comm     string          // its id, which is the model's
	Target   string          // of an Open
	Metadata json.RawMessage // of an Open that is sent
	Data     json.RawMessage
	Buffers  [][]byte // of a message that is sent
	// Cause is the front end's message that this one is, or answers, as the channel knows it; nil where nobody asked.
	Cause any
}

// Channel carries messages to all front ends, in order. Send may be called from any goroutine and must not call the manager.
type Channel interface {
	Send(Message)
}

// Options of a manager. Zero values: see each.
type Options struct {
	// Report is told in one line why a message changed nothing; cause is that message's. nil: nobody is told.
	Report func(cause any, line string)
	// Guard does the work of a handler and makes an error of its panic; nil is one that says no more than that.
	Guard func(doing string, work func()) error
	// NewID names models; nil is random.
	NewID func() string
	// Interval is the time between two updates of one model, but for a short burst; 0 is a tenth of a second.
	Interval time.Duration
}

// Manager holds the models of one kernel. It may be used from any goroutine.
type Manager struct {
	channel Channel
	options Options

	mu       sync.Mutex
	models   map[string]*Model
	order    []*Model // as opened
	controls map[string]bool
	views    map[string]*Shown // by widget
	shared   any               // see Shared
	closed   bool
}

// Shared returns what the widgets of this manager have in common beside it. The first call creates it.
func (m *Manager) Shared(create func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared == nil {
		m.shared = create()
	}
	return m.shared
}

// NewManager makes a manager without models.
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

// report says in one line why something changed nothing.
func (m *Manager) report(cause any, format string, args ...any) {
	m.options.Report(cause, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// add makes a model known and opens it at the front ends.
func (m *Manager) add(w *Model) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.models[w.id] = w
	m.order = append(m.order, w)
	if m.closed {
		return
	}
	var b binary
	state := map[string]any{"state": b.split(w.state), "buffer_paths": b.listed()} // nobody else knows the model yet
	m.channel.Send(Message{Kind: Open, Comm: w.id, Target: Target, Metadata: json.RawMessage(`{"version":"` + protocolVersion + `"}`),
		Data: encode(state), Buffers: b.buffers})
}

// Comms are the ids of the open models, sorted: what comm_info answers for Target.
func (m *Manager) Comms() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.models))
}

// Receive takes what a front end sent. It returns soon: handlers run elsewhere. mine is false, and nothing happens, where the message
// is of a comm that this manager does not have.
func (m *Manager) Receive(msg Message) (mine bool) {
	m.mu.Lock()
	w, control := m.models[msg.Comm], m.controls[msg.Comm]
	if control && msg.Kind == Close {
		delete(m.controls, msg.Comm)
	}
	m.mu.Unlock()
	switch {
	case msg.Kind == Open:
		return m.opened(msg)
	case w != nil && msg.Kind == Tell: // a front end that closes has left; the model stays for the others
		w.receive(msg)
	case control && msg.Kind == Tell:
		m.tellAll(msg)
	}
	return w != nil || control
}

// opened answers a comm that a front end opens.
func (m *Manager) opened(msg Message) (mine bool) {
	switch msg.Target {
	case ControlTarget:
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.controls) >= maxControls {
			clear(m.controls) // of pages that left silently
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

// tellAll answers a front end that asks for everything, as after a reload.
func (m *Manager) tellAll(msg Message) {
	var request struct {
		Method string `json:"method"`
	}
	if err := json.Unmarshal(msg.Data, &request); err != nil || request.Method != "request_states" {
		m.report(msg.Cause, "the widgets were asked for %q, which is not request_states", limited(request.Method))
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
	body := map[string]any{"method": "update_states", "states": states, "buffer_paths": b.listed()}
	m.channel.Send(Message{Kind: Tell, Comm: msg.Comm, Data: encode(body), Buffers: b.buffers, Cause: msg.Cause})
}

// binary takes the binary entries out of states: the protocol sends them beside the JSON text, with the path to where each belongs.
type binary struct {
	paths   [][]any
	buffers [][]byte
}

// split is the state without its binary entries; within is the path to the state.
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

func (b *binary) listed() [][]any { return append([][]any{}, b.paths...) }

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipywidgets: a %T is not JSON: %v", v, err)) // every value was checked when it was set
	}
	return text
}

// limited is a text from the browser, short enough to be quoted.
func limited(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
