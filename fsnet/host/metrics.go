package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
)

// LogLine is a line of the file that the key log names. Every line has time, session, kind, step
// and epoch; the other fields depend on its kind. Fields are sorted by name, as in the file.
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
	Kind               string           `json:"kind"`                          // metrics, or an event: open, set, stop, contest, final, rewind, fork, resume
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

// metricsLog appends a session's metrics to a file: JSON Lines, each a [LogLine]. Several sessions
// may share a file, since each line names its session.
type metricsLog struct {
	session *live
	target  output.File
	file    *os.File
	end     int64    // size of the file after the last write here; others may have added lines since
	watcher *watcher // where the lines stand in the history; a rewind moves it back
	leave   func()
	events  int    // number of events logged
	pending []byte // lines still to be written
	closed  bool

	mu      sync.Mutex
	warning string // why lines are not written, or ""
	again   string // why the file was opened again, or ""
}

// openLog opens a session's log file and registers a watcher for it. It returns nil without the key
// log, and for a read-only session.
func (s *live) openLog() (*metricsLog, error) {
	if s.settings.Log == "" || s.readOnly {
		return nil, nil
	}
	path := dataset.Locate(s.settings.Log, s.directory)
	l := &metricsLog{session: s, target: output.File{Flag: "log=", Path: path, Verb: "log", Own: isLog}}
	if err := l.open(); err != nil {
		return nil, err
	}
	l.watcher, l.leave = s.watchers.add()
	return l, nil
}

// open opens the file for appending. It refuses a file that the session reads, and one with anything
// but lines of such logs.
func (l *metricsLog) open() error {
	const remedy = "name a file in a directory that can be written to, or leave log out"
	path := l.target.Path
	info, err := os.Stat(path)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // opening a pipe would wait for its reader
		return errs.New(errs.Request, remedy, "log = %s is a pipe", path)
	}
	if err != nil || info.Mode()&fs.ModeDevice == 0 { // a terminal or /dev/null loses nothing
		if err := l.target.Check(dataset.Inputs(l.session.settings.Config(), l.session.directory)); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return errs.Wrap(err, errs.Request, remedy, "log = %s cannot be written", path)
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return errs.Wrap(err, errs.Request, remedy, "log = %s cannot be written", path)
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file, l.end = file, info.Size()
	return nil
}

// isLog reports whether the first line of a file is a [LogLine].
func isLog(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var line struct {
		Kind, Session string
		Step          *int
	}
	return json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&line) == nil && line.Kind != "" && line.Session != "" && line.Step != nil
}

