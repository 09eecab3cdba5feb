package magic

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/installation"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

func reportOptions() []option {
	return []option{
		{name: "output", about: "the page's file", standard: "SESSION-report.html, beside the notebook",
			complete: func(_ context.Context, i *Interpreter, typed string) []string { return i.files(typed, ".html") }},
		{name: "test", about: "true evaluates on the test rows, a look at them that is counted; false leaves them out", kind: truth,
			standard: "true"},
		{name: "stability", about: "a file that fsnet stability --json wrote",
			standard: "what %fsnet stability found about the session in this notebook",
			complete: func(_ context.Context, i *Interpreter, typed string) []string { return i.files(typed, ".json") }},
	}
}

// report writes one page of sessions, as fsnet report does.
func (r *request) report(ctx context.Context) error {
	file := cmp.Or(r.given["output"], r.session+"-report.html")
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.options.Directory(), path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fault.New(fault.Request, "name a file in a directory that exists and that you may write to", "output: %s", err)
	}
	host, err := r.options.Host(ctx)
	if err != nil {
		return err
	}
	given, err := r.givenStability()
	if err != nil {
		return err
	}
	var list []report.Session
	for _, name := range append([]string{r.session}, r.words...) {
		s, err := report.Gather(ctx, session.On(host, name), report.Options{Test: r.yes("test"), Stability: given})
		if err != nil {
			return err
		}
		if given == nil {
			s.Stability = r.stabilityOf(name, s.Status.Config)
		}
		list = append(list, s)
	}
	page, err := report.HTML(list, r.options.Version, installation.Libraries())
	if err == nil {
		err = fault.NotWritten(atomicfile.Write(path, page))
	}
	if err != nil {
		return err
	}
	r.out.Display(note(fmt.Sprintf("wrote %s (%d kB): open it in a browser", file, (len(page)+500)/1000)))
	return nil
}

// givenStability reads the file that the line names; nil where it names none.
func (r *request) givenStability() (*chart.Stability, error) {
	file := r.given["stability"]
	if file == "" {
		return nil, nil
	}
	if len(r.words) > 0 {
		return nil, fault.New(fault.Request, "report on one session at a time, or leave it out", "stability=%s is of one session", file)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.options.Directory(), file)
	}
	return report.ReadStability(file)
}
