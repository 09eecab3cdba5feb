package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Curves draws the history of a training as panels over one axis of epochs:
// losses, accuracies, temperature, and how certain the selection is. Numbered
// vertical rules mark changes of live keys and the end, with explanations
// below. Values that aren't finite leave gaps, and the caption counts them. If
// the history has no values, the picture says so.
//
// If h lacks all metrics of a usual panel, a metric that belongs to no panel
// gets one.
func Curves(h session.History) (Picture, error) { return curvesOf(h).draw(true), nil }

// Panel draws the lanes of the selectors above the curves. It is a still
// picture of a live panel, and has no Vega-Lite.
func Panel(h session.History, p *Palette) (Picture, error) {
	c := convergence{formation: formationOf(h.Selectors, p)}
	c.figure = curvesOf(h)
	if len(c.courses) == 0 {
		return c.draw(false), nil
	}
	s := c.figure.spec(c.lanes(c.series()))
	s.Subtitle = append(s.Subtitle, act(c.contest, len(c.courses))...)
	return draw(s, false, wideLetters, c.sparklines), nil
}

// Annealing draws temperature and sharpness over the epochs, with the scheduled
// values ahead dashed, above how certain the selection is. It has no Vega-Lite,
// because it accompanies the live inspector.
func Annealing(h session.History, tau, sharpness session.Curve) (Picture, error) {
	curves := map[string]session.Curve{"tau_ahead": tau, "sharpness_ahead": sharpness}
	maps.Copy(curves, h.Curves)
	h.Curves = curves

	course := func(title, metric string, height float64, colour spec.RGB) panel {
		return panel{title: title, height: height, y: spec.Axis{Log: true}, curves: []curve{
			{metric: metric, label: "as it was", colour: colour, width: 2.4},
			{metric: metric + "_ahead", label: "as scheduled (dashed)", colour: colour, width: 1.6, dashed: true},
		}}
	}

	f := figureOf(h, []panel{
		course("Temperature τ", "tau", 150, spec.Purple), course("Sharpness σ", "sharpness", 70, spec.Orange), certaintyPanel(),
	})
	f.title = "Annealing of " + words.Plain(h.Session)
	return f.draw(false), nil
}

// Compared is one of the trainings that Overlay draws.
type Compared struct {
	session.History
	Status session.Status
	Chosen session.Selection
}

// Overlay draws the histories of several trainings, at least one, over one another, each with a
// colour and a dash: a measure, see [session.Metrics], accuracy or R² of the training batches, and
// how certain the selection is. An empty measure is the loss of what the network learns. The axis
// counts epochs if all trainings have equally many steps in one, otherwise steps. Beside the panels
// is a table of the settings in which they differ. Below them are the features that they chose
// together and alone.
func Overlay(list []Compared, measure string) (Picture, error) {
	measure = cmp.Or(measure, "loss_class")
	joined := session.History{PerEpoch: list[0].PerEpoch, Curves: map[string]session.Curve{}}

	var names []string
	var statuses []session.Status
	var chosen []session.Selection
	for _, c := range list {
		names, statuses, chosen = append(names, words.Plain(c.Session)), append(statuses, c.Status), append(chosen, c.Chosen)
		if c.PerEpoch != joined.PerEpoch {
			joined.PerEpoch = 0
		}
	}

	metrics, panels := []string{measure}, []panel{measurePanel(measure)}
	for _, metric := range []string{"accuracy_train", "r2_train", "max_probability"} {
		if metric != measure {
			metrics, panels = append(metrics, metric), append(panels, measurePanel(metric))
		}
	}
	for p, metric := range metrics {
		for i, c := range list {
			key := names[i] + ": " + metric // texts are cut at the end
			if values, ok := c.Curves[metric]; ok {
				joined.Curves[key] = values
				panels[p].curves = append(panels[p].curves, curve{metric: key, base: metric, redefined: c.LossChanges(), label: names[i],
					colour: spec.Category(i), width: 1.6, dash: i})
			}
		}
	}

	f := figureOf(joined, panels)
	f.title, f.subtitle = "Training of "+strings.Join(names, ", "), phrase.Count(len(list), "session")+f.smoothed()
	f.beside, f.besideText = differences(names, Differing(statuses))
	f.below = append(f.below, common(names, chosen)...)
	return f.draw(true), nil
}

// differences returns a table with a row for each setting in which sessions differ, and a column for
// each session, as a panel and as text. It returns nil and "" if they don't differ. names and the
// cells of a column are parallel.
func differences(names []string, differing []words.Column) (*spec.Panel, string) {
	if len(differing) == 0 {
		return nil, ""
	}

	const valueLetters = 24
	keys := spec.WordColumn{}
	for _, column := range differing {
		keys.Cells = append(keys.Cells, column.Title)
	}
	columns, text := []spec.WordColumn{keys}, words.Table{{Title: "setting", Cells: keys.Cells}}
	for i, name := range names {
		own := spec.WordColumn{Title: words.Shorten(name, valueLetters), Colour: spec.Category(i)}
		for _, column := range differing {
			own.Cells = append(own.Cells, words.Shorten(words.Plain(cmp.Or(column.Cells[i], "none")), valueLetters))
		}
		columns, text = append(columns, own), append(text, words.Column{Title: own.Title, Cells: own.Cells})
	}
	return new(spec.Words("Settings that differ", columns)), text.Text(0, 0)
}

