package ipywidgets

import "encoding/json"

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
	Buffers  [][]byte
	// Cause is the front end's message that this one is, or answers, as the channel knows it; nil where nobody asked.
	Cause any
}

// Channel carries messages to all front ends, in order. Send may be called from any goroutine and must not call the manager.
type Channel interface {
	Send(Message)
}
