package ipywidgets

import (
	"encoding/json"
	"fmt"
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

// sendable says why a value of the program's cannot be sent.
func sendable(_ string, value any) error {
	if _, ok := value.([]byte); ok {
		return nil
	}
	if _, err := json.Marshal(value); err != nil {
		return fmt.Errorf("cannot be sent: %w", err)
	}
	return nil
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipywidgets: a %T is not JSON: %v", v, err)) // every value was checked when it was set
	}
	return text
}
