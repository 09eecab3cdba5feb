package chart

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/session"
)

// figure describes stacked panels over one horizontal axis.
type figure struct {
	title    string
	subtitle []string
	axis     string // epoch, or step where the epochs are not known
	perEpoch float64
	from, to float64 // of the axis
	ticks    []float64
	panels   []panel
	rules    []rule
	lanes    int // of the rules' labels, above the panels
}

// panel is one plot with its own vertical axis.
type panel struct {
	title     string
	log       bool
	low, high float64
	ticks     []float64
	height    float64
	lines     []line
	threshold float64 // drawn as a horizontal rule; 0 is none
}

// line is one curve. Values that are not finite are gaps.
type line struct {
	metric string // its name in the history
	label  string
	colour rgb
	width  float64
	dashed bool // what is not yet so
	steps  []int
	values []float64
}

// rule is an event: a vertical line with words.
type rule struct {
	step  int
	at    float64 // on the axis
	text  string
	label string // shortened; "" where there is no room
	lane  int    // 0 is next to the panels
	foot  int    // the lowest lane that the line goes through without crossing another label
	left  bool   // whether the label ends at the line instead of beginning there
}

// The geometry that renderers share, in points.
const (
	plotWidth  = 530.0
	laneHeight = 14.0
	mostLanes  = 4
	ruleLength = 40 // characters of an event's label
	dotted     = 12 // curves with no more values than this have dots
)

// panelKind is what a panel may show, and how.
type panelKind struct {
	title     string
	height    float64
	log       bool // where the values allow it
	low, high float64
	fixed     bool // low and high are the axis, whatever the values
	threshold float64
	lines     []line
}

// usual are the four panels of a training.
func usual() []panelKind {
	return []panelKind{
		{title: "Loss", height: 130, log: true, lines: []line{
			{metric: "loss", label: "total", colour: blue, width: 2.6},
			{metric: "loss_class", label: "class", colour: vermillion, width: 1.4},
			{metric: "loss_reconstruction", label: "reconstruction, without λ", colour: green, width: 1.4},
		}},
		{title: "Accuracy", height: 95, fixed: true, high: 1, lines: []line{
			{metric: "accuracy_train", label: "training batches", colour: blue, width: 1.6},
			{metric: "accuracy_validation", label: "validation rows", colour: vermillion, width: 1.6},
		}},
		{title: "Temperature τ", height: 70, log: true, lines: []line{{metric: "tau", label: "τ", colour: purple, width: 2}}},
		certaintyPanel(),
	}
}

func certaintyPanel() panelKind {
	return panelKind{title: "Largest probability, mean over selectors (settled from 0.9)", height: 70, fixed: true, high: 1, threshold: 0.9, lines: []line{
		{metric: "max_probability", label: "largest probability", colour: green, width: 2},
	}}
}

func figureOf(h session.History, kinds []panelKind) figure {
	f := figure{title: "Training of " + plain(h.Session), axis: "epoch", perEpoch: float64(h.PerEpoch)}
	if h.PerEpoch <= 0 {
		f.axis, f.perEpoch = "step", 1
	}
	missing := false
	for _, kind := range kinds {
		p, ok := panelOf(h, kind)
		if ok {
			f.panels = append(f.panels, p)
		}
		missing = missing || !ok
	}
	if missing {
		f.panels = append(f.panels, others(h, kinds)...)
	}
	f.span(h)
	f.addRules(h.Events)
	f.describe(h)
	return f
}

// panelOf takes a panel's curves from the history; false where it has none of them.
func panelOf(h session.History, kind panelKind) (panel, bool) {
	p := panel{title: kind.title, height: kind.height, threshold: kind.threshold}
	var all []float64
	for _, l := range kind.lines {
		c := h.Curves[l.metric]
		n := min(len(c.Steps), len(c.Values))
		if n == 0 {
			continue
		}
		l.steps, l.values = c.Steps[:n], c.Values[:n]
		p.lines = append(p.lines, l)
		all = append(all, l.values...)
	}
	p.low, p.high = kind.low, kind.high
	if !kind.fixed {
		p.fit(all, kind.log)
	} else {
		p.ticks = linearTicks(p.low, p.high, int(p.height/25))
	}
	if p.log {
		p.title += " (log scale)"
	}
	return p, len(p.lines) > 0
}

// fit chooses the vertical axis for values: logarithmic where that is wanted and they are positive and span at least a factor of 5.
func (p *panel) fit(values []float64, log bool) {
	low, high := extent(values)
	if p.log = log && low > 0 && high >= 5*low; p.log {
		room := math.Pow(high/low, 0.04)
		p.low, p.high = low/room, high*room
		p.ticks = logTicks(p.low, p.high, int(p.height/16))
		return
	}
	if low >= 0 {
		low = 0
	}
	if high == low {
		high = low + 1
	}
	p.low, p.high = low, high+0.05*(high-low)
	if low < 0 {
		p.low -= 0.05 * (high - low)
	}
	p.ticks = linearTicks(p.low, p.high, int(p.height/25))
}

// others gives each metric without a usual panel one of its own, by name.
func others(h session.History, kinds []panelKind) []panel {
	known := map[string]bool{}
	for _, kind := range kinds {
		for _, l := range kind.lines {
			known[l.metric] = true
		}
	}
	var names []string
	for name := range h.Curves {
		if !known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var panels []panel
	for _, name := range names {
		label := plain(name)
		kind := panelKind{title: label, height: 70, lines: []line{{metric: name, label: label, colour: blue, width: 2}}}
		if p, ok := panelOf(h, kind); ok {
			panels = append(panels, p)
		}
	}
	return panels
}

// span finds the horizontal axis: all steps that have a value.
func (f *figure) span(h session.History) {
	first, last := math.MaxInt, 0
	for _, p := range f.panels {
		for _, l := range p.lines {
			first, last = min(first, slices.Min(l.steps)), max(last, slices.Max(l.steps))
		}
	}
	if first > last {
		first = 0
	}
	if first <= max(last/10, h.PerEpoch) { // from the beginning, also where the first value comes after an epoch
		first = 0
	}
	f.from, f.to = float64(first)/f.perEpoch, float64(last)/f.perEpoch
	if f.to <= f.from {
		f.to = f.from + 1
	}
	f.ticks = linearTicks(f.from, f.to, 8)
}

func (f *figure) describe(h session.History) {
	line := fmt.Sprintf("step %d", h.Step)
	if f.axis == "epoch" {
		line += " · epoch " + number(float64(h.Step)/f.perEpoch)
	}
	hidden, gaps := 0, 0
	for _, r := range f.rules {
		if r.label == "" {
			hidden++
		}
	}
	for _, p := range f.panels {
		for _, l := range p.lines {
			for _, v := range l.values {
				if !finite(v) {
					gaps++
				}
			}
		}
	}
	if hidden > 0 {
		line += fmt.Sprintf(" · %d of %d changes are marked without words", hidden, len(f.rules))
	}
	if gaps > 0 {
		line += fmt.Sprintf(" · gaps: %s not finite", counted(gaps, "value"))
	}
	if len(f.panels) == 0 {
		line += " · no values yet: step or run the session first"
	}
	f.subtitle = []string{line}
}

// alt is the picture in one sentence.
func (f figure) alt() string {
	s := f.title + ", " + f.subtitle[0]
	for i, p := range f.panels {
		for j, l := range p.lines {
			separator := "; "
			if i+j == 0 {
				separator = ": "
			}
			s += fmt.Sprintf("%s%s from %s to %s", separator, l.metric, number(l.values[0]), number(l.values[len(l.values)-1]))
		}
	}
	return s + "."
}
