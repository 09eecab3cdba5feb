package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/trials"
)

func stabilityOptions() []option {
	return []option{
		{name: "pairs", about: "pairs of half-samples; the words were measured with 20", kind: number, from: 1, standard: "20"},
		{name: "decoys", about: "include permuted copies of all columns: up to twice as long, and tells whether chance would choose as well",
			kind: truth, standard: "true"},
		{name: "evaluate", about: "true also tests a support vector machine on the test rows, with the choice and with the most frequent " +
			"features: a look at them", kind: truth, standard: "false"},
	}
}

// stability runs fsnet stability, with the same words: with the data and settings of a session, as a fit of its own, or with those of the
// line.
func (r *request) stability(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Failed, "use the command fsnet stability", "this program does not know where it is")
	}
	return r.stabilityWith(ctx, program)
}

func (r *request) stabilityWith(ctx context.Context, program string) error {
	args, settings, err := r.stabilityCommand(ctx)
	if err != nil {
		return err
	}
	id := r.options.NewID()
	var last string
	printed, ended, err := r.child(ctx, program, args, func(messages io.Reader) { last = followStability(messages, id, r.out) })
	if err != nil {
		return fault.Wrap(err, fault.Failed, "", "fsnet stability cannot be started")
	}
	var found struct {
		trials.Stability
		Accuracy *struct{} `json:"accuracy"`
	}
	if json.Unmarshal(printed, &found) == nil && len(found.Genes) > 0 {
		r.out.Update(id, note(fmt.Sprintf("%d of %d half-samples", found.Done, found.Planned)))
		picture, err := trials.StabilityChart(found.Stability)
		if err != nil {
			return err
		}
		r.out.Display(trials.StabilityTable(found.Stability))
		r.out.Display(picture)
		if r.session != "" && len(r.config.Given()) == 0 { // of its own settings: a report has it
			r.mu.Lock()
			r.stabilities[r.session] = foundStability{settings, found.Stability}
			r.mu.Unlock()
		}
		if found.Accuracy != nil && r.session != "" { // the session counts the look, which was at its test rows
			if host, err := r.options.Host(ctx); err == nil {
				_, _ = host.Evaluate(context.WithoutCancel(ctx), r.session, "test")
			}
		}
	}
	switch {
	case ended == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Interrupted, "", "interrupted with %d of %d half-samples done", found.Done, found.Planned)
	case last == "":
		return fault.Wrap(ended, fault.Failed, "fsnet doctor looks at this machine", "fsnet stability ended")
	}
	return fault.New(fault.Failed, "", "%s", strings.TrimPrefix(last, "fsnet: "))
}

// foundStability is what was found of a session that had these settings.
type foundStability struct {
	settings config.Settings
	trials.Stability
}

// stabilityOf is what this notebook found of a session as it is now; nil where it did not ask, or where the name is that of another session
// since, or its settings have changed.
func (i *Interpreter) stabilityOf(name string, now config.Settings) *trials.Stability {
	i.mu.Lock()
	defer i.mu.Unlock()
	if found, ok := i.stabilities[name]; ok && reflect.DeepEqual(found.settings, now) {
		return &found.Stability
	}
	return nil
}

// stabilityCommand is the command for a request, and the settings of the session that it is about. A word that is the name of a session is
// one; what the line says goes before its settings.
func (r *request) stabilityCommand(ctx context.Context) (args []string, settings config.Settings, err error) {
	word, keys := r.word(), r.config
	switch {
	case word != "" && r.config.Data != "":
		return nil, settings, r.surplus(word)
	case word == "" && r.config.Data == "":
		if r.session = r.Current(); r.session == "" {
			return nil, settings, fault.New(fault.Request, "write %fsnet stability ALLAML k=10, or the name of a session",
				"stability of which data or session?")
		}
	case word != "":
		open, err := r.isOpen(ctx, word)
		if err != nil {
			return nil, settings, err
		}
		if keys.Data = word; open {
			r.session = word
		}
	}
	if r.session != "" {
		host, err := r.options.Host(ctx)
		if err != nil {
			return nil, settings, err
		}
		now, err := host.Status(ctx, r.session)
		if err != nil {
			return nil, settings, err
		}
		settings = now.Config
		keys = settings.Config()
		for _, given := range r.config.Given() {
			if err := keys.Set(given.Name, r.config.Text(given.Name)); err != nil {
				return nil, settings, err
			}
		}
	}
	args = []string{"stability", "--json", "--progress=json"}
	for _, key := range keys.Given() {
		if key.Name != "data" {
			args = append(args, "--"+strings.ReplaceAll(key.Name, "_", "-")+"="+keys.Text(key.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		args = append(args, "--"+name+"="+r.given[name])
	}
	return append(args, "--", keys.Data), settings, nil // a name that begins with a dash is no option
}

// isOpen is whether a session of that name is open.
func (i *Interpreter) isOpen(ctx context.Context, name string) (bool, error) {
	host, err := i.options.Host(ctx)
	if err != nil {
		return false, err
	}
	_, err = host.Status(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// followStability draws the progress that the command reports and returns the last line that is none.
func followStability(messages io.Reader, id string, out Output) (last string) {
	for line := range process.Lines(messages) {
		var p struct {
			Done, Planned int
			Share, Left   float64
		}
		if json.Unmarshal([]byte(line), &p) != nil || p.Planned == 0 {
			last = line
			continue
		}
		text := fmt.Sprintf("%d of %d half-samples · %.0f%%", p.Done, p.Planned, 100*p.Share)
		if p.Left > 0 {
			text += " · " + chart.Duration(p.Left) + " left"
		}
		out.Update(id, note(text))
	}
	return last
}

// completeStability offers sessions and data.
func completeStability(ctx context.Context, i *Interpreter, text string, earlier []word) []string {
	return append(i.openSessions(ctx), completeData(ctx, i, text, earlier)...)
}
