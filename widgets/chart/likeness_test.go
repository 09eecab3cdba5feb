package chart

import (
	"image"
	"image/draw"
	"slices"
	"testing"

	"fsnetlab/widgets/chart/scene"
)

// slack is by how much a colour may differ from its place in the other picture, of 255.
const slack = 16

// unlike is the rectangle of what two pictures do not share; empty where they look the same. Where an edge lies in its pixel, and so how
// it is smoothed, may differ from one machine to the next: each pixel must have, up to the slack, a colour between those of the nine around
// the same place in the other picture. A line, a letter or a mark that is missing has nothing there that is like it, however small it is.
func unlike(first, second image.Image) image.Rectangle {
	if first.Bounds() != second.Bounds() {
		return first.Bounds().Union(second.Bounds())
	}
	var found image.Rectangle
	a, b := pixels(first), pixels(second)
	for i := 0; i < len(a.Pix); i += 4 {
		if p, q := [4]byte(a.Pix[i:]), [4]byte(b.Pix[i:]); p != q {
			x, y := i%a.Stride/4, i/a.Stride
			if !between(p, b, x, y) || !between(q, a, x, y) {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return found
}

// pixels is a picture from 0, 0, four bytes a pixel.
func pixels(img image.Image) *image.RGBA {
	p := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(p, p.Bounds(), img, img.Bounds().Min, draw.Src)
	return p
}

// between is whether a colour lies between those around a place.
func between(colour [4]byte, img *image.RGBA, x, y int) bool {
	low, high := [4]byte{255, 255, 255, 255}, [4]byte{}
	around := image.Rect(x-1, y-1, x+2, y+2).Intersect(img.Bounds())
	for v := around.Min.Y; v < around.Max.Y; v++ {
		for u := around.Min.X; u < around.Max.X; u++ {
			for i, c := range img.Pix[img.PixOffset(u, v):][:4] {
				low[i], high[i] = min(low[i], c), max(high[i], c)
			}
		}
	}
	for i, c := range colour {
		if int(c) < int(low[i])-slack || int(c) > int(high[i])+slack {
			return false
		}
	}
	return true
}

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
	comparison := func(change func(*Compared)) pair {
		d, e := comparisons()["eight"], comparisons()["eight"]
		change(&e)
		return pair{on(640, 440, comparisonScene(d)), on(640, 440, comparisonScene(e))}
	}
	for name, p := range map[string]pair{
		"a title":                       curves(func(f *figure) { f.title = "" }),
		"a word of the caption":         curves(func(f *figure) { f.subtitle = "step 1140" }),
		"the legend's words":            curves(func(f *figure) { f.panels[0].curves[1].label = " " }),
		"a whole legend":                curves(func(f *figure) { f.panels[1].curves = f.panels[1].curves[:1] }),
		"a thin curve":                  curves(func(f *figure) { f.panels[0].curves[2].values = f.panels[0].curves[2].values[:1] }),
		"a curve's end":                 curves(func(f *figure) { l := &f.panels[2].curves[0]; l.values = l.values[:len(l.values)-6] }),
		"a curve's colour":              curves(func(f *figure) { f.panels[2].curves[0].colour = scene.Blue }),
		"a tick of the epochs":          curves(func(f *figure) { f.x.ticks = f.x.ticks[1:] }),
		"a tick of a panel":             curves(func(f *figure) { f.panels[1].y.ticks = f.panels[1].y.ticks[1:] }),
		"the line of what settles":      curves(func(f *figure) { f.panels[3].threshold = 0 }),
		"the axis's name":               curves(func(f *figure) { f.unit = " " }),
		"an event":                      curves(func(f *figure) { f.rules = f.rules[1:] }),
		"an event's words":              curves(func(f *figure) { f.rules[1].label = "" }),
		"the scale's meaning":           cells(func(d *heat) { d.quantity = "" }),
		"a selector's number":           cells(func(d *heat) { d.Selectors[3] = 8 }),
		"a feature's name":              cells(func(d *heat) { d.labelled[5] = false }),
		"a letter of a name":            cells(func(d *heat) { d.labels[3] = "APLP1" }),
		"a leader":                      cells(func(d *heat) { d.leaders[2] = 7 }),
		"a digit":                       cells(func(d *heat) { d.Values[2][d.leaders[2]] += 0.01 }),
		"one cell":                      cells(func(d *heat) { d.Values[4][20] *= 2 }),
		"a tenth of a bar":              cells(func(d *heat) { d.LeftOut[1] += 0.1 }),
		"one row of a bar":              bars(func(d *featurePicture) { d.counts[0][4]-- }),
		"the course's end":              bars(func(d *featurePicture) { l := &d.course.panels[0].curves[0]; l.values = l.values[:len(l.values)-1] }),
		"an interval":                   comparison(func(c *Compared) { s := c.Entries[7].AccuracySVM; s.Low, s.High = s.Mean, s.Mean }),
		"a bar of those not told apart": comparison(func(c *Compared) { c.Ranking.Groups = c.Ranking.Groups[1:] }),
	} {
		if unlike(p.whole, p.changed).Empty() {
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
	if at := unlike(drawn(0), drawn(1.0/16)); !at.Empty() {
		t.Errorf("unlike at %v", at)
	}
	if unlike(drawn(0), drawn(3)).Empty() {
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
