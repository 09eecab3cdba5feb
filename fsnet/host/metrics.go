package host

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

const (
	logPause = 200 * time.Millisecond // between two looks at what there is to log, at the least
	logAgain = 5 * time.Second        // until lines that could not be written are tried again
)

// LogLine is a line of the file that the key log names. Every line has time, session, kind, step and epoch; what else it has depends on its
// kind. Fields are by name, as they are written.
type LogLine struct {
	AccuracyTrain      *float64         `json:"accuracy_train,omitempty"`      // metrics: of the training batches
	AccuracyValidation *float64         `json:"accuracy_validation,omitempty"` // metrics: of the validation rows
	Backend            *string          `json:"backend,omitempty"`             // open: where it runs: xla:cpu, xla:cuda or go
	Changes            []config.Change  `json:"changes,omitempty"`             // set: what was changed
	Config             *config.Settings `json:"config,omitempty"`              // open: every key, as in force
	D                  *int             `json:"d,omitempty"`                   // open: features
	Dataset            *string          `json:"dataset,omitempty"`             // open: name of the data set
	Device             *string          `json:"device,omitempty"`              // open: the hardware, in words
	Entropy            *float64         `json:"entropy,omitempty"`             // metrics: of a row of P, in bits, the mean
	Epoch              float64          `json:"epoch"`                         // where the training stood
	Kind               string           `json:"kind"`                          // metrics, or an event: open, set, stop, rewind, fork, resume
	Lambda             *float64         `json:"lambda,omitempty"`              // metrics: weight of the reconstruction
	LearningRate       *float64         `json:"learning_rate,omitempty"`       // metrics: of RMSprop
	Loss               *float64         `json:"loss,omitempty"`                // metrics: what is minimised
	LossClass          *float64         `json:"loss_class,omitempty"`          // metrics: of the classifier; of a quantity, its squared error
	LossReconstruction *float64         `json:"loss_reconstruction,omitempty"` // metrics: of the reconstruction, without lambda
	MaxProbability     *float64         `json:"max_probability,omitempty"`     // metrics: largest entry of a row of P, the mean
	MaxSoft            *float64         `json:"max_soft,omitempty"`            // metrics: largest entry of a row of M without noise, the mean
	N                  *int             `json:"n,omitempty"`                   // open: rows (samples)
	R2Train            *float64         `json:"r2_train,omitempty"`            // metrics: of a quantity: R² of the training batches
	R2Validation       *float64         `json:"r2_validation,omitempty"`       // metrics: of a quantity: R² of the validation rows
	Session            string           `json:"session"`                       // name of the session; several may share a file
	Sharpness          *float64         `json:"sharpness,omitempty"`           // metrics: what the selectors' logits are multiplied by
	Step               int              `json:"step"`                          // where the training stood
	StepsPerEpoch      *int             `json:"steps_per_epoch,omitempty"`     // open
	Tau                *float64         `json:"tau,omitempty"`                 // metrics: temperature
	Text               *string          `json:"text,omitempty"`                // events other than open: what happened, for people
	Time               string           `json:"time"`                          // when the line was made, RFC 3339 in UTC
	UniqueRows         *float64         `json:"unique_rows,omitempty"`         // metrics: different leaders among the selectors
}

// metricsLog appends what a session measures to a file: JSON Lines, each a [LogLine]. Several sessions may share a file, since each line
// names its session.
type metricsLog struct {
	file    *os.File
	watcher *watcher
	leave   func()
	events  int           // that were seen
	pending []byte        // lines that are to be written
	ended   chan struct{} // closed when the log's goroutine has ended

	mu      sync.Mutex
	warning string // why lines are not written, or ""
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
	const remedy = "name a file in a directory that can be written to, or leave log out"
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // opening one waits for its reader
		return nil, errs.New(errs.Request, remedy, "log = %s is a pipe", path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, remedy, "log = %s cannot be written", path)
	}
	l := &metricsLog{file: file, ended: make(chan struct{})}
	l.watcher, l.leave = s.watchers.add()
	return l, nil
}

// beginLog writes how the session was opened, and follows it from there. The caller has the turn.
func (s *live) beginLog(l *metricsLog) {
	if l == nil {
		return
	}
	s.guard(func(t session.Training) error { //nolint:errcheck // a crash is in the status
		now := s.last
		l.add(LogLine{Kind: "open", Session: s.name, Step: now.Step, Epoch: now.Epoch, Config: &now.Config, Dataset: &now.Dataset, N: &now.N,
			D: &now.D, StepsPerEpoch: &now.StepsPerEpoch, Backend: &now.Backend, Device: &now.Device})
		_, err := s.changes(t, l.watcher, session.HistoryRequest{}) // what was before is not logged again
		l.events = l.watcher.events
		return err
	})
	l.write()
	s.metrics.Store(l)
	go func() {
		defer close(l.ended)
		l.follow(s)
	}()
}

