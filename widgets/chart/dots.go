package chart

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// dots is a canvas of braille characters: two dots across and four down in each, with one colour a character.
type dots struct {
	columns, rows int
	marks         []rune // the pattern of each character, from 0
	colours       []string
}

func newDots(columns, rows int) *dots {
	return &dots{columns: columns, rows: rows, marks: make([]rune, columns*rows), colours: make([]string, columns*rows)}
}

// set puts a dot, counted from the upper left; one outside is left out.
func (d *dots) set(x, y int, colour string) {
	if x < 0 || y < 0 || x >= 2*d.columns || y >= 4*d.rows {
		return
	}
	bits := [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	at := y/4*d.columns + x/2
	d.marks[at] |= bits[y%4][x%2]
	d.colours[at] = colour
}

// join puts the dots of a straight line.
func (d *dots) join(x0, y0, x1, y1 int, colour string) {
	n := max(x1-x0, x0-x1, y1-y0, y0-y1, 1)
	for i := range n + 1 {
		t := float64(i) / float64(n)
		d.set(x0+int(math.Round(t*float64(x1-x0))), y0+int(math.Round(t*float64(y1-y0))), colour)
	}
}

// row is one row of characters, those without dots taken from behind.
func (d *dots) row(y int, behind []rune) string {
	var line, run strings.Builder
	colour := ""
	end := func() {
		if run.Len() > 0 {
			line.WriteString(painted(run.String(), colour))
			run.Reset()
		}
	}
	for x := range d.columns {
		at := y*d.columns + x
		mark, its := behind[x], behindColour
		if d.marks[at] != 0 {
			mark, its = 0x2800+d.marks[at], d.colours[at]
		}
		if mark == ' ' {
			end()
			line.WriteByte(' ')
			continue
		}
		if its != colour {
			end()
			colour = its
		}
		run.WriteRune(mark)
	}
	end()
	return strings.TrimRight(line.String(), " ")
}

// behindColour is what stands behind the curves.
const behindColour = "90"

// painted sets a text in one of the terminal's own colours.
func painted(text, colour string) string { return "\x1b[" + colour + "m" + text + "\x1b[0m" }

// ansi is the terminal's colour that is nearest to one of ours.
func ansi(c scene.RGB) string {
	switch c {
	case scene.Blue:
		return "34"
	case scene.Vermillion:
		return "31"
	case scene.Green:
		return "32"
	case scene.Purple:
		return "35"
	default:
		return "36"
	}
}

const (
	dotRows   = 4  // characters a panel is high
	dotMargin = 9  // columns of the numbers to its left
	mostDots  = 96 // columns of a panel at the most
)

// sparklines is a line a curve, with its first and last value, and the events.
func (f figure) sparklines(length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.caption())
	for _, p := range f.panels {
		for _, c := range p.curves {
			fmt.Fprintf(&b, "%-20s %s  %s → %s\n", words.Shorten(words.Plain(c.metric), 20), words.Pad(words.Sparkline(c.shown(), length), length),
				words.Number(c.values[0]), c.last())
		}
	}
	f.events(&b)
	return b.String()
}

func (f figure) events(b *strings.Builder) {
	for _, r := range f.rules {
		fmt.Fprintf(b, "%s %s: %s\n", f.unit, words.Number(r.at), r.text)
	}
}

// terminal draws the panels one below the other over one axis, with numbers at its ends.
func (f figure) terminal(columns int, colour bool) string {
	if !colour || len(f.panels) == 0 {
		rest := 43
		if f.smooth > 0 {
			rest += len(" (smoothed 2.34e-5)")
		}
		return f.sparklines(min(40, max(8, columns-rest)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", f.title, f.caption())
	across := min(mostDots, columns-dotMargin-1)
	for _, p := range f.panels {
		f.panelDots(&b, p, across)
	}
	left, right := f.unit+" "+words.Number(f.x.Low), words.Number(f.x.High)
	fmt.Fprintf(&b, "%s%s%s%s\n", strings.Repeat(" ", dotMargin), left,
		strings.Repeat(" ", max(1, across-words.Width(left)-words.Width(right))), right)
	f.events(&b)
	return b.String()
}

func (f figure) panelDots(b *strings.Builder, p panel, across int) {
	d := newDots(across, dotRows)
	column := func(at float64) int { return int(math.Round(f.x.At(at) * float64(2*across-1))) }
	behind := []rune(strings.Repeat(" ", across))
	for _, r := range f.rules {
		if x := column(r.at) / 2; x >= 0 && x < across {
			behind[x] = '┊'
		}
	}
	legend := p.title
	for _, c := range p.curves {
		legend += " · " + painted("━", ansi(c.colour)) + " " + c.label + " " + c.last()
	}
	for i := len(p.curves) - 1; i >= 0; i-- { // the first is on top
		p.curveDots(d, p.curves[i], func(step int) int { return column(float64(step) / f.perEpoch) })
	}
	fmt.Fprintln(b, legend)
	for y := range dotRows {
		mark := map[int]string{0: words.Number(p.y.High), dotRows - 1: words.Number(p.y.Low)}[y]
		fmt.Fprintf(b, "%*s %s\n", dotMargin-1, mark, d.row(y, behind))
	}
}

// curveDots joins the values of a curve. One that is not finite is a gap.
func (p panel) curveDots(d *dots, c curve, column func(step int) int) {
	before := false
	x0, y0 := 0, 0
	for i, v := range c.shown() {
		if !words.Finite(v) {
			before = false
			continue
		}
		x, y := column(c.steps[i]), int(math.Round((1-p.y.At(v))*float64(4*d.rows-1)))
		if !before {
			x0, y0 = x, y
		}
		d.join(x0, y0, x, y, ansi(c.colour))
		x0, y0, before = x, y, true
	}
}
