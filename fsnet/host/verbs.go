package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/suggest"
)

// Set implements session.Service.
func (h *Host) Set(ctx context.Context, name string, changes session.Config) (session.Event, error) {
	return onTurn(ctx, h, name, func(s *live, t Training) (session.Event, error) {
		if len(changes.Given()) == 0 {
			return session.Event{}, fault.New(fault.Request, "name a key and its value, as in lambda=0.1", "set names no key")
		}
		if r := s.running(); r != nil && r.verb == "rewind" { // it would be gone when the rewind is done
			return session.Event{}, s.busy(r)
		}
		if s.readOnly {
			return session.Event{}, s.onlyRead("set")
		}
		defer s.changed()
		defer s.status(t) // who asks during the next chunk sees it
		return t.Set(changes)
	})
}

// Status implements session.Service.
func (h *Host) Status(ctx context.Context, name string) (session.Status, error) {
	s, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	return s.currentStatus(ctx)
}

// Selection implements session.Service.
func (h *Host) Selection(ctx context.Context, name string) ([]session.Selected, error) {
	return onTurn(ctx, h, name, func(s *live, t Training) ([]session.Selected, error) {
		return s.selection(t)
	})
}

// selection is that of the training. The caller has the turn.
func (s *live) selection(t Training) ([]session.Selected, error) {
	list, err := t.Selection()
	return list, cmp.Or(err, checkFinite(s.name, "the selection", list))
}

// Matrix implements session.Service.
func (h *Host) Matrix(ctx context.Context, name string, request session.MatrixRequest) (session.Matrix, error) {
	if err := checkMatrix(request); err != nil {
		return session.Matrix{}, err
	}
	if request.Step != nil {
		return h.pastMatrix(ctx, name, request)
	}
	return onTurn(ctx, h, name, func(s *live, t Training) (session.Matrix, error) { return s.matrix(t, request) })
}

func checkMatrix(request session.MatrixRequest) error {
	if err := word("of", cmp.Or(request.Of, "probability"), []string{"probability", "sample", "soft"}); err != nil {
		return err
	}
	if request.Top < 0 {
		return fault.New(fault.Request, "give a number of columns from 1 on, or 0 for 40", "top = %d", request.Top)
	}
	if request.Step != nil && *request.Step < 0 {
		return fault.New(fault.Request, "give one from 0 to the present one", "step = %d", *request.Step)
	}
	return nil
}

// matrix is that of a training or past. The caller has the turn.
func (s *live) matrix(of interface {
	Matrix(request session.MatrixRequest) (session.Matrix, error)
}, request session.MatrixRequest) (session.Matrix, error) {
	m, err := of.Matrix(request)
	m.Session = s.name
	return m, cmp.Or(err, checkFinite(s.name, "the selection matrix", m))
}

// Feature implements session.Service.
func (h *Host) Feature(ctx context.Context, name, feature string) (session.Feature, error) {
	if feature == "" {
		return session.Feature{}, fault.New(fault.Request, "give its name or its column", "which feature?")
	}
	return onTurn(ctx, h, name, func(s *live, t Training) (session.Feature, error) {
		f, err := t.Feature(feature)
		f.Session = s.name
		return f, cmp.Or(err, checkFinite(s.name, "what is known of the feature "+f.Name, f))
	})
}

// Rows implements session.Service.
func (h *Host) Rows(ctx context.Context, name string, request session.RowsRequest) (session.Rows, error) {
	return onTurn(ctx, h, name, func(s *live, t Training) (session.Rows, error) {
		defer s.changed() // looks are counted
		r, err := t.Rows(request)
		s.status(t) // as with set
		r.Session = s.name
		return r, err
	})
}

// History implements session.Service.
func (h *Host) History(ctx context.Context, name string, request session.HistoryRequest) (session.History, error) {
	if err := checkHistory(request); err != nil {
		return session.History{}, err
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return session.History{}, err
	}
	recorded, err := s.currentRecord(ctx)
	if err != nil {
		return session.History{}, fault.Of(err)
	}
	history, err := recorded(request)
	history.Session, history.Smooth = s.name, request.Smooth
	return finiteHistory(history), err
}

func checkHistory(request session.HistoryRequest) error {
	for _, metric := range request.Metrics {
		if err := word("metric", metric, session.Metrics()); err != nil {
			return err
		}
	}
	if request.From < 0 || request.Points < 0 {
		return fault.New(fault.Request, "leave it out, or use 1 or more", "from = %d, points = %d", request.From, request.Points)
	}
	if request.Smooth != nil && *request.Smooth < 0 {
		return fault.New(fault.Request, "give a number of epochs, or 0 for none", "smooth = %d", *request.Smooth)
	}
	return nil
}

// Evaluate implements session.Service.
func (h *Host) Evaluate(ctx context.Context, name, part string) (session.Evaluation, error) {
	if err := word("part", part, session.Parts()); err != nil {
		return session.Evaluation{}, err
	}
	return onTurn(ctx, h, name, func(s *live, t Training) (session.Evaluation, error) {
		defer s.changed() // looks are counted
		e, err := t.Evaluate(part)
		s.status(t) // as with set
		e.Session = s.name
		return e, cmp.Or(err, checkFinite(s.name, "the evaluation", e))
	})
}

// Sessions implements session.Service.
func (h *Host) Sessions(ctx context.Context) ([]session.Status, error) {
	h.mu.Lock()
	names := h.names()
	open := make([]*live, len(names))
	for i, name := range names {
		open[i] = h.sessions[name]
	}
	h.mu.Unlock()
	list := make([]session.Status, len(open))
	failures := make([]error, len(open))
	var asking sync.WaitGroup // each may be in the middle of a chunk: wait for all at once
	for i, s := range open {
		asking.Go(func() { list[i], failures[i] = s.currentStatus(ctx) })
	}
	asking.Wait()
	for _, err := range failures {
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	// One that was closed meanwhile is no longer listed.
	return slices.DeleteFunc(list, func(s session.Status) bool { return s.Session == "" }), nil
}

// Close implements session.Service. Who opens one of that name meanwhile waits: its run is free only when the last checkpoint is written.
// Where that fails the session is closed all the same, and the error says so.
func (h *Host) Close(ctx context.Context, name string) error {
	s, err := h.find(ctx, name)
	if err != nil {
		return err
	}
	h.mu.Lock()
	mine := h.sessions[name] == s
	if mine {
		delete(h.sessions, name)
		h.closed[name] = s.directory
		defer h.claimed(h.closing, name)()
	}
	h.mu.Unlock()
	if !mine { // somebody else was faster
		return h.unknown(name, "")
	}
	return s.close()
}

// onTurn calls a verb of the training of that name, when it is its turn.
func onTurn[T any](ctx context.Context, h *Host, name string, verb func(*live, Training) (T, error)) (result T, err error) {
	s, err := h.find(ctx, name)
	if err != nil {
		return result, err
	}
	err = s.use(ctx, func(t Training) error {
		var err error
		result, err = verb(s, t)
		return err
	})
	if err != nil {
		var none T
		return none, fault.Of(err)
	}
	return result, nil
}

// word checks that a value is one of a few.
func word(name, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fault.New(fault.Request, suggest.DidYouMean(value, known), "%s = %q is not known", name, value)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
