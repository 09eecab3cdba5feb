package session

import (
	"context"
	"fmt"
	"os"
	"strings"

	"fsnetlab/fsnet/errs"
)

// Must offers the verbs of a session without context and error, for notebook
// cells. If a verb fails, it ends the cell as [ExitOn] does.
type Must struct{ session Session }

// Must returns the same session with verbs that end the cell on error.
func (s Session) Must() Must { return Must{s} }

// Open is like [Session.Open], but ends the cell on an error.
func (m Must) Open() Status { return must(m.session.Open(context.Background())) }

// Replace is like [Session.Replace], but ends the cell on an error.
func (m Must) Replace() Status { return must(m.session.Replace(context.Background())) }

// Step is like [Session.Step], but ends the cell on an error.
func (m Must) Step(n int) Status { return must(m.session.Step(context.Background(), n)) }

// Run is like [Session.Run], but ends the cell on an error.
func (m Must) Run(until Until) Status { return must(m.session.Run(context.Background(), until)) }

// Pause is like [Session.Pause], but ends the cell on an error.
func (m Must) Pause() Status { return must(m.session.Pause(context.Background())) }

// Rewind is like [Session.Rewind], but ends the cell on an error.
func (m Must) Rewind(step int) Status { return must(m.session.Rewind(context.Background(), step)) }

// Fork is like [Session.Fork], but ends the cell on an error. It returns the
// handle of the new session, not its Must.
func (m Must) Fork(as string, step int) Session {
	return must(m.session.Fork(context.Background(), as, step))
}

// Set is like [Session.Set], but ends the cell on an error.
func (m Must) Set(changes Config) Event { return must(m.session.Set(context.Background(), changes)) }

// Status is like [Session.Status], but ends the cell on an error.
func (m Must) Status() Status { return must(m.session.Status(context.Background())) }

// Selection is like [Session.Selection], but ends the cell on an error.
func (m Must) Selection() Selection { return must(m.session.Selection(context.Background())) }

// Matrix is like [Session.Matrix], but ends the cell on an error.
func (m Must) Matrix(request MatrixRequest) Matrix {
	return must(m.session.Matrix(context.Background(), request))
}

// Feature is like [Session.Feature], but ends the cell on an error.
func (m Must) Feature(feature string) Feature {
	return must(m.session.Feature(context.Background(), feature))
}

// Rows is like [Session.Rows], but ends the cell on an error.
func (m Must) Rows(request RowsRequest) Rows {
	return must(m.session.Rows(context.Background(), request))
}

// History is like [Session.History], but ends the cell on an error.
func (m Must) History(request HistoryRequest) History {
	return must(m.session.History(context.Background(), request))
}

// Evaluate is like [Session.Evaluate], but ends the cell on an error.
func (m Must) Evaluate(part string) Evaluation {
	return must(m.session.Evaluate(context.Background(), part))
}

// Watch is like [Session.Watch], but ends the cell on an error. It ends when
// the session is closed or the cell is interrupted.
func (m Must) Watch(request WatchRequest, tell func(Update)) {
	ExitOn(m.session.Watch(context.Background(), request, tell))
}

// Close is like [Session.Close], but ends the cell on an error.
func (m Must) Close() { ExitOn(m.session.Close(context.Background())) }

func must[T any](value T, err error) T {
	ExitOn(err)
	return value
}

// ExitOn prints an error on one line of standard error and ends the program.
// The exit status is 1, or 130 for kind Interrupted. If err is nil, it does
// nothing.
func ExitOn(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(err.Error()), " "))
	if errs.Is(err, errs.Interrupted) {
		os.Exit(130)
	}
	os.Exit(1)
}
