package words

import (
	"fmt"
	"math"
	"strings"
)

// Table renders rows and columns as HTML and as text, so that a table reads the
// same in a notebook and a terminal. It escapes cells.
type Table []Column

// Column is a column of a table. Columns may differ in their number of cells.
type Column struct {
	Title  string
	Cells  []string
	Right  bool     // aligns to the right
	Name   bool     // holds names of features: long names are cut, in HTML by the browser
	Bars   []Share  // drawn before the cells
	Shades []string // CSS of the cells in HTML
	HTML   []string // replaces cells in HTML, not escaped
}

// Share is a bar from 0 to 1.
type Share struct {
	Value  float64
	Colour string // CSS
}

// Styles are attributes of elements, because notebooks remove style sheets.
// Colours are translucent or inherited, so that tables are legible in light and
// dark themes.
const (
	cellStyle  = "padding:1px 10px 1px 0;text-align:left;white-space:nowrap"
	rightStyle = "padding:1px 10px 1px 0;text-align:right;white-space:nowrap"
	nameStyle  = cellStyle + ";max-width:24em;overflow:hidden;text-overflow:ellipsis"
	tableStyle = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums;margin:4px 0"
)

// NewTable returns a table with these titles. ">" before a title aligns its
// column to the right.
func NewTable(titles ...string) Table {
	t := make(Table, len(titles))
	for i, title := range titles {
		t[i].Title, t[i].Right = strings.CutPrefix(title, ">")
	}
	return t
}

// Add adds a row. Its cells go to the first columns, and the other columns stay
// as they are.
func (t Table) Add(cells ...string) {
	for i, cell := range cells {
		t[i].Cells = append(t[i].Cells, cell)
	}
}

// HTML renders the table, with bars that are bars pixels long. The first column
// determines the number of rows. If the last column has no title, the table has
// no head.
func (t Table) HTML(bars int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table style="%s">`, tableStyle)

	if t.hasTitles() {
		b.WriteString("<thead><tr>")
		for _, c := range t {
			fmt.Fprintf(&b, `<th style="%s">%s</th>`, c.cellCSS(), Escape(c.Title))
		}
		b.WriteString("</tr></thead>")
	}

	b.WriteString("<tbody>\n")
	for i := range t[0].Cells {
		b.WriteString("<tr>")
		for _, c := range t {
			style, title, cell := c.cellCSS(), "", Escape(c.cell(i))
			if c.Name {
				title = fmt.Sprintf(` title="%s"`, cell)
			}

			if i < len(c.Shades) {
				style += c.Shades[i]
			}
			if i < len(c.HTML) {
				cell = c.HTML[i]
			}
			if i < len(c.Bars) {
				cell = HTMLBar(c.Bars[i].Value, bars, c.Bars[i].Colour) + " " + cell
			}
			fmt.Fprintf(&b, `<td style="%s"%s>%s</td>`, style, title, cell)
		}
		b.WriteString("</tr>\n")
	}

	b.WriteString("</tbody></table>")
	return b.String()
}

func (t Table) hasTitles() bool { return t[len(t)-1].Title != "" }

// cellCSS returns the style attribute of the column's cells and heading. Names
// are cut at a width, and other columns are aligned to the right or the left.
func (c Column) cellCSS() string {
	switch {
	case c.Name:
		return nameStyle
	case c.Right:
		return rightStyle
	}
	return cellStyle
}

// cell returns the cell of a row in one line, unescaped. It returns "" if the
// column is shorter.
func (c Column) cell(row int) string {
	if row < len(c.Cells) {
		return Plain(c.Cells[row])
	}
	return ""
}

// Untypeset wraps HTML so that front ends don't typeset text of data in it as
// formulas. The first class is for MathJax 3, and the second for the MathJax 2
// of exported pages.
func Untypeset(html string) string {
	return `<div class="mathjax_ignore tex2jax_ignore">` + html + "</div>"
}

// HTMLBar draws a share from 0 to 1 as a bar of a CSS colour on a track of
// width pixels. It limits other shares to 0 and 1. NaN is 0.
func HTMLBar(share float64, width int, colour string) string {
	if math.IsNaN(share) {
		share = 0
	}
	return fmt.Sprintf(`<span style="display:inline-block;width:%dpx;height:9px;background:rgba(128,128,128,0.25);`+
		`border-radius:2px;overflow:hidden;line-height:0">`+
		`<span style="display:inline-block;width:%s%%;height:9px;background:%s"></span></span>`, width,
		Fixed(100*min(max(share, 0), 1), 1), colour)
}

// Text renders columns two spaces apart. bars is the length of a bar, and names
// the longest name, both in characters. 0 omits bars, and keeps names whole.
// The text has the rows and the head of [Table.HTML].
func (t Table) Text(bars, names int) string {
	rows := make([]string, 1+len(t[0].Cells))
	for _, c := range t {
		cells, wide := []string{Plain(c.Title)}, 0
		if names > 0 {
			cells[0] = Shorten(cells[0], max(names, 12))
		}

		for i := range t[0].Cells {
			cell := c.cell(i)
			if c.Name && names > 0 {
				cell = Shorten(cell, names)
			}
			if i < len(c.Bars) && bars > 0 {
				cell = strings.TrimSuffix(Bar(c.Bars[i].Value, bars)+" "+cell, " ")
			}
			cells = append(cells, cell)
		}

		for _, cell := range cells {
			wide = max(wide, Width(cell))
		}

		for i, cell := range cells {
			if c.Right {
				cell = strings.Repeat(" ", wide-Width(cell)) + cell
			}
			rows[i] += Pad(cell, wide+2)
		}
	}

	if !t.hasTitles() {
		rows = rows[1:]
	}

	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}
