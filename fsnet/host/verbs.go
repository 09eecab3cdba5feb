package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// handle registers answer for a verb of an open session. It finds the session by
// its name and calls answer without the turn of the session.
func handle[P session.Named, R any](h *Host, verb session.Verb[P, R], answer func(*live, context.Context, P) (R, error)) {
	session.Handle(h.Handlers, verb, func(ctx context.Context, request P) (result R, err error) {
		s, err := h.find(ctx, request.SessionName())
		if err != nil {
			return result, err
		}
		return answer(s, ctx, request)
	})
}

// onTurn registers answer for a verb of an open session. It calls answer with
// the turn of the session.
func onTurn[P session.Named, R any](h *Host, verb session.Verb[P, R], answer func(*live, session.Training, P) (R, error)) {
	handle(h, verb, func(s *live, ctx context.Context, request P) (result R, err error) {
		err = s.withTurn(ctx, func(t session.Training) (err error) {
			s.known = false
			result, err = answer(s, t, request)
			return err
		})
		return result, err
	})
}

// set changes live keys and returns the event. It rejects a session that
// rewinds or is read-only.
func (s *live) set(t session.Training, request session.SetRequest) (event session.Event, err error) {
	if r := s.running(); r != nil && r.verb == "rewind" { // The rewind would undo it.
		return event, s.busyError(r)
	}
	if s.readOnly {
		return event, s.readOnlyError("set")
	}
	event, err = t.Set(request.Changes)
	// The change may have ended the annealing and replaced the look at this
	// step.
	if c := t.Status().Contest; err == nil && c != nil && c.Step == event.Step {
		s.watchers.each(func(w *watcher) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.from = min(w.from, event.Step)
		})
	}
	s.extendLog(t)
	s.notify()
	return event, err
}

// selection returns the current selection.
func (*live) selection(t session.Training, _ session.NameRequest) (session.Selection, error) {
	return t.Selection()
}

// matrix returns the matrix of the current step or, recomputed, of a past step.
func (s *live) matrix(ctx context.Context, request session.MatrixRequest) (m session.Matrix, err error) {
	if request.Step != nil {
		err = s.replay(ctx, *request.Step, nil, func(_ session.Training, r session.Replay) (err error) {
			m, err = r.Matrix(request)
			return err
		})
	} else {
		err = s.withTurn(ctx, func(t session.Training) (err error) {
			m, err = t.Matrix(request)
			return err
		})
	}
	m.Session = s.name
	return m, err
}

// feature returns one feature by name or column. An empty request is an
// error.
func (s *live) feature(t session.Training, request session.FeatureRequest) (f session.Feature, err error) {
	if request.Feature == "" {
		return f, errs.New(errs.Request, "give its name or its column", "which feature?")
	}
	f, err = t.Feature(string(request.Feature))
	f.Session = s.name
	return f, err
}

const defaultFeatures = 100

// features returns the first names with the prefix, in the order of the
// file. It does not wait for the session, because names never change.
func (s *live) features(_ context.Context, request session.FeaturesRequest) ([]string, error) {
	if request.Most < 0 || request.Most > session.MaxFeatures {
		remedy := fmt.Sprintf("use 1 to %d, or 0 for %d", session.MaxFeatures, defaultFeatures)
		return nil, errs.New(errs.Request, remedy, "most = %d names", request.Most)
	}
	list := []string{}
	for _, name := range s.names {
		if len(list) == cmp.Or(request.Most, defaultFeatures) {
			break
		}
		if strings.HasPrefix(name, request.Prefix) {
			list = append(list, name)
		}
	}
	return list, nil
}

