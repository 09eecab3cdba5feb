package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// openSession opens, resumes, replaces or attaches to a session and returns
// its status.
func (h *Host) openSession(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	if err := runs.CheckName(request.Session); err != nil {
		return session.Status{}, err
	}
	o, err := newOpening(request)
	if err != nil {
		return session.Status{}, err
	}
	for {
		s, err := h.openOrAttach(ctx, o)
		if err != nil {
			return session.Status{}, err
		}
		status, err := s.currentStatus(ctx)
		if err == nil {
			var note string
			if note, err = o.checkLive(ctx, s); note != "" {
				status.Reason = strings.TrimPrefix(status.Reason+"; "+note, "; ")
			}
		}
		if !errs.Is(err, errs.NotFound) { // Otherwise it was closed in between.
			return status, err
		}
	}
}

// opening holds a checked request to open a session.
type opening struct {
	name              string
	directory         string           // absolute
	settings          *config.Settings // nil if any settings will do
	config            config.Config    // as requested
	replace, readOnly bool
}

// newOpening resolves the settings and directory of the request. It rejects
// options that contradict each other.
func newOpening(r session.OpenRequest) (opening, error) {
	o := opening{name: r.Session, config: r.Config, replace: r.Replace, readOnly: r.ReadOnly}
	switch {
	case r.Attach && r.Replace:
		return o, errs.New(errs.Request, "leave one of them out", "attach takes a session as it is, but replace ends it")
	case r.ReadOnly && r.Replace:
		return o, errs.New(errs.Request, "leave one of them out", "read_only changes nothing, but replace ends the session that is there")
	}
	if !r.Attach && (!r.ReadOnly || len(r.Config.Given()) > 0) {
		settings, err := r.Config.Resolve()
		if err != nil {
			return o, err
		}
		o.settings = &settings
	}
	var err error
	if o.directory, err = filepath.Abs(cmp.Or(r.Directory, ".")); err != nil {
		return o, errs.Wrap(err, errs.Request, "give its full path", "directory %q", r.Directory)
	}
	return o, nil
}

// checkSettings returns an error if a session has other settings than the
// requested ones. The error consists of the name of the session, words, and the
// differences.
func (o opening) checkSettings(s *live, words, remedy string) error {
	if o.settings == nil {
		return nil
	}
	list := s.differences(*o.settings, o.directory, o.isAsked)
	if len(list) == 0 {
		return nil
	}
	return errs.New(errs.Request, remedy, "session %q %s: %s", s.name, words, strings.Join(list, "; "))
}

// isAsked reports whether the request is about a key. If a request names no
// data, such as open a lambda=0.1, it refers to the existing session, and is
// only about the keys that it gives.
func (o opening) isAsked(name string) bool {
	return o.config.Data != "" || slices.ContainsFunc(o.config.Given(), func(key config.Key) bool { return key.Name == name })
}

// checkLive returns an error if a live key has another value than requested,
// because opening an existing session does not set keys. It accepts the value
// with which the session was opened, so that you can run a notebook again from
// the top. In that case note tells the current value.
func (o opening) checkLive(ctx context.Context, s *live) (note string, err error) {
	status, record, err := s.current(ctx)
	if err != nil || o.settings == nil {
		return "", err
	}
	list := status.Config.LiveDifferences(o.config)
	if len(list) == 0 {
		return "", nil
	}

	history, err := record(session.HistoryRequest{Metrics: []string{"loss"}})
	if err != nil {
		return "", err
	}

	opened := map[string]string{} // By key, the value before its first change.
	for _, event := range history.Events {
		for _, c := range event.Changes {
			if _, known := opened[c.Key]; !known {
				opened[c.Key] = c.From
			}
		}
	}

	var words, set, changed []string
	for _, c := range list {
		text := difference(c.Key, c.From, c.To)
		text = strings.Replace(text, ", not ", " here, not ", 1)
		if before, was := opened[c.Key]; was && before == c.To {
			changed = append(changed, text)
			continue
		}
		words, set = append(words, text), append(set, c.Key+"="+phrase.Word(c.To))
	}
	if len(words) > 0 {
		return "", errs.New(errs.Request, "%fsnet set "+s.name+" "+strings.Join(set, " "), "session %q exists: %s", s.name, strings.Join(words, "; "))
	}
	return strings.Join(changed, "; ") + ": it was set since", nil
}

