package magic

import (
	"encoding/json"
	"fmt"
	"reflect"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
)

// reportDrawing draws a program's --json report: tables with charts below. An
// empty report has no pictures.
type reportDrawing = func(report []byte) ([]chart.Picture, error)

// drawings holds the drawings of programs. The output of programs without one
// is shown as printed.
func drawings() map[string]reportDrawing {
	return map[string]reportDrawing{
		"tune": tuning(chart.Tuning, chart.TuningTable), "sweep": tuning(chart.Sweep, chart.TuningTable),
		"path": tuning(chart.Path, chart.PathTable), "compare": comparison, "stability": stability, "pairs": pairs,
	}
}

// tuning returns the drawing of a report of fits by settings: a table, and a
// chart below.
func tuning(draw func(results.Tuned) (chart.Picture, error), table func(results.Tuned) chart.Picture) reportDrawing {
	return func(report []byte) ([]chart.Picture, error) {
		var parsed results.Tuned
		if json.Unmarshal(report, &parsed) != nil || parsed.Done == 0 {
			return nil, nil //nolint:nilerr // it ended before it reported
		}
		picture, err := draw(parsed)
		return []chart.Picture{table(parsed), picture}, err
	}
}

// comparison is the drawing of compare: a table and a chart for each table of
// its summary.
func comparison(report []byte) (pictures []chart.Picture, err error) {
	var parsed struct {
		Summary []results.Table `json:"summary"`
	}
	if json.Unmarshal(report, &parsed) != nil {
		return nil, nil //nolint:nilerr // it ended before it reported
	}
	for _, compared := range parsed.Summary {
		picture, err := chart.Comparison(compared)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, chart.ComparisonTable(compared), picture)
	}
	return pictures, nil
}

// stability is the drawing of the command stability: a table, and a chart
// below.
func stability(report []byte) ([]chart.Picture, error) {
	var found results.Stability
	if json.Unmarshal(report, &found) != nil || len(found.Genes) == 0 {
		return nil, nil //nolint:nilerr // it ended before it reported
	}
	picture, err := chart.StabilityChart(found)
	return []chart.Picture{chart.StabilityTable(found), picture}, err
}

// pairs is the drawing of the command pairs: a table, and scatter plots below
// if there are pairs.
func pairs(report []byte) ([]chart.Picture, error) {
	var found results.Pairs
	if json.Unmarshal(report, &found) != nil || found.Dataset == "" {
		return nil, nil //nolint:nilerr // it ended before it reported
	}

	pictures := []chart.Picture{chart.PairsTable(found)}
	if len(found.Plots) == 0 {
		return pictures, nil
	}

	picture, err := chart.Pairs(found)
	return append(pictures, picture), err
}

// show draws a report and replaces the progress display by the amount done. It
// returns that amount, such as "3 of 10 fits", even if there is nothing to
// draw.
func (r *request) show(report []byte, id string, draw reportDrawing) (done string, err error) {
	var parsed struct {
		Done    int        `json:"done"`
		Planned int        `json:"planned"`
		Rows    []struct{} `json:"rows"`
		Looks   string     `json:"looks"`
	}
	json.Unmarshal(report, &parsed) //nolint:errcheck // a command that ended before it reported has done nothing

	unit := "fit"
	if r.verb.name == "stability" {
		unit = "half-sample"
	}
	done = fmt.Sprintf("%d of %s", max(parsed.Done, len(parsed.Rows)), phrase.Count(parsed.Planned, unit))

	pictures, err := draw(report)
	if err != nil || len(pictures) == 0 {
		return done, err
	}

	if parsed.Planned > 0 {
		r.out.Update(id, note(done))
	}
	if parsed.Looks != "" {
		r.out.Display(note(parsed.Looks))
	}
	for _, picture := range pictures { // a terminal's > FILE saves the last one
		r.out.Display(picture)
	}
	return done, nil
}

// foundStability is a stability result with the session settings that it was
// computed for.
type foundStability struct {
	settings config.Settings
	results.Stability
}

// remember stores a stability result for reports, if it was computed with the
// session's settings.
func (r *request) remember(report []byte) {
	var found results.Stability
	if r.session == "" || json.Unmarshal(report, &found) != nil || len(found.Genes) == 0 {
		return
	}
	if len(r.config.Given()) == 0 {
		r.mu.Lock()
		r.stabilities[r.session] = foundStability{r.settings, found}
		r.mu.Unlock()
	}
}

// stabilityOf returns this notebook's stability result for a session. It
// returns nil if there is none for the session's current settings and data.
func (i *Interpreter) stabilityOf(now session.Status) *results.Stability {
	i.mu.Lock()
	defer i.mu.Unlock()
	if found, ok := i.stabilities[now.Session]; ok && reflect.DeepEqual(found.settings, now.Config) && found.DataHash == now.DataHash {
		return &found.Stability
	}
	return nil
}
