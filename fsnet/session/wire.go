package session

import (
	"encoding/json"

	"fsnetlab/fsnet/fault"
)

// The protocol between a cell, the kernel and the host is JSON-RPC 2.0 over a private Unix socket, one object a line. Methods are the
// verbs, their parameters the types of this file, their results the data types of this package:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":200}}
//	← {"jsonrpc":"2.0","id":1,"result":{"session":"leukemia","state":"paused","step":200,…}}
//	← {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"…","data":{"kind":"busy","what":"…","remedy":"…"}}}
//
// open takes an OpenRequest; sessions takes an empty object; close answers with an empty object. ping takes and answers an empty object, at
// once, whatever the sessions do: an end that does not has stopped or hangs.
//
// watch is answered at once and followed by notifications until the session is closed, unwatch or the end of the connection. The client
// numbers its watches as it likes; the first update may come before the answer.
//
//	→ {"jsonrpc":"2.0","id":2,"method":"watch","params":{"session":"leukemia","watch":7,"selection":true,"rate":5}}
//	← {"jsonrpc":"2.0","id":2,"result":{"watch":7,"status":{…}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"update":{"session":"leukemia","verb":"run","reached":40,"target":1500,
//	   "status":{…},"selection":[…]}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"error":{"kind":"unavailable","what":"…","remedy":"…"}}}
//	→ {"jsonrpc":"2.0","id":3,"method":"unwatch","params":{"watch":7}}
//	← {"jsonrpc":"2.0","id":3,"result":{}}

// NameParams are the parameters of pause, status, selection and close.
type NameParams struct {
	Session string `json:"session"`
}

// StepParams are the parameters of step.
type StepParams struct {
	Session string `json:"session"`
	N       int    `json:"n"`
}

// RunParams are the parameters of run.
type RunParams struct {
	Session string `json:"session"`
	Until   Until  `json:"until"`
}

// RewindParams are the parameters of rewind; a step is required.
type RewindParams struct {
	Session string `json:"session"`
	Step    *int   `json:"step"`
}

// ForkParams are the parameters of fork. No step is the present one.
type ForkParams struct {
	Session string `json:"session"`
	As      string `json:"as"`
	Step    *int   `json:"step,omitempty"` // without it the present one
	Replace bool   `json:"replace,omitempty"`
}

// SetParams are the parameters of set.
type SetParams struct {
	Session string `json:"session"`
	Changes Config `json:"changes"`
}

// MatrixParams are the parameters of matrix.
type MatrixParams struct {
	Session string `json:"session"`
	MatrixRequest
}

// HistoryParams are the parameters of history.
type HistoryParams struct {
	Session string `json:"session"`
	HistoryRequest
}

// EvaluateParams are the parameters of evaluate.
type EvaluateParams struct {
	Session string `json:"session"`
	Part    string `json:"part"`
}

// WatchParams are the parameters of watch. Watch is a number that no other watch of the connection has.
type WatchParams struct {
	Session string `json:"session"`
	Watch   int64  `json:"watch"`
	WatchRequest
}

// Watching is the result of watch.
type Watching struct {
	Watch  int64  `json:"watch"`
	Status Status `json:"status"`
}

// UnwatchParams are the parameters of unwatch. A watch that has ended already is no error.
type UnwatchParams struct {
	Watch int64 `json:"watch"`
}

// UpdateParams are the parameters of the notification update: what is to be told, or why the watch ended where no update says so.
type UpdateParams struct {
	Watch  int64        `json:"watch"`
	Update *Update      `json:"update,omitempty"`
	Error  *fault.Error `json:"error,omitempty"`
}

// message is any line that a client receives.
type message struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

type wireError struct {
	Message string       `json:"message"`
	Data    *fault.Error `json:"data"`
}

// fault turns an error from the wire into the one that the other end returned.
func (e *wireError) fault() *fault.Error {
	if e.Data == nil || e.Data.Kind == "" {
		return fault.New(fault.Failed, "", "%s", e.Message)
	}
	return e.Data
}
