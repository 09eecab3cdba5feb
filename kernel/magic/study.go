package magic

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
)

// drawing draws what a program printed with --json: tables, and charts below them. A report of nothing has no pictures.
type reportDrawing = func(report []byte) ([]chart.Picture, error)

// drawings are those of the programs whose report is drawn. What others print is shown as they print it.
func drawings() map[string]reportDrawing {
	return map[string]reportDrawing{
		"tune": tuning(chart.Tuning, chart.TuningTable), "sweep": tuning(chart.Sweep, chart.TuningTable),
		"path": tuning(chart.Path, chart.PathTable), "compare": comparison, "stability": stability,
	}
}

func tuning(draw func(results.Tuned) (chart.Picture, error), table func(results.Tuned) chart.Picture) reportDrawing {
	return func(report []byte) ([]chart.Picture, error) {
		var made results.Tuned
		if json.Unmarshal(report, &made) != nil || made.Done == 0 {
			return nil, nil //nolint:nilerr // it ended before it could report
		}
		picture, err := draw(made)
		return []chart.Picture{table(made), picture}, err
	}
}

func comparison(report []byte) (pictures []chart.Picture, err error) {
	var made struct {
		Summary []results.Table `json:"summary"`
	}
	if json.Unmarshal(report, &made) != nil {
		return nil, nil //nolint:nilerr // it ended before it could report
	}
	for _, compared := range made.Summary {
		picture, err := chart.Comparison(compared)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, chart.ComparisonTable(compared), picture)
	}
	return pictures, nil
}

func stability(report []byte) ([]chart.Picture, error) {
	var found results.Stability
	if json.Unmarshal(report, &found) != nil || len(found.Genes) == 0 {
		return nil, nil //nolint:nilerr // it ended before it could report
	}
	picture, err := chart.StabilityChart(found)
	return []chart.Picture{chart.StabilityTable(found), picture}, err
}

// show draws a report, with the display of the progress, and says how much is done.
func (r *request) show(report []byte, id string, draw reportDrawing) (done string, err error) {
	var made struct {
		Done    int        `json:"done"`
		Planned int        `json:"planned"`
		Rows    []struct{} `json:"rows"`
	}
	json.Unmarshal(report, &made) //nolint:errcheck // a command that ended before it could report has done nothing
	unit := "fit"
	if r.verb.name == "stability" {
		unit = "half-sample"
	}
	done = fmt.Sprintf("%d of %s", max(made.Done, len(made.Rows)), phrase.Count(made.Planned, unit))
	pictures, err := draw(report)
	if err != nil || len(pictures) == 0 {
		return done, err
	}
	r.out.Update(id, note(done))
	for _, picture := range pictures { // the last is what a terminal saves
		r.out.Display(picture)
	}
	return done, nil
}

// foundStability is what was found of a session that had these settings.
type foundStability struct {
	settings config.Settings
	results.Stability
}

// remember keeps what was found of a session by its own settings, for a report, and lets the session count a look at its test rows.
func (r *request) remember(ctx context.Context, report []byte) {
	var found results.Stability
	if r.session == "" || json.Unmarshal(report, &found) != nil || len(found.Genes) == 0 {
		return
	}
	if len(r.config.Given()) == 0 {
		r.mu.Lock()
		r.stabilities[r.session] = foundStability{r.settings, found}
		r.mu.Unlock()
	}
	if found.Test != nil {
		if host, err := r.options.Host(ctx); err == nil {
			_, _ = session.On(host, r.session).Evaluate(context.WithoutCancel(ctx), "test")
		}
	}
}

// stabilityOf is what this notebook found of a session as it is now; nil where it did not ask, or where the name is that of another session
// since, or its settings have changed.
func (i *Interpreter) stabilityOf(name string, now config.Settings) *results.Stability {
	i.mu.Lock()
	defer i.mu.Unlock()
	if found, ok := i.stabilities[name]; ok && reflect.DeepEqual(found.settings, now) {
		return &found.Stability
	}
	return nil
}
