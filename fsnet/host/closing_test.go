package host_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// slowly is a training whose checkpoints are not written before hold is closed,
// and whose evaluations end when evaluated is.
type slowly struct {
	session.Training
	hold                  <-chan struct{}
	evaluating, evaluated chan struct{}
}

func (s slowly) Checkpoint() (func(path string) error, error) {
	save, err := s.Training.Checkpoint()
	return func(path string) error {
		<-s.hold
		return save(path)
	}, err
}

func (s slowly) Evaluate(part string) (session.Evaluation, error) {
	close(s.evaluating)
	<-s.evaluated
	return s.Training.Evaluate(part)
}

// A caller who opens a session that is being closed waits for the close and
// resumes its run, and isn't told that the host itself has it open. A caller
// who only asks about it doesn't wait.
func TestOpen_WhileClosing(t *testing.T) {
	ctx, directory, hold := t.Context(), t.TempDir(), make(chan struct{})
	evaluating, evaluated := make(chan struct{}), make(chan struct{})
	h := host.New(host.Options{Resume: fake.Resume, Open: wrapped(func(training session.Training) session.Training {
		return slowly{training, hold, evaluating, evaluated}
	})})
	t.Cleanup(h.Shutdown)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	must(session.On(h, "leukemia").Step(ctx, 3))(t)
	go session.On(h, "leukemia").Evaluate(ctx, "train") //nolint:errcheck // it only takes its time
	<-evaluating
	asked := make(chan error, 2)
	go func() {
		list, err := session.VerbSessions.Call(ctx, h, session.None{})
		if len(list) > 0 {
			err = fmt.Errorf("it is still listed: %+v", list)
		}
		asked <- err
	}()
	go func() {
		_, err := session.On(h, "leukemia").Matrix(ctx, session.MatrixRequest{})
		if errs.Is(err, errs.NotFound) {
			err = nil
		} else if err == nil {
			err = errors.New("it has a matrix")
		}
		asked <- err
	}()
	time.Sleep(50 * time.Millisecond) // they wait for the end of the evaluation
	closed := make(chan error, 1)
	go func() { closed <- session.On(h, "leukemia").Close(ctx) }()
	for range 2 {
		select {
		case err := <-asked:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("whoever asks about a session that is being closed waits for its last checkpoint")
		}
	}
	close(evaluated)
	type outcome struct {
		status session.Status
		err    error
	}
	opened := make(chan outcome, 1)
	go func() {
		status, err := session.VerbOpen.Call(ctx, h, at(directory, demo()))
		opened <- outcome{status, err}
	}()
	select {
	case o := <-opened:
		t.Errorf("opened before it was closed: %+v, %v", o.status, o.err)
	case <-time.After(50 * time.Millisecond):
	}
	close(hold)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if o := <-opened; o.err != nil || o.status.Step != 3 {
		t.Errorf("%+v, %v", o.status, o.err)
	}
}

// Shutdown waits for closes that others have begun, since the process ends when
// it returns, and the last checkpoint would be lost.
func TestShutdown_WaitsForClosing(t *testing.T) {
	ctx, directory, hold := t.Context(), t.TempDir(), make(chan struct{})
	h := host.New(host.Options{Resume: fake.Resume, Open: wrapped(func(training session.Training) session.Training {
		return slowly{training, hold, nil, nil}
	})})
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	must(session.On(h, "leukemia").Step(ctx, 3))(t)
	closed := make(chan error, 1)
	go func() { closed <- session.On(h, "leukemia").Close(ctx) }()
	for _, err := session.On(h, "leukemia").Status(ctx); !errs.Is(err, errs.NotFound); _, err = session.On(h, "leukemia").Status(ctx) {
		time.Sleep(time.Millisecond)
	}
	ended := make(chan struct{})
	go func() { h.Shutdown(); close(ended) }()
	select {
	case <-ended:
		t.Error("the host has ended before the last checkpoint was written")
	case <-time.After(50 * time.Millisecond):
	}
	close(hold)
	<-ended
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if status := must(session.VerbOpen.Call(ctx, keeping(t), at(directory, demo())))(t); status.Step != 3 {
		t.Errorf("%+v", status)
	}
}
