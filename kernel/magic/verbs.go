package magic

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

func (i *Interpreter) open(ctx context.Context, r request) error {
	if err := r.none("open"); err != nil {
		return err
	}
	replace, err := r.yes("replace", false)
	if err != nil {
		return err
	}
	readOnly, err := r.yes("read_only", false)
	if err != nil {
		return err
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	status, err := host.Open(ctx, session.OpenRequest{
		Session: r.session, Config: r.config, Replace: replace, ReadOnly: readOnly, Directory: i.options.Directory,
		// A name alone, without a data set, asks for the session that is there.
		Attach: len(r.config.Given()) == 0 && !replace,
	})
	if err != nil {
		return err
	}
	r.out.Display(chart.Status(status))
	return nil
}

func (i *Interpreter) step(ctx context.Context, r request) error {
	n := 1
	if len(r.words) > 0 {
		var err error
		if n, err = strconv.Atoi(r.words[0]); err != nil || n < 1 {
			return fault.New(fault.Request, "give a whole number from 1", "step %q", r.words[0])
		}
		r.words = r.words[1:]
	}
	if err := r.none("step"); err != nil {
		return err
	}
	return i.advance(ctx, r, func(h session.Service) (session.Status, error) { return h.Step(ctx, r.session, n) })
}

func (i *Interpreter) run(ctx context.Context, r request) error {
	var until session.Until
	var err error
	if until.Epoch, err = r.number("epoch", 1); err != nil {
		return err
	}
	if until.Step, err = r.number("step", 1); err != nil {
		return err
	}
	if len(r.words) > 0 && r.words[0] == "settled" {
		until.Settled, r.words = true, r.words[1:]
	}
	if err := r.none("run"); err != nil {
		return err
	}
	wait, err := r.yes("wait", true)
	if err != nil {
		return err
	}
	if !wait {
		until.Wait = &wait
		return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) { return h.Run(ctx, r.session, until) })
	}
	return i.advance(ctx, r, func(h session.Service) (session.Status, error) { return h.Run(ctx, r.session, until) })
}

// advance shows progress while the work goes on, in place, and the status where it ended.
func (i *Interpreter) advance(ctx context.Context, r request, work func(session.Service) (session.Status, error)) error {
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	id := i.options.NewID()
	stop := i.Follow(ctx, host, r.session, func(p session.Progress) { r.out.Update(id, chart.Progress(p)) }) // the end is drawn below, once
	status, err := work(host)
	undrawn := stop()
	if err != nil {
		return err
	}
	if undrawn != nil {
		return undrawn
	}
	r.out.Update(id, chart.Status(status))
	return nil
}

func (i *Interpreter) pause(ctx context.Context, r request) error {
	if err := r.none("pause"); err != nil {
		return err
	}
	return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) { return h.Pause(ctx, r.session) })
}

func (i *Interpreter) status(ctx context.Context, r request) error {
	if err := r.none("status"); err != nil {
		return err
	}
	return i.showStatus(ctx, r, func(h session.Service) (session.Status, error) { return h.Status(ctx, r.session) })
}

func (i *Interpreter) showStatus(ctx context.Context, r request, get func(session.Service) (session.Status, error)) error {
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	status, err := get(host)
	if err != nil {
		return err
	}
	r.out.Display(chart.Status(status))
	return nil
}

func (i *Interpreter) set(ctx context.Context, r request) error {
	if err := r.none("set"); err != nil {
		return err
	}
	if len(r.config.Given()) == 0 {
		return fault.New(fault.Request, "write %fsnet set key=value; live keys are "+strings.Join(liveKeys(), ", "), "set changes nothing")
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	event, err := host.Set(ctx, r.session, r.config)
	if err != nil {
		return err
	}
	r.out.Display(note(event.String()))
	return nil
}

func liveKeys() []string {
	var names []string
	for _, key := range config.Keys() {
		if key.Live {
			names = append(names, key.Name)
		}
	}
	return names
}

func (i *Interpreter) history(ctx context.Context, r request) error {
	if err := r.none("history"); err != nil {
		return err
	}
	from, err := r.number("from", 0)
	if err != nil {
		return err
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	history, err := host.History(ctx, r.session, session.HistoryRequest{Metrics: []string{"loss"}, From: from})
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range history.Events {
		if e.Step >= from {
			lines = append(lines, fmt.Sprintf("step %6d  epoch %6.1f  %-5s %s", e.Step, e.Epoch, e.Kind, e.Text))
		}
	}
	r.out.Display(note(strings.Join(lines, "\n")))
	return nil
}

func (i *Interpreter) evaluate(ctx context.Context, r request) error {
	part := "test"
	if len(r.words) > 0 {
		part, r.words = r.words[0], r.words[1:]
	}
	if err := r.none("evaluate"); err != nil {
		return err
	}
	return i.View(ctx, "evaluation", r.session, map[string]any{"part": part}, r.out)
}

func (i *Interpreter) feature(ctx context.Context, r request) error {
	if len(r.words) == 0 {
		return fault.New(fault.Request, "write %fsnet feature "+r.session+" NAME, or the number of its column", "which feature?")
	}
	name := r.words[0]
	r.words = r.words[1:]
	if err := r.none("feature"); err != nil {
		return err
	}
	return i.View(ctx, "feature", r.session, map[string]any{"feature": name}, r.out)
}

func (i *Interpreter) sessions(ctx context.Context, r request) error {
	if err := r.none("sessions"); err != nil {
		return err
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	list, err := host.Sessions(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		r.out.Display(note("no session is open; %fsnet open leukemia data=ALLAML opens one"))
	}
	for _, status := range list {
		r.out.Display(chart.Status(status))
	}
	return nil
}

func (i *Interpreter) close(ctx context.Context, r request) error {
	if err := r.none("close"); err != nil {
		return err
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	if err := host.Close(ctx, r.session); err != nil {
		return err
	}
	if i.Current() == r.session {
		i.use("")
	}
	r.out.Display(note(r.session + " is closed"))
	return nil
}

func (i *Interpreter) version(_ context.Context, r request) error {
	if err := r.none("version"); err != nil {
		return err
	}
	r.out.Result(chart.Picture{Text: "fsnet " + i.options.Version})
	return nil
}

func (i *Interpreter) doctor(ctx context.Context, r request) error {
	if err := r.none("doctor"); err != nil {
		return err
	}
	report, _ := i.options.Doctor(ctx)
	r.out.Display(note(report))
	return nil
}

func (i *Interpreter) clear(_ context.Context, r request) error {
	if err := r.none("clear"); err != nil {
		return err
	}
	r.out.Clear(false)
	return nil
}

// note is text for people, set as it is.
func note(text string) chart.Picture {
	return chart.Picture{
		Text: text,
		HTML: `<pre style="margin:0;white-space:pre-wrap">` + html.EscapeString(text) + `</pre>`,
	}
}
