package host

import (
	"context"
	"math"
	"slices"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// presentStep stands for the step that a replay finds when it begins.
const presentStep = math.MinInt

// replay makes the way back to a step, a chunk a turn, so that others get theirs meanwhile. Watchers see way move,
// which may be nil. arrived is called with the turn at the end; an error before leaves the training as it is.
func (s *live) replay(ctx context.Context, step int, way *run, arrived func(Training, Past) error) error {
	var past Past
	err := s.use(ctx, func(t Training) error {
		if step == presentStep {
			step = t.Status().Step
		}
		if err := s.within(t, step); err != nil {
			return err
		}
		var err error
		past, err = t.Past(step)
		return err
	})
	if err != nil {
		return err
	}
	defer past.Close()
	for {
		s.move(way, past.Step(), step)
		var done bool
		err := s.use(ctx, func(t Training) error {
			var err error
			s.snapshot.during(func() { done, err = past.Advance(ctx) })
			if err != nil || !done {
				return err
			}
			return arrived(t, past)
		})
		if err != nil || done {
			return err
		}
	}
}

// move tells how far a replay has come.
func (s *live) move(way *run, reached, target int) {
	if way == nil {
		return
	}
	s.mu.Lock()
	way.reached, way.target = reached, target
	s.mu.Unlock()
	s.changed()
}

// replays: its verb makes steps again, beside the present state.
func (r *run) replays() bool { return r.verb == "rewind" || r.verb == "fork" }

// forking and forked say when a fork is being made.
func (s *live) forking(way *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forks = append(s.forks, way)
}

func (s *live) forked(way *run) {
	s.mu.Lock()
	s.forks = slices.DeleteFunc(s.forks, func(r *run) bool { return r == way })
	s.mu.Unlock()
	s.changed()
}

func (s *live) busy(r *run) error {
	return fault.New(fault.Busy, "pause it first", "session %q is running since %s (%s)", s.name, r.since.Format(time.TimeOnly), r.verb)
}

// pastMatrix is the matrix of a step that was made. The session goes on meanwhile.
func (h *Host) pastMatrix(ctx context.Context, name string, request session.MatrixRequest) (m session.Matrix, err error) {
	s, err := h.find(ctx, name)
	if err != nil {
		return m, err
	}
	err = s.replay(ctx, *request.Step, nil, func(_ Training, p Past) error {
		var err error
		m, err = s.matrix(p, request)
		return err
	})
	switch {
	case err == nil:
		return m, nil
	case isContext(err):
		return session.Matrix{}, interrupted(ctx, name)
	}
	return session.Matrix{}, fault.Of(err)
}
