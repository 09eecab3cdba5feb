package ipywidgets

import (
	"encoding/json"
	"maps"
	"sync"
	"time"
)

// Model is one comm and its state. The controls embed it.
type Model struct {
	id      string
	manager *Manager
	keys    map[string]key

	mu       sync.Mutex
	state    map[string]any
	changed  map[string]bool // set here and not sent yet
	pace     pace
	timer    *time.Timer
	closed   bool
	handlers map[string][]func(any)
	customs  []func(content json.RawMessage, buffers [][]byte)
	waiting  []event
	working  bool
}

// key is one entry of a model's state.
type key struct {
	name  string
	value any // at the start
	check check
	// person says that the browser may change it; doubt, which may be nil, is asked of its values only.
	person bool
	doubt  check
}

// check gives a value in the type that the state keeps, or says why it is none. now gives the other entries. nil lets everything pass.
type check func(now func(key string) any, value any) (any, error)

// newModel makes a model of these keys, later ones replacing earlier ones, and opens it.
func newModel(m *Manager, keys ...[]key) *Model {
	w := &Model{
		id: m.options.NewID(), manager: m, keys: map[string]key{}, state: map[string]any{}, changed: map[string]bool{}, handlers: map[string][]func(any){},
	}
	for _, list := range keys {
		for _, k := range list {
			w.keys[k.name], w.state[k.name] = k, k.value
		}
	}
	m.add(w)
	return w
}

// ID is the model's, and its comm's.
func (w *Model) ID() string { return w.id }

// Root makes a Model a Widget.
func (w *Model) Root() *Model { return w }

// Widget is a control, or what is made of several: it has one model that shows it.
type Widget interface {
	Root() *Model
}

// snapshot is the state of now.
func (w *Model) snapshot() map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.state)
}

// get is one entry of the state.
func (w *Model) get(name string) any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state[name]
}

// Close closes the model at the front ends: its views vanish.
func (w *Model) Close() {
	w.manager.remove(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.end()
	w.manager.channel.Send(Message{Kind: Close, Comm: w.id, Data: json.RawMessage(`{}`)})
}

// end sends nothing any more. The caller holds the lock.
func (w *Model) end() {
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Send sends a message of one's own to the model's views.
func (w *Model) Send(content any, buffers ...[]byte) {
	body := encode(map[string]any{"method": "custom", "content": content})
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: body, Buffers: buffers})
	}
}

// OnMessage is called with messages of the views' own.
func (w *Model) OnMessage(handler func(content json.RawMessage, buffers [][]byte)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.customs = append(w.customs, handler)
}

func (w *Model) onChange(name string, handler func(any)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[name] = append(w.handlers[name], handler)
}
