package host

import (
	"fmt"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// keepInterval is the least time between two checkpoints of a run in progress: what a process that is killed loses at the most, but for
// the time that one takes to write.
const keepInterval = 5 * time.Second

// keeper writes the checkpoints of a session to its run directory: soon after every change while the session is at rest, every few
// seconds during a run, and when it is closed. What cannot be written stops nothing else; the status says so until it can be again.
type keeper struct {
	directory *runs.Directory
	news      chan struct{}
	ended     chan struct{} // closed when its goroutine has ended

	// Of its goroutine, and of close once that has ended.
	written moment
	last    time.Time

	mu      sync.Mutex
	saved   int // step of the last checkpoint, or −1
	warning string
}

// moment tells whether a session has changed since a checkpoint.
type moment string

func momentOf(s session.Status) moment {
	return moment(fmt.Sprintf("%d %s %q %d %+v", s.Step, s.State, s.Reason, s.TestLooks, s.Config))
}

// keep begins to write the session's checkpoints to a directory, which it releases at the end. A session that was resumed has one. The
// caller has the turn.
func (s *live) keep(directory *runs.Directory, resumed bool) {
	k := &keeper{directory: directory, news: make(chan struct{}, 1), ended: make(chan struct{}), saved: -1}
	if resumed {
		k.written, k.saved = momentOf(s.training.Status()), s.training.Status().Step
	}
	s.keeper.Store(k)
	k.wake()
	go func() {
		defer close(k.ended)
		s.keepOn(k)
	}()
}

func (k *keeper) wake() {
	select {
	case k.news <- struct{}{}:
	default:
	}
}

// keepOn writes checkpoints until the session is closed.
func (s *live) keepOn(k *keeper) {
	for {
		select {
		case <-k.news:
		case <-s.life.Done():
			return
		}
		if wait := keepInterval - time.Since(k.last); s.running() != nil && wait > 0 {
			if !s.rests(k, wait) {
				return
			}
		}
		var err error
		var write func() error
		if s.use(s.life, func(t Training) error { write, err = k.take(t); return nil }) != nil {
			continue // closed, which the life says, or crashed
		}
		if err == nil && write != nil {
			err = write()
		}
		s.kept(k, err)
	}
}

// rests waits for the time to pass or the run to end. It reports false where the session was closed.
func (s *live) rests(k *keeper, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for s.running() != nil {
		select {
		case <-timer.C:
			return true
		case <-k.news: // every chunk; the last comes after the run
		case <-s.life.Done():
			return false
		}
	}
	return true
}

// take is a checkpoint of the present moment, or nil where it is written already. The caller has the turn, but need not when it writes.
func (k *keeper) take(t Training) (write func() error, err error) {
	status := t.Status()
	now := momentOf(status)
	if now == k.written {
		return nil, nil
	}
	save, err := t.Checkpoint()
	if err != nil {
		return nil, err
	}
	return func() error {
		k.last = time.Now()
		if err := k.directory.Write(status.Step, save); err != nil {
			return err
		}
		k.written = now
		k.mu.Lock()
		defer k.mu.Unlock()
		k.saved = status.Step
		return nil
	}, nil
}

// kept remembers how it went, and tells watchers where that is news.
func (s *live) kept(k *keeper, err error) {
	warning := ""
	if err != nil {
		warning = notKept(err)
	}
	k.mu.Lock()
	news := k.warning != warning
	k.warning = warning
	k.mu.Unlock()
	if news {
		s.watchers.each(func(*watcher) {})
	}
}

func notKept(err error) string {
	return "checkpoints are not written: " + fault.Of(err).Error()
}

// close writes the last checkpoint, unless the engine crashed, and lets others have the run. The caller has the turn, after the end of the
// session's life.
func (k *keeper) close(s *live) {
	<-k.ended
	if s.crashed == "" {
		err := s.guard(func() error {
			write, err := k.take(s.training)
			if err == nil && write != nil {
				err = write()
			}
			return err
		})
		if err != nil {
			fmt.Fprintf(s.log, "session %s: %s\n", s.name, notKept(err))
		}
	}
	if err := k.directory.Release(); err != nil {
		fmt.Fprintf(s.log, "session %s: %v\n", s.name, err)
	}
}

// shows puts what there is to say of the checkpoints into a status.
func (k *keeper) shows(status *session.Status) {
	k.mu.Lock()
	defer k.mu.Unlock()
	status.RunDirectory = k.directory.Path
	if k.saved >= 0 {
		saved := k.saved
		status.SavedStep = &saved
	}
	if k.warning != "" {
		status.Warning = k.warning
	}
}