// measurePanel returns a panel without curves for one metric of several trainings.
func measurePanel(metric string) panel {
	own := panel{title: metric, height: 95}
	for _, p := range append(usualPanels(), r2Panel()) {
		for _, c := range p.curves {
			if c.metric == metric {
				own.title, own.y, own.threshold = p.title+", "+c.label, p.y, p.threshold
			}
		}
	}
	titles := map[string]string{"tau": "Temperature τ", "sharpness": "Sharpness σ", "entropy": "Entropy of P, bits, mean over selectors",
		"max_probability": "Largest probability in P, mean over selectors (settled from 0.9)",
		"max_soft":        "Largest weight in M without noise, mean over selectors", "unique_rows": "Different leaders"}
	own.title = cmp.Or(titles[metric], own.title)
	return own
}

// common returns a line for each set of sessions that chose features together, the largest sets
// first, with these features. names and chosen are parallel.
func common(names []string, chosen []session.Selection) (lines []string) {
	choosers, order := map[string][]int{}, []string{} // the sessions that chose a feature
	for i, selection := range chosen {
		for _, f := range selection {
			if choosers[f.Name] == nil {
				order = append(order, f.Name)
			}
			choosers[f.Name] = append(choosers[f.Name], i)
		}
	}

	features, sets := map[string][]string{}, [][]int{}
	for _, name := range order {
		set := fmt.Sprint(choosers[name])
		if features[set] == nil {
			sets = append(sets, choosers[name])
		}
		features[set] = append(features[set], words.Plain(name))
	}

	slices.SortStableFunc(sets, func(a, b []int) int { return cmp.Or(len(b)-len(a), slices.Compare(a, b)) })
	for _, set := range sets {
		var sessions []string
		for _, i := range set {
			sessions = append(sessions, names[i])
		}
		what := features[fmt.Sprint(set)]
		text := "only in " + sessions[0]
		if len(sessions) > 1 {
			text = "in " + words.List(sessions)
		}
		lines = append(lines, fmt.Sprintf("%s, %d: %s", text, len(what), strings.Join(what, ", ")))
	}
	return lines
}

// curvesOf returns the figure with the usual panels. If the label is a
// quantity, R² replaces the accuracy.
func curvesOf(h session.History) figure {
	panels := usualPanels()
	if _, quantity := h.Curves["r2_train"]; quantity {
		panels[0].curves[1].label = "quantity"
		panels[1] = r2Panel()
	}
	return figureOf(h, panels)
}

// usualPanels returns the four panels of a training.
func usualPanels() []panel {
	return []panel{
		{title: "Loss", height: 130, y: spec.Axis{Log: true}, curves: []curve{
			{metric: "loss", label: "total", colour: spec.Blue, width: 2.6},
			{metric: "loss_class", label: "class", colour: spec.Vermillion, width: 1.4},
			{metric: "loss_reconstruction", label: "reconstruction, without λ", colour: spec.Green, width: 1.4},
		}},
		{title: "Accuracy", height: 95, y: shareAxis(), curves: []curve{
			{metric: "accuracy_train", label: "training batches", colour: spec.Blue, width: 1.6},
			{metric: "accuracy_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
		}},
		temperaturePanel(70, 2, 1.4), certaintyPanel(),
	}
}

// r2Panel returns the panel that replaces the accuracies if the label is a
// quantity.
func r2Panel() panel {
	return panel{title: "R²", height: 95, curves: []curve{
		{metric: "r2_train", label: "training batches", colour: spec.Blue, width: 1.6},
		{metric: "r2_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
	}}
}

// temperaturePanel returns a panel with τ and σ on a logarithmic axis. tau and
// sharpness are widths of lines.
func temperaturePanel(height, tau, sharpness float64) panel {
	return panel{title: "Temperature τ, sharpness σ", height: height, y: spec.Axis{Log: true}, curves: []curve{
		{metric: "tau", label: "τ", colour: spec.Purple, width: tau}, {metric: "sharpness", label: "σ", colour: spec.Orange, width: sharpness},
	}}
}

// certaintyPanel returns a panel that shows how certain the selection is, from
// 0 to 1. It shows means over the selectors of the largest probability in P and
// of the largest weight in M, and the line from which a selector may settle.
func certaintyPanel() panel {
	return panel{title: "Largest probability in P and weight in M, means over selectors (settled from 0.9)", height: 70, y: shareAxis(),
		threshold: settledFrom, curves: []curve{
			{metric: "max_probability", label: "P", colour: spec.Green, width: 2},
			{metric: "max_soft", label: "M without noise", colour: spec.Soft, width: 1.2},
		}}
}

// shareAxis returns an axis from 0 to 1.
func shareAxis() spec.Axis { return spec.Axis{Low: 0, High: 1.04} }
