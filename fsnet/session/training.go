package session

import "context"

// Training is what a host asks of an engine. The host calls one method at a time, also of those of its replays; a fork is a training of its
// own. Every number that it gives is finite, but for missing values of the data.
type Training interface {
	// Advance makes at most n ≥ 1 steps, about 100 ms of them, and returns how many it made: 0 without error where the training is
	// over. A context that ends makes it return before the next step, without error.
	Advance(ctx context.Context, n int) (made int, err error)
	// Step is Advance for steps that somebody makes one by one: each gets a point of its own in the history.
	Step(ctx context.Context, n int) (made int, err error)
	// Stopped says why the stop key would end a run after the last Advance, or "".
	Stopped() string
	Set(changes Config) (Event, error)
	// Status is all but Session and the state Running, which the host fills in.
	Status() Status
	Selection() ([]Selected, error)
	Matrix(request MatrixRequest) (Matrix, error)
	// Feature is by name, or else by the column of the file.
	Feature(which string) (Feature, error)
	// Rows counts how often the test rows were looked at.
	Rows(request RowsRequest) (Rows, error)
	// Recorded takes what was recorded up to this moment; the history of it is asked for at any later time, in another goroutine.
	Recorded() func(HistoryRequest) (History, error)
	// Checkpoint takes the training's state at this moment. save writes it to a file, whole or not at all; it is called at any later time,
	// in another goroutine.
	Checkpoint() (save func(path string) error, err error)
	// Evaluate counts how often the test rows were looked at.
	Evaluate(part string) (Evaluation, error)
	// Names are those of all columns of the data, which never change.
	Names() []string
	// Replay begins the way back to a step from 0 to the present one. The training may be used meanwhile, but not be rewound by another.
	Replay(step int) (Replay, error)
	Close()
}

// Replay is the way back to a step, made beside the training. It shares nothing with it that either changes.
type Replay interface {
	// Step is the step that it has come to.
	Step() int
	// Advance goes on for about 100 ms and says whether it has arrived. A context that ends is an error of kind Interrupted.
	Advance(ctx context.Context) (done bool, err error)
	// Matrix is that of the step where it is; the request's own step is not looked at.
	Matrix(request MatrixRequest) (Matrix, error)
	// Rewind takes the training there, and puts an event "rewind" behind what had happened. Looks at the test rows are not forgotten. It
	// must have arrived.
	Rewind()
	// Fork makes it a training of its own, with an event "fork" at its end. It must have arrived.
	Fork() Training
	// Close frees it. Once it has become a training, or taken its training back, it does nothing.
	Close()
}