// openOrAttach returns the open session of that name if its settings agree. If
// there is no open session, it opens one. If the request has replace, it ends
// an open session once the new one is open.
func (h *Host) openOrAttach(ctx context.Context, o opening) (*live, error) {
	there, done, err := h.claim(ctx, o.name, o.replace)
	if err != nil {
		return nil, err
	}
	if there != nil {
		return there, o.checkSettings(there, "is open with other settings", "choose another name, or use replace=true to end the open one")
	}
	defer done()
	store, err := h.store(o)
	if err != nil {
		return nil, err
	}
	s, err := h.makeLive(ctx, o, store)
	if err != nil {
		store.release()
		return nil, err
	}
	return s, h.install(s, store)
}

// makeLive resumes the run in the store. If there is no run, or the request
// replaces it, it opens a new training. If it needs settings for that but the
// request has no settings, the error is of kind NotFound.
func (h *Host) makeLive(ctx context.Context, o opening, store *store) (*live, error) {
	if files := store.paths(); len(files) > 0 && !o.replace {
		return h.resumeLive(ctx, o, store, files)
	}
	if o.settings == nil {
		return nil, h.unknownSession(o.name, o.directory)
	}
	training, err := h.openTraining(ctx, o.name,
		func(ctx context.Context) (session.Training, error) {
			return h.options.Open(ctx, *o.settings, o.directory)
		})
	if err != nil {
		return nil, err
	}
	return newLive(o.name, *o.settings, o.directory, training, h.options.Log), nil
}

// resumeLive resumes a run from its checkpoints. If the run has other settings
// than the requested ones, it returns an error. The notice of the session says
// at which step it continues, and names damaged files.
func (h *Host) resumeLive(ctx context.Context, o opening, store *store, files []string) (*live, error) {
	var damaged []error
	training, err := h.openTraining(ctx, o.name, func(ctx context.Context) (training session.Training, err error) {
		training, damaged, err = h.options.Resume(ctx, files, o.directory)
		return training, err
	})
	if err != nil {
		return nil, err
	}
	now := training.Status()
	s := newLive(o.name, now.Config, o.directory, training, h.options.Log)
	if err := o.checkSettings(s, "has a saved run with other settings",
		"open "+o.name+" alone continues it; choose another name, or use replace=true to start over"); err != nil {
		s.close() //nolint:errcheck // nothing is lost
		return nil, err
	}
	s.readOnly, s.path = o.readOnly, store.path
	s.notice = fmt.Sprintf("continued at step %d from %s", now.Step, store.path)
	for _, d := range damaged {
		s.notice += "; " + errs.Of(d).What
	}
	if len(damaged) > 0 {
		s.notice += ": the one before is used"
	}
	return s, nil
}

// install registers a session under its name and closes the previous one. It
// then starts to log the session and to save its checkpoints. The caller must
// have reserved the name. If install fails, it closes s and releases the store.
func (h *Host) install(s *live, store *store) error {
	metrics, err := s.openLog()
	if err != nil {
		s.close() //nolint:errcheck // nothing is lost
		store.release()
		return err
	}
	s.turn <- struct{}{} // A caller that finds it waits until it is complete.
	h.mu.Lock()
	before := h.sessions[s.name]
	if h.life.Err() != nil {
		h.mu.Unlock()
		<-s.turn
		if metrics != nil {
			metrics.file.Close() //nolint:errcheck // nothing was written
		}
		s.close() //nolint:errcheck // nothing is lost
		store.release()
		return shutDownError()
	}

	h.sessions[s.name] = s
	h.mu.Unlock()
	if before != nil { // Not sooner: if the new one had failed to open, the old one would have stayed.
		before.close() //nolint:errcheck // the new one takes its place
	}

	store.autosave(s)
	s.beginLog(metrics)
	s.log.Debug("session opened", "step", s.last.Step, "run", s.runPath())
	<-s.turn
	return nil
}