// rows returns values of the chosen features, and counts a look at the test
// rows if they are included.
func (s *live) rows(t session.Training, request session.RowsRequest) (session.Rows, error) {
	defer s.notify() // Looks are counted.
	r, err := t.Rows(request)
	if err != nil {
		return r, err
	}
	now := s.statusOf(t)
	r.Session, r.Unfinished = s.name, now.Unfinished()
	if request.Test {
		r.TestLooks, _ = s.recordLook(now, r.TestLooks)
	}
	for _, part := range request.Evaluate {
		e, err := s.evaluate(t, session.EvaluateRequest{Part: part})
		if err != nil {
			return r, err
		}
		r.Evaluations = append(r.Evaluations, e)
	}
	r.Selection, err = t.Selection()
	return r, err
}

// history returns the record up to the end of the last chunk. It does not
// wait for the next one.
func (s *live) history(ctx context.Context, request session.HistoryRequest) (h session.History, err error) {
	_, recorded, err := s.current(ctx)
	if err == nil {
		h, err = recorded(request)
	}
	h.Session, h.Smooth = s.name, request.Smooth
	return h, err
}

// evaluate evaluates a part of the rows, and counts a look if these are the
// test rows.
func (s *live) evaluate(t session.Training, request session.EvaluateRequest) (session.Evaluation, error) {
	e, err := t.Evaluate(request.Part)
	if err != nil {
		return e, err
	}
	now := s.statusOf(t)
	e.Session, e.Unfinished = s.name, now.Unfinished()
	if e.Part == session.Test {
		e.TestLooks, e.TestSettings = s.recordLook(now, e.TestLooks)
	}
	s.notify() // Looks are counted.
	return e, nil
}

// statusOf returns the status of the training as callers see it. During a
// run it is running. The caller must have the turn.
func (s *live) statusOf(t session.Training) session.Status {
	return s.visibleStatusOf(t.Status(), s.crashed)
}

// recordLook records a look at the test rows in the directory of the session, and
// returns how often they were looked at there, and with how many settings. If
// the training does not say which rows they are, it returns own times. If the
// file of looks cannot be written, it does the same and logs the error.
func (s *live) recordLook(now session.Status, own int) (times, settings int) {
	if now.TestHash == "" {
		return own, 0
	}
	looks, err := runs.Look(s.directory, now.TestHash, now.Config.LookID())
	if err != nil {
		s.log.Warn("a look at the test rows is counted by its session alone", "error", err)
		return own, 0
	}
	s.looks.Store(int64(max(own, looks.Times)))
	return max(own, looks.Times), looks.Settings
}

// list returns the status of every open session, by name.
func (h *Host) list(ctx context.Context, _ session.None) ([]session.Status, error) {
	h.mu.Lock()
	names := h.names()
	open := make([]*live, len(names))
	for i, name := range names {
		open[i] = h.sessions[name]
	}
	h.mu.Unlock()

	list := make([]session.Status, len(open))
	failures := make([]error, len(open))
	var asking sync.WaitGroup // Each may be in the middle of a chunk, so wait for all at once.
	for i, s := range open {
		asking.Go(func() { list[i], failures[i] = s.currentStatus(ctx) })
	}
	asking.Wait()

	for _, err := range failures {
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
	}
	// A session that was closed in the meantime is left out.
	return slices.DeleteFunc(list, func(s session.Status) bool { return s.Session == "" }), nil
}

// closeSession closes a session. If a caller opens the same name in the
// meantime, it waits for the last checkpoint. If that checkpoint fails, the
// session is closed anyway, and the error says so.
func (h *Host) closeSession(ctx context.Context, request session.NameRequest) (session.None, error) {
	s, err := h.find(ctx, request.Session)
	if err != nil {
		return session.None{}, err
	}
	h.mu.Lock()
	mine := h.sessions[s.name] == s
	if mine {
		delete(h.sessions, s.name)
		h.closed[s.name] = s.directory
		defer h.reserve(h.closing, s.name)()
	}
	h.mu.Unlock()
	if !mine { // Another caller was faster.
		return session.None{}, h.unknownSession(s.name, "")
	}
	return session.None{}, s.close()
}
