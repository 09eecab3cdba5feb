// Package errs holds FsNet's errors: one line with what was wrong, where,
// the value, and a remedy.
//
// # Basics
//
//	return errs.New(errs.Request, "use k=7129 or less", "k = %d is more than the %d features", k, d)
//	return errs.Wrap(err, errs.Failed, "copy it again", "%s cannot be read", path)
//
// Start with [Error] and [Kind]. Every surface shows the same line: a Go
// program gets the [Error], the command line prints it and exits with
// [ExitStatus], a socket carries its kind, text and remedy, and a notebook
// cell shows it without a stack trace.
//
// # Caveats
//
// The [Kind] says who can fix the error. Branch on the kind, never on the
// text, which may change. An error without a kind counts as [Failed].
package errs

import (
	"errors"
	"fmt"
	"io/fs"
)

// Kind says who can fix an error. The zero value is not a kind: use one of
// the constants.
type Kind string

const (
	Request     Kind = "request"     // the request was wrong, so the user should change it
	NotFound    Kind = "not-found"   // the request names something that does not exist, e.g. a session
	Busy        Kind = "busy"        // a run is in progress and has to be paused first
	Failed      Kind = "failed"      // the work failed: a NaN, a full disk, a device that aborted
	Unavailable Kind = "unavailable" // a process or device that the work needs is not there
	Interrupted Kind = "interrupted" // the user stopped the work
)

// Error is one readable line in two halves. What says where the problem is,
// the value and what was wrong. Remedy says what to do. Between processes it
// travels as JSON, without its cause.
type Error struct {
	Kind   Kind   `json:"kind"`
	What   string `json:"what"`
	Remedy string `json:"remedy"`
	Err    error  `json:"-"` // the cause, or nil; not shown, but errors.Is finds it
}

// New returns an error with a kind, what was wrong, and a remedy.
func New(kind Kind, remedy, format string, args ...any) *Error {
	return &Error{Kind: kind, What: fmt.Sprintf(format, args...), Remedy: remedy}
}

// Wrap is like New but also appends the text of err. err becomes the cause.
func Wrap(err error, kind Kind, remedy, format string, args ...any) *Error {
	return &Error{Kind: kind, What: fmt.Sprintf(format, args...) + ": " + err.Error(), Remedy: remedy, Err: err}
}

// With gives an error a kind and a remedy and keeps its text. It returns nil
// for nil.
func With(err error, kind Kind, remedy string) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kind, What: err.Error(), Remedy: remedy, Err: err}
}

// At puts the place before the text of an error, "PLACE: …", and keeps kind
// and remedy. It returns nil for nil.
func At(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	e := Of(err)
	return &Error{Kind: e.Kind, What: fmt.Sprintf(format, args...) + ": " + e.What, Remedy: e.Remedy, Err: e.Err}
}

// NotWritten is [With] for an error from writing a file.
func NotWritten(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return With(err, Failed, "choose a directory that exists and that you may write to")
	}
	return With(err, Failed, "free some space or choose another place")
}

func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.What
	}
	return e.What + " - " + e.Remedy
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns err as an *Error. An error without a kind becomes Failed. If an
// *Error is wrapped in more text, the result has its kind, and the whole
// text including the remedy as What. Of(nil) is nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if outer := err.Error(); outer != e.Error() { // keep the context wrapped around it
			return &Error{Kind: e.Kind, What: outer, Err: err}
		}
		return e
	}
	return &Error{Kind: Failed, What: err.Error(), Err: err}
}

// Is reports whether err is of this kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// ExitStatus returns the exit status of a command: 0 if it is done, 1 if the
// work failed, 2 if the request was wrong, 130 if it was interrupted.
func ExitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case Is(err, Request), Is(err, NotFound):
		return 2
	case Is(err, Interrupted):
		return 130
	default:
		return 1
	}
}
