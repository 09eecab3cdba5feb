package ipywidgets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	maxState   = 8 << 20 // bytes of one message's JSON text; what a person does is a few
	maxWaiting = 4096    // events that may wait for a model's handlers
)

// receive takes a front end's message to this model.
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
	switch body.Method {
	case "update":
		if err := w.update(body.State, len(body.Paths), msg.Cause); err != nil {
			w.manager.report(msg.Cause, "%s: %v: nothing changed", w.name, err)
		}
	case "request_state":
		w.mu.Lock()
		w.send("update", w.state, msg.Cause)
		w.mu.Unlock()
	case "custom":
		w.custom(body.Content, msg.Cause)
	default:
		w.manager.report(msg.Cause, "%s: unknown method %q: nothing changed", w.name, limited(body.Method))
	}
}

// update is a person's change. All entries are taken or none, and every front end is told what they are now: the one that sent the
// message waits for that answer and ignores others until then, so that a slow echo never moves a slider back under the hand.
func (w *Model) update(raw map[string]json.RawMessage, buffers int, cause any) error {
	values, err := decode(raw)
	if buffers > 0 {
		err = errors.New("the browser may not send binary values")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		err = w.accept(values, w.doubt)
	}
	echo := map[string]any{}
	for name := range raw {
		if _, known := w.entries[name]; known {
			if err == nil {
				w.state[name] = values[name]
				delete(w.changed, name) // the person was later
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
		handlers, value := w.handlers[name], values[name]
		if len(handlers) > 0 {
			w.enqueue(event{entry: name, cause: cause, run: func() {
				for _, h := range handlers {
					h(value)
				}
			}})
		}
	}
	return nil
}

func decode(raw map[string]json.RawMessage) (map[string]any, error) {
	values := make(map[string]any, len(raw))
	for name, text := range raw {
		var v any
		if err := json.Unmarshal(text, &v); err != nil { // such as 1e999
			return nil, fmt.Errorf("%s = %s is out of range", limited(name), limited(string(text)))
		}
		values[name] = v
	}
	return values, nil
}

// accept gives the first reason why values are none, in the order of their names. The caller holds the lock.
func (w *Model) accept(values map[string]any, check func(name string, value any) error) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := w.entries[name]; !known {
			return fmt.Errorf("there is no %q", limited(name))
		}
		if err := check(name, values[name]); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	return nil
}

// doubt says why a value of the browser's is none.
func (w *Model) doubt(name string, value any) error {
	entry := w.entries[name]
	if !entry.Person {
		return errors.New("cannot be changed in the browser")
	}
	if entry.Check != nil {
		return entry.Check(value)
	}
	return nil
}

// custom hands on a message of the module's own.
func (w *Model) custom(content json.RawMessage, cause any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	handlers := w.customs
	if len(handlers) == 0 {
		return
	}
	if !w.enqueue(event{cause: cause, run: func() {
		for _, h := range handlers {
			h(content)
		}
	}}) {
		w.manager.report(cause, "%s has %d messages waiting: this one was left out", w.name, maxWaiting)
	}
}

// event is something that a person did and handlers have not seen.
type event struct {
	entry string // that was changed; "" is a message, which is never merged
	cause any    // the front end's message
	run   func()
}

// enqueue hands an event to the model's handlers: one after another, beside those of other models. The caller holds the lock.
func (w *Model) enqueue(e event) bool {
	if e.entry != "" { // of one entry only the last counts
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

// work runs what waits, and ends. A handler that panics is a mistake in one view and must not end the others.
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

// limited is a text from the browser, short enough to be quoted.
func limited(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
