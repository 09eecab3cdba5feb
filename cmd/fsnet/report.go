package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

// newReportCommand returns fsnet report.
func newReportCommand() *cobra.Command {
	var o reportOptions
	var progress progressFlags
	c := &cobra.Command{
		Use:   "report SESSION|MODEL…",
		Short: "Write an HTML page about sessions or fits: genes, curves, figures, and the lines that repeat them",
		Long: "Write an HTML page about sessions or fits: genes, curves, figures, and the lines that repeat them.\n\n" +
			"SESSION is a run that a notebook left in .fsnet/runs (fsnet runs list), MODEL a file that fsnet fit --save wrote; a\n" +
			"model holds no curves, so fsnet repeats its fit. The page needs no network and no other file. Unless --test=false, the\n" +
			"report evaluates on the test rows, which counts as a look at them.",
		Example: "  fsnet report leukemia\n  fsnet report leukemia.safetensors --output genes.html\n" +
			"  fsnet stability ALLAML --json > stability.json\n  fsnet report leukemia --stability stability.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errs.New(errs.Request, "as in: fsnet report leukemia", "no session and no model is named")
			}
			bar := progress.bar(c.ErrOrStderr())
			o.Progress = bar.showTraining
			file, err := writeReport(c.Context(), args, o)
			bar.end()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), file)
			return err
		},
	}
	c.Flags().StringVar(&o.Directory, "directory", ".", "the notebook's `DIRECTORY`, where its sessions are")
	c.Flags().StringVarP(&o.Output, "output", "o", "", "the page's `FILE` [NAME-report.html]")
	c.Flags().StringVar(&o.Stability, "stability", "", "also show what fsnet stability --json wrote to a `FILE`")
	c.Flags().StringVar(&o.Symbols, "symbols", "", symbolsUsage)
	c.Flags().BoolVar(&o.Test, "test", true, "evaluate on the test rows, a look at them that is counted; --test=false leaves them out")
	progress.addProgress(c.Flags(), "")
	return c
}

// reportOptions say where the sessions are, what the report contains and where
// to write it.
type reportOptions struct {
	Directory string // of the notebook that the sessions belong to
	Output    string // "" means the first session's name, plus -report.html
	Stability string // file of fsnet stability --json, or ""
	Symbols   string // file of the features' symbols, or ""
	Test      bool   // evaluate on the test rows
	Progress  func(session.Status)
}

// writeReport writes a report on sessions, given by name, and models, given by
// file. It returns the file it wrote. A model holds no rows and no curves, so
// writeReport repeats its fit. If another process has a session open, the
// report shows its last checkpoint.
func writeReport(ctx context.Context, names []string, o reportOptions) (file string, err error) {
	if file = o.Output; file == "" {
		file = strings.TrimSuffix(filepath.Base(names[0]), filepath.Ext(names[0])) + "-report.html"
	}

	page := output.File{Flag: "--output", Path: file, Verb: "report"}
	read := append(slices.Clone(names), o.Stability, o.Symbols)
	if err := page.Check(read); err != nil {
		return "", err
	}

	more := report.Options{Test: o.Test}
	if o.Stability != "" && len(names) > 1 {
		return "", errs.New(errs.Request, "report on one session at a time, or leave it out", "--stability describes one session, not %d",
			len(names))
	}

	if o.Stability != "" {
		if more.Stability, err = report.ReadStability(o.Stability); err != nil {
			return "", err
		}
	}

	if o.Symbols != "" {
		if more.Symbols, err = dataset.ReadSymbols(o.Symbols, ""); err != nil {
			return "", err
		}
	}

	var list []report.Session
	for _, name := range names {
		s, err := gatherReport(ctx, name, o, more)
		if err != nil {
			return "", err
		}

		list = append(list, s)
		read = append(read, dataset.Inputs(s.Status.Config.Config(), o.Directory)...)
	}

	content, err := report.HTML(list, new(chart.Palette), system.Version(), system.Libraries())
	if err != nil {
		return "", err
	}
	return file, page.Write(read, content)
}

// gatherReport opens a session, or repeats the fit of a model, and gathers its
// report. Each call has a separate host, and shuts it down.
func gatherReport(ctx context.Context, name string, o reportOptions, more report.Options) (report.Session, error) {
	opener := new(train.Opener)
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		model, err := fsnet.Load(name)
		if err != nil {
			return report.Session{}, err
		}

		if more.Stability != nil && more.Stability.DataHash != model.DatasetHash {
			return report.Session{}, errs.New(errs.Request, "write it again with the model's data, or leave it out",
				"the result of stability is about another table than %s was trained on", name)
		}
		h := host.New(host.Options{Open: opener.Open})
		defer h.Shutdown()
		as, err := fitAgain(ctx, h, model, name, o.Progress)
		if err != nil {
			return report.Session{}, err
		}

		s, err := report.Gather(ctx, session.On(h, as), more)
		if err == nil {
			s.Remark = otherFit(model, s)
		}
		return s, err
	}

	h := host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
	defer h.Shutdown()
	request := session.OpenRequest{Session: name, Attach: true, Directory: o.Directory}
	_, err := session.VerbOpen.Call(ctx, h, request)

	if errs.Is(err, errs.Busy) {
		request.ReadOnly = true
		more.Remark = "Another process has the session open: this report shows its last checkpoint, and a look at the test rows is not " +
			"counted there."
		_, err = session.VerbOpen.Call(ctx, h, request)
	}

	if errs.Is(err, errs.NotFound) {
		err = errs.New(errs.NotFound, "fsnet runs list names the sessions; --directory says where they are",
			"%s is neither a model's file nor a session here", name)
	}

	if err != nil {
		return report.Session{}, err
	}
	return report.Gather(ctx, session.On(h, name), more)
}

// fitAgain repeats the fit of a model up to its step, in a session of h. It
// returns the session's name, which it makes from the file's. progress may be
// nil.
func fitAgain(ctx context.Context, h *host.Host, model *fsnet.Model, file string, progress func(session.Status)) (name string, err error) {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))

	if _, err := session.VerbOpen.Call(ctx, h, session.OpenRequest{Session: name, Config: model.Settings.Config()}); err != nil {
		return "", err
	}

	var watcher sync.WaitGroup
	defer watcher.Wait() // so that nothing is drawn below the finished bar
	watching, stop := context.WithCancel(ctx)
	defer stop()

	if progress != nil {
		watcher.Go(func() {
			_ = h.Watch(watching, session.WatchRequest{Session: name}, func(u session.Update) { progress(u.Status) })
		})
	}

	now, err := session.On(h, name).Run(ctx, session.Until{Step: model.Step})
	if err == nil && ctx.Err() != nil {
		err = errs.New(errs.Interrupted, "run it again", "interrupted at step %d of %d of the model's fit", now.Step, model.Step)
	}
	return name, err
}

// otherFit says that the repeated fit is of another table than the model, or that it chose other
// features. It returns "" if they agree.
func otherFit(model *fsnet.Model, s report.Session) string {
	same := func(a, b session.Selected) bool { return a.Index == b.Index && a.Name == b.Name }
	switch {
	case s.Status.DataHash != model.DatasetHash:
		return fmt.Sprintf("%s is another table now than when the model %s was trained. This report is about a new fit to the present table.",
			s.Status.Dataset, model)
	case slices.EqualFunc(model.Selected, s.Selection, same):
		return ""
	}
	return fmt.Sprintf("Repeated, the fit chose other features than the model %s: the version or the device have changed since. This "+
		"report is about the new fit.", model)
}
