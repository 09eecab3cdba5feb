package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/trials"
)

func foldOptions(folder string) []option {
	return []option{
		{name: "folds", about: "how many folds to divide the training rows into", kind: number, from: 2, standard: "5"},
		{name: "repeats", about: "how often to repeat that, with other folds each time", kind: number, from: 1, standard: "1"},
		outputOption(folder),
	}
}

func tuneOptions() []option {
	return append([]option{
		{name: "judge", about: "whose accuracy on held-out rows decides: the network's own, or that of a support vector machine on the " +
			"selected features; for a quantity it is R², and a kernel ridge regression replaces that machine",
			kind: choice, values: []string{"own", "svm", "kernel-ridge"}, standard: "own"},
	}, foldOptions("tune")...)
}

func sweepOptions() []option {
	folds := foldOptions("sweep")
	return []option{
		tuneOptions()[0], {name: "seeds", about: "how many seeds to train each value with", kind: number, from: 1, standard: "5"},
		folds[0], folds[2],
	}
}

func pathOptions() []option {
	return append([]option{
		{name: "k", about: "numbers of features, separated by commas", values: []string{"1…d"}, standard: "5,10,20,50"},
	}, foldOptions("path")...)
}

// tune runs fsnet tune, sweep or path, with the same words.
func (r *request) tune(ctx context.Context) error {
	flags, data, err := r.tuning(ctx)
	if err != nil {
		return err
	}
	draw := trials.Tuning
	switch r.verb.name {
	case "path":
		draw = trials.Path
	case "sweep":
		draw = trials.Sweep
	}
	partial := func(report []byte) (picture chart.Picture, err error) {
		var made trials.Tuned
		if err = json.Unmarshal(report, &made); err == nil {
			picture, err = draw(made)
		}
		return picture, err
	}
	return r.rows(ctx, flags, []string{data},
		computation{partial: partial, show: func(report []byte, id string) (done, planned int, err error) {
			var made trials.Tuned
			if json.Unmarshal(report, &made) != nil {
				made = trials.Tuned{} // it ended before it could report
			}
			if made.Done == 0 {
				return 0, made.Planned, nil
			}
			table := trials.TuningTable(made)
			if r.verb.name == "path" {
				table = trials.PathTable(made)
			}
			picture, err := draw(made)
			if err == nil {
				r.out.Update(id, note(fmt.Sprintf("%d of %s", made.Done, count.Of(made.Planned, "fit"))))
				r.out.Display(table)
				r.out.Display(picture) // the last is what a terminal saves
			}
			return made.Done, made.Planned, err
		}})
}

// tuning is the settings and the grid of a request as options of the command, and the data.
func (r *request) tuning(ctx context.Context) (flags []string, data string, err error) {
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, "", err
	}
	flags = keyFlags(settings, func(name string) bool {
		_, own := r.verb.option(name)
		return own || slices.ContainsFunc(r.grid, func(o Option) bool { return strings.ReplaceAll(o.Key, "-", "_") == name })
	})
	if r.verb.name != "path" {
		var grid []string
		for _, o := range r.grid {
			grid = append(grid, o.Key+"="+o.Value)
		}
		if len(grid) == 0 {
			return nil, "", fault.New(fault.Request, "give a key at least two values: %fsnet "+r.verb.name+" ALLAML k=5,10,20",
				"%s: there is nothing to choose from", r.verb.name)
		}
		flags = append(flags, "--grid="+strings.Join(grid, " "))
	}
	return flags, settings.Data, nil
}

// settings are those of the line, and where it is about a session those of that, as it was opened and with its live keys as they are now.
func (r *request) settings(ctx context.Context) (config.Config, error) {
	c := r.config
	name := r.word()
	switch {
	case name != "" && c.Data != "":
		return c, fault.New(fault.Request, "give one of them", "both %s and data=%s", name, c.Data)
	case name == "" && c.Data != "":
		return c, nil
	case name == "":
		if name = r.Current(); name == "" {
			return c, fault.New(fault.Request, "write %fsnet "+r.verb.name+" ALLAML k=5,10,20", "%s of which session or data?", r.verb.name)
		}
	}
	open, err := r.opened(ctx, name)
	if err != nil {
		return c, err
	}
	if open == nil {
		c.Data = name
		return c, nil
	}
	given := open.Config.Config()
	for _, key := range given.Given() {
		text := given.Text(key.Name)
		if c.Text(key.Name) == "" && text != key.Default(open.Config.Protocol) && text != "" {
			if err := c.Set(key.Name, text); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// opened is the open session of a name, or nil.
func (i *Interpreter) opened(ctx context.Context, name string) (*session.Status, error) {
	host, err := i.options.Host(ctx)
	if err != nil {
		return nil, err
	}
	status, err := session.On(host, name).Status(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &status, nil
}

// completeSessionOrData gives the open sessions, and data.
func completeSessionOrData(ctx context.Context, i *Interpreter, text string, earlier []word) []string {
	if len(earlier) > 0 {
		return nil
	}
	return append(i.openSessions(ctx), i.data(text)...)
}
