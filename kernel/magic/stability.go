package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/trials"
)

func stabilityOptions() []option {
	return []option{
		{name: "pairs", about: "pairs of half-samples; what the words mean was measured with 20", kind: number, from: 1, standard: "20"},
		{name: "decoys", about: "include permuted copies of all columns, which takes up to twice as long and tells whether chance would " +
			"choose as well",
			kind: truth, standard: "true"},
		{name: "evaluate", about: "true also tests the choice and the most frequent features on the test rows, by a support vector " +
			"machine or, for a quantity, a kernel ridge: a look at them", kind: truth, standard: "false"},
	}
}

// stability runs fsnet stability, with the same words: with the data and settings of a session, as a fit of its own, or with those of the
// line.
func (r *request) stability(ctx context.Context) error {
	args, settings, err := r.stabilityCommand(ctx)
	if err != nil {
		return err
	}
	return r.compute(ctx, computation{args: args, of: "half-sample", show: func(report []byte, id string) (done, planned int, err error) {
		var found struct {
			trials.Stability
			Accuracy *struct{} `json:"accuracy"`
			R2       *struct{} `json:"r2"`
		}
		if json.Unmarshal(report, &found) != nil {
			found.Genes = nil // it ended before it could report
		}
		if len(found.Genes) == 0 {
			return found.Done, found.Planned, nil
		}
		r.out.Update(id, note(fmt.Sprintf("%d of %s", found.Done, count.Of(found.Planned, "half-sample"))))
		picture, err := trials.StabilityChart(found.Stability)
		if err != nil {
			return 0, 0, err
		}
		r.out.Display(trials.StabilityTable(found.Stability))
		r.out.Display(picture)
		if r.session != "" && len(r.config.Given()) == 0 { // of its own settings: a report has it
			r.mu.Lock()
			r.stabilities[r.session] = foundStability{settings, found.Stability}
			r.mu.Unlock()
		}
		if (found.Accuracy != nil || found.R2 != nil) && r.session != "" { // the session counts the look, which was at its test rows
			if host, err := r.options.Host(ctx); err == nil {
				_, _ = session.On(host, r.session).Evaluate(context.WithoutCancel(ctx), "test")
			}
		}
		return found.Done, found.Planned, nil
	}})
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
		open, err := r.opened(ctx, word)
		if err != nil {
			return nil, settings, err
		}
		if keys.Data = word; open != nil {
			r.session = word
		}
	}
	if r.session != "" {
		host, err := r.options.Host(ctx)
		if err != nil {
			return nil, settings, err
		}
		now, err := session.On(host, r.session).Status(ctx)
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
	// A name that begins with a dash is no option.
	return append(r.command(keyFlags(keys, nothing), r.optionFlags()), "--", keys.Data), settings, nil
}
