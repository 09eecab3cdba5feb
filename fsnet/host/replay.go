package host

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// rewind returns the session to a past step. If it is interrupted, the session
// does not change and the error is of kind Interrupted.
func (s *live) rewind(ctx context.Context, request session.RewindRequest) (session.Status, error) {
	switch {
	case request.Step == nil:
		return session.Status{}, errs.New(errs.Request, "give its step", "rewind has no step to go to")
	case ctx.Err() != nil:
		return session.Status{}, interruptedError(ctx, s.name)
	}
	step := *request.Step
	running, done, err := s.beginRun(ctx, "rewind")
	if err != nil {
		return session.Status{}, err
	}
	defer done()
	failure := s.replay(running, step, s.running(), func(t session.Training, r session.Replay) error {
		r.Rewind()
		s.rewinds.Add(1)
		s.known = false
		s.resetWatchers(step, t.Status().StepsPerEpoch)
		s.status(t)
		return nil
	})
	status, err := s.finish(running, failure)
	if err == nil && failure != nil {
		return status, errs.New(errs.Interrupted, "", "the rewind of session %q was interrupted: it stands at step %d as before", s.name,
			status.Step)
	}
	return status, err
}

// fork opens a copy of a session at a step, with a separate run directory.
func (h *Host) fork(ctx context.Context, request session.ForkRequest) (session.Status, error) {
	name, as := request.Session, request.As
	if err := runs.CheckName(as); err != nil {
		return session.Status{}, err
	}
	parent, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	if as == name {
		return session.Status{}, errs.New(errs.Request, "choose another name", "session %q cannot be its own fork", name)
	}
	there, done, err := h.claim(ctx, as, request.Replace)
	switch {
	case err != nil:
		return session.Status{}, err
	case there != nil:
		return session.Status{}, errs.New(errs.Request, "choose another name, or use replace=true to end that one",
			"session %q is already open", as)
	}

	defer done()
	store, err := h.store(opening{name: as, directory: parent.directory, replace: request.Replace})
	if err != nil {
		return session.Status{}, err
	}

	if len(store.files) > 0 && !request.Replace {
		store.release()
		return session.Status{}, errs.New(errs.Request, "choose another name, open that one, or use replace=true to remove it",
			"there are already checkpoints of a session %q", as)
	}

	step := presentStep
	if request.Step != nil {
		step = *request.Step
	}
	training, err := h.forkTraining(ctx, parent, step)
	if err != nil {
		store.release()
		return session.Status{}, err
	}

	store.parent, store.step = parent.runPath(), training.Status().Step
	s := newLive(as, parent.settings, parent.directory, training, h.options.Log)
	s.stepped.Store(parent.stepped.Load()) // They share the programs.
	if err := h.install(s, store); err != nil {
		return session.Status{}, err
	}
	return s.currentStatus(ctx)
}

// forkTraining returns a copy of the parent's training at a step, or at the
// current step if that is presentStep. Watchers of the parent see the progress.
func (h *Host) forkTraining(ctx context.Context, parent *live, step int) (fork session.Training, err error) {
	ctx, cancel := ending(ctx, parent.life)
	defer cancel()

	way := &run{verb: "fork", target: unknownTarget}
	parent.mu.Lock()
	parent.forks = append(parent.forks, way)
	parent.mu.Unlock()
	defer func() {
		parent.mu.Lock()
		parent.forks = slices.DeleteFunc(parent.forks, func(r *run) bool { return r == way })
		parent.mu.Unlock()
		parent.notify()
	}()

	err = parent.replay(ctx, step, way, func(_ session.Training, r session.Replay) error {
		fork = r.Fork()
		return nil
	})
	switch {
	case err != nil && h.life.Err() != nil:
		err = shutDownError()
	case err != nil && parent.life.Err() != nil:
		err = parent.closedError()
	}
	return fork, err
}

// presentStep stands for the step at which a replay finds the training.
const presentStep = math.MinInt

// replay recomputes a past step. It releases the turn after each chunk. If way
// is not nil, watchers see the progress in it. At the end replay calls arrived,
// which has the turn, and closes the session.Replay. If there is an error
// before that, the training does not change.
func (s *live) replay(ctx context.Context, step int, way *run, arrived func(session.Training, session.Replay) error) error {
	var replay session.Replay
	err := s.withTurn(ctx, func(t session.Training) error {
		now := t.Status().Step
		if step == presentStep {
			step = now
		}
		if step < 0 || step > now {
			return errs.New(errs.Request, fmt.Sprintf("choose a step from 0 to %d", now), "session %q has not made step %d", s.name, step)
		}
		var err error
		replay, err = t.Replay(step)
		return err
	})
	if err != nil {
		return err
	}
	defer replay.Close()
	for {
		s.noteProgress(way, replay.Step(), step)
		var done bool
		err := s.withTurn(ctx, func(t session.Training) error {
			var err error
			s.status(t) // A status requested in the meantime must show what was set since.
			s.snapshot.during(func() { done, err = replay.Advance(ctx) })
			if err != nil || !done {
				return err
			}
			return arrived(t, replay)
		})
		if err != nil || done {
			return err
		}
	}
}

// noteProgress records the progress of a replay in way, its run, and wakes the
// watchers. It does nothing if way is nil.
func (s *live) noteProgress(way *run, reached, target int) {
	if way == nil {
		return
	}
	s.mu.Lock()
	way.reached, way.target = reached, target
	s.mu.Unlock()
	s.notify()
}

// replays reports whether the verb recomputes steps, next to the current
// state.
func (r *run) replays() bool { return r.verb == "rewind" || r.verb == "fork" }

func (s *live) busyError(r *run) error {
	return errs.New(errs.Busy, "pause it first", "session %q is running since %s (%s)", s.name, r.since.Format(time.TimeOnly), r.verb)
}
