package chart

import (
	"image"
	"slices"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/scene"
)

// on is a scene on paper of so many points, whatever its own size.
func on(width, height float64, s *scene.Scene) image.Image {
	s.Width, s.Height = width, height
	return s.Image()
}

// What is taken out of a figure, or changed in it, is seen, as little as it is.
func TestAPictureWithoutOnePartIsUnlike(t *testing.T) {
	type pair struct{ whole, changed image.Image }
	curves := func(change func(*figure)) pair {
		f, g := figureOf(sampleHistory(sampleStop), usual()), figureOf(sampleHistory(sampleStop), usual())
		change(&g)
		return pair{on(620, 620, f.scene()), on(620, 620, g.scene())}
	}
	cells := func(change func(*heat)) pair {
		d, e := heatOf(sampleMatrix(10, 40, 0.6)), heatOf(sampleMatrix(10, 40, 0.6))
		change(&e)
		return pair{on(620, 480, d.scene()), on(620, 480, e.scene())}
	}
	bars := func(change func(*featurePicture)) pair {
		d, e := featureOf(sampleFeature(2, 40)), featureOf(sampleFeature(2, 40))
		change(&e)
		return pair{on(620, 400, d.scene()), on(620, 400, e.scene())}
	}
	for name, p := range map[string]pair{
		"a title":                  curves(func(f *figure) { f.title = "" }),
		"a word of the caption":    curves(func(f *figure) { f.subtitle = "step 1140" }),
		"the legend's words":       curves(func(f *figure) { f.panels[0].curves[1].label = " " }),
		"a whole legend":           curves(func(f *figure) { f.panels[1].curves = f.panels[1].curves[:1] }),
		"a thin curve":             curves(func(f *figure) { l := &f.panels[0].curves[2]; l.values, l.smooth = l.values[:1], l.smooth[:1] }),
		"an average":               curves(func(f *figure) { f.panels[1].curves[0].smooth = nil }),
		"how long it is":           curves(func(f *figure) { f.panels[1].curves[0].note = " (smoothed over 2 epochs, raw faint)" }),
		"a curve's end":            curves(func(f *figure) { l := &f.panels[2].curves[0]; l.values = l.values[:len(l.values)-6] }),
		"a curve's colour":         curves(func(f *figure) { f.panels[2].curves[0].colour = scene.Blue }),
		"a tick of the epochs":     curves(func(f *figure) { f.x.Ticks = f.x.Ticks[1:] }),
		"a tick of a panel":        curves(func(f *figure) { f.panels[1].y.Ticks = f.panels[1].y.Ticks[1:] }),
		"the line of what settles": curves(func(f *figure) { f.panels[3].threshold = 0 }),
		"the axis's name":          curves(func(f *figure) { f.unit = " " }),
		"an event":                 curves(func(f *figure) { f.rules = f.rules[1:] }),
		"an event's words":         curves(func(f *figure) { f.rules[1].label = "" }),
		"the scale's meaning":      cells(func(d *heat) { d.quantity = "" }),
		"a selector's number":      cells(func(d *heat) { d.Selectors[3] = 8 }),
		"a feature's name":         cells(func(d *heat) { d.labelled[6] = false }),
		"a letter of a name":       cells(func(d *heat) { d.labels[3] = "APLP1" }),
		"a leader":                 cells(func(d *heat) { d.leaders[2] = 7 }),
		"a digit":                  cells(func(d *heat) { d.Values[2][d.leaders[2]] += 0.01 }),
		"one cell":                 cells(func(d *heat) { d.Values[4][20] *= 2 }),
		"a tenth of a bar":         cells(func(d *heat) { d.LeftOut[1] += 0.1 }),
		"one row of a bar":         bars(func(d *featurePicture) { d.counts[0][4]-- }),
		"the course's end":         bars(func(d *featurePicture) { l := &d.course.panels[0].curves[0]; l.values = l.values[:len(l.values)-1] }),
	} {
		if charttest.Unlike(p.whole, p.changed).Empty() {
			t.Errorf("%s is missing or another, and nobody sees it", name)
		}
	}
}

// The same, moved by a sixteenth of a pixel, looks the same.
func TestWhatIsSmoothedOtherwiseIsAlike(t *testing.T) {
	f := figureOf(sampleHistory(sampleStop), usual())
	drawn := func(by float64) image.Image {
		s := f.scene()
		s.Width, s.Height = 700, 600
		for i, m := range s.Marks {
			s.Marks[i] = lowered(m, by/scene.PixelsPerPoint)
		}
		return s.Image()
	}
	if at := charttest.Unlike(drawn(0), drawn(1.0/16)); !at.Empty() {
		t.Errorf("unlike at %v", at)
	}
	if charttest.Unlike(drawn(0), drawn(3)).Empty() {
		t.Error("moved by three pixels it is the same")
	}
}

func lowered(mark any, by float64) any {
	switch m := mark.(type) {
	case scene.Label:
		m.Y += by
		return m
	case scene.Stroke:
		m.Points = slices.Clone(m.Points)
		for i := range m.Points {
			m.Points[i][1] += by
		}
		return m
	}
	return mark
}