// claim returns the open session of that name. If there is no open session, or
// replace is set, it returns the right to open it, and the caller must call
// done to give up that right. While another caller opens or closes that name,
// it waits. If MaxSessions are open, it returns an error.
func (h *Host) claim(ctx context.Context, name string, replace bool) (there *live, done func(), err error) {
	for {
		h.mu.Lock()
		there, busy := h.sessions[name], cmp.Or(h.opening[name], h.closing[name])
		switch {
		case h.life.Err() != nil:
			h.mu.Unlock()
			return nil, nil, shutDownError()
		case busy != nil: // Wait below.
		case there != nil && !replace:
			h.mu.Unlock()
			return there, nil, nil
		case there == nil && len(h.sessions)+len(h.opening) >= MaxSessions:
			names := h.names()
			h.mu.Unlock()
			return nil, nil, errs.New(errs.Request, "close one of "+strings.Join(names, ", "),
				"%d sessions are open, the most there can be", MaxSessions)
		default:
			done := h.reserve(h.opening, name)
			h.mu.Unlock()
			return nil, done, nil
		}
		h.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, nil, interruptedError(ctx, name)
		}
	}
}

// reserve adds name to names, so that every other caller of that name waits
// until done is called. names is h.opening or h.closing. The caller must
// hold h.mu.
func (h *Host) reserve(names map[string]chan struct{}, name string) (done func()) {
	over := make(chan struct{})
	names[name] = over
	return func() {
		h.mu.Lock()
		delete(names, name)
		h.mu.Unlock()
		close(over)
	}
}

// openTraining calls open with a context that also ends with the host. If open
// panics, it returns an error, because the host must survive that. If the
// context ends, the error is of kind Interrupted.
func (h *Host) openTraining(ctx context.Context, name string, open func(context.Context) (session.Training, error)) (training session.Training, err error) {
	ctx, cancel := ending(ctx, h.life)
	defer cancel()
	err = errs.Guard(h.options.Log.With("session", name).Error, fmt.Sprintf("opening session %q", name), func() (err error) {
		training, err = open(ctx)
		return err
	})
	if err == nil {
		return training, nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, interruptedError(ctx, name)
	}
	return nil, err
}

// differences describes the structural keys that have other values in a session
// than in the requested settings. Each is a sentence, and the data come first.
// It skips keys for which isAsked returns false. Relative paths in the
// requested settings start at directory.
func (s *live) differences(requested config.Settings, directory string, isAsked func(key string) bool) []string {
	var list []string
	for _, d := range s.settings.Differences(requested) {
		if d.Key != "data" && isAsked(d.Key) {
			list = append(list, difference(d.Key, asText(d.Key, d.From, s.settings), asText(d.Key, d.To, requested)))
		}
	}
	if isAsked("data") && !dataset.Same(s.settings.Data, s.directory, requested.Data, directory) {
		was, is := s.settings.Data, requested.Data
		if was == is { // The same relative path, but two directories.
			was, is = dataset.Locate(was, s.directory), dataset.Locate(is, directory)
		}
		list = append([]string{difference("data", was, is)}, list...)
	}
	return list
}

// difference describes a key that was opened with the value was, but is now
// requested with the value is. Either may be "".
func difference(key, was, is string) string {
	switch {
	case was == "":
		return key + " was not given, now it is " + is
	case is == "":
		return fmt.Sprintf("%s is %s, now it is not given", key, was)
	}
	return fmt.Sprintf("%s is %s, not %s", key, was, is)
}

// asText returns the value of a key. For an empty value it returns the
// default of the protocol, as in a Config.
func asText(name, value string, settings config.Settings) string {
	if key, err := config.Lookup(name); err == nil && value == "" {
		value = key.Default(settings.Protocol)
	}
	return value
}

// shutDownError returns the error for a host that is shutting down.
func shutDownError() error {
	return errs.New(errs.Unavailable, "start it again", "the host is ending")
}
