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

// The protocol between a cell, the kernel and the host is JSON-RPC 2.0 over a private Unix socket,
// one object per line. Methods are the verbs; each verb's constant gives the types of its
// parameters and result:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":200}}
//	← {"jsonrpc":"2.0","id":1,"result":{"session":"leukemia","state":"paused","step":200,…}}
//	← {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"…","data":{"kind":"busy","what":"…","remedy":"…"}}}
//
// ping is answered at once, whatever the sessions are doing: a process that does not answer it is
// stopped or hangs.
//
// watch is answered at once and followed by notifications until the session is closed, unwatch, or
// the end of the connection. The client chooses the numbers of its watches; the first update may
// come before the answer.
//
//	→ {"jsonrpc":"2.0","id":2,"method":"watch","params":{"session":"leukemia","watch":7,"selection":true,"rate":5}}
//	← {"jsonrpc":"2.0","id":2,"result":{"watch":7,"status":{…}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"update":{"session":"leukemia","verb":"run","reached":40,"target":1500,
//	   "status":{…},"selection":[…]}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"error":{"kind":"unavailable","what":"…","remedy":"…"}}}
//	→ {"jsonrpc":"2.0","id":3,"method":"unwatch","params":{"watch":7}}
//	← {"jsonrpc":"2.0","id":3,"result":{}}

// Verb is a request by name to the host of sessions or to the kernel: P is the type of its
// parameters and R of its result, in Go and, as JSON, on the wire. Errors are *errs.Error: of kind
// NotFound for an unknown session, Request for wrong values.
type Verb[P, R any] string

// The verbs. Each can be called at any time from any goroutine; [Session] has them as methods.
const (
	// Attaches to the open session of that name if the structural keys agree, else resumes it from
	// its run directory if they agree with the run's, else opens a new one.
	VerbOpen  Verb[OpenRequest, Status] = "open"
	VerbClose Verb[NameRequest, None]   = "close"
	// These three move a session; the error is of kind Busy while another one does. One that is
	// interrupted or paused answers where it stands; only an interrupted rewind fails, with
	// Interrupted.
	VerbStep   Verb[StepRequest, Status]   = "step"
	VerbRun    Verb[RunRequest, Status]    = "run"
	VerbRewind Verb[RewindRequest, Status] = "rewind"
	VerbPause  Verb[NameRequest, Status]   = "pause"
	// During a run a fork is made at the next chunk boundary. A name in use is refused.
	VerbFork Verb[ForkRequest, Status] = "fork"
	VerbSet  Verb[SetRequest, Event]   = "set"
	// While steps are being made these answer as of the end of the last chunk (about 100 ms, or one
	// step), and their step says so. An open that attaches does the same. They include everything
	// done by verbs that have returned.
	VerbStatus   Verb[NameRequest, Status]       = "status"
	VerbSessions Verb[None, []Status]            = "sessions" // open sessions, by name
	VerbHistory  Verb[HistoryRequest, History]   = "history"
	VerbFeatures Verb[FeaturesRequest, []string] = "features" // names, in the order of the file; never waits
	// These take the session's turn.
	VerbSelection Verb[NameRequest, Selection]      = "selection"
	VerbMatrix    Verb[MatrixRequest, Matrix]       = "matrix"
	VerbFeature   Verb[FeatureRequest, Feature]     = "feature"
	VerbRows      Verb[RowsRequest, Rows]           = "rows"
	VerbEvaluate  Verb[EvaluateRequest, Evaluation] = "evaluate"

	// The kernel answers these, to the program of a running cell: the host does not know them.
	VerbView  Verb[ViewRequest, None]    = "view"
	VerbShow  Verb[ShowRequest, None]    = "show"
	VerbInput Verb[InputRequest, string] = "input" // the line that the user entered

	VerbPing    Verb[None, None]             = "ping"
	verbWatch   Verb[WatchRequest, watching] = "watch"
	verbUnwatch Verb[unwatchRequest, None]   = "unwatch"
)

// Call calls the verb.
func (v Verb[P, R]) Call(ctx context.Context, c Caller, params P) (result R, err error) {
	err = c.Call(ctx, string(v), params, &result)
	return result, err
}

// Caller answers verbs: a connection, a host in the same process, or something in front of one.
type Caller interface {
	// Call makes one request. params holds the verb's parameters, or their JSON as a
	// json.RawMessage; result points to its result, or is nil.
	Call(ctx context.Context, verb string, params, result any) error
	// Watch calls tell with the present state of a session, and again when it has changed: by a
	// step, a run, set, rewind, or a pause. Updates faster than the rate are merged into the
	// latest; the state in which a run ends is always delivered, unless another run begins at once.
	// Calls come one at a time, from one goroutine; tell may be slow, which only reduces its
	// updates, and may use the caller. Watch returns nil when ctx ends, or after an update that
	// says the session was closed.
	Watch(ctx context.Context, request WatchRequest, tell func(Update)) error
}

// Config configures a training when it is opened, and holds the changes of set.
type Config = config.Config

// None stands for no parameters or no result.
type None struct{}

// NameRequest names a session.
type NameRequest struct {
	Session string `json:"session"`
}

