package session

import "context"

// Training is the engine behind a host. The host calls one method at a time, including methods of
// its replays; a fork is a separate training. All returned numbers are finite, except missing
// values of the data.
type Training interface {
	// Advance makes at most n ≥ 1 steps, about 100 ms of them, and returns their number: 0 without
	// error if the training is over. When ctx ends it returns before the next step, without error.
	Advance(ctx context.Context, n int) (made int, err error)
	// Step is Advance for steps made one by one: each gets its own point in the history.
	Step(ctx context.Context, n int) (made int, err error)
	// Stopped returns why the stop key would end a run after the last Advance, or "".
	Stopped() string
	Set(changes Config) (Event, error)
	// Status returns everything except Session and the state Running, which the host fills in.
	Status() Status
	Selection() ([]Selected, error)
	Matrix(request MatrixRequest) (Matrix, error)
	// Feature finds a feature by name, or else by its column of the file.
	Feature(which string) (Feature, error)
	// Rows counts looks at the test rows.
	Rows(request RowsRequest) (Rows, error)
	// Recorded captures the record up to this moment. The returned function computes a history from
	// it; it may be called at any later time, in another goroutine.
	Recorded() func(HistoryRequest) (History, error)
	// Checkpoint captures the training's present state. save writes it to a file, whole or not at
	// all; it may be called at any later time, in another goroutine.
	Checkpoint() (save func(path string) error, err error)
	// Evaluate counts looks at the test rows.
	Evaluate(part string) (Evaluation, error)
	// Names returns the names of all columns of the data, which never change.
	Names() []string
	// Replay starts recomputing a step between 0 and the present one. The training may be used
	// meanwhile, but must not be rewound by another replay.
	Replay(step int) (Replay, error)
	Close()
}

// Replay recomputes a past step beside the training. It shares no mutable state with it.
type Replay interface {
	// Step returns the step it has reached.
	Step() int
	// Advance continues for about 100 ms and reports whether it has arrived. The error is of kind
	// Interrupted if ctx ends.
	Advance(ctx context.Context) (done bool, err error)
	// Matrix returns the matrix of the step it has reached; the request's own step is ignored.
	Matrix(request MatrixRequest) (Matrix, error)
	// Rewind moves the training to this step and appends an event "rewind" to its timeline. Looks
	// at the test rows stay counted. The replay must have arrived.
	Rewind()
	// Fork turns the replay into a training of its own, with an event "fork" at its end. The replay
	// must have arrived.
	Fork() Training
	// Close frees the replay. After Rewind or Fork it does nothing.
	Close()
}
