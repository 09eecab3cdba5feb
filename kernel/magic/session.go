package magic

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
	"fsnetlab/widgets/views"
)

// ask sends a request to the host and shows the answer.
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

// open opens a session, attaches to it or resumes its run, and shows its
// status. With only a name, it never makes a new session. If data have that
// name, the error says how to open them.
func (r *request) open(ctx context.Context) error {
	// Only a name, without a data set, means an open session.
	attach := len(r.config.Given()) == 0 && !r.flag("replace")
	err := ask(ctx, r, func(h session.Caller) (session.Status, error) {
		return session.VerbOpen.Call(ctx, h, session.OpenRequest{
			Session: r.session, Config: r.config, Replace: r.flag("replace"), ReadOnly: r.flag("read_only"), Directory: r.options.Directory(),
			Attach: attach,
		})
	}, func(status session.Status) {
		if status.Step > 0 && !status.ReadOnly && !r.flag("replace") { // an executed notebook stays what its cells say
			attached := fmt.Sprintf("attached at step %d; the cells below continue it: replace=true starts over", status.Step)
			status.Reason = strings.Join(slices.DeleteFunc([]string{status.Reason, attached}, func(s string) bool { return s == "" }), "; ")
		}
		picture := chart.Status(status)
		for _, line := range status.Table {
			picture = picture.Note(line)
		}
		if path.Ext(r.config.Data) != "" {
			picture = picture.Note("to read it otherwise, copy: " + r.otherwise())
		}
		r.out.Display(picture)
	})

	if attach && errs.Is(err, errs.NotFound) && slices.Contains(r.dataNames(r.session), r.session) {
		return errs.New(errs.NotFound, "to train on the data, name a session: %fsnet open NAME data="+r.session,
			"there is no session %q, but data of that name", r.session)
	}

	return err
}

// otherwise returns the line that opens the session again, with every key that
// was given, and with the roles of columns to fill in. It is a line to copy and
// not a widget that rewrites the cell, because only JupyterLab lets a page do
// that, and because the notebook should say what a person wrote.
func (r *request) otherwise() string {
	line := "%fsnet open " + r.session
	given := r.config.Texts()
	roles := []string{"label", "ignore", "groups"}
	for _, key := range r.config.Given() {
		if value := given[key.Name]; strings.ContainsAny(value, " \t") {
			line += fmt.Sprintf(" %s=%q", key.Name, value)
		} else {
			line += fmt.Sprintf(" %s=%s", key.Name, value)
		}
		roles = slices.DeleteFunc(roles, func(role string) bool { return role == key.Name })
	}
	for _, role := range roles {
		line += " " + role + "=COLUMN"
	}
	return line + " replace=true"
}

// close ends a session. If that was the current one, no session is current
// afterwards.
func (r *request) close(ctx context.Context) error {
	return ask(ctx, r, func(h session.Caller) (string, error) { return r.session, session.On(h, r.session).Close(ctx) }, func(closed string) {
		if r.Current() == closed {
			r.Use("")
		}
		r.out.Display(note(closed + " is closed"))
	})
}

// sessions lists the open sessions, live in a notebook. It starts a host if necessary.
func (r *request) sessions(ctx context.Context) error {
	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}
	list, err := session.VerbSessions.Call(ctx, host, session.None{})
	switch {
	case err != nil:
		return err
	case len(list) == 0:
		r.out.Display(note("no session is open; %fsnet open leukemia data=ALLAML opens one"))
	case r.options.Widgets == nil || r.out.Silent():
		r.out.Display(chart.Sessions(list, r.Current()))
	default:
		r.showing.Lock()
		if r.runs == nil {
			r.runs = views.NewRuns(r.options.Life, r.options.Widgets, host, r.Current)
		}
		runs := r.runs
		r.showing.Unlock()
		runs.Follow(list)
		r.out.Live(r.options.Widgets.View(runs.Widget(), runs))
	}
	return nil
}

func (r *request) pause(ctx context.Context) error {
	return r.showStatus(ctx, func(h session.Caller) (session.Status, error) { return session.On(h, r.session).Pause(ctx) })
}

// checkSet rejects set without a key.
func (r *request) checkSet() error {
	if len(r.config.Given()) == 0 {
		return errs.New(errs.Request, "write %fsnet set key=value; live keys are "+strings.Join(keyNames(isLive), ", "), "set names no key")
	}
	return nil
}

// set changes live keys, and shows the event.
func (r *request) set(ctx context.Context) error {
	return ask(ctx, r, func(h session.Caller) (session.Event, error) { return session.On(h, r.session).Set(ctx, r.config) },
		func(event session.Event) { r.out.Display(note(r.session + ": " + event.String())) })
}

