package session

import "context"

// Training is the engine behind a host. The host calls one method at a time,
// including methods of its replays. A fork is a separate training. All
// returned numbers are finite, except for missing values of the data.
type Training interface {
	// Advance makes at most n ≥ 1 steps, for about 100 ms, and returns how
	// many it made. It returns 0 without error if the training is over. When
	// ctx ends, it returns before the next step, without error.
	Advance(ctx context.Context, n int) (made int, err error)
	// Step is Advance for single steps: each gets its own point in the
	// history.
	Step(ctx context.Context, n int) (made int, err error)
	// Stopped returns why the stop key would end a run after the last
	// Advance, or "".
	Stopped() string
	Set(changes Config) (Event, error)
	// Status returns everything except for Session and the state Running.
	// The host fills these in.
	Status() Status
	Selection() ([]Selected, error)
	Matrix(request MatrixRequest) (Matrix, error)
	// Feature finds a feature by name or, if no feature has that name, by its
	// column of the file.
	Feature(which string) (Feature, error)
	// Rows counts looks at the test rows.
	Rows(request RowsRequest) (Rows, error)
	// Recorded captures the record up to this moment. The returned function
	// computes a history from it. You may call it at any later time, in
	// another goroutine.
	Recorded() func(HistoryRequest) (History, error)
	// Checkpoint captures the current state of the training. save writes it
	// to a file, whole or not at all. You may call save at any later time,
	// in another goroutine.
	Checkpoint() (save func(path string) error, err error)
	// Evaluate counts looks at the test rows.
	Evaluate(part string) (Evaluation, error)
	// Names returns the names of all columns of the data. They never change.
	Names() []string
	// Replay starts to recompute a step between 0 and the current one. You
	// may use the training in the meantime, but must not rewind it with
	// another replay.
	Replay(step int) (Replay, error)
	Close()
}

// Replay recomputes a past step of a training. It shares no mutable state
// with the training.
type Replay interface {
	// Step returns the step that it has reached.
	Step() int
	// Advance continues for about 100 ms and reports whether the replay has
	// arrived. The error is of kind Interrupted if ctx ends.
	Advance(ctx context.Context) (done bool, err error)
	// Matrix returns the matrix of the step that it has reached. It ignores
	// the step in the request.
	Matrix(request MatrixRequest) (Matrix, error)
	// Rewind replaces the training with the replay and appends an event
	// "rewind" to its timeline. The number of looks at the test rows stays.
	Rewind()
	// Fork turns the replay into another training. The replay must have arrived
	// at its step. It appends an event "fork" to its timeline.
	Fork() Training
	// Close frees the replay. It does nothing after Rewind or Fork.
	Close()
}
