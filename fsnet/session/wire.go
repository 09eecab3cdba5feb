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

// The protocol between a cell, the kernel and the host is JSON-RPC 2.0 over
// a private Unix socket, with one object per line. Methods are the verbs.
// The constant of each verb gives the types of its parameters and result:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":200}}
//	← {"jsonrpc":"2.0","id":1,"result":{"session":"leukemia","state":"paused","step":200,…}}
//	← {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"…","data":{"kind":"busy","what":"…","remedy":"…"}}}
//
// ping is answered at once, whatever the sessions are doing. A process that
// does not answer it has stopped or hangs.
//
// watch is answered at once. Notifications follow until the session is
// closed, the client sends unwatch, or the connection ends. The client
// chooses the numbers of its watches. The first update may arrive before the
// answer.
//
//	→ {"jsonrpc":"2.0","id":2,"method":"watch","params":{"session":"leukemia","watch":7,"selection":true,"rate":5}}
//	← {"jsonrpc":"2.0","id":2,"result":{"watch":7,"status":{…}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"update":{"session":"leukemia","verb":"run","reached":40,"target":1500,
//	   "status":{…},"selection":[…]}}}
//	← {"jsonrpc":"2.0","method":"update","params":{"watch":7,"error":{"kind":"unavailable","what":"…","remedy":"…"}}}
//	→ {"jsonrpc":"2.0","id":3,"method":"unwatch","params":{"watch":7}}
//	← {"jsonrpc":"2.0","id":3,"result":{}}

// Verb is the name of a request to the host of sessions or to the kernel. P
// is the type of its parameters and R that of its result, in Go and, as
// JSON, on the wire. Errors are *errs.Error: of kind NotFound if the session
// is unknown, of kind Request if values are wrong.
type Verb[P, R any] string

