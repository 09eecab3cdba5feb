package chart

import (
	"fmt"
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
	comparisonGap      = 30.0
	comparisonLane     = 18.0
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
		d.height += 52 + comparisonLane*float64(len(r.Ranks)+len(r.Groups)+1)
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
	for i := range 5 {
		v := low + float64(i)*(high-low)/4
		s.line(at(v), comparisonTop, at(v), below, faint, 0.5)
		s.text(at(v), below+14, fixed(v, 2), lettering{size: smallText, colour: soft, x: 0.5})
	}
	fastest, slowest := math.Inf(1), math.Inf(-1)
	for _, m := range d.c.Entries {
		if m.Seconds != nil {
			fastest, slowest = min(fastest, max(m.Seconds.Mean, 1e-3)), max(slowest, max(m.Seconds.Mean, 1e-3))
		}
	}
	first, last := math.Floor(math.Log10(fastest)), math.Ceil(math.Log10(slowest))
	if !(last > first) {
		last = first + 1
	}
	right := d.left + comparisonAccuracy + comparisonGap
	time := func(seconds float64) float64 {
		return right + (math.Log10(max(seconds, 1e-3))-first)/(last-first)*comparisonSeconds
	}
	s.text(right, comparisonTop-8, "seconds a fit (logarithmic)", lettering{size: smallText, colour: soft})
	if finite(first) {
		for power := first; power <= last; power++ {
			x := time(math.Pow(10, power))
			s.line(x, comparisonTop, x, below, faint, 0.5)
			s.text(x, below+14, number(math.Pow(10, power)), lettering{size: smallText, colour: soft, x: 0.5})
		}
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
	if d.c.Ranking != nil {
		d.diagram(s, d.c.Ranking)
	}
}

// diagram draws mean ranks on a line.
func (d comparisonPNG) diagram(s surface, r *ComparedRanking) {
	s.text(margin, d.ranks, rankingTitle(r), lettering{size: smallText, colour: soft})
	left, wide := 40.0, d.width-200
	at := func(rank float64) float64 { return left + (rank-1)/max(float64(len(r.Ranks)-1), 1)*wide }
	top := d.ranks + 30
	s.line(left, top, left+wide, top, soft, 1)
	for rank := 1; rank <= len(r.Ranks); rank++ {
		s.line(at(float64(rank)), top-4, at(float64(rank)), top, soft, 1)
		s.text(at(float64(rank)), top-8, fmt.Sprint(rank), lettering{size: smallText, colour: soft, x: 0.5})
	}
	place := map[string]float64{}
	for _, m := range r.Ranks {
		place[m.Method] = m.Rank
	}
	y := top + comparisonLane
	for _, g := range r.Groups {
		s.line(at(place[g[0]])-3, y, at(place[g[len(g)-1]])+3, y, vermillion, 4)
		y += comparisonLane
	}
	for _, m := range r.Ranks {
		x := at(m.Rank)
		s.line(x, top, x, y, line0, 0.8)
		s.dot(x, y, 4, blue)
		s.text(x+9, y, fmt.Sprintf("%s (%s)", plain(m.Method), fixed(m.Rank, 2)), lettering{size: smallText, colour: ink, y: 0.5})
		y += comparisonLane
	}
}
