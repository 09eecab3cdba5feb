package ipywidgets

import (
	"fmt"
	"slices"
)

// maxWaiting is how many events may wait for a model's handlers.
const maxWaiting = 4096

// event is something that a person did and handlers have not seen.
type event struct {
	key   string // that was changed; "" is a message, which is never merged
	cause any    // the front end's message
	run   func()
}

// enqueue hands an event to the model's handlers: one after another, beside those of other models. The caller holds the lock.
func (w *Model) enqueue(e event) bool {
	if e.key != "" { // of one value only the last counts
		w.waiting = slices.DeleteFunc(w.waiting, func(other event) bool { return other.key == e.key })
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

// work runs what waits, and ends.
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
		w.run(e)
	}
}

// run survives a handler that panics: it is a mistake in one view and must not end the others.
func (w *Model) run(e event) {
	if err := w.manager.options.Guard(fmt.Sprintf("what %s does", w.keys["_model_name"].value), e.run); err != nil {
		w.manager.report(e.cause, "%v", err)
	}
}
