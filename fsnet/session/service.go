package session

import (
	"context"

	"fsnetlab/fsnet/config"
)

// Config is what a training is opened with, and the changes that set makes.
type Config = config.Config

// Service is the verbs of all sessions, by name. Every method may be called at any time from any goroutine. Errors are of type
// *fault.Error: kind NotFound for an unknown name, Busy while a run is in progress (step, run and rewind only), Request for wrong values.
type Service interface {
	// Open attaches to the session of that name where the structural keys agree, else resumes it from its run directory where they agree
	// with what is there, else makes it. Replace ends one that is in the way, and removes its run.
	Open(ctx context.Context, request OpenRequest) (Status, error)
	// Step advances by n ≥ 1 steps. It ends early, without error, where the training ends.
	Step(ctx context.Context, name string, n int) (Status, error)
	// Run advances until its target and returns then. A cancelled context pauses it: the status says so, with no error. Where until does
	// not wait, it returns at once with the state Running, and the run goes on, whatever becomes of the context, until its target, a
	// pause, a close or the end of the host. Its failure is the status's state and reason, and is reported as progress.
	Run(ctx context.Context, name string, until Until) (Status, error)
	// Pause ends a run in progress at the next chunk boundary and returns when it has ended. Without one it does nothing.
	Pause(ctx context.Context, name string) (Status, error)
	// Rewind takes the session to a step from 0 to the present one, exactly as it stood there, live keys included. What came later is
	// forgotten. A cancelled context leaves it as it is (Interrupted), and so does a pause.
	Rewind(ctx context.Context, name string, step int) (Status, error)
	// Fork makes another session with the same past up to a step and returns its status. Both go on
	// independently. During a run it acts at the next chunk boundary. A name in use is refused.
	Fork(ctx context.Context, name string, request ForkRequest) (Status, error)
	// Set changes live keys from the next step on, also during a run.
	Set(ctx context.Context, name string, changes Config) (Event, error)
	// Status is where the session stands; while steps are being made, where it stood at the end of the last chunk (about 100 ms, or one
	// step): the status says its step. So do Sessions, and Open where it attaches. Whatever a verb that has returned did is in it.
	Status(ctx context.Context, name string) (Status, error)
	// Selection is the K features that the unique argmax of P chooses now, by falling probability.
	Selection(ctx context.Context, name string) ([]Selected, error)
	Matrix(ctx context.Context, name string, request MatrixRequest) (Matrix, error)
	// Feature is one feature, by its name or else its 0-based column of the file: its distribution over the training rows, its embedding,
	// and its course in P.
	Feature(ctx context.Context, name, feature string) (Feature, error)
	// Features lists names of features that begin with a text, in the order of the file. It never waits for the session.
	Features(ctx context.Context, name string, request FeaturesRequest) ([]string, error)
	// Rows is the values of the selected features in the training rows, and in the test rows where these are asked for: a look at them.
	Rows(ctx context.Context, name string, request RowsRequest) (Rows, error)
	// History is the curves and the events; while steps are being made, as they were at the end of the last chunk: its step says which.
	History(ctx context.Context, name string, request HistoryRequest) (History, error)
	// Evaluate applies the network to the selected features of the train, validation or test rows, without dropout and noise.
	Evaluate(ctx context.Context, name, part string) (Evaluation, error)
	// Watch calls tell with the session as it is now, and again when it has changed: by a step, a run, set, rewind, a pause. Updates
	// that follow faster than the rate are told as one, the latest; the state in which a run ends is always told, unless another begins
	// at once. Calls come one at a time, from one goroutine; one that takes long sees fewer updates and holds up nobody, and may use the
	// service. Watch returns nil when the context has ended, or when the session was closed, which the last update says.
	Watch(ctx context.Context, name string, request WatchRequest, tell func(Update)) error
	// Sessions lists what is open, by name.
	Sessions(ctx context.Context) ([]Status, error)
	// Close ends a session and frees what it holds.
	Close(ctx context.Context, name string) error
}

// OpenRequest names a session and how it is configured.
type OpenRequest struct {
	Session string `json:"session"`
	Config  Config `json:"config"`
	Replace bool   `json:"replace,omitempty"`
	// Attach takes the session of that name as it is, whatever its configuration, resumes it from its run directory, or fails with
	// NotFound where there is neither.
	Attach bool `json:"attach,omitempty"`
	// ReadOnly takes a run whose session another process has open as its last checkpoint shows it: it can be looked at and forked, and
	// goes no further.
	ReadOnly bool `json:"read_only,omitempty"`
	// Directory is where relative paths of the configuration start, and where the run directories are; "" is the host's own.
	Directory string `json:"directory,omitempty"`
}

// ForkRequest says what a fork is called and where it leaves the other session.
type ForkRequest struct {
	As   string
	Step int // from 0 to the present one; −1 is the present one
	// Replace ends the session As that is in the way, and removes its run.
	Replace bool
}

// Until is where a run ends: the first of an epoch, a step, or all rows of P settled. The zero value is the end of the annealing, or
// earlier as the stop key says.
type Until struct {
	Epoch   int  `json:"epoch,omitempty"`
	Step    int  `json:"step,omitempty"`
	Settled bool `json:"settled,omitempty"`
	// Pace is "" for as fast as the device is, or "watch": the whole annealing lasts 15 s at the least, so that people can watch it.
	Pace string `json:"pace,omitempty"`
	// Wait false lets Run return at once and the run go on in the background; nil is true.
	Wait *bool `json:"wait,omitempty"`
}

// PaceWatch is the pace of a run that people watch.
const PaceWatch = "watch"

// Waits reports whether Run returns when the run has ended rather than when it has begun.
func (u Until) Waits() bool { return u.Wait == nil || *u.Wait }
