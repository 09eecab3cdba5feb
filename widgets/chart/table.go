package chart

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Table sets rows and columns as HTML and as text, so that a table reads the same in a notebook and a terminal. Cells are text and are
// escaped.
type Table []Column

// Column is one of a table; it may have fewer cells than another.
type Column struct {
	Title  string
	Cells  []string
	Right  bool     // set to the right
	Name   bool     // of features: too long ones are cut, in HTML by the browser
	Bars   []Share  // before the cells
	Shades []string // of the cells in HTML: CSS
}

// Share is a bar from 0 to 1.
type Share struct {
	Value  float64
	Colour spec.RGB
}

// Styles stand in the elements, since notebooks strip style sheets, and colours are those of lines with transparency, so that they read
// in light and dark themes.
const (
	cellStyle  = "padding:1px 10px 1px 0;text-align:left;white-space:nowrap"
	rightStyle = "padding:1px 10px 1px 0;text-align:right;white-space:nowrap"
	nameStyle  = cellStyle + ";max-width:24em;overflow:hidden;text-overflow:ellipsis"
	tableStyle = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums;margin:4px 0"
)

// mostRows of a table have room in a chart; more are counted below.
const mostRows = 60

// Add adds a row, a cell for each column.
func (t Table) Add(cells ...string) {
	for i, cell := range cells {
		t[i].Cells = append(t[i].Cells, cell)
	}
}

// HTML is the table with bars of so many pixels.
func (t Table) HTML(bars int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table style="%s">`, tableStyle)
	if t.headed() {
		b.WriteString("<thead><tr>")
		for _, c := range t {
			fmt.Fprintf(&b, `<th style="%s">%s</th>`, c.style(), words.Escape(c.Title))
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("<tbody>\n")
	for i := range t[0].Cells {
		b.WriteString("<tr>")
		for _, c := range t {
			style, title, cell := c.style(), "", words.Escape(c.cell(i))
			if c.Name {
				title = fmt.Sprintf(` title="%s"`, cell)
			}
			if i < len(c.Shades) {
				style += c.Shades[i]
			}
			if i < len(c.Bars) {
				cell = htmlBar(c.Bars[i].Value, bars, c.Bars[i].Colour) + " " + cell
			}
			fmt.Fprintf(&b, `<td style="%s"%s>%s</td>`, style, title, cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// headed is whether the columns have titles.
func (t Table) headed() bool { return t[len(t)-1].Title != "" }

func (c Column) style() string {
	switch {
	case c.Name:
		return nameStyle
	case c.Right:
		return rightStyle
	}
	return cellStyle
}

func (c Column) cell(row int) string {
	if row < len(c.Cells) {
		return words.Plain(c.Cells[row])
	}
	return ""
}

// htmlBar draws a share as a bar on a track.
func htmlBar(share float64, width int, colour spec.RGB) string {
	if math.IsNaN(share) {
		share = 0
	}
	return fmt.Sprintf(`<span style="display:inline-block;width:%dpx;height:9px;background:rgba(128,128,128,0.25);`+
		`border-radius:2px;overflow:hidden;line-height:0">`+
		`<span style="display:inline-block;width:%s%%;height:9px;background:%s"></span></span>`, width,
		words.Fixed(100*min(max(share, 0), 1), 1), colour.CSS())
}

// Text sets the columns two spaces apart, with bars of so many characters and names of at most so many; 0 is no bars, and whole names.
func (t Table) Text(bars, names int) string {
	rows := make([]string, 1+len(t[0].Cells))
	for _, c := range t {
		cells, wide := []string{words.Plain(c.Title)}, 0
		if names > 0 {
			cells[0] = words.Shorten(cells[0], max(names, 12))
		}
		for i := range t[0].Cells {
			cell := c.cell(i)
			if c.Name && names > 0 {
				cell = words.Shorten(cell, names)
			}
			if i < len(c.Bars) && bars > 0 {
				cell = strings.TrimSuffix(words.Bar(c.Bars[i].Value, bars)+" "+cell, " ")
			}
			cells = append(cells, cell)
		}
		for _, cell := range cells {
			wide = max(wide, words.Width(cell))
		}
		for i, cell := range cells {
			if c.Right {
				cell = strings.Repeat(" ", wide-words.Width(cell)) + cell
			}
			rows[i] += words.Pad(cell, wide+2)
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

// textOf is a chart in characters: what a reader is told of its marks as a table with bars, and its lines as sparklines.
func textOf(s spec.Spec, names int) string {
	text := ""
	for _, row := range s.Rows {
		for _, p := range row {
			panel := bandText(p, names) + lineText(p, names)
			if panel != "" && p.Title != "" {
				panel = words.Plain(p.Title) + "\n" + panel
			}
			text += panel
		}
	}
	lines := func(list ...string) (text string) {
		for _, line := range list {
			text += words.Plain(line) + "\n"
		}
		return text
	}
	return lines(s.Title) + lines(s.Subtitle...) + text + lines(s.Below...)
}

// barLength is that of a bar of the whole axis, in characters.
const barLength = 20

// bandText is the first layer over an axis of bands that has something to tell: the name of the band, a bar, and what is told. The first of
// that is the name in full.
func bandText(p spec.Panel, names int) string {
	bands, along := p.Y.Bands, p.X
	value := func(d spec.Datum) (at, of float64) { return d.Y, max(d.X, d.X2) }
	if p.X.Bands != nil {
		bands, along = p.X.Bands, p.Y
		value = func(d spec.Datum) (at, of float64) { return d.X, max(d.Y, d.Y2) }
	}
	if bands == nil || p.X.Bands != nil && p.Y.Bands != nil {
		return ""
	}
	for _, l := range p.Layers {
		if len(l.Tips) == 0 || len(l.Data) == 0 || l.Mark != spec.Point && l.Mark != spec.Bar {
			continue
		}
		t := Table{{Name: true}, {}}
		for _, title := range l.Tips[1:] {
			t = append(t, Column{Title: title, Right: true})
		}
		for _, d := range l.Data {
			at, of := value(d)
			cells := []string{bands[int(at)], ""}
			if !along.Log {
				cells[1] = words.Bar(max(of, 0)/along.High, barLength)
			}
			for _, tip := range d.Tips[1:] {
				cells = append(cells, fmt.Sprint(tip))
			}
			t.Add(cells...)
		}
		return t.Text(0, names)
	}
	return ""
}

// lineText is a line of text for each line of a panel, all on one scale.
func lineText(p spec.Panel, names int) string {
	if p.X.Bands != nil || p.X.Hidden {
		return ""
	}
	type course struct {
		name string
		id   int
	}
	var order []course
	values, all := map[course][]float64{}, []float64{}
	for _, l := range p.Layers {
		for _, d := range l.Data {
			c := course{d.Series, d.Course}
			if l.Mark != spec.Line || l.Opacity > 0 {
				continue
			}
			if values[c] == nil {
				order = append(order, c)
			}
			values[c], all = append(values[c], d.Y), append(all, d.Y)
		}
	}
	if len(order) == 0 {
		return ""
	}
	t := Table{{Name: true}, {}, {}}
	for _, c := range order {
		v := values[c]
		first, last := v[0], v[len(v)-1]
		ends := words.Number(first) + " → " + words.Number(last)
		if math.IsNaN(first) || len(v) == 1 {
			ends = words.Number(last)
		}
		t.Add(c.name, words.Sparkline(v, 2*barLength, all...), ends)
	}
	return t.Text(0, names)
}
