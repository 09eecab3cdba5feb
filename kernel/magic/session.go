package magic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// ask asks the host and shows what it answers.
func ask[T any](ctx context.Context, r *request, get func(session.Caller) (T, error), show func(T)) error {
	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}
	answer, err := get(host)
	if err == nil {
		show(answer)
	}
	return err
}

func (r *request) showStatus(ctx context.Context, get func(session.Caller) (session.Status, error)) error {
	return ask(ctx, r, get, func(status session.Status) { r.out.Display(chart.Status(status)) })
}

func (r *request) open(ctx context.Context) error {
	// A name alone, without a data set, asks for the session that is there.
	attach := len(r.config.Given()) == 0 && !r.yes("replace")
	err := r.showStatus(ctx, func(h session.Caller) (session.Status, error) {
		return session.VerbOpen.Call(ctx, h, session.OpenRequest{
			Session: r.session, Config: r.config, Replace: r.yes("replace"), ReadOnly: r.yes("read_only"), Directory: r.options.Directory(),
			Attach: attach,
		})
	})
	if attach && fault.Is(err, fault.NotFound) && slices.Contains(r.data(r.session), r.session) {
		return fault.New(fault.NotFound, "to train on the data, name a session: %fsnet open NAME data="+r.session,
			"there is no session %q, but data of that name", r.session)
	}
	return err
}

func (r *request) close(ctx context.Context) error {
	return ask(ctx, r, func(h session.Caller) (string, error) { return r.session, session.On(h, r.session).Close(ctx) }, func(closed string) {
		if r.session = r.Current(); r.session == closed {
			r.session = ""
		}
		r.out.Display(note(closed + " is closed"))
	})
}

func (r *request) sessions(ctx context.Context) error {
	return ask(ctx, r, func(h session.Caller) ([]session.Status, error) {
		return session.VerbSessions.Call(ctx, h, session.None{})
	}, func(list []session.Status) {
		if len(list) == 0 {
			r.out.Display(note("no session is open; %fsnet open leukemia data=ALLAML opens one"))
			return
		}
		r.out.Display(chart.Sessions(list))
	})
}

func (r *request) pause(ctx context.Context) error {
	return r.showStatus(ctx, func(h session.Caller) (session.Status, error) { return session.On(h, r.session).Pause(ctx) })
}

func (r *request) set(ctx context.Context) error {
	if len(r.config.Given()) == 0 {
		return fault.New(fault.Request, "write %fsnet set key=value; live keys are "+strings.Join(keyNames(isLive), ", "), "set names no key")
	}
	return ask(ctx, r, func(h session.Caller) (session.Event, error) { return session.On(h, r.session).Set(ctx, r.config) },
		func(event session.Event) { r.out.Display(note(event.String())) })
}

func isLive(key config.Key) bool { return key.Live }

func keyNames(which func(config.Key) bool) []string {
	var names []string
	for _, key := range config.Keys() {
		if which(key) {
			names = append(names, key.Name)
		}
	}
	return names
}

func (r *request) history(ctx context.Context) error {
	from := r.number("from")
	return ask(ctx, r, func(h session.Caller) (session.History, error) {
		return session.On(h, r.session).History(ctx, session.HistoryRequest{Metrics: []string{"loss"}, From: from})
	}, func(history session.History) {
		var lines []string
		for _, e := range history.Events {
			if e.Step >= from {
				lines = append(lines, fmt.Sprintf("step %6d  epoch %6.1f  %-5s %s", e.Step, e.Epoch, e.Kind, e.Text))
			}
		}
		r.out.Display(note(strings.Join(lines, "\n")))
	})
}

func (r *request) rewind(ctx context.Context) error {
	switch word := r.word(); {
	case word != "" && len(r.given) > 0:
		return r.surplus(word)
	case word != "":
		if err := r.give(Option{"step", word}); err != nil {
			return err
		}
	case len(r.given) == 0:
		return fault.New(fault.Request, "write %fsnet rewind "+r.session+" 100, or epoch=20", "rewind to which step?")
	}
	return r.fromStep(ctx, func(h session.Caller, step *int) (session.Status, error) {
		return session.VerbRewind.Call(ctx, h, session.RewindRequest{Session: r.session, Step: step})
	})
}

func (r *request) fork(ctx context.Context) error {
	as := r.word()
	if as == "" {
		return fault.New(fault.Request, "write %fsnet fork "+r.session+" NEWNAME", "a fork needs a name")
	}
	return r.fromStep(ctx, func(h session.Caller, step *int) (session.Status, error) {
		status, err := session.VerbFork.Call(ctx, h, session.ForkRequest{Session: r.session, As: as, Step: step, Replace: r.yes("replace")})
		r.session = as
		return status, err
	})
}

// fromStep does what begins at a step of the past, and shows the status that it leads to. The options step and epoch say which, and at
// most one of them may be given; neither is the present step, nil. How many steps an epoch has is the session's to say.
func (r *request) fromStep(ctx context.Context, work func(h session.Caller, step *int) (session.Status, error)) error {
	_, byStep := r.given["step"]
	_, byEpoch := r.given["epoch"]
	if byStep && byEpoch {
		return fault.New(fault.Request, "give one of them", "both a step and an epoch")
	}
	return r.showStatus(ctx, func(h session.Caller) (session.Status, error) {
		var step *int
		if byStep {
			step = new(r.number("step"))
		} else if byEpoch {
			now, err := session.On(h, r.session).Status(ctx)
			if err != nil {
				return now, err
			}
			step = new(r.number("epoch") * now.StepsPerEpoch)
		}
		return work(h, step)
	})
}
