package chart

import "fsnetlab/widgets/chart/scene"

// drawPanels puts the panels below what the scene has, and the axis below them.
func (f figure) drawPanels(s *scene.Scene) {
	for _, p := range f.panels {
		s.Height += panelTitle
		p.frame(s, s.Height)
		f.drawEpochs(s, p.height)
		for _, c := range p.curves {
			f.draw(s, p, c, s.Height)
		}
		for _, c := range p.curves {
			f.drawAverage(s, p, c, s.Height)
		}
		f.drawRules(s, p.height)
		s.Height += p.height + panelBelow
	}
	if len(f.panels) > 0 {
		drawBelow(f.x, s, s.Height-panelBelow, f.unit)
		s.Height += axisBelow
	}
}

// drawEpochs draws the grid of a panel that begins where the scene ends.
func (f figure) drawEpochs(s *scene.Scene, height float64) {
	for _, t := range f.x.Ticks {
		x := plotLeft + f.along(t)
		s.Line(x, s.Height, x, s.Height+height, scene.Faint, 0.5, 0)
	}
}

// drawRules draws the events through it.
func (f figure) drawRules(s *scene.Scene, height float64) {
	for _, r := range f.rules {
		x := plotLeft + f.along(r.at)
		s.Line(x, s.Height, x, s.Height+height, scene.Soft, 0.8, ruleDash, f.facts(r.step, "event", r.text)...)
	}
}
