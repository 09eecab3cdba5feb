package magic

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

func (r *request) step(ctx context.Context) error {
	n := 1
	if word := r.word(); word != "" {
		var err error
		if n, err = strconv.Atoi(word); err != nil || n < 1 {
			return fault.New(fault.Request, "give a whole number from 1", "step %q", word)
		}
	}
	return r.advance(ctx, func(h session.Caller) (session.Status, error) { return session.On(h, r.session).Step(ctx, n) })
}

func (r *request) run(ctx context.Context) error {
	if word := r.word(); word != "" && word != "settled" {
		return r.surplus(word)
	}
	wait := r.yes("wait")
	until := session.Until{Epoch: r.number("epoch"), Step: r.number("step"), Settled: r.word() != "", Wait: &wait, Pace: r.given["pace"]}
	var now session.Status
	work := func(h session.Caller) (session.Status, error) {
		var err error
		now, err = session.On(h, r.session).Run(ctx, until)
		return now, err
	}
	show := r.advance
	if !wait {
		show = r.showStatus
	}
	err := show(ctx, work)
	if err == nil {
		r.notePast(now, until)
	}
	return err
}

// notePast says why a run did nothing where it was to end at a step that was made before.
func (r *request) notePast(now session.Status, until session.Until) {
	asked, back := "", ""
	switch {
	case until.Step > 0 && now.Step > until.Step:
		asked, back = fmt.Sprintf("step %d", until.Step), fmt.Sprintf("step=%d", until.Step)
	case until.Epoch > 0 && now.Step > until.Epoch*now.StepsPerEpoch:
		asked, back = fmt.Sprintf("epoch %d", until.Epoch), fmt.Sprintf("epoch=%d", until.Epoch)
	default:
		return
	}
	text := fmt.Sprintf("%s is past %s, so there was nothing to run\n", r.session, asked) +
		fmt.Sprintf("%%fsnet rewind %s %s goes back there: what came later is forgotten\n", r.session, back) +
		fmt.Sprintf("%%fsnet fork %s NEWNAME %s starts another session from there", r.session, back)
	r.out.Display(note(text))
}

// advance shows progress while the work goes on, in place, and the status where it ended.
func (r *request) advance(ctx context.Context, work func(session.Caller) (session.Status, error)) error {
	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}
	id := r.options.NewID()
	stop := r.Follow(ctx, session.On(host, r.session), func(p session.Progress) { r.out.Update(id, chart.Progress(p, time.Now())) }) // the end is drawn below, once
	status, err := work(host)
	undrawn := stop()
	if err = cmp.Or(err, undrawn); err == nil {
		r.out.Update(id, chart.Status(status))
	}
	return err
}

// Follow reports the progress of a session while it is busy, until stop is called. When stop has returned, report is not called any more;
// its error is that of a report that panicked, after which there is no other.
func (i *Interpreter) Follow(ctx context.Context, s session.Session, report func(session.Progress)) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		var panicked error
		s.Watch(ctx, session.WatchRequest{}, func(u session.Update) { //nolint:errcheck // the verb that is followed says what is wrong
			if u.Verb == "" || ctx.Err() != nil {
				return
			}
			panicked = boundary.Do(i.options.Log, "drawing the progress of session "+s.Name(), func() error { report(u.Progress); return nil })
			if panicked != nil {
				cancel()
			}
		})
		ended <- panicked
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// Progress draws what a Go cell's step or run reports, in place under that cell, until its end.
func (i *Interpreter) Progress(out Output) func(session.Progress) {
	id := i.options.NewID()
	return func(p session.Progress) {
		if p.Status.State == session.Running {
			out.Update(id, chart.Progress(p, time.Now()))
			return
		}
		out.Update(id, chart.Status(p.Status))
	}
}
