package chart

import (
	"math"
)

// comparisonPNG is where the marks of a comparison stand, in points.
type comparisonPNG struct {
	c             Compared
	left          float64 // of the plots: right of the names
	width, height float64
	ranks         float64 // top of the critical-difference diagram
}

const (
	comparisonRow      = 20.0
	comparisonTop      = 70.0
	comparisonAccuracy = 300.0
	comparisonSeconds  = 150.0
	comparisonGap      = 44.0
	rankAxis           = 280.0 // of the critical-difference diagram, at the least
)

func comparisonLayout(c Compared) comparisonPNG {
	d := comparisonPNG{c: c, left: 80}
	for _, m := range c.Entries {
		d.left = max(d.left, textWidth(plain(m.Method), smallText, false)+margin+12)
	}
	d.width = d.left + comparisonAccuracy + comparisonGap + comparisonSeconds + 4*margin
	d.ranks = comparisonTop + comparisonRow*float64(len(c.Entries)) + 44
	d.height = d.ranks
	if r := c.Ranking; r != nil {
		diagram := rankDiagramOf(r)
		left, right := diagram.widths()
		d.width = max(d.width, textWidth(rankingTitle(r), smallText, false)+2*margin, left+right+rankAxis+2*margin)
		d.height += 14 + diagram.above + diagram.height + margin
	}
	return d
}

func (d comparisonPNG) draw(s surface) {
	s.heading(comparisonTitle(d.c), []string{comparisonSummary(d.c)})
	below := comparisonTop + comparisonRow*float64(len(d.c.Entries))
	low, high := d.c.bounds()
	at := func(v float64) float64 {
		return d.left + (min(max(v, low), high)-low)/(high-low)*comparisonAccuracy
	}
	s.text(d.left, comparisonTop-8, "SVM accuracy: mean and 95 % interval", lettering{size: smallText, colour: soft})
	for _, v := range linearTicks(low, high, 5) {
		s.line(at(v), comparisonTop, at(v), below, faint, 0.5)
		s.text(at(v), below+14, fixed(v, 2), lettering{size: smallText, colour: soft, x: 0.5})
	}
	first, last := d.c.powers()
	right := d.left + comparisonAccuracy + comparisonGap
	time := func(seconds float64) float64 {
		return right + (math.Log10(max(seconds, 1e-3))-first)/(last-first)*comparisonSeconds
	}
	s.text(right, comparisonTop-8, "seconds a fit (logarithmic)", lettering{size: smallText, colour: soft})
	for _, seconds := range d.c.secondsTicks() {
		s.line(time(seconds), comparisonTop, time(seconds), below, faint, 0.5)
		s.text(time(seconds), below+14, number(seconds), lettering{size: smallText, colour: soft, x: 0.5})
	}
	for i, m := range d.c.Entries {
		y := comparisonTop + comparisonRow*(float64(i)+0.5)
		s.text(d.left-8, y, plain(m.Method), lettering{size: smallText, colour: ink, x: 1, y: 0.5})
		if a := m.AccuracySVM; a != nil {
			s.line(at(a.Low), y, at(a.High), y, blue, 1.5)
			s.dot(at(a.Mean), y, 4, blue)
		}
		if m.Seconds != nil {
			s.dot(time(m.Seconds.Mean), y, 4, vermillion)
		}
	}
	if r := d.c.Ranking; r != nil {
		s.text(margin, d.ranks, rankingTitle(r), lettering{size: smallText, colour: soft})
		rankDiagramOf(r).draw(s, margin, d.width-margin, d.ranks+14)
	}
}
