package report

import (
	"context"
	"encoding/json"
	"os"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// Options say what a report has besides what every session has.
type Options struct {
	Test      bool               // evaluate on the test rows: a look at them, which is counted
	Stability *results.Stability // what fsnet stability found; nil: it was not run
	Symbols   map[string]string  // of features
	Remark    string             // a line at the top; "" is none
}

// ReadStability reads what fsnet stability --json wrote.
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

// Session is all that a report says of one.
type Session struct {
	Options
	Status      session.Status
	Curves      session.History // every metric, and the events
	Convergence session.History
	Selection   []session.Selected
	Rows        session.Rows
	Evaluations []session.Evaluation // of the training, validation and test rows, as far as there are some and they may be looked at
}

// Gather asks a session for what a report says of it. It looks at the test rows where the options say so, once.
func Gather(ctx context.Context, of session.Session, o Options) (s Session, err error) {
	s.Options = o
	if s.Status, err = of.Status(ctx); err == nil && s.Status.State == session.Running {
		err = errs.New(errs.Busy, "pause it first, or wait for its end", "session %q is running: a report is of one step", of.Name())
	}
	ask := func(get func() error) {
		if err == nil {
			err = get()
		}
	}
	ask(func() (err error) {
		s.Curves, err = of.History(ctx, session.HistoryRequest{})
		return err
	})
	ask(func() (err error) {
		s.Convergence, err = of.History(ctx, chart.ConvergenceRequest())
		return err
	})
	ask(func() (err error) { s.Selection, err = of.Selection(ctx); return err })
	ask(func() (err error) {
		s.Rows, err = of.Rows(ctx, session.RowsRequest{Random: true, Neighbours: true})
		return err
	})
	for _, part := range session.Parts() {
		if part == session.Test && (!o.Test || s.Status.Test == 0) || part == session.Validation && s.Status.Validate == 0 {
			continue
		}
		ask(func() error {
			e, err := of.Evaluate(ctx, part)
			s.Evaluations = append(s.Evaluations, e)
			return err
		})
	}
	ask(func() (err error) { s.Status, err = of.Status(ctx); return err }) // with the look
	return s, err
}
