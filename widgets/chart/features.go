package chart

import (
	"strconv"

	"fsnetlab/fsnet/session"
)

// The geometry of a table as an image, in points.
const (
	tableTop    = 66.0 // where the first row begins
	tableRow    = 18.0
	tableGap    = 16.0 // between columns
	tableBar    = 60.0 // of a probability of 1
	mostRows    = 60   // more are counted below
	nameLetters = 32
)

// Features draws the chosen features of a session at one moment as [Selection] does, and as an image, for where HTML is not shown.
func Features(s session.Status, selected []session.Selected, more ...Column) (Picture, error) {
	p := Selection(selected, more...)
	g := gridOf(s, selected, more)
	var err error
	p.PNG, err = render(g.width, g.height, g.draw)
	return p, err
}

// grid is a table with the places of its columns.
type grid struct {
	title, subtitle string
	columns         []gridColumn
	colours         []rgb     // of the bars, by row
	shares          []float64 // their lengths
	more            string    // what is not drawn
	width, height   float64
}

type gridColumn struct {
	title string
	cells []string
	right bool
	bar   bool // before each cell
	x     float64
	width float64
}

func gridOf(s session.Status, selected []session.Selected, more []Column) grid {
	g := grid{title: "Selected features of " + plain(s.Session)}
	g.subtitle = "step " + strconv.Itoa(s.Step) + " · " + epochs(s)
	if len(selected) == 0 {
		g.subtitle += " · no features are selected yet"
	}
	if len(selected) > mostRows {
		g.more = counted(len(selected)-mostRows, "more feature") + " in the text"
		selected = selected[:mostRows]
	}
	rank, name, column := gridColumn{title: "rank", right: true}, gridColumn{title: "feature"}, gridColumn{title: "column", right: true}
	probability, margin, selector := gridColumn{title: "probability", bar: true}, gridColumn{title: "margin", right: true}, gridColumn{title: "selector", right: true}
	for _, f := range selected {
		rank.cells, name.cells, column.cells = append(rank.cells, strconv.Itoa(f.Rank)), append(name.cells, shorten(plain(f.Name), nameLetters)), append(column.cells, strconv.Itoa(f.Index))
		probability.cells, margin.cells, selector.cells = append(probability.cells, chance(f.Probability)), append(margin.cells, chance(f.Margin)), append(selector.cells, strconv.Itoa(f.Selector))
		share := f.Probability
		if !finite(share) {
			share = 0
		}
		g.shares, g.colours = append(g.shares, min(max(share, 0), 1)), append(g.colours, certainty(f))
	}
	g.columns = []gridColumn{rank, name, column, probability, margin, selector}
	for _, c := range more {
		extra := gridColumn{title: plain(c.Title), right: true}
		for i := range selected {
			extra.cells = append(extra.cells, c.cell(i))
		}
		g.columns = append(g.columns, extra)
	}
	g.place(len(selected))
	return g
}

// place gives each column the width of its widest cell.
func (g *grid) place(rows int) {
	x := margin
	for i := range g.columns {
		c := &g.columns[i]
		c.width = textWidth(c.title, smallText, true)
		for _, cell := range c.cells {
			w := textWidth(cell, subtitleText, false)
			if c.bar {
				w += tableBar + 6
			}
			c.width = max(c.width, w)
		}
		c.x, x = x, x+c.width+tableGap
	}
	g.width = max(x, margin+textWidth(g.title, titleText, true)+margin, margin+textWidth(g.subtitle, subtitleText, false)+margin)
	g.height = tableTop + tableRow*float64(rows) + 10
	if g.more != "" {
		g.height += tableRow
	}
}

func (g grid) draw(s surface) {
	s.heading(g.title, []string{g.subtitle})
	for _, c := range g.columns {
		c.write(s, tableTop-8, c.title, lettering{size: smallText, bold: true, colour: soft})
	}
	for i := range g.shares {
		y := tableTop + tableRow*float64(i)
		s.line(margin, y-0.5, g.width-margin, y-0.5, faint, 0.5)
		for _, c := range g.columns {
			x := c.x
			if c.bar {
				s.rect(x, y+5, tableBar, 8, faint)
				s.rect(x, y+5, tableBar*g.shares[i], 8, g.colours[i])
				s.text(x+tableBar+6, y+13, c.cells[i], lettering{size: subtitleText, colour: ink})
				continue
			}
			c.write(s, y+13, c.cells[i], lettering{size: subtitleText, colour: ink})
		}
	}
	if g.more != "" {
		s.text(margin, g.height-9, g.more, lettering{size: smallText, colour: soft})
	}
}

// write sets a text in the column, at its side.
func (c gridColumn) write(s surface, y float64, text string, l lettering) {
	x := c.x
	if c.right {
		l.x, x = 1, c.x+c.width
	}
	s.text(x, y, text, l)
}
