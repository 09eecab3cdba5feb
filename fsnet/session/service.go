package session

import (
	"context"

	"fsnetlab/fsnet/config"
)

// Config is what a training is opened with, and the changes that set makes.
type Config = config.Config

// Service is the verbs of all sessions, by name. Every method may be called at any time from any goroutine. Errors are of type
// *fault.Error: kind NotFound for an unknown name, Busy while a run is in progress (step and run only), Request for wrong values.
type Service interface {
	// Open attaches to the session of that name where the structural keys agree, else makes it. Replace ends one that is in the way.
	Open(ctx context.Context, request OpenRequest) (Status, error)
	// Step advances by n ≥ 1 steps. It ends early, without error, where the training ends.
	Step(ctx context.Context, name string, n int) (Status, error)
	// Run advances until its target and returns then. A cancelled context pauses it: the status says so, with no error.
	Run(ctx context.Context, name string, until Until) (Status, error)
	// Pause ends a run in progress at the next chunk boundary and returns when it has ended. Without one it does nothing.
	Pause(ctx context.Context, name string) (Status, error)
	// Set changes live keys from the next step on, also during a run.
	Set(ctx context.Context, name string, changes Config) (Event, error)
	Status(ctx context.Context, name string) (Status, error)
	// Selection is the K features that the unique argmax of P chooses now, by falling probability.
	Selection(ctx context.Context, name string) ([]Selected, error)
	Matrix(ctx context.Context, name string, request MatrixRequest) (Matrix, error)
	History(ctx context.Context, name string, request HistoryRequest) (History, error)
	// Evaluate applies the network to the selected features of the train or test rows, without dropout and noise.
	Evaluate(ctx context.Context, name, part string) (Evaluation, error)
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
	// Attach takes the session of that name as it is, whatever its configuration, and fails with NotFound where there is none.
	Attach bool `json:"attach,omitempty"`
	// Directory is where relative paths of the configuration start; "" is the host's own.
	Directory string `json:"directory,omitempty"`
}

// Until is where a run ends: the first of an epoch, a step, or all rows of P settled. The zero value is the end of the annealing, or
// earlier as the stop key says.
type Until struct {
	Epoch   int  `json:"epoch,omitempty"`
	Step    int  `json:"step,omitempty"`
	Settled bool `json:"settled,omitempty"`
}
