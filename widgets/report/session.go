package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
)

// Options selects the parts of a report that not every session has.
type Options struct {
	Test      bool               // evaluate on the test rows, which counts as a look at them
	Stability *results.Stability // the result of fsnet stability, or nil
	Symbols   map[string]string  // symbols of features, by name
	Remark    string             // a line at the top, unless ""
}

// ReadStability reads the output of fsnet stability --json. If the file
// contains anything else, or has no feature, the error is of kind Request.
func ReadStability(file string) (*results.Stability, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "name a file that fsnet stability --json wrote", "stability")
	}

	var s results.Stability
	if json.Unmarshal(text, &s) != nil || len(s.Genes) == 0 {
		return nil, errs.New(errs.Request, "write one: fsnet stability DATA --json > stability.json",
			"%s is not what fsnet stability --json prints", file)
	}
	return &s, nil
}

// checkStability rejects the result of fsnet stability if it is about other
// data or settings than those of the session. It accepts nil.
func checkStability(found *results.Stability, now session.Status) error {
	const remedy = "write it again with the session's data and settings: %fsnet stability SESSION, or fsnet stability DATA --json"
	switch {
	case found == nil || now.DataHash == "":
		return nil
	case found.DataHash != now.DataHash:
		return errs.New(errs.Request, remedy, "the result of stability is about another table than session %s has", now.Session)
	case found.Settings != now.Config.ID():
		return errs.New(errs.Request, remedy, "the result of stability is about other settings than those of session %s", now.Session)
	}
	return nil
}

// Session is everything that a report says about one session.
type Session struct {
	Options
	Status      session.Status
	Curves      session.History // every metric, and the events
	Convergence session.History
	Selection   []session.Selected
	Rows        session.Rows
	// Evaluations are of the training, validation and test rows, without those
	// that don't exist or may not be looked at.
	Evaluations []session.Evaluation
}

// Gather requests everything that a report says about a session. It may look at
// the test rows, once. It returns the first error, with what it had by then. If
// the session is running, the error is of kind Busy.
func Gather(ctx context.Context, from session.Session, o Options) (s Session, err error) {
	s.Options = o
	if s.Status, err = from.Status(ctx); err == nil && s.Status.State == session.Running {
		err = errs.New(errs.Busy, "pause it first, or wait for its end", "session %q is running: a report is of one step", from.Name())
	}

	if err == nil {
		err = checkStability(o.Stability, s.Status) // before the look
	}
	ask := func(get func() error) {
		if err == nil {
			err = get()
		}
	}

	ask(func() (err error) {
		s.Curves, err = from.History(ctx, session.HistoryRequest{})
		return err
	})
	ask(func() (err error) {
		s.Convergence, err = from.History(ctx, chart.ConvergenceRequest())
		return err
	})
	ask(func() (err error) { s.Selection, err = from.Selection(ctx); return err })
	ask(func() (err error) {
		s.Rows, err = from.Rows(ctx, session.RowsRequest{Random: true, Neighbours: true})
		return err
	})

	for _, part := range session.Parts() {
		if part == session.Test && (!o.Test || s.Status.Test == 0) || part == session.Validation && s.Status.Validate == 0 {
			continue
		}
		ask(func() error {
			e, err := from.Evaluate(ctx, part)
			s.Evaluations = append(s.Evaluations, e)
			return err
		})
	}

	ask(func() (err error) { s.Status, err = from.Status(ctx); return err }) // includes the look
	return s, err
}

// openSettings returns the settings with which the session was opened. It
// starts from the current ones and undoes all changes, from the last to the
// first.
func (s Session) openSettings() config.Config {
	c := s.Status.Config.Config()
	for i := len(s.Curves.Events) - 1; i >= 0; i-- {
		for _, change := range s.Curves.Events[i].Changes {
			_ = c.Set(change.Key, change.From) // it was in force before
		}
	}
	return c
}

// changedKeys returns the keys whose values differ from the protocol's
// defaults, without data and without empty values.
func changedKeys(c config.Config) (keys []config.Key) {
	protocol := cmp.Or(c.Text("protocol"), config.FsNet)
	for _, key := range config.Keys() {
		text := c.Text(key.Name)
		if text != key.Default(protocol) && text != "" && key.Name != "data" {
			keys = append(keys, key)
		}
	}
	return keys
}

// Again returns notebook lines that repeat the session, with every change of a
// live key at its step.
func (s Session) Again() []string {
	c := s.openSettings()
	open := "%fsnet open " + s.Status.Session + " data=" + phrase.Word(c.Text("data"))
	for _, key := range changedKeys(c) {
		open += " " + key.Name + "=" + phrase.Word(c.Text(key.Name))
	}

	lines, at := []string{open}, 0

	run := func(step int) {
		if step > at {
			lines, at = append(lines, fmt.Sprintf("%%fsnet run step=%d", step)), step
		}
	}

	for _, e := range s.Curves.Events {
		if len(e.Changes) == 0 {
			continue
		}
		run(e.Step)

		set := "%fsnet set"
		for _, change := range e.Changes {
			set += " " + change.Key + "=" + phrase.Word(change.To)
		}
		lines = append(lines, set)
	}

	run(s.Status.Step)
	return append(lines, "%fsnet report "+s.Status.Session)
}

// Command returns the command line that repeats the fit. It returns "" if there
// is none, because live keys were changed or the training hasn't ended.
func (s Session) Command() string {
	for _, e := range s.Curves.Events {
		if len(e.Changes) > 0 {
			return ""
		}
	}

	if s.Status.Step < s.Status.Steps && s.Status.Reason == "" {
		return ""
	}

	c := s.openSettings()
	line := "fsnet fit " + phrase.Word(c.Text("data"))
	for _, key := range changedKeys(c) {
		if !key.Session {
			line += " --" + strings.ReplaceAll(key.Name, "_", "-") + "=" + phrase.Word(c.Text(key.Name))
		}
	}
	return line
}
