package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Curves draws the history of a training as panels over one axis of epochs: losses, accuracies, temperature, and how certain the
// selection is. Changes of live keys and the end are vertical rules with their words. Values that are not numbers leave gaps, which the
// caption counts; a history without values gives a picture that says so.
//
// Metrics without a panel of their own are drawn where the history was asked for without one of the usual four.
func Curves(h session.History) (Picture, error) { return curvesOf(h).draw(true), nil }

// Panel draws the lanes of the selectors above the curves: what stands in the place of a live
// panel. It has no specification.
func Panel(h session.History, p *Palette) (Picture, error) {
	c := formationOf(h.Selectors, p)
	c.figure = curvesOf(h)
	if len(c.courses) == 0 {
		return c.draw(false), nil
	}
	return draw(c.figure.spec(c.lanes(c.series())), false, wideLetters, c.sparklines), nil
}

// Annealing draws temperature and sharpness as they were in force over the epochs, and dashed what the schedules will set from the present
// step on, above how certain the selection is. There is no specification: the live inspector stands in its place.
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
		course("Temperature τ", "tau", 150, spec.Purple), course("Sharpness σ", "sharpness", 70, spec.Orange), certainty(),
	})
	f.title = "Annealing of " + words.Plain(h.Session)
	return f.draw(false), nil
}

// Overlay draws the histories of several trainings over one another: total loss, accuracy or R² of
// the training batches, and how certain the selection is, with a colour and a dash for each, over
// epochs where all have as many steps in one, otherwise over steps. Beneath stands which features
// they have chosen together and which each alone; chosen goes with list.
func Overlay(list []session.History, chosen []session.Selection) (Picture, error) {
	all := session.History{PerEpoch: list[0].PerEpoch, Curves: map[string]session.Curve{}}
	var names []string
	for _, h := range list {
		names = append(names, words.Plain(h.Session))
		if h.PerEpoch != all.PerEpoch {
			all.PerEpoch = 0
		}
	}
	panels := []panel{
		{title: "Loss, total", height: 120, y: spec.Axis{Log: true}}, {title: "Accuracy, training batches", height: 95, y: shares()},
		{title: "R², training batches", height: 95}, certainty(),
	}
	for p, metric := range []string{"loss", "accuracy_train", "r2_train", "max_probability"} {
		panels[p].curves = nil
		for i, h := range list {
			key := fmt.Sprintf("%s of %s", metric, names[i])
			if known, ok := h.Curves[metric]; ok {
				all.Curves[key] = known
				panels[p].curves = append(panels[p].curves, curve{metric: key, of: metric, anew: h.LossChanges(), label: names[i],
					colour: spec.Category(i), width: 1.6, dash: i})
			}
		}
	}
	f := figureOf(all, panels)
	f.title, f.subtitle = "Training of "+strings.Join(names, ", "), phrase.Count(len(list), "session")+f.smoothed()
	f.below = common(names, chosen)
	return f.draw(true), nil
}

// common says which features the same sessions have chosen: those of the most sessions first, a
// line for each set of sessions.
func common(names []string, chosen []session.Selection) (lines []string) {
	by, order := map[string][]int{}, []string{} // sessions of a feature
	for i, selection := range chosen {
		for _, f := range selection {
			if by[f.Name] == nil {
				order = append(order, f.Name)
			}
			by[f.Name] = append(by[f.Name], i)
		}
	}
	features, sets := map[string][]string{}, [][]int{}
	for _, name := range order {
		set := fmt.Sprint(by[name])
		if features[set] == nil {
			sets = append(sets, by[name])
		}
		features[set] = append(features[set], words.Plain(name))
	}
	slices.SortStableFunc(sets, func(a, b []int) int { return cmp.Or(len(b)-len(a), slices.Compare(a, b)) })
	for _, set := range sets {
		var who []string
		for _, i := range set {
			who = append(who, names[i])
		}
		what := features[fmt.Sprint(set)]
		text := "only in " + who[0]
		if len(who) > 1 {
			text = "in " + words.Listed(who)
		}
		lines = append(lines, fmt.Sprintf("%s, %d: %s", text, len(what), strings.Join(what, ", ")))
	}
	return lines
}

// curvesOf is the figure of the four usual panels.
func curvesOf(h session.History) figure {
	panels := usual()
	if _, quantity := h.Curves["r2_train"]; quantity {
		panels[0].curves[1].label = "quantity"
		panels[1] = explained()
	}
	return figureOf(h, panels)
}