// The verbs. You can call each at any time from any goroutine. [Session] has
// them as methods.
const (
	// Attaches to the open session with that name if the structural keys
	// agree. Otherwise it resumes the session from its run directory if they
	// agree with those of the run. Otherwise it opens a new session.
	VerbOpen  Verb[OpenRequest, Status] = "open"
	VerbClose Verb[NameRequest, None]   = "close"
	// These three move a session. The error is of kind Busy while another
	// verb moves it. If a verb is interrupted or paused, it answers with the
	// status. Only an interrupted rewind fails, with kind Interrupted.
	VerbStep   Verb[StepRequest, Status]   = "step"
	VerbRun    Verb[RunRequest, Status]    = "run"
	VerbRewind Verb[RewindRequest, Status] = "rewind"
	VerbPause  Verb[NameRequest, Status]   = "pause"
	// During a run a fork is made at the end of the current chunk. A name in
	// use is rejected.
	VerbFork Verb[ForkRequest, Status] = "fork"
	VerbSet  Verb[SetRequest, Event]   = "set"
	// During a step or run these answer with the state at the end of the
	// last chunk (about 100 ms, or one step), and with the step of that
	// state. An open that attaches does the same. They include everything
	// done by verbs that have returned.
	VerbStatus   Verb[NameRequest, Status]       = "status"
	VerbSessions Verb[None, []Status]            = "sessions" // open sessions, by name
	VerbHistory  Verb[HistoryRequest, History]   = "history"
	VerbFeatures Verb[FeaturesRequest, []string] = "features" // names, in the order of the file; never waits
	// These wait for the session's turn.
	VerbSelection Verb[NameRequest, Selection]      = "selection"
	VerbMatrix    Verb[MatrixRequest, Matrix]       = "matrix"
	VerbFeature   Verb[FeatureRequest, Feature]     = "feature"
	VerbRows      Verb[RowsRequest, Rows]           = "rows"
	VerbEvaluate  Verb[EvaluateRequest, Evaluation] = "evaluate"

	// The kernel answers these, to the program of a running cell. The host
	// does not know them.
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

// Caller answers verbs: a connection, a host in the same process, or a proxy
// of one.
type Caller interface {
	// Call makes one request. params holds the parameters of the verb, or
	// their JSON as a json.RawMessage. result points to the result, or is
	// nil.
	Call(ctx context.Context, verb string, params, result any) error
	// Watch calls tell with the current state of a session, and again when
	// it has changed: after a step, a run, a set, a rewind or a pause. Updates
	// that come faster than the rate are merged into the latest one. The state in
	// which a run ends is always delivered, unless another run begins at
	// once. Calls come one at a time, from one goroutine. tell may be slow,
	// which only reduces its updates, and it may use the caller. Watch
	// returns nil when ctx ends, or after an update that says that the
	// session was closed.
	Watch(ctx context.Context, request WatchRequest, tell func(Update)) error
}

// Config configures a training when it is opened, and holds the changes of
// set.
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
	Replace bool   `json:"replace,omitempty"` // end an existing session with that name and remove its run
	// accept the session with that name whatever its configuration, or
	// resume it from its run directory; the error is of kind NotFound if
	// there is neither
	Attach bool `json:"attach,omitempty"`
	// open a run that another process has open, as of its last checkpoint;
	// you can look at it and fork it, but not train it
	ReadOnly bool `json:"read_only,omitempty"`
	// Directory that contains the run directories. Relative paths of the
	// configuration start there. "" means the working directory of the host.
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

// Until is the end of a run: an epoch, a step, or that all rows of P are
// settled, whichever comes first. The zero value is the end of the
// annealing, or earlier if the stop key says so.
type Until struct {
	Epoch   int  `json:"epoch,omitempty"`
	Step    int  `json:"step,omitempty"`
	Settled bool `json:"settled,omitempty"`
	// "" for full speed, or "watch", which makes the whole annealing last at
	// least 15 s so that a person can watch it
	Pace string `json:"pace,omitempty"`
	// false lets Run return at once, with the state Running. The run
	// continues in the background until it reaches its target, is paused or
	// closed, or the host ends. If it fails, the state and reason of the
	// status say so. Nil means true.
	Wait *bool `json:"wait,omitempty"`
}

// PaceWatch is the pace of a run that a person watches.
const PaceWatch = "watch"

// Waits reports whether Run returns only when the run has ended.
func (u Until) Waits() bool { return u.Wait == nil || *u.Wait }

// RewindRequest names a step from 0 to the current one. The step is
// required.
type RewindRequest struct {
	Session string `json:"session"`
	Step    *int   `json:"step"`
}

// ForkRequest names the new session and the step at which it branches off.
type ForkRequest struct {
	Session string `json:"session"`
	As      string `json:"as"`
	Step    *int   `json:"step,omitempty"`    // A step from 0 to the current one. Nil means the current one.
	Replace bool   `json:"replace,omitempty"` // end an existing session As and remove its run
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

// ViewRequest asks for a view of a session, drawn below the running cell. A
// view reads the options that it knows and ignores the others.
type ViewRequest struct {
	// matrix, curves, panel and so on: the verb of %fsnet, but evaluation
	// for evaluate
	View    string `json:"view"`
	Session string `json:"session"`
	Live    bool   `json:"live,omitempty"` // a view that outlives its cell, if there is also a picture
	// Options, as in the requests with these fields.
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
	// for a summary: a file with a feature and its symbol on each line
	Symbols string `json:"symbols,omitempty"`
}

// ShowRequest asks for a display of a value below the running cell.
type ShowRequest struct {
	Data     map[string]any `json:"data,omitempty"` // forms of the value by MIME type; text/plain is required
	Metadata map[string]any `json:"metadata,omitempty"`
	// name of a display; the value replaces the one shown there, in all
	// cells
	ID string `json:"id,omitempty"`
	// If View is set, it draws Value, the answer of a session, instead of
	// Data.
	View  string          `json:"view,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// InputRequest asks the user of the running cell for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"` // do not show the line while it is typed
}

// Named is implemented by the parameters of verbs that work on an open
// session.
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

// watching is the answer to a watch.
type watching struct {
	Watch  int64  `json:"watch"`
	Status Status `json:"status"`
}

// unwatchRequest ends a watch. It is not an error if the watch has ended
// already.
type unwatchRequest struct {
	Watch int64 `json:"watch"`
}

// notice holds the parameters of the notification update: an update, or the
// reason why the watch ended if no update gives it.
type notice struct {
	Watch  int64       `json:"watch"`
	Update *Update     `json:"update,omitempty"`
	Error  *errs.Error `json:"error,omitempty"`
}

// message is a line of the protocol. T is any for a message to send and
// json.RawMessage for a received one.
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

// Codes of JSON-RPC. An error of a verb has the first code that is reserved
// for servers.
const (
	codeFault         = -32000
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeParse         = -32700
)

// newError returns an error with a code of JSON-RPC, as it is sent.
func newError(code int, err *errs.Error) *wireError {
	return &wireError{Code: code, Message: err.Error(), Data: err}
}

func (e *wireError) Error() string { return e.Message }

// fault returns the error that the peer returned. If the peer gives no kind,
// the kind is Failed.
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

// endpoint is one end of a connection. It writes whole lines.
type endpoint struct {
	conn  Conn
	limit time.Duration // how long the peer may leave a line unread
	mu    sync.Mutex
}

// write sends a message as a line and returns the number of bytes written. It
// fails if the peer does not read within the limit, because then every later
// line would have to wait. If the message cannot be encoded, the error is of
// kind Request and nothing is written.
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

// readLine returns the next line without its newline. It returns an error if
// the line has no newline or is longer than most bytes.
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
