package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

const (
	plotLeft   = 52.0
	panelTitle = 24.0 // height of the line over a panel
	panelBelow = 10.0
	axisBelow  = 30.0
	dash       = 3.0 // of the rules of events
)

func (f figure) png() ([]byte, error) {
	height := f.top() + axisBelow
	for _, p := range f.panels {
		height += panelTitle + p.height + panelBelow
	}
	if len(f.panels) == 0 {
		height = f.top()
	}
	return render(plotLeft+plotWidth+3*margin, height, f.draw)
}

// top is where the first panel begins.
func (f figure) top() float64 { return 44 + laneHeight*float64(f.lanes) }

func (f figure) draw(s surface) {
	s.heading(f.title, f.subtitle)
	f.drawWords(s)
	y := f.top()
	for _, p := range f.panels {
		y += panelTitle
		p.frame(s, y)
		for _, t := range f.ticks {
			s.line(plotLeft+f.x(t), y, plotLeft+f.x(t), y+p.height, faint, 0.5)
		}
		for _, l := range p.lines {
			f.curve(s, p, l, y)
		}
		for _, r := range f.rules {
			s.line(plotLeft+f.x(r.at), y, plotLeft+f.x(r.at), y+p.height, soft, 0.8, dash, dash)
		}
		y += p.height + panelBelow
	}
	if len(f.panels) == 0 {
		return
	}
	for _, t := range f.ticks {
		s.text(plotLeft+f.x(t), y+6, tickLabel(t), lettering{size: smallText, colour: soft, x: 0.5})
	}
	s.text(plotLeft+plotWidth/2, y+20, f.axis, lettering{size: smallText, colour: soft, x: 0.5})
}

// frame draws what does not depend on the values: title, legend, axis, grid, threshold.
func (p panel) frame(s surface, y float64) {
	s.text(plotLeft, y-7, p.title, lettering{size: subtitleText, bold: true, colour: soft})
	if len(p.lines) > 1 {
		x := plotLeft + p.legendAt()
		for _, l := range p.lines {
			s.line(x, y-11, x+14, y-11, l.colour, l.width, l.dash()...)
			s.text(x+19, y-7, l.label, lettering{size: smallText, colour: soft})
			x = l.legendEnd(x)
		}
	}
	for _, t := range p.ticks {
		at := y + p.y(t)
		s.line(plotLeft, at, plotLeft+plotWidth, at, faint, 0.5)
		s.text(plotLeft-6, at, tickLabel(t), lettering{size: smallText, colour: soft, x: 1, y: 0.5})
	}
	if p.threshold != 0 {
		at := y + p.y(p.threshold)
		s.line(plotLeft, at, plotLeft+plotWidth, at, line0, 1, 2, 2)
	}
}

// legendAt is where the legend begins, right of the title.
func (p panel) legendAt() float64 { return textWidth(p.title, subtitleText, true) + 24 }

// legendEnd is where the legend goes on after a line whose entry begins at x.
func (l line) legendEnd(x float64) float64 { return x + 19 + textWidth(l.label, smallText, false) + 16 }

// y is where a value stands in the panel, from its upper edge.
func (p panel) y(v float64) float64 {
	low, high := p.low, p.high
	if p.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return p.height * (1 - (v-low)/(high-low))
}

// curve draws a line, interrupted where values are not finite.
func (f figure) curve(s surface, p panel, l line, y float64) {
	var points [][2]float64
	for i, v := range l.values {
		if !finite(v) {
			s.polyline(points, l.colour, l.width, l.dash()...)
			points = nil
			continue
		}
		q := [2]float64{plotLeft + f.x(float64(l.steps[i])/f.perEpoch), y + p.y(v)}
		if len(l.values) <= dotted && !l.dashed {
			s.dot(q[0], q[1], l.width+0.6, l.colour)
		}
		points = append(points, q)
	}
	s.polyline(points, l.colour, l.width, l.dash()...)
}

// dash is how the line is interrupted; nil where it is not.
func (l line) dash() []vg.Length {
	if l.dashed {
		return []vg.Length{5, 4}
	}
	return nil
}

// drawWords sets the events' words in their lanes, each beside a piece of its rule.
func (f figure) drawWords(s surface) {
	for _, r := range f.rules {
		if r.label == "" {
			continue
		}
		x, y := plotLeft+f.x(r.at), f.top()-laneHeight*float64(r.lane)
		l, dx := lettering{size: smallText, colour: ink}, 4.0
		if r.left {
			l.x, dx = 1, -4
		}
		s.text(x+dx, y, r.label, l)
		s.line(x, y-10, x, f.top()-laneHeight*float64(r.foot)+4, soft, 0.8, dash, dash)
	}
}
