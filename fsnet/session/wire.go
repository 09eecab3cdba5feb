package session

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
)

// The protocol between a cell, the kernel and the host is JSON-RPC 2.0 over a private Unix socket, one object a line. Methods are the
// verbs, and the parameters and the result of each are the types that its constant names:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":200}}
//	← {"jsonrpc":"2.0","id":1,"result":{"session":"leukemia","state":"paused","step":200,…}}
//	← {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"…","data":{"kind":"busy","what":"…","remedy":"…"}}}
//
// ping is answered at once, whatever the sessions do: a process that does not answer it has stopped or hangs.
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

// Verb is a request to the host of sessions, by its name: P is its parameters and R its result, as Go has them and, as JSON, on the wire.
// Errors are of type *errs.Error: kind NotFound for an unknown session, Request for wrong values.
type Verb[P, R any] string

// The verbs. Each may be asked for at any time from any goroutine; [Session] has them as methods.
const (
	// Attaches to the session of that name where the structural keys agree, else resumes it from its run directory where they agree with
	// what is there, else makes it.
	VerbOpen  Verb[OpenRequest, Status] = "open"
	VerbClose Verb[NameRequest, None]   = "close"
	// These three advance or take back a session: kind Busy while another one does. One that is interrupted, or that a pause ends, answers
	// where it stands; only a rewind then fails, with Interrupted.
	VerbStep   Verb[StepRequest, Status]   = "step"
	VerbRun    Verb[RunRequest, Status]    = "run"
	VerbRewind Verb[RewindRequest, Status] = "rewind"
	VerbPause  Verb[NameRequest, Status]   = "pause"
	// During a run a fork is made at the next chunk boundary. A name in use is refused.
	VerbFork Verb[ForkRequest, Status] = "fork"
	VerbSet  Verb[SetRequest, Event]   = "set"
	// These answer while steps are being made as of the end of the last chunk (about 100 ms, or one step): their step says which. So does
	// open where it attaches. Whatever a verb that has returned did is in it.
	VerbStatus   Verb[NameRequest, Status]       = "status"
	VerbSessions Verb[None, []Status]            = "sessions" // what is open, by name
	VerbHistory  Verb[HistoryRequest, History]   = "history"
	VerbFeatures Verb[FeaturesRequest, []string] = "features" // names, in the order of the file; it never waits
	// These take the session's turn.
	VerbSelection Verb[NameRequest, Selection]      = "selection"
	VerbMatrix    Verb[MatrixRequest, Matrix]       = "matrix"
	VerbFeature   Verb[FeatureRequest, Feature]     = "feature"
	VerbRows      Verb[RowsRequest, Rows]           = "rows"
	VerbEvaluate  Verb[EvaluateRequest, Evaluation] = "evaluate"

	VerbPing    Verb[None, None]             = "ping"
	verbWatch   Verb[WatchRequest, watching] = "watch"
	verbUnwatch Verb[unwatchRequest, None]   = "unwatch"
)

// Call asks for the verb.
func (v Verb[P, R]) Call(ctx context.Context, c Caller, params P) (result R, err error) {
	err = c.Call(ctx, string(v), params, &result)
	return result, err
}

// Caller answers verbs: a connection, a host in the same process, or whatever stands in front of one.
type Caller interface {
	// Call makes one request. params are those of the verb, or their JSON as a json.RawMessage; result points to its result, or is nil.
	Call(ctx context.Context, verb string, params, result any) error
	// Watch calls tell with a session as it is now, and again when it has changed: by a step, a run, set, rewind, a pause. Updates
	// that follow faster than the rate are told as one, the latest; the state in which a run ends is always told, unless another begins
	// at once. Calls come one at a time, from one goroutine; one that takes long sees fewer updates and holds up nobody, and may use the
	// caller. Watch returns nil when the context has ended, or when the session was closed, which the last update says.
	Watch(ctx context.Context, request WatchRequest, tell func(Update)) error
}

// Config is what a training is opened with, and the changes that set makes.
type Config = config.Config

// None is no parameters, or no result.
type None struct{}

// NameRequest names a session.
type NameRequest struct {
	Session string `json:"session"`
}

// OpenRequest names a session and how it is configured.
type OpenRequest struct {
	Session string `json:"session"`
	Config  Config `json:"config"`
	Replace bool   `json:"replace,omitempty"` // ends the session that is in the way, and removes its run
	// Attach takes the session of that name as it is, whatever its configuration, resumes it from its run directory, or fails with
	// NotFound where there is neither.
	Attach bool `json:"attach,omitempty"`
	// ReadOnly takes a run whose session another process has open as its last checkpoint shows it: it can be looked at and forked, and
	// goes no further.
	ReadOnly bool `json:"read_only,omitempty"`
	// Directory is where relative paths of the configuration start, and where the run directories are; "" is the host's own.
	Directory string `json:"directory,omitempty"`
}

