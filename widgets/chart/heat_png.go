package chart

import "strconv"

// heatLayout places the parts of a heat map, in points from the top left corner.
type heatLayout struct {
	width, height float64
	x, y          float64 // of the first cell
	bottom        float64 // of the last
	others        float64 // x of the bars
	leaders       float64 // x of the leaders' names
}

const (
	margin       = 6.0
	leaderIndent = 26.0 // of the leader's name after its probability
)

func (d heat) layout() heatLayout {
	l := heatLayout{x: 44, y: 98}
	longest := 0.0
	for i, c := range d.columns { // a slanted name reaches to the left of its column
		if c.labelled {
			w := textWidth(c.label, smallText, false)
			longest = max(longest, w)
			l.x = max(l.x, margin+8+w/2-(float64(i)+0.5)*d.columnWidth)
		}
	}
	l.bottom = l.y + d.height()
	l.height = l.bottom + longest*0.87 + 20

	right := l.x + d.width() + 12
	l.others = right
	if d.leftOut {
		right += othersWidth + 10
	}
	l.leaders = right
	l.width = max(l.leaders+textWidth(leaderHeading, smallText, false), l.x+legendWidth, margin+textWidth(d.title, titleText, true))
	for _, r := range d.rows {
		l.width = max(l.width, l.leaders+leaderIndent+textWidth(d.leader(r).label, smallText, false))
	}
	for _, s := range d.subtitle {
		l.width = max(l.width, margin+textWidth(s, subtitleText, false))
	}
	l.width += margin
	return l
}

func (d heat) png() ([]byte, error) {
	l := d.layout()
	return render(l.width, l.height, func(s surface) { d.draw(s, l) })
}

func (d heat) draw(s surface, l heatLayout) {
	s.heading(d.title, d.subtitle)
	d.drawLegend(s, l)
	label := lettering{size: smallText, colour: soft}
	if d.leftOut {
		s.text(l.others, l.y-6, othersHeading, label)
	}
	s.text(l.leaders, l.y-6, leaderHeading, label)
	for i, r := range d.rows {
		d.drawRow(s, l, i, r)
	}
	for j, c := range d.columns {
		if c.labelled {
			x := l.x + d.columnWidth*(float64(j)+0.5)
			s.text(x+1, l.bottom+7, c.label, lettering{size: smallText, colour: soft, x: 1, y: 0.5, angle: labelAngle})
		}
	}
	s.text(l.x-28, (l.y+l.bottom)/2, rowHeading, lettering{size: smallText, colour: soft, x: 0.5, angle: 90})
}

func (d heat) drawRow(s surface, l heatLayout, i int, r heatRow) {
	y, gapX, gapY := l.y+d.rowHeight*float64(i), gap(d.columnWidth), gap(d.rowHeight)
	for j, v := range d.values[i] {
		s.rect(l.x+d.columnWidth*float64(j), y, d.columnWidth-gapX, d.rowHeight-gapY, heatColour(v))
	}
	label := lettering{size: d.rowText(), colour: soft, y: 0.5}
	middle := y + (d.rowHeight-gapY)/2
	if d.leftOut {
		s.rect(l.others, middle-d.rowHeight/4, othersWidth, d.rowHeight/2, faint)
		s.rect(l.others, middle-d.rowHeight/4, othersWidth*r.leftOut, d.rowHeight/2, line0)
	}
	s.text(l.leaders, middle, chance(r.best), label)
	s.text(l.leaders+leaderIndent, middle, d.leader(r).label, label)
	label.x = 1
	s.text(l.x-5, middle, strconv.Itoa(r.selector), label)
}

// drawLegend sets the colours over the first columns, with their meaning.
func (d heat) drawLegend(s surface, l heatLayout) {
	const y = 60
	label := lettering{size: smallText, colour: soft}
	for i := range int(legendWidth) {
		s.rect(l.x+float64(i), y, 1, legendHeight, viridisAt((float64(i)+0.5)/legendWidth))
	}
	s.text(l.x+legendWidth+8, y+legendHeight, d.legend(), label)
	for i, tick := range legendTicks() {
		at := float64(i) / float64(len(legendTicks())-1)
		label.x = at
		s.text(l.x+legendWidth*at, y+legendHeight+11, number(tick), label)
	}
}
