package chart

import (
	"fmt"
	"html"
	"math"
	"strings"

	"fsnetlab/widgets/chart/scene"
)

// table is what HTML, text and a PNG show alike.
type table []column

type column struct {
	title  string
	cells  []string
	right  bool     // set to the right
	name   bool     // of features: HTML cuts what is too long
	bars   []share  // before the cells
	shades []string // of the cells in HTML: CSS
}

// share is a bar from 0 to 1.
type share struct {
	value  float64
	colour scene.RGB
}

// Styles stand in the elements, since notebooks strip style sheets, and colours are those of lines with transparency, so that they read
// in light and dark themes.
const (
	cellStyle  = "padding:1px 10px 1px 0;text-align:left;white-space:nowrap"
	rightStyle = "padding:1px 10px 1px 0;text-align:right;white-space:nowrap"
	nameStyle  = cellStyle + ";max-width:24em;overflow:hidden;text-overflow:ellipsis"
	tableStyle = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums;margin:4px 0"
)

// escape makes a text safe anywhere in HTML.
func escape(s string) string { return html.EscapeString(plain(s)) }

// html is the table with bars of so many pixels.
func (t table) html(bars int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table style="%s">`, tableStyle)
	if t.headed() {
		b.WriteString("<thead><tr>")
		for _, c := range t {
			fmt.Fprintf(&b, `<th style="%s">%s</th>`, c.style(), escape(c.title))
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("<tbody>\n")
	for i := range t[0].cells {
		b.WriteString("<tr>")
		for _, c := range t {
			style, title, cell := c.style(), "", escape(c.cell(i))
			if c.name {
				title = fmt.Sprintf(` title="%s"`, cell)
			}
			if i < len(c.shades) {
				style += c.shades[i]
			}
			if i < len(c.bars) {
				cell = htmlBar(c.bars[i].value, bars, c.bars[i].colour) + " " + cell
			}
			fmt.Fprintf(&b, `<td style="%s"%s>%s</td>`, style, title, cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// headed is whether the columns have titles.
func (t table) headed() bool { return t[len(t)-1].title != "" }

func (c column) style() string {
	switch {
	case c.name:
		return nameStyle
	case c.right:
		return rightStyle
	}
	return cellStyle
}

// cell is that of a row; a column may have fewer.
func (c column) cell(i int) string {
	if i < len(c.cells) {
		return plain(c.cells[i])
	}
	return ""
}

// htmlBar draws a share as a bar on a track.
func htmlBar(share float64, width int, colour scene.RGB) string {
	if math.IsNaN(share) {
		share = 0
	}
	return fmt.Sprintf(`<span style="display:inline-block;width:%dpx;height:9px;background:rgba(128,128,128,0.25);border-radius:2px;overflow:hidden;line-height:0">`+
		`<span style="display:inline-block;width:%s%%;height:9px;background:%s"></span></span>`, width, fixed(100*min(max(share, 0), 1), 1), colour.CSS())
}

// text sets the columns two spaces apart, with bars of so many characters and names of at most so many; 0 is no bars, and whole names.
func (t table) text(bars, names int) string {
	rows := make([]string, 1+len(t[0].cells))
	for _, c := range t {
		cells, wide := []string{plain(c.title)}, 0
		if names > 0 {
			cells[0] = shorten(cells[0], max(names, 12))
		}
		for i := range t[0].cells {
			cell := c.cell(i)
			if c.name && names > 0 {
				cell = shorten(cell, names)
			}
			if i < len(c.bars) && bars > 0 {
				cell = strings.TrimSuffix(bar(c.bars[i].value, bars)+" "+cell, " ")
			}
			cells = append(cells, cell)
		}
		for _, cell := range cells {
			wide = max(wide, width(cell))
		}
		for i, cell := range cells {
			if c.right {
				cell = strings.Repeat(" ", wide-width(cell)) + cell
			}
			rows[i] += pad(cell, wide+2)
		}
	}
	if !t.headed() {
		rows = rows[1:]
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}

// The geometry of a table as an image, in points.
const (
	tableTop    = 66.0 // where the first row begins
	tableRow    = 18.0
	tableGap    = 16.0 // between columns
	tableBar    = 60.0 // of a share of 1
	nameLetters = 32
)

// scene is the table under a heading, with a line below it.
func (t table) scene(title, subtitle, below string) *scene.Scene {
	s := &scene.Scene{Height: tableTop + tableRow*float64(len(t[0].cells)) + 10}
	s.Heading(title, subtitle)
	x := scene.Margin
	for _, c := range t {
		bars, wide := 0.0, scene.TextWidth(c.title, scene.SmallText, true)
		if len(c.bars) > 0 {
			bars = tableBar + 6
		}
		for i := range c.cells {
			wide = max(wide, bars+scene.TextWidth(c.picture(i), scene.SubtitleText, false))
		}
		at, l := x, scene.Lettering{Size: scene.SmallText, Bold: true, Colour: scene.Soft}
		if c.right {
			at, l.H = x+wide, 1
		}
		s.Text(at, tableTop-8, plain(c.title), l)
		l = scene.Lettering{Size: scene.SubtitleText, Colour: scene.Ink, H: l.H}
		for i := range c.cells {
			y := tableTop + tableRow*float64(i)
			if i < len(c.bars) {
				s.Rect(x, y+5, tableBar, 8, scene.Faint)
				s.Rect(x, y+5, tableBar*c.bars[i].value, 8, c.bars[i].colour)
			}
			s.Text(at+bars, y+13, c.picture(i), l)
		}
		x += wide + tableGap
	}
	s.Width = max(s.Width, x)
	for i := range t[0].cells {
		y := tableTop + tableRow*float64(i) - 0.5
		s.Line(scene.Margin, y, s.Width-scene.Margin, y, scene.Faint, 0.5, 0)
	}
	if below != "" {
		s.Height += tableRow
		s.Text(scene.Margin, s.Height-9, below, scene.Small(0, 0))
	}
	return s
}

// picture is a cell in an image.
func (c column) picture(i int) string {
	if c.name {
		return shorten(c.cell(i), nameLetters)
	}
	return c.cell(i)
}
