package host

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/session"
)

// Rewind implements session.Service.
func (h *Host) Rewind(ctx context.Context, name string, step int) (session.Status, error) {
	s, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	if ctx.Err() != nil {
		return session.Status{}, interrupted(ctx, name)
	}
	running, done, err := h.begin(ctx, s, "rewind")
	if err != nil {
		return session.Status{}, err
	}
	defer done()
	failure := s.replay(running, step, s.running(), func(t Training, p Past) error {
		p.Rewind()
		s.rewound(step, s.status(t).StepsPerEpoch)
		return nil
	})
	status, err := h.finish(running, s, failure)
	if err == nil && failure != nil {
		return status, fault.New(fault.Interrupted, "", "the rewind of session %q was interrupted: it stands at step %d as before", name,
			status.Step)
	}
	return status, err
}

// Fork implements session.Service.
func (h *Host) Fork(ctx context.Context, name string, request session.ForkRequest) (session.Status, error) {
	as := request.As
	if err := runs.CheckName(as); err != nil {
		return session.Status{}, err
	}
	parent, err := h.find(ctx, name)
	if err != nil {
		return session.Status{}, err
	}
	if as == name {
		return session.Status{}, fault.New(fault.Request, "choose another name", "session %q cannot be its own fork", name)
	}
	there, done, err := h.claim(ctx, as, request.Replace)
	switch {
	case err != nil:
		return session.Status{}, err
	case there != nil:
		return session.Status{}, fault.New(fault.Request, "choose another name, or use replace=true to end that one",
			"session %q is already open", as)
	}
	defer done()
	store, err := h.store(opening{name: as, directory: parent.directory, replace: request.Replace})
	if err != nil {
		return session.Status{}, err
	}
	if len(store.files) > 0 && !request.Replace {
		store.release()
		return session.Status{}, fault.New(fault.Request, "choose another name, open that one, or use replace=true to remove it",
			"there are already checkpoints of a session %q", as)
	}
	training, err := h.fork(ctx, parent, request.Step)
	if err != nil {
		store.release()
		return session.Status{}, err
	}
	store.parent, store.step = parent.runPath(), training.Status().Step
	s := newLive(as, parent.settings, parent.directory, training, h.options.Log)
	s.stepped.Store(parent.stepped.Load()) // they share the programs
	if err := h.install(s, store); err != nil {
		return session.Status{}, err
	}
	return s.currentStatus(ctx)
}

func (h *Host) fork(ctx context.Context, parent *live, step int) (fork Training, err error) {
	ctx, cancel := ending(ctx, parent.life, h.life)
	defer cancel()
	if step == -1 {
		step = presentStep
	}
	way := &run{verb: "fork", target: unknownTarget}
	parent.forking(way)
	defer parent.forked(way)
	err = parent.replay(ctx, step, way, func(_ Training, p Past) error {
		fork = p.Fork()
		return nil
	})
	switch {
	case err == nil:
		return fork, nil
	case h.life.Err() != nil:
		return nil, shutDown()
	case parent.life.Err() != nil:
		return nil, parent.closedError()
	case isContext(err):
		return nil, interrupted(ctx, parent.name)
	}
	return nil, fault.Of(err)
}

// within checks that a step was made. The caller has the turn.
func (s *live) within(t Training, step int) error {
	now := t.Status().Step
	if step < 0 || step > now {
		return fault.New(fault.Request, fmt.Sprintf("choose a step from 0 to %d", now), "session %q has not made step %d", s.name, step)
	}
	return nil
}
