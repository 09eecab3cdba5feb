package chart

import (
	"math"
	"strings"
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
func ansi(c rgb) string {
	switch c {
	case blue:
		return "34"
	case vermillion:
		return "31"
	case green:
		return "32"
	case purple:
		return "35"
	default:
		return "36"
	}
}