// OpenRequest names a session and its configuration.
type OpenRequest struct {
	Session string `json:"session"`
	Config  Config `json:"config"`
	Replace bool   `json:"replace,omitempty"` // ends an existing session of that name, and removes its run
	// Attach accepts the session of that name whatever its configuration, or resumes it from its
	// run directory; it fails with NotFound if there is neither.
	Attach bool `json:"attach,omitempty"`
	// ReadOnly opens a run that another process has open, as of its last checkpoint: it can be
	// looked at and forked, but not trained.
	ReadOnly bool `json:"read_only,omitempty"`
	// Directory holds the run directories, and relative paths of the configuration start there; ""
	// means the host's working directory.
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

// Until is the end of a run: an epoch, a step, or all rows of P settled, whichever comes first. The
// zero value is the end of the annealing, or earlier as the stop key says.
type Until struct {
	Epoch   int  `json:"epoch,omitempty"`
	Step    int  `json:"step,omitempty"`
	Settled bool `json:"settled,omitempty"`
	// Pace is "" for full speed, or "watch": the whole annealing lasts at least 15 s, so that
	// people can watch it.
	Pace string `json:"pace,omitempty"`
	// Wait false lets Run return at once, with the state Running; the run continues in the
	// background until its target, a pause, a close, or the end of the host. A failure then shows
	// in the status's state and reason. Nil is true.
	Wait *bool `json:"wait,omitempty"`
}

// PaceWatch is the pace of a run that people watch.
const PaceWatch = "watch"

// Waits reports whether Run returns only when the run has ended.
func (u Until) Waits() bool { return u.Wait == nil || *u.Wait }

// RewindRequest names a step from 0 to the present one; it is required.
type RewindRequest struct {
	Session string `json:"session"`
	Step    *int   `json:"step"`
}

// ForkRequest names the new session and the step at which it leaves the other one.
type ForkRequest struct {
	Session string `json:"session"`
	As      string `json:"as"`
	Step    *int   `json:"step,omitempty"`    // from 0 to the present one; nil is the present one
	Replace bool   `json:"replace,omitempty"` // ends an existing session As, and removes its run
}

// SetRequest names live keys and their new values.
type SetRequest struct {
	Session string `json:"session"`
	Changes Config `json:"changes"`
}

// EvaluateRequest names the subset: [Train], [Validation] or [Test].
type EvaluateRequest struct {
	Session string `json:"session"`
	Part    string `json:"part"`
}

// ViewRequest asks for a view of a session, drawn below the running cell. A view reads the options
// that it knows and ignores the others.
type ViewRequest struct {
	View    string `json:"view"` // matrix · curves · panel · …: the verb of %fsnet, but evaluation for evaluate
	Session string `json:"session"`
	Live    bool   `json:"live,omitempty"` // a view that outlives its cell, where there is a picture as well
	// Options of the requests of the same fields.
	Of      string   `json:"of,omitempty"`
	Top     int      `json:"top,omitempty"`
	Step    *int     `json:"step,omitempty"`
	Metrics []string `json:"metrics,omitempty"`
	From    int      `json:"from,omitempty"`
	Points  int      `json:"points,omitempty"`
	Smooth  *int     `json:"smooth,omitempty"`
	Test    bool     `json:"test,omitempty"`
	Feature Which    `json:"feature,omitempty"`
	Part    string   `json:"part,omitempty"`
	Symbols string   `json:"symbols,omitempty"` // of a summary: a file with a feature and its symbol on each line
}

// ShowRequest asks for a display of a value below the running cell.
type ShowRequest struct {
	Data     map[string]any `json:"data,omitempty"` // the value's forms by MIME type; text/plain is required
	Metadata map[string]any `json:"metadata,omitempty"`
	ID       string         `json:"id,omitempty"` // names a display: the value replaces the one shown there, in all cells
	// View, if set, draws Value, the answer of a session, in place of Data.
	View  string          `json:"view,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// InputRequest asks the user of the running cell for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"` // the line is not shown while it is typed
}

// Named is implemented by the parameters of verbs that work on an open session.
type Named interface{ SessionName() string }

// SessionName implements [Named].
func (r NameRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r StepRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r RunRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r RewindRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r SetRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r EvaluateRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r MatrixRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r HistoryRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r RowsRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r FeatureRequest) SessionName() string { return r.Session }

// SessionName implements [Named].
func (r FeaturesRequest) SessionName() string { return r.Session }

// watching answers a watch.
type watching struct {
	Watch  int64  `json:"watch"`
	Status Status `json:"status"`
}

// unwatchRequest ends a watch. Ending one that has already ended is not an error.
type unwatchRequest struct {
	Watch int64 `json:"watch"`
}

// notice holds the parameters of the notification update: an update, or the reason why the watch
// ended, if no update gives it.
type notice struct {
	Watch  int64       `json:"watch"`
	Update *Update     `json:"update,omitempty"`
	Error  *errs.Error `json:"error,omitempty"`
}

// message is a line of the protocol. T is any for a message to send and json.RawMessage for a
// received one.
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

// Codes of JSON-RPC. An error of a verb has the first code reserved for servers.
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

// fault returns the error that the peer returned, of kind Failed if the peer gives no kind.
func (e *wireError) fault() *errs.Error {
	if e.Data == nil || e.Data.Kind == "" {
		return errs.New(errs.Failed, "", "%s", e.Message)
	}
	return e.Data
}

// Conn is a connection: one of package net, or the file that a cell opens.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(t time.Time) error
}

// endpoint is one end of a connection. Lines are written whole.
type endpoint struct {
	conn  Conn
	limit time.Duration // how long the peer may leave a line unread
	mu    sync.Mutex
}

// write sends a message as a line, and returns the number of bytes written. It fails if the peer
// reads nothing for the limit: the peer has stopped, and every later line would wait for this one.
// If the message cannot be encoded the error is of kind Request, and nothing is written.
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

// readLine returns the next line without its end. An unfinished line, and one longer than most
// bytes, is an error.
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