// follow opens the file again if it was removed or renamed, or saved anew by an editor, and reports
// it in the status from then on. A file that was opened again begins with the session's settings.
func (l *metricsLog) follow() error {
	info, err := l.file.Stat()
	what := ""
	switch {
	case !system.IsAt(l.file, l.target.Path):
		what = "was removed, renamed or replaced"
	case err == nil && info.Size() < l.end:
		what = "was shortened"
	default:
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	l.mu.Lock()
	l.again = fmt.Sprintf("the log %s %s: from step %d on it was opened again", l.target.Path, what, l.session.last.Step)
	l.mu.Unlock()
	opening := metricsLog{}
	opening.add(l.session.openLine())
	l.pending = append(opening.pending, l.pending...)
	return nil
}

// openLine returns the line that says how the session was opened. The caller has the turn.
func (s *live) openLine() LogLine {
	now := s.last
	return LogLine{Kind: "open", Session: s.name, Step: now.Step, Epoch: now.Epoch, Config: &now.Config, Dataset: &now.Dataset, N: &now.N,
		D: &now.D, StepsPerEpoch: &now.StepsPerEpoch, Backend: &now.Backend, Device: &now.Device}
}

// beginLog logs how the session was opened, and starts to log from there; with l nil it does
// nothing. The caller has the turn.
func (s *live) beginLog(l *metricsLog) {
	if l == nil {
		return
	}
	s.guard(func(t session.Training) error { //nolint:errcheck // a crash is in the status
		l.add(s.openLine())
		_, err := s.changes(t, l.watcher, session.HistoryRequest{}) // earlier epochs are not logged again
		l.events = l.watcher.events
		return err
	})
	l.write()
	s.metrics.Store(l)
}

// extendLog appends new epochs and events to the log, after lines that could not be written before.
// If it fails the status warns, and the next call tries again. The caller has the turn.
func (s *live) extendLog(t session.Training) {
	l := s.metrics.Load()
	if l == nil || l.closed || !l.write() {
		return
	}
	if err := l.collect(s, t); err != nil {
		l.warnOf(err)
		return
	}
	l.write()
}

// close writes the remaining lines and closes the file; its error says that lines are missing. The
// caller has the turn, and the session's life has ended.
func (l *metricsLog) close(s *live) error {
	s.guard(func(t session.Training) error { s.extendLog(t); return nil }) //nolint:errcheck // the log has it
	l.closed = true
	l.leave()
	lost := l.warning
	if err := l.file.Close(); err != nil && lost == "" {
		lost = l.logWarning(err)
	}
	if lost == "" {
		return nil
	}
	return errs.New(errs.Failed, "", "session %q is closed, but its last %s", s.name, lost)
}

// add appends a line to the pending ones.
func (l *metricsLog) add(line LogLine) {
	line.Time = time.Now().UTC().Format(time.RFC3339Nano)
	text, _ := json.Marshal(line) //nolint:errcheck // floats are finite, and everything else is text
	l.pending = append(append(l.pending, text...), '\n')
}

// collect adds lines for complete epochs and events since its last call, by step, to the pending
// ones. The caller has the turn.
func (l *metricsLog) collect(s *live, t session.Training) error {
	c, err := s.changes(t, l.watcher, session.HistoryRequest{Points: session.MaxPoints})
	if err != nil {
		return err
	}
	events := c.Events
	if c.EventsFrom < l.events { // it was rewound: earlier events are logged already
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
			if step%perEpoch > 0 { // within an epoch
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
			err = json.Unmarshal(text, &line) // metrics have the names of their fields
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

// write writes the pending lines and reports whether it wrote all of them. After a failure the rest
// waits, from the beginning of its first line: the half of that line already in the file is cut
// off, unless another session has written since. A line without its end, which another process left
// behind, is ended first.
func (l *metricsLog) write() bool {
	if err := l.follow(); err != nil {
		l.warnOf(err)
		return false
	}
	if len(l.pending) > 0 && !l.endsLine() {
		if _, err := l.file.WriteString("\n"); err != nil {
			l.warnOf(err)
			return false
		}
	}
	n, err := l.file.Write(l.pending)
	if whole := bytes.LastIndexByte(l.pending[:n], '\n') + 1; whole < n {
		end, seekErr := l.file.Seek(0, io.SeekCurrent)
		if info, statErr := l.file.Stat(); seekErr == nil && statErr == nil && info.Size() == end {
			l.file.Truncate(end - int64(n-whole)) //nolint:errcheck // the line is written again either way
		}
		n = whole
	}
	l.pending = l.pending[n:]
	if info, statErr := l.file.Stat(); statErr == nil {
		l.end = info.Size()
	}
	l.warnOf(err)
	return err == nil
}

// endsLine reports whether the file is empty or ends with a line feed.
func (l *metricsLog) endsLine() bool {
	info, err := l.file.Stat()
	if err != nil || info.Size() == 0 {
		return true
	}
	var last [1]byte
	_, err = l.file.ReadAt(last[:], info.Size()-1)
	return err != nil || last[0] == '\n'
}

// warnOf sets the warning to an error, or clears it if err is nil.
func (l *metricsLog) warnOf(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warning = ""
	if err != nil {
		l.warning = l.logWarning(err)
	}
}

func (l *metricsLog) logWarning(err error) string {
	return errs.Wrap(err, errs.Failed, "", "metrics are not logged to %s", l.file.Name()).Error()
}

// warn appends to a status's warning why metrics are not logged, and that the file was opened again.
func (l *metricsLog) warn(status *session.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, warning := range []string{l.again, l.warning} {
		if warning != "" && status.Warning != "" {
			status.Warning += "; "
		}
		status.Warning += warning
	}
}
