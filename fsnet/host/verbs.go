package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// use calls work with the session of that name when it is this caller's turn of its training.
func (h *Host) use(ctx context.Context, name string, work func(*live) error) error {
	s, err := h.find(ctx, name)
	if err == nil {
		err = s.use(ctx, func(Training) error { return work(s) })
	}
	if err != nil {
		return errs.Of(err)
	}
	return nil
}

func (h *Host) set(ctx context.Context, request session.SetRequest) (event session.Event, err error) {
	if len(request.Changes.Given()) == 0 {
		return event, errs.New(errs.Request, "name a key and its value, as in lambda=0.1", "set names no key")
	}
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		if r := s.running(); r != nil && r.verb == "rewind" { // it would be gone when the rewind is done
			return s.busy(r)
		}
		if s.readOnly {
			return s.onlyRead("set")
		}
		event, err = s.training.Set(request.Changes)
		s.changed()
		return err
	})
	return event, err
}

func (h *Host) status(ctx context.Context, request session.NameRequest) (session.Status, error) {
	s, err := h.find(ctx, request.Session)
	if err != nil {
		return session.Status{}, err
	}
	return s.currentStatus(ctx)
}

func (h *Host) selection(ctx context.Context, request session.NameRequest) (list session.Selection, err error) {
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		list, err = s.selection()
		return err
	})
	return list, err
}

// selection is that of the training. The caller has the turn.
func (s *live) selection() ([]session.Selected, error) {
	list, err := s.training.Selection()
	return list, cmp.Or(err, checkFinite(s.name, "the selection", list))
}

func (h *Host) matrix(ctx context.Context, request session.MatrixRequest) (m session.Matrix, err error) {
	if err := checkMatrix(request); err != nil {
		return m, err
	}
	if request.Step != nil {
		return h.pastMatrix(ctx, request)
	}
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		m, err = s.matrixOf(s.training, request)
		return err
	})
	return m, err
}

func checkMatrix(request session.MatrixRequest) error {
	if err := oneOf("of", cmp.Or(request.Of, "probability"), []string{"probability", "sample", "soft"}); err != nil {
		return err
	}
	if request.Top < 0 {
		return errs.New(errs.Request, "give a number of columns from 1 on, or 0 for 40", "top = %d", request.Top)
	}
	if request.Step != nil && *request.Step < 0 {
		return errs.New(errs.Request, "give one from 0 to the present one", "step = %d", *request.Step)
	}
	return nil
}

// matrixOf is that of a training or past. The caller has the turn.
func (s *live) matrixOf(of interface {
	Matrix(request session.MatrixRequest) (session.Matrix, error)
}, request session.MatrixRequest) (session.Matrix, error) {
	m, err := of.Matrix(request)
	m.Session = s.name
	return m, cmp.Or(err, checkFinite(s.name, "the selection matrix", m))
}

func (h *Host) feature(ctx context.Context, request session.FeatureRequest) (f session.Feature, err error) {
	if request.Feature == "" {
		return f, errs.New(errs.Request, "give its name or its column", "which feature?")
	}
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		f, err = s.training.Feature(string(request.Feature))
		f.Session = s.name
		return cmp.Or(err, checkFinite(s.name, "what is known of the feature "+f.Name, f))
	})
	return f, err
}

const defaultFeatures = 100

// features does not wait for the session: names are always there.
func (h *Host) features(ctx context.Context, request session.FeaturesRequest) ([]string, error) {
	if request.Most < 0 || request.Most > session.MaxFeatures {
		return nil, errs.New(errs.Request, "use 1 to 1000, or 0 for 100", "most = %d names", request.Most)
	}
	s, err := h.find(ctx, request.Session)
	if err != nil {
		return nil, err
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

func (h *Host) rows(ctx context.Context, request session.RowsRequest) (r session.Rows, err error) {
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		r, err = s.training.Rows(request)
		r.Session = s.name
		s.changed() // looks are counted
		return err
	})
	return r, err
}

func (h *Host) history(ctx context.Context, request session.HistoryRequest) (session.History, error) {
	if err := checkHistory(request); err != nil {
		return session.History{}, err
	}
	s, err := h.find(ctx, request.Session)
	if err != nil {
		return session.History{}, err
	}
	recorded, err := s.currentRecord(ctx)
	if err != nil {
		return session.History{}, errs.Of(err)
	}
	history, err := recorded(request)
	history.Session, history.Smooth = s.name, request.Smooth
	return finiteHistory(history), err
}

func checkHistory(request session.HistoryRequest) error {
	for _, metric := range request.Metrics {
		if err := oneOf("metric", metric, session.Metrics()); err != nil {
			return err
		}
	}
	if request.From < 0 || request.Points < 0 {
		return errs.New(errs.Request, "leave it out, or use 1 or more", "from = %d, points = %d", request.From, request.Points)
	}
	if request.Smooth != nil && *request.Smooth < 0 {
		return errs.New(errs.Request, "give a number of epochs, or 0 for none", "smooth = %d", *request.Smooth)
	}
	return nil
}

func (h *Host) evaluate(ctx context.Context, request session.EvaluateRequest) (e session.Evaluation, err error) {
	if err := oneOf("part", request.Part, session.Parts()); err != nil {
		return e, err
	}
	err = h.use(ctx, request.Session, func(s *live) (err error) {
		e, err = s.training.Evaluate(request.Part)
		e.Session = s.name
		s.changed() // looks are counted
		return cmp.Or(err, checkFinite(s.name, "the evaluation", e))
	})
	return e, err
}

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
	var asking sync.WaitGroup // each may be in the middle of a chunk: wait for all at once
	for i, s := range open {
		asking.Go(func() { list[i], failures[i] = s.currentStatus(ctx) })
	}
	asking.Wait()
	for _, err := range failures {
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
	}
	// One that was closed meanwhile is no longer listed.
	return slices.DeleteFunc(list, func(s session.Status) bool { return s.Session == "" }), nil
}

// closeSession lets a caller who opens one of that name meanwhile wait: its run is free only when the last checkpoint is written. Where
// that fails the session is closed all the same, and the error says so.
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
		defer h.claimed(h.closing, s.name)()
	}
	h.mu.Unlock()
	if !mine { // somebody else was faster
		return session.None{}, h.unknown(s.name, "")
	}
	return session.None{}, s.close()
}

// oneOf checks that a value is one of a few.
func oneOf(name, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return errs.New(errs.Request, phrase.DidYouMean(value, known), "%s = %q is not known", name, value)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
