package ipywidgets

import (
	"reflect"
	"slices"
	"time"
)

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

// set changes entries of the state and tells the front ends. A value that does not fit is the program's mistake: it is reported, and
// nothing changes.
func (w *Model) set(values map[string]any) {
	w.mu.Lock()
	accepted, err := w.accept(values, false)
	if err == nil {
		for name, value := range accepted {
			if !same(w.state[name], value) {
				w.state[name] = value
				w.changed[name] = true
			}
		}
		w.flush()
	}
	w.mu.Unlock()
	if err != nil {
		w.manager.report(nil, "%s was not set: %v", w.keys["_model_name"].value, err)
	}
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
	data, buffers := envelope(method, state)
	w.manager.channel.Send(Message{Kind: Tell, Comm: w.id, Data: data, Buffers: buffers, Cause: cause})
}

// same reports whether an entry stays as it is.
func same(a, b any) bool {
	if models, ok := a.([]*Model); ok {
		others, ok := b.([]*Model)
		return ok && slices.Equal(models, others)
	}
	if w, ok := a.(*Model); ok {
		return w == b
	}
	return reflect.DeepEqual(a, b)
}
