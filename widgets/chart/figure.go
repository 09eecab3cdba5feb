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

// figure describes stacked panels over one horizontal axis.
type figure struct {
	title    string
	subtitle string
	// Unit is the unit of the horizontal axis: epoch, or step if the steps per
	// epoch are unknown.
	unit     string
	perEpoch float64
	x        spec.Axis
	panels   []panel
	rules    []rule
	below    []string // lines below the figure
	beside   *spec.Panel
	// besideText is the panel beside the figure as text.
	besideText string
	smooth     int // epochs to average noisy curves over; 0 keeps raw curves
}

// panel is a plot with a separate vertical axis.
type panel struct {
	title     string
	height    float64
	y         spec.Axis // if it has no length, it is fitted to the values
	threshold float64   // drawn as a horizontal rule unless 0
	curves    []curve
	several   bool // whether it may hold more than one curve, so that even a single curve is named
}

// curve draws a metric of a history. Values that aren't finite are gaps.
type curve struct {
	metric    string // its name in the history
	base      string // the metric without the session, if the name in the history includes one
	redefined []int  // steps at which the loss was redefined, if the history joins several sessions
	label     string
	colour    spec.RGB
	width     float64
	dashed    bool // a value that is only scheduled
	dash      int  // of its series
	steps     []int
	values    []float64
	smooth    []float64 // averages, drawn over the values; nil for raw curves
}

// rule is an event, drawn as a vertical line through all panels.
type rule struct {
	step int
	at   float64 // position on the axis
	text string
}

const (
	plotWidth = 480.0
	rawWidth  = 1.0 // of values below their average
	dotted    = 12  // curves of up to so many values have dots
)

// all returns the curves of all panels.
func (f figure) all() (list []*curve) {
	for _, p := range f.panels {
		for i := range p.curves {
			list = append(list, &p.curves[i])
		}
	}
	return list
}

// figureOf fills the panels from the history and drops those without values. If
// it drops any, each other metric of the history gets a panel. It fits the
// axis, adds averages, and turns events other than open into rules.
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

	if len(f.panels) < len(panels) { // metrics that belong to no panel, by name
		for _, name := range slices.Sorted(maps.Keys(h.Curves)) {
			p := panel{title: words.Plain(name), height: 70, curves: []curve{{metric: name, label: words.Plain(name), colour: spec.Blue, width: 2}}}
			if !known[name] && p.fill(h) {
				f.panels = append(f.panels, p)
			}
		}
	}

	f.fitAxis(h)
	f.addAverages(h)

	for _, e := range h.Events {
		at := float64(e.Step) / f.perEpoch
		if e.Kind != "open" && at >= f.x.Low && at <= f.x.High { // the axis starts with the event open
			f.rules = append(f.rules, rule{step: e.Step, at: at, text: cmp.Or(words.Plain(e.Text), words.Plain(e.Kind))})
		}
	}

	f.describe(h)
	return f
}

// fill copies the panel's curves from the history and drops those without
// values. It returns false if no curve remains. If the panel has a linear axis
// without length, fill fits it to the values, starting at 0 unless they are
// negative.
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

// fitAxis sets the horizontal axis to the steps that have values. The axis
// starts at 0 if they start early.
func (f *figure) fitAxis(h session.History) {
	first, last := math.MaxInt, 0
	for _, c := range f.all() {
		first, last = min(first, slices.Min(c.steps)), max(last, slices.Max(c.steps))
	}

	if first > last || first <= max(last/10, h.PerEpoch) { // start at 0 even if the first value comes after an epoch
		first = 0
	}

	f.x = spec.Axis{Low: float64(first) / f.perEpoch, High: float64(last) / f.perEpoch}
	if f.x.High <= f.x.Low {
		f.x.High = f.x.Low + 1
	}
}

// addAverages adds moving averages to noisy curves that are long enough. Their
// values stay and are drawn faint. The history or, if it doesn't, the length of
// the axis says how many epochs to average over. If the steps per epoch are
// unknown, it does nothing.
func (f *figure) addAverages(h session.History) {
	smooth := session.SmoothEpochs(f.x.High - f.x.Low)
	if h.Smooth != nil {
		smooth = *h.Smooth
	}

	if f.unit != "epoch" || smooth <= 0 {
		return
	}

	for _, c := range f.all() {
		if session.Noisy(cmp.Or(c.base, c.metric)) && len(c.values) >= session.LeastSmoothed {
			redefined := slices.Concat(h.LossChanges(), c.redefined)
			c.smooth, f.smooth = h.Curves[c.metric].Smooth(float64(smooth)*f.perEpoch, redefined...), smooth
		}
	}
}

