// Package autosave writes the checkpoints of a live session to its run directory.
//
// # Nouns
//
//   - A [Writer] belongs to one session and one directory of package runs.
//   - A [Session] says when the training may be used and where warnings go; a [Training] gives the state to write.
//
// # Basics
//
// Begin starts the writer, Changed tells it that there is something new, and Close writes the last checkpoint and releases the directory.
// It writes soon after a change at rest and every few seconds during a run.
//
// # Caveats
//
// A checkpoint that cannot be written stops nothing: the session's status carries a [Warning] until one is written. A killed process loses
// at most what the run did since the last checkpoint.
package autosave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// interval is the least time between two checkpoints of a run in progress: with the time that writing one takes, it is the most that a
// killed process loses.
const interval = 5 * time.Second

// Training is what has checkpoints.
type Training interface {
	Status() session.Status
	// Checkpoint takes the present state; save writes it to a file, at any later time.
	Checkpoint() (save func(path string) error, err error)
}

// Session is whose training is saved.
type Session struct {
	Life    context.Context                       //nolint:containedctx // it ends with the session
	Running func() bool                           // a run is in progress
	Use     func(work func(Training) error) error // calls work when it is its turn; an error says that there will be none
	Warn    func()                                // the warning of the status has changed
}

// Writer writes checkpoints soon after every change while the session is at rest, every few seconds during a run, and at the end. A
// checkpoint that it cannot write stops nothing; the status warns of it until one is written.
type Writer struct {
	session   Session
	directory *runs.Directory
	news      chan struct{}
	ended     chan struct{} // closed when the writer's goroutine has ended

	// Of that goroutine, and of Close once it has ended.
	written state
	last    time.Time

	mu      sync.Mutex
	saved   int // step of the last checkpoint, or −1
	warning string
}

// state tells whether a session has changed since a checkpoint.
type state string

func stateOf(s session.Status) state {
	settings, err := json.Marshal(s.Config) // %v would tell where a setting is that is behind a pointer
	return state(fmt.Sprintf("%d %s %q %d %s %v", s.Step, s.State, s.Reason, s.TestLooks, settings, err))
}

// Begin makes the writer of a run directory, which Close releases. resumed is the status of a session whose checkpoint is there, or nil.
func Begin(directory *runs.Directory, resumed *session.Status, s Session) *Writer {
	w := &Writer{session: s, directory: directory, news: make(chan struct{}, 1), ended: make(chan struct{}), saved: -1}
	if resumed != nil {
		w.written, w.saved = stateOf(*resumed), resumed.Step
	}
	w.Changed()
	go func() {
		defer close(w.ended)
		w.run()
	}()
	return w
}

// Path is the run directory.
func (w *Writer) Path() string { return w.directory.Path }

// Changed tells the writer that the session has changed.
func (w *Writer) Changed() {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// run writes checkpoints until the session is closed. One that could not be written is tried again: there may be room by now, and a session
// that is done has no news any more.
func (w *Writer) run() {
	var again <-chan time.Time
	for {
		select {
		case <-w.news:
		case <-again:
		case <-w.session.Life.Done():
			return
		}
		if !w.wait(interval - time.Since(w.last)) {
			return
		}
		var write func() error
		var err error
		if w.session.Use(func(t Training) error { write, err = w.checkpoint(t); return nil }) != nil {
			continue // the session was closed, which its life says, or its engine crashed
		}
		if err == nil {
			err = boundary.Do(slog.Default(), "saving a checkpoint", write)
		}
		w.warn(err)
		if again = nil; err != nil {
			again = time.After(interval)
		}
	}
}

// wait lets the time pass during a run, until its end. It reports false where the session was closed.
func (w *Writer) wait(rest time.Duration) bool {
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for w.session.Running() {
		select {
		case <-timer.C:
			return true
		case <-w.news: // after every chunk, and after the run
		case <-w.session.Life.Done():
			return false
		}
	}
	return true
}

// checkpoint takes the present state, on the training's turn; write writes it later, unless that state is written already.
func (w *Writer) checkpoint(t Training) (write func() error, err error) {
	status := t.Status()
	now := stateOf(status)
	if now == w.written {
		return func() error { return nil }, nil
	}
	save, err := t.Checkpoint()
	if err != nil {
		return nil, err
	}
	return func() error {
		w.last = time.Now()
		if err := w.directory.Write(status.Step, save); err != nil {
			return err
		}
		w.written = now
		w.mu.Lock()
		defer w.mu.Unlock()
		w.saved = status.Step
		return nil
	}, nil
}

// warn remembers an error for the status, or that there is none.
func (w *Writer) warn(err error) {
	warning := ""
	if err != nil {
		warning = Warning(err)
	}
	w.mu.Lock()
	news := w.warning != warning
	w.warning = warning
	w.mu.Unlock()
	if news {
		w.session.Warn()
	}
}

// Warning says in a status why no checkpoints are written.
func Warning(err error) string {
	return "checkpoints are not written: " + fault.Of(err).Error()
}

// Close writes the last checkpoint, for which use gives the training its turn, and lets other processes have the run. The session's life
// has ended. An error says why that checkpoint is not there.
func (w *Writer) Close(use func(work func(Training) error) error) error {
	<-w.ended
	err := use(func(t Training) error {
		write, err := w.checkpoint(t)
		if err == nil {
			err = write()
		}
		return err
	})
	return errors.Join(err, w.directory.Release())
}

// Show puts run directory, last checkpoint and warning into a status.
func (w *Writer) Show(status *session.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	status.RunDirectory = w.directory.Path
	if w.saved >= 0 {
		status.SavedStep = new(w.saved)
	}
	if w.warning != "" {
		status.Warning = w.warning
	}
}
