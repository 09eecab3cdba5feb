package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// saveInterval is the shortest time between two checkpoints of a run in
// progress. Together with the time to write one, it bounds what a killed
// process loses.
const saveInterval = 5 * time.Second

// autosaver writes the checkpoints of a session to its run directory: soon
// after every change while the session is at rest, every few seconds during
// a run, and at the end. A failed write stops nothing, but the status warns
// until a write succeeds.
type autosaver struct {
	session   *live
	directory *runs.Directory
	wake      chan struct{}
	ended     chan struct{} // closed when the goroutine of the autosaver has ended

	// These fields are used by that goroutine, and by close after it has ended.
	written string    // the state of the last checkpoint
	last    time.Time // when the last checkpoint was begun

	mu      sync.Mutex
	saved   int // step of the last checkpoint, or −1
	warning string
}

// stateOf returns a text that differs between two statuses if they need
// different checkpoints. It includes the number of rewinds, because a session
// that returned to a step has another timeline.
func stateOf(s session.Status, rewinds int64) string {
	settings, err := json.Marshal(s.Config) // %v would print the address of a setting behind a pointer.
	return fmt.Sprintf("%d %d %s %q %d %s %v", rewinds, s.Step, s.State, s.Reason, s.TestLooks, settings, err)
}

// autosave starts a goroutine that writes the checkpoints of the session
// until the session is closed. If the session came from a checkpoint,
// resumed is its status, and that checkpoint is not written again. Otherwise
// resumed is nil.
func (s *live) autosave(directory *runs.Directory, resumed *session.Status) {
	w := &autosaver{session: s, directory: directory, wake: make(chan struct{}, 1), ended: make(chan struct{}), saved: -1}
	if resumed != nil {
		w.written, w.saved = stateOf(*resumed, 0), resumed.Step
	}
	w.notify()
	s.autosaver.Store(w)
	go func() {
		defer close(w.ended)
		w.run()
	}()
}

// notify tells the autosaver that the session may have changed. It does not
// block.
func (w *autosaver) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run writes checkpoints until the session is closed. It retries a failed
// write, because there may be space by then, and a session that is done
// reports no more changes.
func (w *autosaver) run() {
	var again <-chan time.Time
	for {
		select {
		case <-w.wake:
		case <-again:
		case <-w.session.life.Done():
			return
		}
		if !w.wait(saveInterval - time.Since(w.last)) {
			return
		}

		var write func() error
		var err error
		if w.session.withTurn(w.session.life, func(t session.Training) error { write, err = w.checkpoint(t); return nil }) != nil {
			continue // The session was closed, as its life shows, or its engine crashed.
		}

		if err == nil {
			err = errs.Guard(slog.Error, "saving a checkpoint", write)
		}

		w.warn(err)
		if again = nil; err != nil {
			again = time.After(saveInterval)
		}
	}
}

// wait waits for the time rest, or until the current run ends. If there is no
// run, it returns at once. If the session was closed, it returns false.
func (w *autosaver) wait(rest time.Duration) bool {
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for w.session.running() != nil {
		select {
		case <-timer.C:
			return true
		case <-w.wake: // This comes after every chunk, and after the run.
		case <-w.session.life.Done():
			return false
		}
	}
	return true
}

// checkpoint captures the current state. The caller must have the turn, but can
// call write later, without it. If that state has been written and is still
// there, write does nothing.
func (w *autosaver) checkpoint(t session.Training) (write func() error, err error) {
	status := t.Status()
	now := stateOf(status, w.session.rewinds.Load())
	if now == w.written && w.directory.IsIntact() {
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

// warn sets the warning of the status to an error, or clears it if err is
// nil. If the warning has changed, it wakes the watchers.
func (w *autosaver) warn(err error) {
	warning := ""
	if err != nil {
		warning = saveWarning(err)
	}
	w.mu.Lock()
	isNew := w.warning != warning
	w.warning = warning
	w.mu.Unlock()
	if isNew {
		w.session.watchers.each(func(*watcher) {})
	}
}

// saveWarning returns the warning that checkpoints are not written.
func saveWarning(err error) string {
	return "checkpoints are not written: " + errs.Of(err).Error()
}

// close waits for the goroutine, writes the last checkpoint unless the engine
// crashed, and releases the run to other processes. The caller must have the
// turn of the session and must have ended its life. If the checkpoint is
// missing, the error says why.
func (w *autosaver) close() error {
	<-w.ended
	var err error
	if w.session.crashed == "" {
		err = w.session.guard(func(t session.Training) error {
			write, err := w.checkpoint(t)
			if err == nil {
				err = write()
			}
			return err
		})
	}
	return errors.Join(err, w.directory.Release())
}

// describe adds the run directory, the step of the last checkpoint and the
// warning to a status.
func (w *autosaver) describe(status *session.Status) {
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
