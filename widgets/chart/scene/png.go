package scene

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// PixelsPerPoint is the resolution of a PNG: crisp on screens of high density.
const PixelsPerPoint = 2

// PNG is the scene on white, or dark, paper, two pixels a point.
func (s *Scene) PNG() ([]byte, error) { return encode(s.Image(), s.palette()) }

// Image paints the scene on its paper.
func (s *Scene) Image() *image.RGBA {
	width, height := math.Ceil(s.Width), math.Ceil(s.Height)
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(72*PixelsPerPoint), vgimg.UseBackgroundColor(s.paper()))
	for _, m := range s.Marks {
		painter{c, height}.paint(m)
	}
	img, ok := c.Image().(*image.RGBA)
	if !ok {
		img = image.NewRGBA(c.Image().Bounds())
		draw.Draw(img, img.Bounds(), c.Image(), image.Point{}, draw.Src)
	}
	return img
}

// painter is gonum/plot's canvas, whose y goes upwards.
type painter struct {
	vg.Canvas
	height float64
}

func (p painter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(p.height - y)}
}

func (p painter) paint(mark any) {
	switch m := mark.(type) {
	case Rect:
		p.rect(m)
	case Grid:
		m.each(func(_, _ int, r Rect) { p.rect(r) })
	case Sheet:
		m.Each(func(_, _ int, r Rect) { p.rect(r) })
	case Stroke:
		p.stroke(m)
	case Dot:
		p.SetColor(m.Colour)
		var path vg.Path
		centre := p.at(m.X, m.Y)
		path.Move(vg.Point{X: centre.X + vg.Length(m.Radius), Y: centre.Y})
		path.Arc(centre, vg.Length(m.Radius), 0, 2*math.Pi)
		path.Close()
		p.Fill(path)
	case Label:
		f := face(m.Size, m.Bold)
		p.SetColor(m.Colour)
		p.Push()
		p.Translate(p.at(m.X, m.Y))
		p.Rotate(m.Angle * math.Pi / 180)
		p.FillString(f, vg.Point{X: vg.Length(-m.H) * f.Width(m.Text), Y: vg.Length(-m.V * CapHeight * m.Size)}, m.Text)
		p.Pop()
	}
}

// rect fills a rectangle, its edges moved to the nearest pixels so that they stay sharp.
func (p painter) rect(r Rect) {
	snap := func(v float64) float64 { return math.Round(v*PixelsPerPoint) / PixelsPerPoint }
	left, top, right, bottom := snap(r.X), snap(r.Y), snap(r.X+r.W), snap(r.Y+r.H)
	p.SetColor(r.Colour)
	var path vg.Path
	path.Move(p.at(left, top))
	path.Line(p.at(right, top))
	path.Line(p.at(right, bottom))
	path.Line(p.at(left, bottom))
	path.Close()
	p.Fill(path)
}

func (p painter) stroke(m Stroke) {
	p.SetColor(m.Colour)
	if r, g, b := m.Colour.Parts(); m.Faded {
		p.SetColor(color.NRGBA{uint8(r), uint8(g), uint8(b), uint8(math.Round(fadedOpacity * 0xff))})
	}
	p.SetLineWidth(vg.Length(m.Width))
	var dashes []vg.Length
	if m.Dash > 0 {
		dashes = []vg.Length{vg.Length(m.Dash), vg.Length(m.Dash)}
	}
	p.SetLineDash(dashes, 0)
	var path vg.Path
	path.Move(p.at(m.Points[0][0], m.Points[0][1]))
	for _, q := range m.Points[1:] {
		path.Line(p.at(q[0], q[1]))
	}
	p.Stroke(path)
}

// encode writes an image as a PNG of at most 256 colours: a quarter of the bytes that every saved notebook would carry, and of the time.
func encode(img *image.RGBA, palette color.Palette) ([]byte, error) {
	flat := image.NewPaletted(img.Bounds(), palette)
	known := map[[4]uint8]uint8{}
	var last [4]uint8
	index := uint8(flat.Palette.Index(color.RGBA{}))
	for i := range flat.Pix { // both are packed without gaps between lines
		if c := [4]uint8(img.Pix[4*i : 4*i+4]); c != last {
			last = c
			var ok bool
			if index, ok = known[c]; !ok {
				index = uint8(flat.Palette.Index(color.RGBA{c[0], c[1], c[2], c[3]}))
				known[c] = index
			}
		}
		flat.Pix[i] = index
	}
	var b bytes.Buffer
	err := png.Encode(&b, flat)
	return b.Bytes(), err
}

// palette is viridis where the scene has cells, greys, and the colours of its marks on their way to the paper, which soft edges need.
func (s *Scene) palette() color.Palette {
	const all, greys, heats, deviations, fewest = 256, 48, 128, 64, 10
	p := make(color.Palette, 0, all)
	for i := range greys {
		p = append(p, Blend(0, Paper, float64(i)/(greys-1)))
	}
	var lines []RGB
	if s.colours(func(c RGB) {
		if !isGrey(c) && !slices.Contains(lines, c) && s.isLine(c) {
			lines = append(lines, c)
		}
	}) {
		for i := range heats {
			p = append(p, Viridis(float64(i)/(heats-1)))
		}
	}
	if slices.ContainsFunc(s.Marks, func(m any) bool { _, ok := m.(Sheet); return ok }) {
		for i := range deviations {
			p = append(p, deviation(SheetReach*(2*float64(i)/(deviations-1)-1)))
		}
	}
	tints := max((all-len(p))/max(len(lines), 1), fewest)
	for _, c := range lines[:min(len(lines), (all-len(p))/tints)] {
		for i := range tints {
			p = append(p, Blend(c, s.paper(), float64(i)/float64(tints)))
		}
	}
	return p
}

// colours hands over those of the marks and says whether there are cells of a heat map, or a scale of their colours.
func (s *Scene) colours(take func(RGB)) (cells bool) {
	for _, m := range s.Marks {
		switch m := m.(type) {
		case Rect:
			cells = cells || !s.isLine(m.Colour) && !isGrey(m.Colour)
			take(m.Colour)
		case Grid:
			cells = true
		case Stroke:
			take(m.Colour)
		case Dot:
			take(m.Colour)
		case Label:
			take(m.Colour)
		}
	}
	return cells
}

// isLine is whether a colour is one of the categories, as they are on this paper.
func (s *Scene) isLine(c RGB) bool {
	return slices.ContainsFunc(categories(), func(o RGB) bool { return c == o || s.dark && c == o.darkened() })
}

func isGrey(c RGB) bool {
	r, g, b := c.Parts()
	return r == g && g == b
}
