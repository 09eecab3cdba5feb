package host

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

const (
	logPause = 200 * time.Millisecond // between two looks at what there is to log, at the least
	logAgain = 5 * time.Second        // until lines that could not be written are tried again
	logLimit = time.Second            // that a pipe may take for them
)

// metricsLog appends what a session measures to a file: JSON Lines, each a [LogLine]. Several sessions may share a file, since each line is
// written at once and names its session.
type metricsLog struct {
	session string
	file    *os.File
	watcher *watcher
	leave   func()
	now     func() time.Time

	writing sync.Mutex // one at a time, in order

	mu      sync.Mutex   // of what follows; nobody waits for the file with it: a status needs it
	pending bytes.Buffer // lines that are to be written
	events  int          // that were seen
	warning string       // why they are not written, or ""
}

// openLog opens the file that a session is logged to. nil: to none.
func (s *live) openLog() (*metricsLog, error) {
	if s.settings.Log == "" || s.readOnly {
		return nil, nil
	}
	path := s.settings.Log
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.directory, path)
	}
	// A pipe that nobody reads is refused at once, instead of being waited for.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "name a file in a directory that can be written to, or leave log out",
			"log = %s cannot be written", path)
	}
	l := &metricsLog{session: s.name, file: file, now: time.Now}
	l.watcher, l.leave = s.watchers.add()
	return l, nil
}

// beginLog writes how the session was opened, and follows it from there. The caller has the turn.
func (s *live) beginLog(l *metricsLog) {
	if l == nil {
		return
	}
	s.guard(func() error { //nolint:errcheck // a crash is in the status
		l.begin(s.last)
		_, err := s.changes(s.training, l.watcher, session.HistoryRequest{}) // what was before is not logged again
		l.events = l.watcher.events
		return err
	})
	l.flush()
	s.metrics.Store(l)
	go l.follow(s)
}

// follow logs what is new until the session is closed. What could not be written is tried again; until then nothing is added to it, since
// the session remembers it.
func (l *metricsLog) follow(s *live) {
	for {
		var again <-chan time.Time
		if l.waits() {
			again = time.After(logAgain)
		}
		select {
		case <-l.watcher.news:
		case <-again:
		case <-s.life.Done():
			return
		}
		changed := l.flush()
		if !l.waits() {
			s.use(s.life, func(t Training) error { return l.collect(s, t) }) //nolint:errcheck // a crash is in the status
			changed = l.flush() || changed
		}
		if changed {
			s.watchers.each(func(w *watcher) {}) // the warning has changed
		}
		select {
		case <-time.After(logPause):
		case <-s.life.Done():
			return
		}
	}
}

// waits reports whether there are lines that are not written.
func (l *metricsLog) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending.Len() > 0
}

// close writes what is left; an error is that it could not. The caller has the turn.
func (l *metricsLog) close(s *live) error {
	s.guard(func() error { return l.collect(s, s.training) }) //nolint:errcheck // a crash is in the status
	l.flush()
	l.leave()
	err := l.file.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.pending.Len() > 0:
		return fault.New(fault.Failed, "", "session %q is closed, but its last %s", l.session, l.warning)
	case err != nil:
		return fault.New(fault.Failed, "", "session %q is closed, but its last %s", l.session, l.unlogged(err))
	}
	return nil
}

// add makes a line.
func (l *metricsLog) add(line *LogLine) {
	text, err := json.Marshal(line)
	if err != nil {
		return // numbers are finite, and everything else is text
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending.Write(append(text, '\n'))
}

func (l *metricsLog) begin(status session.Status) {
	line := l.line("open", status.Step, status.Epoch)
	line.Config, line.Dataset, line.N, line.D = &status.Config, &status.Dataset, &status.N, &status.D
	line.StepsPerEpoch, line.Backend, line.Device = &status.StepsPerEpoch, &status.Backend, &status.Device
	l.add(line)
}

// collect makes lines of the epochs that are complete and of the events that are new. The caller has the turn.
func (l *metricsLog) collect(s *live, t Training) error {
	c, err := s.changes(t, l.watcher, session.HistoryRequest{Points: session.MaxPoints})
	if err != nil {
		l.missed(err)
		return err
	}
	events := c.Events
	if c.EventsFrom < l.events { // it was rewound: what came before that is logged already
		for at, e := range slices.Backward(events) {
			if e.Kind == "rewind" {
				events = events[at:]
				break
			}
		}
	}
	l.events = c.EventsFrom + len(c.Events)
	perEpoch := max(c.PerEpoch, 1)
	complete := c.Step / perEpoch * perEpoch
	lines := map[int]*LogLine{}
	for name, curve := range c.Curves {
		for i, step := range curve.Steps {
			if step > complete {
				continue
			}
			if lines[step] == nil {
				lines[step] = l.line("metrics", step, float64(step)/float64(perEpoch))
			}
			if figure := lines[step].figure(name); figure != nil {
				*figure = &curve.Values[i]
			}
		}
	}
	for _, step := range slices.Sorted(maps.Keys(lines)) {
		for len(events) > 0 && events[0].Step < step {
			l.event(events[0])
			events = events[1:]
		}
		l.add(lines[step])
	}
	for _, e := range events {
		l.event(e)
	}
	return nil
}

func (l *metricsLog) event(e session.Event) {
	line := l.line(e.Kind, e.Step, e.Epoch)
	line.Text, line.Changes = &e.Text, e.Changes
	l.add(line)
}

// flush writes the lines, and reports whether the warning has changed. What could not be written waits, from the beginning of its line.
func (l *metricsLog) flush() (changed bool) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	text := bytes.Clone(l.pending.Bytes())
	l.mu.Unlock()
	if len(text) == 0 {
		return false
	}
	l.file.SetWriteDeadline(time.Now().Add(logLimit)) //nolint:errcheck // a file has none
	n, err := l.file.Write(text)
	if whole := bytes.LastIndexByte(text[:n], '\n') + 1; whole < n && l.takeBack(int64(n-whole)) {
		n = whole
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending.Next(n)
	before := l.warning
	l.warning = ""
	if err != nil {
		l.warning = l.unlogged(err)
	}
	return before != l.warning
}

// takeBack takes the last bytes that were written out of the file, so that each of its lines is whole. It is false where that cannot be: of
// a pipe, or where another has written since.
func (l *metricsLog) takeBack(bytes int64) bool {
	end, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return false
	}
	info, err := l.file.Stat()
	return err == nil && info.Mode().IsRegular() && info.Size() == end && l.file.Truncate(end-bytes) == nil
}

// missed is told why there are no lines of what was recorded.
func (l *metricsLog) missed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warning = l.unlogged(err)
}

func (l *metricsLog) unlogged(err error) string {
	return fault.Wrap(err, fault.Failed, "", "metrics are not logged to %s", l.file.Name()).Error()
}

// warn adds why metrics are not logged to a status.
func (l *metricsLog) warn(status *session.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.warning != "" && status.Warning != "":
		status.Warning += "; " + l.warning
	case l.warning != "":
		status.Warning = l.warning
	}
}
