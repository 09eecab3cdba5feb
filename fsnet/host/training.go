package host

import (
	"context"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
)

// Training is what the host asks of an engine. The host calls one method at a time, but for those of a fork, which is a training of its
// own. [Adapt] makes one of a type such as *fsnet.Training, whose Fork returns that type.
type Training interface {
	branch
	// Fork is another training with the same past up to a step from 0 to the present one, and an event "fork" at its end. It shares
	// nothing with this one that either changes. A context that ends gives up, and so does Rewind.
	Fork(ctx context.Context, step int) (Training, error)
}

// branch is a Training but for making others of its type.
type branch interface {
	// Advance makes at most n ≥ 1 steps, about 100 ms of them, and returns how many it made: 0 without error where the training is
	// over. A context that ends makes it return before the next step, without error.
	Advance(ctx context.Context, n int) (made int, err error)
	// Stopped says why the stop key would end a run after the last Advance, or "".
	Stopped() string
	// Rewind goes back to a step from 0 to the present one, exactly, and puts an event "rewind" behind what had happened there. After
	// an error, or where the context ends, the training is what it was.
	Rewind(ctx context.Context, step int) error
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

// forking is an engine's own type of training.
type forking[T any] interface {
	branch
	Fork(ctx context.Context, step int) (T, error)
}

// Adapt makes a Training of an engine's own type.
func Adapt[T forking[T]](training T) Training { return adapted[T]{training, training} }

type adapted[T forking[T]] struct {
	branch
	own T
}

// Fork implements Training.
func (a adapted[T]) Fork(ctx context.Context, step int) (Training, error) {
	fork, err := a.own.Fork(ctx, step)
	if err != nil {
		return nil, err // not a Training that holds nothing
	}
	return Adapt(fork), nil
}
