package chart

import (
	"image"
	"image/color"
	"math"
	"sync"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// surface is gonum/plot's canvas in the coordinates of a screen: points from the top left corner, y downwards, as Vega counts them.
type surface struct {
	vg     vg.Canvas
	height float64
}

// lettering says how a text is set. x and y align it: 0 left or baseline, 0.5 centre or middle, 1 right or top.
type lettering struct {
	size   float64
	bold   bool
	colour color.Color
	x, y   float64
	angle  float64 // degrees, anticlockwise
}

// fonts is parsed once, when the first picture is drawn.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightNormal}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return fonts().Lookup(f, vg.Length(size))
}

// textWidth is the width of a text in points.
func textWidth(s string, size float64, bold bool) float64 {
	f := face(size, bold)
	return float64(f.Width(s))
}

func (s surface) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(s.height - y)}
}

// rect fills a rectangle, its edges moved to the nearest pixels so that they stay sharp.
func (s surface) rect(x, y, w, h float64, colour color.Color) {
	snap := func(v float64) float64 { return math.Round(v*pixelsPerPoint) / pixelsPerPoint }
	w, h = snap(x+w)-snap(x), snap(y+h)-snap(y)
	x, y = snap(x), snap(y)
	s.vg.SetColor(colour)
	var p vg.Path
	p.Move(s.at(x, y))
	p.Line(s.at(x+w, y))
	p.Line(s.at(x+w, y+h))
	p.Line(s.at(x, y+h))
	p.Close()
	s.vg.Fill(p)
}

// polyline strokes through points given as x, y pairs.
func (s surface) polyline(points [][2]float64, colour color.Color, width float64, dash ...vg.Length) {
	if len(points) < 2 {
		return
	}
	s.vg.SetColor(colour)
	s.vg.SetLineWidth(vg.Length(width))
	s.vg.SetLineDash(dash, 0)
	p := make(vg.Path, 0, len(points))
	p.Move(s.at(points[0][0], points[0][1]))
	for _, q := range points[1:] {
		p.Line(s.at(q[0], q[1]))
	}
	s.vg.Stroke(p)
}

func (s surface) line(x0, y0, x1, y1 float64, colour color.Color, width float64, dash ...vg.Length) {
	s.polyline([][2]float64{{x0, y0}, {x1, y1}}, colour, width, dash...)
}

func (s surface) dot(x, y, radius float64, colour color.Color) {
	s.vg.SetColor(colour)
	var p vg.Path
	centre := s.at(x, y)
	p.Move(vg.Point{X: centre.X + vg.Length(radius), Y: centre.Y})
	p.Arc(centre, vg.Length(radius), 0, 2*math.Pi)
	p.Close()
	s.vg.Fill(p)
}

// text sets one line with its anchor at x, y.
func (s surface) text(x, y float64, text string, l lettering) {
	if text == "" {
		return
	}
	f := face(l.size, l.bold)
	s.vg.SetColor(l.colour)
	s.vg.Push()
	s.vg.Translate(s.at(x, y))
	s.vg.Rotate(l.angle * math.Pi / 180)
	capHeight := 0.72 * l.size
	s.vg.FillString(f, vg.Point{X: vg.Length(-l.x) * f.Width(text), Y: vg.Length(-l.y * capHeight)}, text)
	s.vg.Pop()
}

// render draws on a white canvas of so many points and encodes it.
func render(width, height float64, draw func(surface)) ([]byte, error) {
	return encode(paint(width, height, draw))
}

// paint draws on a white canvas of so many points.
func paint(width, height float64, draw func(surface)) image.Image {
	width, height = math.Ceil(width), math.Ceil(height)
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(72*pixelsPerPoint), vgimg.UseBackgroundColor(paper))
	draw(surface{vg: c, height: height})
	return c.Image()
}

// heading sets a title with lines below it in the upper left corner.
func (s surface) heading(title string, subtitle []string) {
	s.text(margin, 18, title, lettering{size: titleText, bold: true, colour: ink})
	for i, line := range subtitle {
		s.text(margin, 35+15*float64(i), line, lettering{size: subtitleText, colour: soft})
	}
}
