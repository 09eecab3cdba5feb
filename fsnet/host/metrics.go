package host

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// logPause is the least time between two looks at what there is to log.
const logPause = 200 * time.Millisecond

// metricsLog appends what a session measures to a file: JSON Lines, each a [LogLine]. Several sessions may share a file, since each line is
// written at once and names its session.
type metricsLog struct {
	session string
	file    *os.File
	watcher *watcher
	leave   func()
	now     func() time.Time

	mu      sync.Mutex
	pending bytes.Buffer // lines that are to be written
	events  int          // that were seen
	warning string       // why the last line was not written, or ""
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
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
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

// follow logs what is new until the session is closed.
func (l *metricsLog) follow(s *live) {
	for {
		select {
		case <-l.watcher.news:
		case <-s.life.Done():
			return
		}
		s.use(s.life, func(t Training) error { return l.collect(s, t) }) //nolint:errcheck // a crash is in the status
		if l.flush() {
			s.watchers.each(func(w *watcher) {}) // the warning has changed
		}
		select {
		case <-time.After(logPause):
		case <-s.life.Done():
			return
		}
	}
}

// close writes what is left. The caller has the turn.
func (l *metricsLog) close(s *live) {
	s.guard(func() error { return l.collect(s, s.training) }) //nolint:errcheck // a crash is in the status
	l.flush()
	l.leave()
	l.file.Close() //nolint:errcheck // each line was written
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

// flush writes the lines, and reports whether the warning has changed.
func (l *metricsLog) flush() (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending.Len() == 0 {
		return false
	}
	before := l.warning
	l.warning = ""
	if _, err := l.file.Write(l.pending.Bytes()); err != nil {
		l.warning = l.unlogged(err)
	}
	l.pending.Reset()
	return before != l.warning
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
