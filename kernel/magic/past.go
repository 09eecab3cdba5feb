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
	return i.fromStep(ctx, r, func(h session.Service, step int) (session.Status, error) { return h.Rewind(ctx, r.session, step) })
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
	return i.fromStep(ctx, r, func(h session.Service, step int) (session.Status, error) {
		status, err := h.Fork(ctx, r.session, session.ForkRequest{As: as, Step: step, Replace: replace})
		if err == nil {
			i.use(as)
		}
		return status, err
	})
}

// fromStep does what begins at a step of the past, and shows the status that it leads to. The options step and epoch say which, and at
// most one of them may be given; neither is the present step, −1. How many steps an epoch has is the session's to say.
func (i *Interpreter) fromStep(ctx context.Context, r request, verb func(h session.Service, step int) (session.Status, error)) error {
	step := -1
	text, byStep := r.options["step"]
	_, byEpoch := r.options["epoch"]
	epoch, err := r.number("epoch", 0)
	switch {
	case byStep && byEpoch:
		return fault.New(fault.Request, "give one of them", "both a step and an epoch")
	case err != nil:
		return err
	case byStep:
		if step, err = strconv.Atoi(text); err != nil || step < 0 {
			return fault.New(fault.Request, "give a whole number from 0", "step %q", text)
		}
	}
	return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) {
		if byEpoch {
			now, err := h.Status(ctx, r.session)
			if err != nil {
				return session.Status{}, err
			}
			step = epoch * now.StepsPerEpoch
		}
		return verb(h, step)
	})
}
