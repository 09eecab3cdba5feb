package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// figure describes stacked panels over one horizontal axis.
type figure struct {
	title    string
	subtitle string
	unit     string // of the horizontal axis: epoch, or step where the epochs are not known
	perEpoch float64
	x        spec.Axis
	panels   []panel
	rules    []rule
	smooth   int // epochs over which noisy curves are averaged; 0: none is
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
	dotted    = 12 // curves with no more values than this have dots
)

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
		var others []string
		for name := range h.Curves {
			if !known[name] {
				others = append(others, name)
			}
		}
		slices.Sort(others)
		for _, name := range others {
			p := panel{title: words.Plain(name), height: 70, curves: []curve{{metric: name, label: words.Plain(name), colour: spec.Blue, width: 2}}}
			if p.fill(h) {
				f.panels = append(f.panels, p)
			}
		}
	}
	f.span(h)
	f.average(h)
	f.addRules(h.Events)
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
	for _, p := range f.panels {
		for _, c := range p.curves {
			first, last = min(first, slices.Min(c.steps)), max(last, slices.Max(c.steps))
		}
	}
	if first > last || first <= max(last/10, h.PerEpoch) { // from the beginning, also where the first value comes after an epoch
		first = 0
	}
	f.x = spec.Axis{Low: float64(first) / f.perEpoch, High: float64(last) / f.perEpoch}
	if f.x.High <= f.x.Low {
		f.x.High = f.x.Low + 1
	}
}

// addRules places events on the axis. What opened the session is where the axis begins and needs no rule.
func (f *figure) addRules(events []session.Event) {
	for _, e := range events {
		at := float64(e.Step) / f.perEpoch
		if e.Kind != "open" && at >= f.x.Low && at <= f.x.High {
			f.rules = append(f.rules, rule{step: e.Step, at: at, text: cmp.Or(words.Plain(e.Text), words.Plain(e.Kind))})
		}
	}
}

func (f *figure) describe(h session.History) {
	f.subtitle = fmt.Sprintf("step %d", h.Step)
	if f.unit == "epoch" {
		f.subtitle += " · epoch " + words.Number(float64(h.Step)/f.perEpoch)
	}
	gaps := 0
	for _, p := range f.panels {
		for _, c := range p.curves {
			for _, v := range c.values {
				if !words.Finite(v) {
					gaps++
				}
			}
		}
	}
	if gaps > 0 {
		f.subtitle += fmt.Sprintf(" · gaps: %s not finite", count.Of(gaps, "value"))
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
	return fmt.Sprintf(" · noisy curves smoothed over %s, raw faint", count.Of(f.smooth, "epoch"))
}

// alt is the picture in one sentence.
func (f figure) alt() string {
	s, separator := f.title+", "+f.subtitle, ": "
	for _, p := range f.panels {
		for _, c := range p.curves {
			s += fmt.Sprintf("%s%s from %s to %s", separator, c.metric, words.Number(c.values[0]), c.last())
			separator = "; "
		}
	}
	return s + "."
}

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
		panel.Layers = append(panel.Layers, spec.Layer{Mark: spec.Rule, Colour: spec.Pale, Size: 1, Dashed: true,
			Data: []spec.Datum{{X: math.NaN(), Y: p.threshold, Y2: p.threshold}}})
	}
	if p.several {
		for _, c := range p.curves {
			panel.Series = append(panel.Series, spec.Series{Name: c.label, Colour: c.colour})
		}
	}
	for _, c := range p.curves {
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

// sparklines is a line a curve, with its first and last value, and the events.
func (f figure) sparklines(length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.subtitle)
	for _, p := range f.panels {
		for _, c := range p.curves {
			fmt.Fprintf(&b, "%-20s %s  %s → %s\n", words.Shorten(words.Plain(c.metric), 20), words.Pad(words.Sparkline(c.shown(), length), length),
				words.Number(c.values[0]), c.last())
		}
	}
	f.listEvents(&b)
	return b.String()
}

func (f figure) listEvents(b *strings.Builder) {
	for _, r := range f.rules {
		fmt.Fprintf(b, "%s %s: %s\n", f.unit, words.Number(r.at), r.text)
	}
}

// fitting is the sparklines for a terminal.
func (f figure) fitting(columns int) string {
	rest := 43
	if f.smooth > 0 {
		rest += len(" (smoothed 2.34e-5)")
	}
	return f.sparklines(min(40, max(8, columns-rest)))
}
