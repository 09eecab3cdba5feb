package host

import (
	"context"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Training is what the host asks of an engine; *fsnet.Training is one. The host calls one method at a time.
type Training interface {
	// Advance makes at most n ≥ 1 steps, about 100 ms of them, and returns how many it made: 0 without error where the training is
	// over. A context that ends makes it return before the next step, without error.
	Advance(ctx context.Context, n int) (made int, err error)
	// Stopped says why the stop key would end a run after the last Advance, or "".
	Stopped() string
	Set(changes session.Config) (session.Event, error)
	// Status is all but Session and the state Running, which the host fills in.
	Status() session.Status
	Selection() ([]session.Selected, error)
	Matrix(request session.MatrixRequest) (session.Matrix, error)
	History(request session.HistoryRequest) (session.History, error)
	// Evaluate counts how often the test rows were looked at.
	Evaluate(part string) (session.Evaluation, error)
	Close()
}

// Opener makes a training. Relative paths in the settings start at dir; "" is the working directory.
type Opener func(ctx context.Context, settings config.Settings, dir string) (Training, error)
