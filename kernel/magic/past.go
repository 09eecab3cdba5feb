package magic

import (
	"context"
	"strconv"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

func (i *Interpreter) rewind(ctx context.Context, r request) error {
	if len(r.options) == 0 {
		if len(r.words) == 0 {
			return fault.New(fault.Request, "write %fsnet rewind "+r.session+" 100, or epoch=20", "rewind to which step?")
		}
		r.options["step"], r.words = r.words[0], r.words[1:]
	}
	if err := r.none("rewind"); err != nil {
		return err
	}
	step, err := i.stepOf(r)
	if err != nil {
		return err
	}
	return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) {
		at, err := step(ctx, h)
		if err != nil {
			return session.Status{}, err
		}
		return h.Rewind(ctx, r.session, at)
	})
}

func (i *Interpreter) fork(ctx context.Context, r request) error {
	if len(r.words) == 0 {
		return fault.New(fault.Request, "write %fsnet fork "+r.session+" NEWNAME", "a fork needs a name")
	}
	as := r.words[0]
	r.words = r.words[1:]
	if err := r.none("fork"); err != nil {
		return err
	}
	replace, err := r.yes("replace", false)
	if err != nil {
		return err
	}
	step, err := i.stepOf(r)
	if err != nil {
		return err
	}
	return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) {
		at, err := step(ctx, h)
		if err != nil {
			return session.Status{}, err
		}
		status, err := h.Fork(ctx, r.session, session.ForkRequest{As: as, Step: at, Replace: replace})
		if err == nil {
			i.use(as)
		}
		return status, err
	})
}

// stepOf reads the options step and epoch, of which at most one may be given; neither is the present step, −1. How many steps an epoch
// has is the session's to say.
func (i *Interpreter) stepOf(r request) (func(context.Context, session.Service) (int, error), error) {
	text, byStep := r.options["step"]
	_, byEpoch := r.options["epoch"]
	switch {
	case byStep && byEpoch:
		return nil, fault.New(fault.Request, "give one of them", "both a step and an epoch")
	case byEpoch:
		epoch, err := r.number("epoch", 0)
		return func(ctx context.Context, h session.Service) (int, error) {
			status, err := h.Status(ctx, r.session)
			return epoch * status.StepsPerEpoch, err
		}, err
	case !byStep:
		return func(context.Context, session.Service) (int, error) { return -1, nil }, nil
	}
	step, err := strconv.Atoi(text)
	if err != nil || step < 0 {
		return nil, fault.New(fault.Request, "give a whole number from 0", "step %q", text)
	}
	return func(context.Context, session.Service) (int, error) { return step, nil }, nil
}
