package chart

import (
	"fmt"
	"math"
	"strings"
)

const (
	dotRows   = 4  // characters a panel is high
	dotMargin = 9  // columns of the numbers to its left
	mostDots  = 96 // columns of a panel at the most
)

// terminal draws the panels one below the other over one axis, with numbers at its ends.
func (f figure) terminal(columns int, colour bool) string {
	if !colour || len(f.panels) == 0 {
		return f.sparklines(min(40, max(8, columns-43)))
	}
	var b strings.Builder
	fmt.Fprintln(&b, f.title)
	fmt.Fprintln(&b, f.subtitle[0])
	across := min(mostDots, columns-dotMargin-1)
	for _, p := range f.panels {
		f.panelDots(&b, p, across)
	}
	left, right := f.axis+" "+number(f.from), number(f.to)
	fmt.Fprintf(&b, "%s%s%s%s\n", strings.Repeat(" ", dotMargin), left, strings.Repeat(" ", max(1, across-width(left)-width(right))), right)
	for _, r := range f.rules {
		fmt.Fprintf(&b, "%s %s: %s\n", f.axis, number(r.at), r.text)
	}
	return b.String()
}

func (f figure) panelDots(b *strings.Builder, p panel, across int) {
	d := newDots(across, dotRows)
	column := func(at float64) int {
		return int(math.Round((at - f.from) / (f.to - f.from) * float64(2*across-1)))
	}
	behind := []rune(strings.Repeat(" ", across))
	for _, r := range f.rules {
		if x := column(r.at) / 2; x >= 0 && x < across {
			behind[x] = '┊'
		}
	}
	legend := p.title
	for i := len(p.lines) - 1; i >= 0; i-- { // the first is on top
		p.lineDots(d, p.lines[i], ansi(p.lines[i].colour), func(step int) int { return column(float64(step) / f.perEpoch) })
	}
	for _, l := range p.lines {
		last := "–"
		if len(l.values) > 0 {
			last = number(l.values[len(l.values)-1])
		}
		legend += " · " + painted("━", ansi(l.colour)) + " " + l.label + " " + last
	}
	fmt.Fprintln(b, legend)
	for y := range dotRows {
		mark := ""
		switch y {
		case 0:
			mark = number(p.high)
		case dotRows - 1:
			mark = number(p.low)
		}
		fmt.Fprintf(b, "%*s %s\n", dotMargin-1, mark, d.row(y, behind))
	}
}

// lineDots joins the values of a curve. One that is not finite is a gap.
func (p panel) lineDots(d *dots, l line, colour string, column func(step int) int) {
	scale := func(v float64) float64 { return v }
	if p.log {
		scale = math.Log
	}
	low, high := scale(p.low), scale(p.high)
	before := false
	x0, y0 := 0, 0
	for i, v := range l.values {
		if !finite(v) || (p.log && v <= 0) {
			before = false
			continue
		}
		x, y := column(l.steps[i]), int(math.Round((high-scale(v))/(high-low)*float64(4*d.rows-1)))
		if !before {
			x0, y0 = x, y
		}
		d.join(x0, y0, x, y, colour)
		x0, y0, before = x, y, true
	}
}