// follow logs what is new until the session is closed. While lines wait to be written none is added: the session remembers what it measured.
func (l *metricsLog) follow(s *live) {
	for {
		var again <-chan time.Time
		if len(l.pending) > 0 {
			again = time.After(logAgain)
		}
		select {
		case <-l.watcher.news:
		case <-again:
		case <-s.life.Done():
			return
		}
		if len(l.pending) == 0 {
			s.use(s.life, func(t session.Training) error { return l.collect(s, t) }) //nolint:errcheck // a crash is in the status
		}
		if l.write() {
			s.watchers.each(func(*watcher) {}) // the warning has changed
		}
		select {
		case <-time.After(logPause):
		case <-s.life.Done():
			return
		}
	}
}

// close writes what is left; an error is that it could not. The caller has the turn, and the session's life has ended.
func (l *metricsLog) close(s *live) error {
	<-l.ended
	s.guard(func(t session.Training) error { return l.collect(s, t) }) //nolint:errcheck // the log has it
	l.write()
	l.leave()
	lost := l.warning
	if err := l.file.Close(); err != nil && lost == "" {
		lost = l.unlogged(err)
	}
	if lost == "" {
		return nil
	}
	return errs.New(errs.Failed, "", "session %q is closed, but its last %s", s.name, lost)
}

// add makes a line.
func (l *metricsLog) add(line LogLine) {
	line.Time = time.Now().UTC().Format(time.RFC3339Nano)
	text, _ := json.Marshal(line) //nolint:errcheck // floats are finite, and everything else is text
	l.pending = append(append(l.pending, text...), '\n')
}

// collect makes lines of the epochs that are complete and of the events that are new. The caller has the turn.
func (l *metricsLog) collect(s *live, t session.Training) error {
	c, err := s.changes(t, l.watcher, session.HistoryRequest{Points: session.MaxPoints})
	if err != nil {
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
	figures := map[int]map[string]float64{}
	for name, curve := range c.Curves {
		for i, step := range curve.Steps {
			if step%perEpoch > 0 { // of an epoch in progress, or made by itself
				continue
			}
			if figures[step] == nil {
				figures[step] = map[string]float64{}
			}
			figures[step][name] = curve.Values[i]
		}
	}
	event := func(e session.Event) {
		l.add(LogLine{Kind: e.Kind, Session: s.name, Step: e.Step, Epoch: e.Epoch, Text: &e.Text, Changes: e.Changes})
	}
	for _, step := range slices.Sorted(maps.Keys(figures)) {
		for len(events) > 0 && events[0].Step < step {
			event(events[0])
			events = events[1:]
		}
		line := LogLine{Kind: "metrics", Session: s.name, Step: step, Epoch: float64(step) / float64(perEpoch)}
		text, err := json.Marshal(figures[step])
		if err == nil {
			err = json.Unmarshal(text, &line) // each has the name of its field
		}
		if err != nil {
			return err
		}
		l.add(line)
	}
	for _, e := range events {
		event(e)
	}
	return nil
}

// write writes the lines, and reports whether the warning has changed. What could not be written waits, from the beginning of its line: the
// half that is in the file is taken out of it, unless another session has written since.
func (l *metricsLog) write() (changed bool) {
	n, err := l.file.Write(l.pending)
	if whole := bytes.LastIndexByte(l.pending[:n], '\n') + 1; whole < n {
		end, seekErr := l.file.Seek(0, io.SeekCurrent)
		if info, statErr := l.file.Stat(); seekErr == nil && statErr == nil && info.Size() == end {
			l.file.Truncate(end - int64(n-whole)) //nolint:errcheck // the line is written again either way
		}
		n = whole
	}
	l.pending = l.pending[n:]
	warning := ""
	if err != nil {
		warning = l.unlogged(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = l.warning != warning
	l.warning = warning
	return changed
}

func (l *metricsLog) unlogged(err error) string {
	return errs.Wrap(err, errs.Failed, "", "metrics are not logged to %s", l.file.Name()).Error()
}

// warn adds why metrics are not logged to a status.
func (l *metricsLog) warn(status *session.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.warning != "" && status.Warning != "" {
		status.Warning += "; "
	}
	status.Warning += l.warning
}
