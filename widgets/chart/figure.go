package chart

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// figure describes stacked panels over one horizontal axis.
type figure struct {
	title    string
	subtitle string
	unit     string // of the horizontal axis: epoch, or step where the epochs are not known
	perEpoch float64
	x        axis.Axis
	panels   []panel
	rules    []rule
	lanes    int // of the rules' words, above the panels
	hidden   int // rules for whose words there is no room
	smooth   int // epochs over which noisy curves are averaged; 0: none is
}

// panel is one plot with its own vertical axis.
type panel struct {
	title     string
	height    float64
	y         axis.Axis // one without length is fitted to the values, with log where they allow it
	threshold float64   // drawn as a horizontal rule; 0 is none
	curves    []curve
	several   bool // it may have more than one, so that even one alone is named
}

// curve is a metric of a history. Values that are not finite are gaps.
type curve struct {
	metric string // its name in the history
	label  string
	note   string // that it is smoothed, which the legend says behind the label
	colour scene.RGB
	width  float64
	dashed bool // what is not yet so
	steps  []int
	values []float64
	smooth []float64 // the average that is drawn over the values; nil is none
}

// The geometry of a figure, in points.
const (
	plotLeft   = 52.0
	plotWidth  = 530.0
	panelTitle = 24.0 // height of the line over a panel
	panelBelow = 10.0
	axisBelow  = 30.0
	dotted     = 12 // curves with no more values than this have dots
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
			p := panel{title: words.Plain(name), height: 70, curves: []curve{{metric: name, label: words.Plain(name), colour: scene.Blue, width: 2}}}
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
	if p.y.High <= p.y.Low {
		p.y = fitted(all, p.y.Log, p.height)
	}
	if p.y.Log {
		p.title += " (log scale)"
	}
	return len(curves) > 0
}

// fitted is a vertical axis for values: logarithmic where that is wanted and they are positive and span at least a factor of 5.
func fitted(values []float64, log bool, height float64) axis.Axis {
	low, high := words.Extent(values)
	if log && low > 0 && high >= 5*low {
		room := math.Pow(high/low, 0.04)
		return axis.Axis{Low: low / room, High: high * room, Log: true, Ticks: axis.LogTicks(low/room, high*room, int(height/16))}
	}
	low = min(low, 0)
	if high <= low {
		high = low + 1
	}
	room := 0.05 * (high - low)
	if low == 0 {
		return axis.Linear(0, high+room, int(height/25))
	}
	return axis.Linear(low-room, high+room, int(height/25))
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
	from, to := float64(first)/f.perEpoch, float64(last)/f.perEpoch
	if to <= from {
		to = from + 1
	}
	f.x = axis.Linear(from, to, 8)
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
	if f.hidden > 0 {
		f.subtitle += fmt.Sprintf(" · %d of %s are marked without words", f.hidden, count.Of(len(f.rules), "change"))
	}
	if gaps > 0 {
		f.subtitle += fmt.Sprintf(" · gaps: %s not finite", count.Of(gaps, "value"))
	}
	if len(f.panels) == 0 {
		f.subtitle += " · no values yet: step or run the session first"
	}
}

// alt is the picture in one sentence.
func (f figure) alt() string {
	s, separator := f.title+", "+f.caption(), ": "
	for _, p := range f.panels {
		for _, c := range p.curves {
			s += fmt.Sprintf("%s%s from %s to %s", separator, c.metric, words.Number(c.values[0]), c.last())
			separator = "; "
		}
	}
	return s + "."
}

// along is where a value of the horizontal axis stands, from the left edge of a plot.
func (f figure) along(at float64) float64 { return plotWidth * f.x.At(at) }

func (f figure) scene() *scene.Scene {
	s := &scene.Scene{Width: plotLeft + plotWidth + 3*scene.Margin}
	s.Heading(f.title, f.subtitle)
	top := 44 + laneHeight*float64(f.lanes)
	f.drawWords(s, top)
	s.Height = top
	f.drawPanels(s)
	return s
}

// frame draws what does not depend on the values: title, legend, axis, grid, threshold.
func (p panel) frame(s *scene.Scene, y float64) {
	s.Text(plotLeft, y-7, p.title, scene.Lettering{Size: scene.SubtitleText, Bold: true, Colour: scene.Soft})
	x := plotLeft + scene.TextWidth(p.title, scene.SubtitleText, true) + 24
	for _, c := range p.curves {
		if p.several || len(p.curves) > 1 {
			s.Line(x, y-11, x+14, y-11, c.colour, c.width, c.dash())
			s.TextInside(x+19, y-7, c.label+c.note, scene.Small(0, 0))
			x += 19 + scene.TextWidth(c.label+c.note, scene.SmallText, false) + 16
		}
	}
	for _, t := range p.y.Ticks {
		at := y + p.down(t)
		s.Line(plotLeft, at, plotLeft+plotWidth, at, scene.Faint, 0.5, 0)
		s.Text(plotLeft-6, at, axis.Label(t), scene.Small(1, 0.5))
	}
	if p.threshold != 0 {
		at := y + p.down(p.threshold)
		s.Line(plotLeft, at, plotLeft+plotWidth, at, scene.Pale, 1, 2)
	}
}

// down is where a value stands in the panel, from its upper edge.
func (p panel) down(v float64) float64 { return p.height * (1 - p.y.At(v)) }

// draw draws the values of a curve, faded where its average is drawn over them.
func (f figure) draw(s *scene.Scene, p panel, c curve, top float64) {
	line := scene.Stroke{Colour: c.colour, Width: c.width, Dash: c.dash()}
	if c.smooth != nil {
		line.Width, line.Faded = measuredWidth, true
	}
	f.course(s, p, c, c.values, line, top)
}

// course draws a line through the values of a curve or their averages, interrupted where they are not finite.
func (f figure) course(s *scene.Scene, p panel, c curve, values []float64, line scene.Stroke, top float64) {
	piece := line
	end := func() {
		if len(piece.Points) > 1 {
			s.Add(piece)
		}
		piece = line
	}
	for i, v := range values {
		if !words.Finite(v) {
			end()
			continue
		}
		facts := f.about(c, i)
		x, y := plotLeft+f.along(float64(c.steps[i])/f.perEpoch), top+p.down(v)
		if len(values) <= dotted && !c.dashed && c.smooth == nil {
			s.Dot(x, y, c.width+0.6, c.colour, facts...)
		}
		if piece.Points = append(piece.Points, [2]float64{x, y}); piece.Facts == nil {
			piece.Facts = facts
			continue
		}
		for k := range facts {
			piece.Facts[k].Values = append(piece.Facts[k].Values, facts[k].Values...)
		}
	}
	end()
}

// facts are what is said of a moment.
func (f figure) facts(step int, name string, value any) []scene.Fact {
	if f.unit == "step" {
		return scene.About("step", step, name, value)
	}
	return scene.About(f.unit, scene.Rounded(float64(step)/f.perEpoch), "step", step, name, value)
}

// dash is how the line of a curve is interrupted.
func (c curve) dash() float64 {
	if c.dashed {
		return 5
	}
	return 0
}

// drawBelow sets the axis's ticks and its unit below a plot.
func drawBelow(a axis.Axis, s *scene.Scene, y float64, unit string) {
	for _, t := range a.Ticks {
		s.Text(plotLeft+plotWidth*a.At(t), y+13, axis.Label(t), scene.Small(0.5, 0))
	}
	s.Text(plotLeft+plotWidth/2, y+27, unit, scene.Small(0.5, 0))
}