func isLive(key config.Key) bool { return key.Live }

// keyNames returns the names of the keys for which which returns true, in the
// order of config.Keys.
func keyNames(which func(config.Key) bool) []string {
	var names []string
	for _, key := range config.Keys() {
		if which(key) {
			names = append(names, key.Name)
		}
	}
	return names
}

// history lists the session's events from the step that the option from names.
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

// checkRewind turns the line's word into the option step. It fails if there are
// both or neither.
func (r *request) checkRewind() error {
	switch word := r.argument(); {
	case word != "" && len(r.values) > 0:
		return r.unexpected(word)
	case word != "":
		if err := r.setOption(Option{"step", word}); err != nil {
			return err
		}
	case len(r.values) == 0:
		return errs.New(errs.Request, "write %fsnet rewind "+r.session+" 100, or epoch=20", "rewind to which step?")
	}
	return r.checkStart()
}

// rewind goes back to a step or to an epoch.
func (r *request) rewind(ctx context.Context) error {
	return r.fromStep(ctx, func(h session.Caller, step *int) (session.Status, error) {
		return session.VerbRewind.Call(ctx, h, session.RewindRequest{Session: r.session, Step: step})
	})
}

// checkFork rejects a fork without a name, or from two places.
func (r *request) checkFork() error {
	if r.argument() == "" {
		return errs.New(errs.Request, "write %fsnet fork "+r.session+" NEWNAME", "a fork needs a name")
	}
	return r.checkStart()
}

// checkStart returns an error if both step and epoch are given.
func (r *request) checkStart() error {
	if r.optionalNumber("step") != nil && r.optionalNumber("epoch") != nil {
		return errs.New(errs.Request, "give one of them", "both step and epoch are given")
	}
	return nil
}

// fork makes a session with the past of this one. The new session becomes the
// current one.
func (r *request) fork(ctx context.Context) error {
	as := r.argument()
	return r.fromStep(ctx, func(h session.Caller, step *int) (session.Status, error) {
		status, err := session.VerbFork.Call(ctx, h, session.ForkRequest{Session: r.session, As: as, Step: step, Replace: r.flag("replace")})
		r.session = as
		return status, err
	})
}

// fromStep runs work that starts from a past step, and shows the resulting
// status. The user may give one of the options step and epoch. With neither,
// step is nil and means the current step. An epoch is converted with the
// session's steps per epoch.
func (r *request) fromStep(ctx context.Context, work func(h session.Caller, step *int) (session.Status, error)) error {
	byStep, byEpoch := r.optionalNumber("step"), r.optionalNumber("epoch")
	return r.showStatus(ctx, func(h session.Caller) (session.Status, error) {
		step := byStep
		if byEpoch != nil {
			now, err := session.On(h, r.session).Status(ctx)
			if err != nil {
				return now, err
			}
			step = new(*byEpoch * now.StepsPerEpoch)
		}
		return work(h, step)
	})
}

// checkStep rejects a word that isn't a number of steps.
func (r *request) checkStep() error {
	if n, err := strconv.Atoi(cmp.Or(r.argument(), "1")); err != nil || n < 1 {
		return errs.New(errs.Request, "give a whole number from 1", "step %q", r.argument())
	}
	return nil
}

// step makes as many steps as the line's word says, or one, and shows their
// progress.
func (r *request) step(ctx context.Context) error {
	n, _ := strconv.Atoi(cmp.Or(r.argument(), "1")) //nolint:errcheck // checked already
	return r.advance(ctx, func(h session.Caller) (session.Status, error) { return session.On(h, r.session).Step(ctx, n) })
}

// checkChoice rejects a word that isn't among the verb's choices.
func (r *request) checkChoice() error {
	if word := r.argument(); word != "" && !slices.Contains(r.verb.choices, word) {
		return r.unexpected(word)
	}
	return nil
}