// usual are the four panels of a training.
func usual() []panel {
	return []panel{
		{title: "Loss", height: 130, y: spec.Axis{Log: true}, curves: []curve{
			{metric: "loss", label: "total", colour: spec.Blue, width: 2.6},
			{metric: "loss_class", label: "class", colour: spec.Vermillion, width: 1.4},
			{metric: "loss_reconstruction", label: "reconstruction, without λ", colour: spec.Green, width: 1.4},
		}},
		{title: "Accuracy", height: 95, y: shares(), curves: []curve{
			{metric: "accuracy_train", label: "training batches", colour: spec.Blue, width: 1.6},
			{metric: "accuracy_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
		}},
		annealed(70, 2, 1.4), certainty(),
	}
}

// explained takes the place of the accuracies where the label is a quantity.
func explained() panel {
	return panel{title: "R²", height: 95, curves: []curve{
		{metric: "r2_train", label: "training batches", colour: spec.Blue, width: 1.6},
		{metric: "r2_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
	}}
}

func annealed(height, tau, sharpness float64) panel {
	return panel{title: "Temperature τ, sharpness σ", height: height, y: spec.Axis{Log: true}, curves: []curve{
		{metric: "tau", label: "τ", colour: spec.Purple, width: tau}, {metric: "sharpness", label: "σ", colour: spec.Orange, width: sharpness},
	}}
}

func certainty() panel {
	return panel{title: "Largest probability in P and weight in M, means over selectors (settled from 0.9)", height: 70, y: shares(),
		threshold: settledFrom, curves: []curve{
			{metric: "max_probability", label: "P", colour: spec.Green, width: 2},
			{metric: "max_soft", label: "M without noise", colour: spec.Soft, width: 1.2},
		}}
}

// shares is an axis from 0 to 1.
func shares() spec.Axis { return spec.Axis{Low: 0, High: 1.04} }

// figure describes stacked panels over one horizontal axis.
type figure struct {
	title    string
	subtitle string
	unit     string // of the horizontal axis: epoch, or step where the epochs are not known
	perEpoch float64
	x        spec.Axis
	panels   []panel
	rules    []rule
	below    []string // lines beneath
	smooth   int      // epochs over which noisy curves are averaged; 0: none is
}

// panel is one plot with its own vertical axis.
type panel struct {
	title     string
	height    float64
	y         spec.Axis // one without length is fitted to the values
	threshold float64   // drawn as a horizontal rule; 0 is none
	curves    []curve
	several   bool // it may have more than one, so that even one alone is named
}

// curve is a metric of a history. Values that are not finite are gaps.
type curve struct {
	metric string // its name in the history
	of     string // the metric that it is a curve of, where its name says of which session, too
	anew   []int  // steps at which the loss is made otherwise, where the history has several sessions
	label  string
	colour spec.RGB
	width  float64
	dashed bool // what is not yet so
	dash   int  // of its series
	steps  []int
	values []float64
	smooth []float64 // the average that is drawn over the values; nil is none
}

// rule is an event: a vertical line through all panels.
type rule struct {
	step int
	at   float64 // on the axis
	text string
}

const (
	plotWidth = 480.0
	rawWidth  = 1.0 // of the line of values below their average
	dotted    = 12  // curves with no more values than this have dots
)

// all are the curves of all panels.
func (f figure) all() (list []*curve) {
	for _, p := range f.panels {
		for i := range p.curves {
			list = append(list, &p.curves[i])
		}
	}
	return list
}

func figureOf(h session.History, panels []panel) figure {
	f := figure{title: "Training of " + words.Plain(h.Session), unit: "epoch", perEpoch: float64(h.PerEpoch)}
	if h.PerEpoch <= 0 {
		f.unit, f.perEpoch = "step", 1
	}
	known := map[string]bool{}
	for _, p := range panels {
		for _, c := range p.curves {
			known[c.metric] = true
		}
		if p.fill(h) {
			f.panels = append(f.panels, p)
		}
	}
	if len(f.panels) < len(panels) { // room for metrics without a panel of their own, by name
		for _, name := range slices.Sorted(maps.Keys(h.Curves)) {
			p := panel{title: words.Plain(name), height: 70, curves: []curve{{metric: name, label: words.Plain(name), colour: spec.Blue, width: 2}}}
			if !known[name] && p.fill(h) {
				f.panels = append(f.panels, p)
			}
		}
	}
	f.span(h)
	f.average(h)
	for _, e := range h.Events {
		at := float64(e.Step) / f.perEpoch
		if e.Kind != "open" && at >= f.x.Low && at <= f.x.High { // what opened the session is where the axis begins
			f.rules = append(f.rules, rule{step: e.Step, at: at, text: cmp.Or(words.Plain(e.Text), words.Plain(e.Kind))})
		}
	}
	f.describe(h)
	return f
}

// fill takes the panel's curves from the history; false where it has none of them.
func (p *panel) fill(h session.History) bool {
	var curves []curve
	var all []float64
	for _, c := range p.curves {
		values := h.Curves[c.metric]
		if n := min(len(values.Steps), len(values.Values)); n > 0 {
			c.steps, c.values = values.Steps[:n], values.Values[:n]
			curves, all = append(curves, c), append(all, c.values...)
		}
	}
	p.several = len(p.curves) > 1
	p.curves = curves
	if low, high := words.Extent(all); p.y.High <= p.y.Low && !p.y.Log {
		low = min(low, 0)
		if high <= low {
			high = low + 1
		}
		p.y.Low, p.y.High = low, high+0.05*(high-low)
		if low < 0 {
			p.y.Low -= 0.05 * (high - low)
		}
	}
	return len(curves) > 0
}

// span finds the horizontal axis: all steps that have a value.
func (f *figure) span(h session.History) {
	first, last := math.MaxInt, 0
	for _, c := range f.all() {
		first, last = min(first, slices.Min(c.steps)), max(last, slices.Max(c.steps))
	}
	if first > last || first <= max(last/10, h.PerEpoch) { // from the beginning, also where the first value comes after an epoch
		first = 0
	}
	f.x = spec.Axis{Low: float64(first) / f.perEpoch, High: float64(last) / f.perEpoch}
	if f.x.High <= f.x.Low {
		f.x.High = f.x.Low + 1
	}
}

// average gives the noisy curves that are long enough their averages, over as many epochs as the history asks for, or else as the length of
// the axis suggests. Where the steps of an epoch are not known there are none.
func (f *figure) average(h session.History) {
	smooth := session.SmoothEpochs(f.x.High - f.x.Low)
	if h.Smooth != nil {
		smooth = *h.Smooth
	}
	if f.unit != "epoch" || smooth <= 0 {
		return
	}
	for _, c := range f.all() {
		if session.Noisy(cmp.Or(c.of, c.metric)) && len(c.values) >= session.LeastSmoothed {
			anew := slices.Concat(h.LossChanges(), c.anew)
			c.smooth, f.smooth = h.Curves[c.metric].Smooth(float64(smooth)*f.perEpoch, anew...), smooth
		}
	}
}

func (f *figure) describe(h session.History) {
	f.subtitle = fmt.Sprintf("step %d", h.Step)
	if f.unit == "epoch" {
		f.subtitle += " · epoch " + words.Number(float64(h.Step)/f.perEpoch)
	}
	gaps := 0
	for _, c := range f.all() {
		for _, v := range c.values {
			if !words.Finite(v) {
				gaps++
			}
		}
	}
	if gaps > 0 {
		f.subtitle += fmt.Sprintf(" · gaps: %s not finite", phrase.Count(gaps, "value"))
	}
	f.subtitle += f.smoothed()
	if len(f.panels) == 0 {
		f.subtitle += " · no values yet: step or run the session first"
	}
}

// smoothed says over how many epochs noisy curves are averaged, or nothing.
func (f figure) smoothed() string {
	if f.smooth == 0 {
		return ""
	}
	return fmt.Sprintf(" · noisy curves smoothed over %s, raw faint", phrase.Count(f.smooth, "epoch"))
}

// last is the last value in words, with its average.
func (c curve) last() string {
	text := words.Number(c.values[len(c.values)-1])
	if c.smooth != nil {
		text += " (smoothed " + words.Number(c.smooth[len(c.smooth)-1]) + ")"
	}
	return text
}

// alt is the picture in one sentence.
func (f figure) alt() string {
	s, separator := f.title+", "+f.subtitle, ": "
	for _, c := range f.all() {
		s += fmt.Sprintf("%s%s from %s to %s", separator, c.metric, words.Number(c.values[0]), c.last())
		separator = "; "
	}
	return s + "."
}

func (f figure) draw(pointed bool) Picture { return draw(f.spec(), pointed, wideLetters, f.sparklines) }

// spec is the chart: the numbers of the events over the first panel, and their words below the last.
func (f figure) spec(above ...spec.Panel) spec.Spec {
	s := spec.Spec{Title: f.title, Subtitle: []string{f.subtitle}, Alt: f.alt(), Linked: true}
	panels := above
	for _, p := range f.panels {
		panels = append(panels, f.panel(p))
	}
	for i, p := range panels {
		p.Width, p.X = plotWidth, f.x
		if p.X.Silent = i < len(panels)-1; !p.X.Silent {
			p.X.Title = f.unit
		}
		p.Layers = append(p.Layers, f.events(i == 0)...)
		s.Rows = append(s.Rows, []spec.Panel{p})
	}
	for i, r := range f.rules {
		s.Below = append(s.Below, fmt.Sprintf("%d: %s %s, %s", i+1, f.unit, words.Number(r.at), r.text))
	}
	s.Below = append(s.Below, f.below...)
	return s
}

// events are the rules through a panel, in the first with their numbers.
func (f figure) events(numbered bool) []spec.Layer {
	rules := spec.Layer{Mark: spec.Rule, Colour: spec.Soft, Size: 0.8, Dashed: true, Tips: f.tips("event")}
	numbers := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 3}
	for i, r := range f.rules {
		rules.Data = append(rules.Data, spec.Datum{X: r.at, X2: r.at, Y: math.NaN(), Tips: f.moment(r.step, r.text)})
		if n := len(numbers.Data); n > 0 && (r.at-numbers.Data[n-1].X)/(f.x.High-f.x.Low)*plotWidth < 16 {
			numbers.Data[n-1].Text += ", " + strconv.Itoa(i+1)
			continue
		}
		numbers.Data = append(numbers.Data, spec.Datum{X: r.at, Y: math.NaN(), Text: strconv.Itoa(i + 1)})
	}
	if !numbered {
		return []spec.Layer{rules}
	}
	return []spec.Layer{rules, numbers}
}

// tips are the names of what is said of a moment, and moment is that.
func (f figure) tips(more ...string) []string {
	if f.unit == "step" {
		return append([]string{"step"}, more...)
	}
	return append([]string{f.unit, "step"}, more...)
}

func (f figure) moment(step int, more ...any) []any {
	if f.unit == "step" {
		return append([]any{step}, more...)
	}
	return append([]any{spec.Rounded(float64(step) / f.perEpoch), step}, more...)
}

// panel is one with its curves: the values, faint where their average is drawn over them.
func (f figure) panel(p panel) spec.Panel {
	panel := spec.Panel{Title: p.title, Height: p.height, Y: p.y}
	if p.threshold != 0 {
		panel.Layers = append(panel.Layers, thresholdAt(p.threshold))
	}
	for _, c := range p.curves {
		if p.several {
			panel.Series = append(panel.Series, spec.Series{Name: c.label, Colour: c.colour, Dash: c.dash})
		}
		line := spec.Layer{Mark: spec.Line, Colour: c.colour, Size: c.width, Dashed: c.dashed, Tips: f.tips("curve", "value")}
		raw := spec.Layer{Mark: spec.Line, Colour: c.colour, Size: rawWidth, Opacity: spec.Faded}
		dots := spec.Layer{Mark: spec.Point, Colour: c.colour, Size: c.width + 0.6, Tips: line.Tips}
		if c.smooth != nil {
			line.Tips = append(line.Tips, "smoothed")
		}
		for i, v := range c.values {
			d := spec.Datum{X: float64(c.steps[i]) / f.perEpoch, Y: v, Tips: f.moment(c.steps[i], c.label, spec.Rounded(v))}
			if p.several {
				d.Series = c.label
			}
			if c.smooth != nil {
				raw.Data = append(raw.Data, spec.Datum{X: d.X, Y: v, Series: d.Series})
				d.Y, d.Tips = c.smooth[i], append(d.Tips, spec.Rounded(c.smooth[i]))
			}
			line.Data = append(line.Data, d)
			if len(c.values) <= dotted && !c.dashed && c.smooth == nil && words.Finite(v) {
				dots.Data = append(dots.Data, d)
			}
		}
		panel.Layers = append(panel.Layers, raw, line, dots)
	}
	return panel
}

// thresholdAt is a dashed line all along a panel.
func thresholdAt(y float64) spec.Layer {
	return spec.Layer{Mark: spec.Rule, Colour: spec.Pale, Size: 1, Dashed: true, Data: []spec.Datum{{X: math.NaN(), Y: y, Y2: y}}}
}

// sparklines is a line a curve, with its first and last value, and the events.
func (f figure) sparklines(length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.subtitle)
	for _, c := range f.all() {
		shown := c.values
		if c.smooth != nil {
			shown = c.smooth
		}
		fmt.Fprintf(&b, "%-20s %s  %s → %s\n", words.Shorten(words.Plain(c.metric), 20), words.Pad(words.Sparkline(shown, length), length),
			words.Number(c.values[0]), c.last())
	}
	return b.String() + f.eventLines()
}

func (f figure) eventLines() (lines string) {
	for _, r := range f.rules {
		lines += fmt.Sprintf("%s %s: %s\n", f.unit, words.Number(r.at), r.text)
	}
	for _, line := range f.below {
		lines += line + "\n"
	}
	return lines
}
