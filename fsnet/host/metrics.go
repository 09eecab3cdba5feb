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

// LogLine is a line of the file that the key log names. Every line has time,
// session, kind, step and epoch. The other fields depend on its kind. Fields
// are sorted by name, as in the file.
type LogLine struct {
	// metrics: accuracy on the training batches
	AccuracyTrain *float64 `json:"accuracy_train,omitempty"`
	// metrics: accuracy on the validation rows
	AccuracyValidation *float64 `json:"accuracy_validation,omitempty"`
	// open: kind of device: xla:cpu, xla:cuda or go
	Backend *string          `json:"backend,omitempty"`
	Changes []config.Change  `json:"changes,omitempty"` // set: what was changed
	Config  *config.Settings `json:"config,omitempty"`  // open: every key, as in force
	D       *int             `json:"d,omitempty"`       // open: number of features
	Dataset *string          `json:"dataset,omitempty"` // open: name of the data set
	Device  *string          `json:"device,omitempty"`  // open: the hardware, in words
	// metrics: mean entropy of the rows of P, in bits
	Entropy *float64 `json:"entropy,omitempty"`
	// position of the training in epochs
	Epoch float64 `json:"epoch"`
	// metrics, or an event: open, set, stop, contest, final, rewind, fork,
	// resume
	Kind string `json:"kind"`
	// metrics: weight of the reconstruction
	Lambda *float64 `json:"lambda,omitempty"`
	// metrics: learning rate of RMSprop
	LearningRate *float64 `json:"learning_rate,omitempty"`
	// metrics: the loss that the training minimises
	Loss *float64 `json:"loss,omitempty"`
	// metrics: loss of the classifier, or squared error of a quantity
	LossClass *float64 `json:"loss_class,omitempty"`
	// metrics: loss of the reconstruction, without lambda
	LossReconstruction *float64 `json:"loss_reconstruction,omitempty"`
	// metrics: mean over the rows of P of the largest entry
	MaxProbability *float64 `json:"max_probability,omitempty"`
	// metrics: mean over the rows of M, without noise, of the largest entry
	MaxSoft *float64 `json:"max_soft,omitempty"`
	// open: number of rows (samples)
	N *int `json:"n,omitempty"`
	// metrics, for a quantity: R² on the training batches
	R2Train *float64 `json:"r2_train,omitempty"`
	// metrics, for a quantity: R² on the validation rows
	R2Validation *float64 `json:"r2_validation,omitempty"`
	// name of the session, because several may share a file
	Session string `json:"session"`
	// metrics: factor of the logits of the selectors
	Sharpness *float64 `json:"sharpness,omitempty"`
	// position of the training in steps
	Step int `json:"step"`
	// open: number of steps in an epoch
	StepsPerEpoch *int     `json:"steps_per_epoch,omitempty"`
	Tau           *float64 `json:"tau,omitempty"` // metrics: temperature
	// events other than open: what happened, for people
	Text *string `json:"text,omitempty"`
	// time of writing, RFC 3339 in UTC
	Time string `json:"time"`
	// metrics: number of different leaders among the selectors
	UniqueRows *float64 `json:"unique_rows,omitempty"`
}

// metricsLog appends the metrics of a session to a file: JSON Lines, each a
// [LogLine]. Several sessions may share a file, because each line names its
// session.
type metricsLog struct {
	session *live
	target  output.File
	file    *os.File
	end     int64    // Size of the file after our last write. Others may have added lines since.
	watcher *watcher // position of the lines in the history, which a rewind moves back
	leave   func()
	events  int    // number of events logged
	pending []byte // lines that remain to be written
	closed  bool

	mu      sync.Mutex
	warning string // why lines are not written, or ""
	again   string // why the file was opened again, or ""
}

// openLog opens the log file of a session and registers a watcher for it. If
// the key log is empty or the session is read-only, it returns nil.
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

// open opens the file for appending. It rejects a file that the session reads,
// and a file that does not consist of log lines.
func (l *metricsLog) open() error {
	const remedy = "name a file in a directory that can be written to, or leave log out"

	path := l.target.Path
	info, err := os.Stat(path)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // Opening a pipe would wait for its reader.
		return errs.New(errs.Request, remedy, "log = %s is a pipe", path)
	}
	if err != nil || info.Mode()&fs.ModeDevice == 0 { // A terminal or /dev/null loses nothing.
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

// follow opens the file again if it was removed, renamed or truncated, or saved
// as a new file by an editor. The status then mentions it. The log in the new
// file begins with the settings of the session.
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

// openLine returns the line that says how the session was opened. The caller
// must have the turn.
func (s *live) openLine() LogLine {
	now := s.last
	return LogLine{Kind: "open", Session: s.name, Step: now.Step, Epoch: now.Epoch, Config: &now.Config, Dataset: &now.Dataset, N: &now.N,
		D: &now.D, StepsPerEpoch: &now.StepsPerEpoch, Backend: &now.Backend, Device: &now.Device}
}

// beginLog logs how the session was opened, and starts to log from there. If
// l is nil, it does nothing. The caller must have the turn.
func (s *live) beginLog(l *metricsLog) {
	if l == nil {
		return
	}
	s.guard(func(t session.Training) error { //nolint:errcheck // a crash is in the status
		l.add(s.openLine())
		_, err := s.changes(t, l.watcher, session.HistoryRequest{}) // Earlier epochs are not logged again.
		l.events = l.watcher.events
		return err
	})
	l.write()
	s.metrics.Store(l)
}

// extendLog appends lines that could not be written before, and then new epochs
// and events to the log. If that fails, the status has a warning, and the next
// call tries again. The caller must have the turn.
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

// close writes the remaining lines and closes the file. If lines are missing,
// the error says so. The caller must have the turn and must have ended the life
// of the session.
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

// collect adds lines for the epochs and events that were completed since its
// last call to the pending ones, ordered by step. The caller must have the
// turn.
func (l *metricsLog) collect(s *live, t session.Training) error {
	c, err := s.changes(t, l.watcher, session.HistoryRequest{Points: session.MaxPoints})
	if err != nil {
		return err
	}

	events := c.Events
	if c.EventsFrom < l.events { // It was rewound. Earlier events are logged already.
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
			if step%perEpoch > 0 { // This is within an epoch.
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
			err = json.Unmarshal(text, &line) // Metrics have the names of their fields.
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

// write writes the pending lines and reports whether it wrote all of them. If
// it fails within a line, it truncates the file to the end of the previous
// line, unless another session has written since. The remaining lines stay
// pending. If another process has left an incomplete line, write ends that line
// first.
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

// logWarning returns the warning that metrics are not logged, and why.
func (l *metricsLog) logWarning(err error) string {
	return errs.Wrap(err, errs.Failed, "", "metrics are not logged to %s", l.file.Name()).Error()
}

// warn adds to the warning of a status why metrics are not logged, or that the
// file was opened again.
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