// run advances the session to the point that the line names, or to the end, and
// shows the progress. With wait=false it shows only the status, while the
// session runs in the background.
func (r *request) run(ctx context.Context) error {
	wait := r.flag("wait")
	until := session.Until{Epoch: r.number("epoch"), Step: r.number("step"), Settled: r.argument() != "", Wait: &wait, Pace: r.values["pace"]}
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

// notePast explains a run that did nothing because its end is in the past. It
// does nothing for other runs.
func (r *request) notePast(now session.Status, until session.Until) {
	target, option := "", ""
	switch {
	case until.Step > 0 && now.Step > until.Step:
		target, option = fmt.Sprintf("step %d", until.Step), fmt.Sprintf("step=%d", until.Step)
	case until.Epoch > 0 && now.Step > until.Epoch*now.StepsPerEpoch:
		target, option = fmt.Sprintf("epoch %d", until.Epoch), fmt.Sprintf("epoch=%d", until.Epoch)
	default:
		return
	}

	text := fmt.Sprintf("%s is past %s, so there was nothing to run\n", r.session, target) +
		fmt.Sprintf("%%fsnet rewind %s %s goes back there: what came later is forgotten\n", r.session, option) +
		fmt.Sprintf("%%fsnet fork %s NEWNAME %s starts another session from there", r.session, option)
	r.out.Display(note(text))
}

// advance shows progress in place while work runs, and then the final status.
func (r *request) advance(ctx context.Context, work func(session.Caller) (session.Status, error)) error {
	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}

	id := r.options.NewID()
	// The final state is drawn below, once.
	stop := r.Follow(ctx, session.On(host, r.session), func(p session.Progress) { r.out.Update(id, chart.Progress(p, time.Now())) })

	status, err := work(host)
	undrawn := stop()
	if err = cmp.Or(err, undrawn); err == nil {
		r.out.Update(id, chart.Status(status))
	}
	return err
}

// progressAfter is how long a step or run takes before it is followed. Most
// steps are done before and cost one request.
const progressAfter = 100 * time.Millisecond

// Follow reports the progress of a busy session until you call stop. It begins
// after progressAfter. It doesn't call report after stop has returned. If report
// panicked, it isn't called again, and stop returns the error.
func (i *Interpreter) Follow(ctx context.Context, s session.Session, report func(session.Progress)) (stop func() error) {

	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)

	go func() {
		var panicked error
		select {
		case <-time.After(progressAfter):
		case <-ctx.Done():
			ended <- nil
			return
		}
		s.Watch(ctx, session.WatchRequest{}, func(u session.Update) { //nolint:errcheck // the verb itself reports its error
			if u.Verb == "" || ctx.Err() != nil {
				return
			}
			panicked = errs.Guard(i.options.Log.Error, "drawing the progress of session "+s.Name(), func() error { report(u.Progress); return nil })
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

// Progress returns a function that draws the progress of a Go cell's step or
// run in place, until it ends.
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

// reportOptions returns the options of the verb report.
func reportOptions() []option {
	return []option{
		{name: "output", about: "the page's file", standard: "SESSION-report.html, beside the notebook", kind: file, values: []string{".html"}},
		{name: "test", about: "true evaluates on the test rows, a look at them that is counted; false leaves them out", kind: truth,
			standard: "true"},
		{name: "stability", about: "a file that fsnet stability --json wrote", kind: file, values: []string{".json"},
			standard: "what %fsnet stability found about the session in this notebook"},
	}
}

// report writes one HTML page about sessions, as fsnet report does. Before it
// computes anything, it checks that it can write the file.
func (r *request) report(ctx context.Context) error {
	file := cmp.Or(r.values["output"], r.session+"-report.html")
	target := output.File{Flag: "output=", Path: r.locate(file), Verb: "report"}

	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}

	read := r.Inputs(ctx)
	if r.values["stability"] != "" {
		read = append(read, r.locate(r.values["stability"]))
	}

	if err := target.Check(read); err != nil {
		return err
	}

	stability, err := r.stabilityFile()
	if err != nil {
		return err
	}

	var list []report.Session
	for _, name := range append([]string{r.session}, r.words...) {
		s, err := report.Gather(ctx, session.On(host, name), report.Options{Test: r.flag("test"), Stability: stability})
		if err != nil {
			return err
		}
		if stability == nil {
			s.Stability = r.stabilityOf(s.Status)
		}
		list = append(list, s)
	}

	page, err := report.HTML(list, r.palette, r.options.Version, system.Libraries())
	if err == nil {
		err = target.Write(read, page)
	}
	if err != nil {
		return err
	}

	r.out.Display(note(fmt.Sprintf("wrote %s (%d kB): open it in a browser", file, (len(page)+500)/1000)))
	return nil
}

// Inputs returns the files that the open sessions read. It returns nil if the
// host doesn't answer.
func (i *Interpreter) Inputs(ctx context.Context) (files []string) {
	for _, s := range i.openStatuses(ctx) {
		files = append(files, dataset.Inputs(s.Config.Config(), i.options.Directory())...)
	}
	return files
}

// stabilityFile reads the file that the line names. It returns nil if the line
// names none. With several sessions, a file is an error.
func (r *request) stabilityFile() (*results.Stability, error) {
	file := r.values["stability"]
	if file == "" {
		return nil, nil
	}
	if len(r.words) > 0 {
		return nil, errs.New(errs.Request, "report on one session at a time, or leave it out", "stability=%s is about one session", file)
	}
	return report.ReadStability(r.locate(file))
}