// StepRequest asks for N ≥ 1 steps.
type StepRequest struct {
	Session string `json:"session"`
	N       int    `json:"n"`
}

// RunRequest asks for a run.
type RunRequest struct {
	Session string `json:"session"`
	Until   Until  `json:"until"`
}

// Until is where a run ends: the first of an epoch, a step, or all rows of P settled. The zero value is the end of the annealing, or
// earlier as the stop key says.
type Until struct {
	Epoch   int  `json:"epoch,omitempty"`
	Step    int  `json:"step,omitempty"`
	Settled bool `json:"settled,omitempty"`
	// Pace is "" for as fast as the device is, or "watch": the whole annealing lasts 15 s at the least, so that people can watch it.
	Pace string `json:"pace,omitempty"`
	// Wait false lets Run return at once, with the state Running, and the run go on in the background until its target, a pause, a close or
	// the end of the host. Its failure is the status's state and reason. Nil is true.
	Wait *bool `json:"wait,omitempty"`
}

// PaceWatch is the pace of a run that people watch.
const PaceWatch = "watch"

// Waits reports whether Run returns when the run has ended rather than when it has begun.
func (u Until) Waits() bool { return u.Wait == nil || *u.Wait }

// RewindRequest names a step from 0 to the present one, which is required.
type RewindRequest struct {
	Session string `json:"session"`
	Step    *int   `json:"step"`
}

// ForkRequest says what a fork is called and where it leaves the other session.
type ForkRequest struct {
	Session string `json:"session"`
	As      string `json:"as"`
	Step    *int   `json:"step,omitempty"`    // from 0 to the present one, which is nil
	Replace bool   `json:"replace,omitempty"` // ends the session As that is in the way, and removes its run
}

// SetRequest names live keys and their new values.
type SetRequest struct {
	Session string `json:"session"`
	Changes Config `json:"changes"`
}

// EvaluateRequest names the rows: [Train], [Validation] or [Test].
type EvaluateRequest struct {
	Session string `json:"session"`
	Part    string `json:"part"`
}

// watching answers a watch.
type watching struct {
	Watch  int64  `json:"watch"`
	Status Status `json:"status"`
}

// unwatchRequest ends a watch. One that has ended already is no error.
type unwatchRequest struct {
	Watch int64 `json:"watch"`
}

// notice is the parameters of the notification update: an update, or why the watch ended where no update says so.
type notice struct {
	Watch  int64       `json:"watch"`
	Update *Update     `json:"update,omitempty"`
	Error  *errs.Error `json:"error,omitempty"`
}

// message is any line of the protocol. T is any of one that is sent, and json.RawMessage of one that is received.
type message[T any] struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  T               `json:"params,omitempty"`
	Result  T               `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    *errs.Error `json:"data"`
}

// Codes of JSON-RPC. A fault of a verb has the first code for servers.
const (
	codeFault         = -32000
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeParse         = -32700
)

func newError(code int, err *errs.Error) *wireError {
	return &wireError{Code: code, Message: err.Error(), Data: err}
}

func (e *wireError) Error() string { return e.Message }

// fault turns an error from the wire into the one that the peer returned.
func (e *wireError) fault() *errs.Error {
	if e.Data == nil || e.Data.Kind == "" {
		return errs.New(errs.Failed, "", "%s", e.Message)
	}
	return e.Data
}

// Conn is a connection: what package net has, or the file that a cell opens.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(t time.Time) error
}

// endpoint is one end of a connection. Lines are written whole.
type endpoint struct {
	conn  Conn
	limit time.Duration // that the peer may leave a line unread
	mu    sync.Mutex
}

// write sends a message as a line. It gives up where the peer has read nothing for the limit: it has stopped, and every later line would
// wait for this one. The error is of kind Request where the message has no JSON, and nothing is written then.
func (e *endpoint) write(m message[any]) (written int, err error) {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return 0, errs.Wrap(err, errs.Request, "numbers must be finite", "%s cannot be sent", cmp.Or(m.Method, "the answer"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.conn.SetWriteDeadline(time.Now().Add(e.limit)); err != nil {
		return 0, err
	}
	return e.conn.Write(append(line, '\n'))
}

// readLine returns the next line without its end. An unfinished one is no line.
func readLine(lines *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, fmt.Errorf("the line is longer than %d bytes", most)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}
