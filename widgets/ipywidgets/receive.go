package ipywidgets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// maxState bounds the JSON text of one message; what a person does is a few bytes.
const maxState = 8 << 20

// receive takes a front end's message to this model.
func (w *Model) receive(msg Message) {
	var body struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Paths   [][]any                    `json:"buffer_paths"`
		Content json.RawMessage            `json:"content"`
	}
	name := w.keys["_model_name"].value
	if len(msg.Data) > maxState {
		w.manager.report(msg.Cause, "a message of %d bytes to %s is too long: nothing changed", len(msg.Data), name)
		return
	}
	if err := json.Unmarshal(msg.Data, &body); err != nil {
		w.manager.report(msg.Cause, "a message to %s cannot be read: nothing changed", name)
		return
	}
	switch body.Method {
	case "update":
		if err := w.update(body.State, body.Paths, msg); err != nil {
			w.manager.report(msg.Cause, "%s: %v: nothing changed", name, err)
		}
	case "request_state":
		w.mu.Lock()
		w.send("update", w.state, msg.Cause)
		w.mu.Unlock()
	case "custom":
		w.custom(body.Content, msg)
	default:
		w.manager.report(msg.Cause, "%s: unknown method %q: nothing changed", name, limited(body.Method))
	}
}

// update is a person's change. All entries are taken or none, and every front end is told what they are now: the one that sent the
// message waits for that answer and ignores others until then, so that a slow echo never moves a slider back under the hand.
func (w *Model) update(raw map[string]json.RawMessage, paths [][]any, msg Message) error {
	values, err := decode(raw, paths, msg.Buffers)
	w.mu.Lock()
	defer w.mu.Unlock()
	var accepted map[string]any
	if err == nil {
		accepted, err = w.accept(values, true)
	}
	echo := map[string]any{}
	for name := range raw {
		if _, known := w.keys[name]; known {
			echo[name] = w.state[name]
		}
	}
	for name, value := range accepted {
		w.state[name] = value
		echo[name] = value
		delete(w.changed, name) // the person was later
	}
	if len(echo) > 0 {
		w.send("echo_update", echo, msg.Cause)
	}
	for _, name := range slices.Sorted(maps.Keys(accepted)) {
		handlers, value := w.handlers[name], accepted[name]
		if len(handlers) > 0 {
			w.enqueue(event{key: name, cause: msg.Cause, run: func() {
				for _, h := range handlers {
					h(value)
				}
			}})
		}
	}
	return err
}

func decode(raw map[string]json.RawMessage, paths [][]any, buffers [][]byte) (map[string]any, error) {
	values := make(map[string]any, len(raw))
	for name, text := range raw {
		var v any
		if err := json.Unmarshal(text, &v); err != nil { // such as 1e999
			return nil, fmt.Errorf("%s = %s is out of all range", limited(name), limited(string(text)))
		}
		values[name] = v
	}
	return values, put(values, paths, buffers)
}

// accept gives the values in the types of the state, or the first reason why not, in the order of their names. The caller holds the lock.
func (w *Model) accept(values map[string]any, person bool) (map[string]any, error) {
	accepted := make(map[string]any, len(values))
	now := func(name string) any {
		if v, ok := values[name]; ok && !person { // a program may change a range and the value in it at once
			return v
		}
		return w.state[name]
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		k, ok := w.keys[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no %q", limited(name))
		case person && !k.person:
			return nil, fmt.Errorf("%s is not the browser's to change", name)
		}
		value, checks := values[name], []check{k.check}
		if person {
			checks = append(checks, k.doubt)
		}
		for _, c := range checks {
			if c == nil {
				continue
			}
			var err error
			if value, err = c(now, value); err != nil {
				return nil, fmt.Errorf("%s %w", name, err)
			}
		}
		accepted[name] = value
	}
	return accepted, nil
}

// custom hands on a message of the views' own.
func (w *Model) custom(content json.RawMessage, msg Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	handlers, buffers := w.customs, msg.Buffers
	if len(handlers) == 0 {
		return
	}
	if !w.enqueue(event{cause: msg.Cause, run: func() {
		for _, h := range handlers {
			h(content, buffers)
		}
	}}) {
		w.manager.report(msg.Cause, "%s has %d messages waiting: this one was left out", w.keys["_model_name"].value, maxWaiting)
	}
}
