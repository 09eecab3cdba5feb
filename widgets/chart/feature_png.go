package chart

func (d featurePicture) png() ([]byte, error) {
	height := d.barsTop() + barsHeight + axisBelow
	if len(d.course.panels) > 0 {
		height += panelTitle + courseHeight + axisBelow
	}
	return render(plotLeft+plotWidth+3*margin, height, d.draw)
}

func (d featurePicture) barsTop() float64 { return 44 + panelTitle }

// x is where a value stands, from the left of the plot.
func (d featurePicture) x(v float64) float64 { return plotWidth * (v - d.low) / (d.high - d.low) }

func (d featurePicture) draw(s surface) {
	s.heading(d.title, d.subtitle)
	y := d.barsTop()
	d.bars.frame(s, y)
	for c, counts := range d.counts {
		for b, n := range counts {
			if from, to := d.bar(c, b); n > 0 {
				top := d.bars.y(float64(n))
				s.rect(plotLeft+d.x(from), y+top, d.x(to)-d.x(from), barsHeight-top, classColour(c))
			}
		}
	}
	axis(s, y+barsHeight, d.ticks, d.x, "value, in the file's units")
	if len(d.course.panels) == 0 {
		return
	}
	y += barsHeight + axisBelow + panelTitle
	p := d.course.panels[0]
	p.frame(s, y)
	d.course.curve(s, p, p.lines[0], y)
	axis(s, y+courseHeight, d.course.ticks, d.course.x, d.course.axis)
}

// axis sets ticks and a title below a plot.
func axis(s surface, y float64, ticks []float64, x func(float64) float64, title string) {
	for _, t := range ticks {
		s.text(plotLeft+x(t), y+6, tickLabel(t), lettering{size: smallText, colour: soft, x: 0.5, y: 1})
	}
	s.text(plotLeft+plotWidth/2, y+20, title, lettering{size: smallText, colour: soft, x: 0.5, y: 1})
}