// describe sets the subtitle: step, epoch, values that aren't finite,
// smoothing, or that there are no values yet.
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

// smoothed returns how many epochs noisy curves are averaged over, or "".
func (f figure) smoothed() string {
	if f.smooth == 0 {
		return ""
	}
	return fmt.Sprintf(" · noisy curves smoothed over %s, raw faint", phrase.Count(f.smooth, "epoch"))
}

// last formats the last value and, if the curve is smoothed, its average. The
// curve must have a value.
func (c curve) last() string {
	text := words.Number(c.values[len(c.values)-1])
	if c.smooth != nil {
		text += " (smoothed " + words.Number(c.smooth[len(c.smooth)-1]) + ")"
	}
	return text
}

// alt describes the picture in one sentence.
func (f figure) alt() string {
	s, separator := f.title+", "+f.subtitle, ": "
	for _, c := range f.all() {
		s += fmt.Sprintf("%s%s from %s to %s", separator, c.metric, words.Number(c.values[0]), c.last())
		separator = "; "
	}
	return s + "."
}

// draw renders the figure. pointed says whether it has Vega-Lite.
func (f figure) draw(pointed bool) Picture { return draw(f.spec(), pointed, wideLetters, f.sparklines) }

// spec returns the chart, with the panels of above on top, on the same axis.
// The first panel has the numbers of the events, and their text is below the
// chart.
func (f figure) spec(above ...spec.Panel) spec.Spec {
	s := spec.Spec{Title: f.title, Subtitle: []string{f.subtitle}, Alt: f.alt(), Linked: true, Beside: f.beside}

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

// events returns the layers that draw the rules of a panel. If numbered, each
// rule has its number. Numbers of rules that are close together share one label.
func (f figure) events(numbered bool) []spec.Layer {
	rules := spec.Layer{Mark: spec.Rule, Colour: spec.Soft, Size: 0.8, Dashed: true, Tips: f.tips("event")}
	numbers := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 3}
	last := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: -3, Align: 1} // left of rules at the end, where the legend is near

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
	if n := len(numbers.Data) - 1; n >= 0 && numbers.Data[n].X > f.x.Low+0.95*(f.x.High-f.x.Low) {
		numbers.Data, last.Data = numbers.Data[:n], numbers.Data[n:]
	}
	return []spec.Layer{rules, numbers, last}
}

// tips returns the headings of a tooltip: epoch and step, or only step,
// followed by more. moment returns the values.
func (f figure) tips(more ...string) []string {
	if f.unit == "step" {
		return append([]string{"step"}, more...)
	}
	return append([]string{f.unit, "step"}, more...)
}

// moment returns the values of a tooltip with the headings of tips.
func (f figure) moment(step int, more ...any) []any {
	if f.unit == "step" {
		return append([]any{step}, more...)
	}
	return append([]any{spec.Round(float64(step) / f.perEpoch), step}, more...)
}

// panel draws a panel with its curves. Values are faint below their average.
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
			d := spec.Datum{X: float64(c.steps[i]) / f.perEpoch, Y: v, Tips: f.moment(c.steps[i], c.label, spec.Round(v))}
			if p.several {
				d.Series = c.label
			}
			if c.smooth != nil {
				raw.Data = append(raw.Data, spec.Datum{X: d.X, Y: v, Series: d.Series})
				d.Y, d.Tips = c.smooth[i], append(d.Tips, spec.Round(c.smooth[i]))
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

// thresholdAt returns a dashed line across a panel.
func thresholdAt(y float64) spec.Layer {
	return spec.Layer{Mark: spec.Rule, Colour: spec.Pale, Size: 1, Dashed: true, Data: []spec.Datum{{X: math.NaN(), Y: y, Y2: y}}}
}

// sparklines lists each curve as a sparkline of at most letters characters,
// with its first and last value, followed by the events.
func (f figure) sparklines(letters int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.subtitle)
	for _, c := range f.all() {
		shown := c.values
		if c.smooth != nil {
			shown = c.smooth
		}
		fmt.Fprintf(&b, "%-20s %s  %s → %s\n", words.Shorten(words.Plain(c.metric), 20), words.Pad(words.Sparkline(shown, letters), letters),
			words.Number(c.values[0]), c.last())
	}
	return b.String() + f.eventLines()
}

// eventLines returns a line for each event, then the lines below the figure. It
// returns "" if there are none.
func (f figure) eventLines() (lines string) {
	for _, r := range f.rules {
		lines += fmt.Sprintf("%s %s: %s\n", f.unit, words.Number(r.at), r.text)
	}
	lines += f.besideText
	for _, line := range f.below {
		lines += line + "\n"
	}
	return lines
}
