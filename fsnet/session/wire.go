package session

import (
	"encoding/json"

	"fsnetlab/fsnet/fault"
)

// The protocol between a cell, the kernel and the host is JSON-RPC 2.0 over a private Unix socket, one object a line. Methods are the
// verbs, their parameters the types of this file, their results the data types of this package:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":200}}
//	← {"jsonrpc":"2.0","method":"progress","params":{"session":"leukemia","target":200,"status":{…}}}
//	← {"jsonrpc":"2.0","id":1,"result":{"session":"leukemia","state":"paused","step":200,…}}
//	← {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"…","data":{"kind":"busy","what":"…","remedy":"…"}}}
//
// open takes an OpenRequest; sessions takes an empty object; close answers with an empty object.

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
	Step    *int   `json:"step,omitempty"`
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

// FaultData is the data of an error on the wire.
type FaultData struct {
	Kind   fault.Kind `json:"kind"`
	What   string     `json:"what"`
	Remedy string     `json:"remedy"`
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
	Message string     `json:"message"`
	Data    *FaultData `json:"data"`
}

// fault turns an error from the wire into the one that the other end returned.
func (e *wireError) fault() *fault.Error {
	if e.Data == nil || e.Data.Kind == "" {
		return fault.New(fault.Failed, "", "%s", e.Message)
	}
	return fault.New(e.Data.Kind, e.Data.Remedy, "%s", e.Data.What)
}
