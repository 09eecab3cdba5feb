package spec

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// marks draws a layer of a panel with gonum/plot.
type marks struct {
	Panel
	Layer
}

// tickReach is half the length of a tick.
const tickReach = 6

// Plot implements plot.Plotter. It draws heat maps, lines and areas as wholes,
// and other marks one by one, each with its tooltip as title.
func (m marks) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)

	at := func(h, v float64) vg.Point {
		return vg.Point{X: x(m.X.inside(h)) + vg.Length(m.Shift), Y: y(m.Y.inside(v))}
	}

	switch {
	case m.Grid != nil:
		m.cells(c, at)
	case m.Mark == Line, m.Mark == Area:
		m.lines(c, at)
	default:
		for _, d := range m.Data {
			m.titled(c, m.Tips, d.Tips, func() { m.mark(c, d, at) })
		}
	}
}

// inside limits a value to the ends of a logarithmic axis, because that can't
// show 0. On other axes it returns the value as it is.
func (a Axis) inside(v float64) float64 {
	if a.Log {
		return min(max(v, a.Low), a.High)
	}
	return v
}

// mark draws one mark of any kind except a line, an area or a heat map. at
// converts a position on the axes to the canvas.
func (m marks) mark(c vgdraw.Canvas, d Datum, at func(h, v float64) vg.Point) {
	colour := m.colourOf(d)
	switch m.Mark {
	case Point:
		c.SetColor(colour)
		c.Fill(m.seriesOf(m.Layer, d).Shape.path(at(d.X, d.Y), vg.Length(m.radius(d))))
	case Bar:
		(&d).widen(m)
		fill(c, at(d.X, d.Y), at(d.X2, d.Y2), colour)
	case Rule:
		from, to := [2]float64{d.X, d.Y}, [2]float64{d.X2, d.Y2}

		if math.IsNaN(d.X) {
			from[0], to[0] = m.X.Low, m.X.High
		}
		if math.IsNaN(d.Y) {
			from[1], to[1] = m.Y.Low, m.Y.High
		}

		a, b := at(from[0], from[1]), at(to[0], to[1])
		c.StrokeLine2(m.line(colour), a.X, a.Y, b.X, b.Y)
	case Tick:
		a := at(d.X, d.Y)
		c.StrokeLine2(m.line(colour), a.X, a.Y-tickReach, a.X, a.Y+tickReach)
	case Text:

		place := at(d.X, d.Y)
		if math.IsNaN(d.X) {
			place.X = c.Max.X + vg.Length(m.Shift)
		}

		switch {
		case m.Slanted:
			place.Y = c.Max.Y + slantedGap
		case math.IsNaN(d.Y): // inside, at the top
			place.Y = c.Max.Y - smallText/2 - textDrop
		default:
			place.Y -= textDrop
		}
		c.FillText(m.lettering(d), place, d.Text)
	}
}

// The angle of a slanted text, in degrees, and its distance from the panel.
const (
	slant      = 60
	slantedGap = 4.0
)

// path returns the closed outline of a point with radius r.
func (s Shape) path(centre vg.Point, r vg.Length) (path vg.Path) {
	var corners [][2]vg.Length
	switch s {
	case Square:
		corners = [][2]vg.Length{{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}}
	case Triangle:
		corners = [][2]vg.Length{{-1.1, -.9}, {1.1, -.9}, {0, 1.1}}
	case Cross:
		corners = [][2]vg.Length{{-.4, -1.1}, {.4, -1.1}, {.4, -.4}, {1.1, -.4}, {1.1, .4}, {.4, .4}, {.4, 1.1}, {-.4, 1.1}, {-.4, .4}, {-1.1, .4},
			{-1.1, -.4}, {-.4, -.4}}
	default:
		path.Move(vg.Point{X: centre.X + r, Y: centre.Y})
		path.Arc(centre, r, 0, 2*math.Pi)
	}

	for i, corner := range corners {
		at := vg.Point{X: centre.X + r*corner[0], Y: centre.Y + r*corner[1]}
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}

	path.Close()
	return path
}

// textDrop centres a text vertically at its position.
const textDrop = 0.36 * smallText

// lettering returns the style of a text mark, in the colour of its series.
func (m marks) lettering(d Datum) vgdraw.TextStyle {
	style := textStyle(smallText, m.Bold, m.seriesOf(m.Layer, d).Colour, m.Align)
	if m.Slanted {
		style.Rotation = slant * math.Pi / 180
	}
	return style
}

// widen extends a bar to both sides on each axis of bands, so that it fills the
// layer's share of the band.
func (d *Datum) widen(m marks) {
	half := m.share() / 2
	if m.X.Bands != nil {
		d.X, d.X2 = d.X-half, d.X2+half
	}
	if m.Y.Bands != nil {
		d.Y, d.Y2 = d.Y-half, d.Y2+half
	}
}

// share returns the share of a band that a bar fills.
func (l Layer) share() float64 {
	if l.Size == 0 {
		return 0.6
	}
	return l.Size
}

// radius returns the radius of a point.
func (l Layer) radius(d Datum) float64 {
	if d.Radius > 0 {
		return d.Radius
	}
	if l.Size == 0 {
		return 4
	}
	return l.Size
}

// stroke returns the width of a line.
func (l Layer) stroke() float64 {
	if l.Size == 0 {
		return 1.5
	}
	return l.Size
}

// colourOf returns the colour of a mark's series, or else the layer's. It is
// translucent if the layer has an opacity.
func (m marks) colourOf(d Datum) color.Color {
	colour := m.seriesOf(m.Layer, d).Colour
	if r, g, b := colour.Parts(); m.Opacity > 0 {
		return faded{colour, m.Opacity, color.NRGBA{uint8(r), uint8(g), uint8(b), uint8(math.Round(m.Opacity * 0xff))}}
	}
	return colour
}

// faded is a translucent colour.
type faded struct {
	base    RGB
	opacity float64
	color.NRGBA
}

// line returns the style of a rule, tick or line in this colour. It is dashed
// if the layer is.
func (m marks) line(colour color.Color) vgdraw.LineStyle {
	style := vgdraw.LineStyle{Color: colour, Width: vg.Length(m.stroke())}
	if m.Dashed {
		style.Dashes = []vg.Length{3, 3}
	}
	return style
}

// dashed returns the style with the dash of a series.
func dashed(style vgdraw.LineStyle, s Series) vgdraw.LineStyle {
	for _, length := range dashes(s.Dash) {
		style.Dashes = append(style.Dashes, vg.Length(length))
	}
	return style
}

// lines draws lines, or areas between Y and Y2. Each has the colour and the
// dash of its first point's series. A line of one point becomes a dot.
func (m marks) lines(c vgdraw.Canvas, at func(h, v float64) vg.Point) {
	for _, course := range m.courses() {
		var points, back []vg.Point
		for _, i := range course {
			d := m.Data[i]
			points = append(points, at(d.X, d.Y))
			back = append([]vg.Point{at(d.X, d.Y2)}, back...)
		}

		first := m.Data[course[0]]
		m.titled(c, []string{m.Legend}, []any{first.Series}, func() {
			switch colour := m.colourOf(first); {
			case m.Mark == Area:
				c.FillPolygon(colour, append(points, back...))
			case len(points) == 1:
				point := m
				point.Mark, point.Size = Point, 2.5
				point.mark(c, first, at)
			default:
				style := m.line(colour)
				if m.Opacity == 0 {
					style = dashed(style, m.seriesOf(m.Layer, first))
				}
				c.StrokeLines(style, points)
			}
		})
	}
}

// cells draws a heat map. Cells that are large enough have gaps between them.
func (m marks) cells(c vgdraw.Canvas, at func(h, v float64) vg.Point) {
	gap := func(length float64, bands int) float64 {
		if length/float64(bands) < 6 {
			return 0
		}
		return 0.5 / (length / float64(bands))
	}

	g := m.Grid
	across, down := gap(m.Width, len(m.X.Bands)), gap(m.Height, len(m.Y.Bands))

	for i, row := range g.Values {
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			x, y := float64(j), float64(g.First+i)
			tips := []any{m.X.Bands[j], g.About[j], m.Y.Bands[g.First+i], Round(v)}
			m.titled(c, []string{g.Names[0], g.Title, g.Names[1], g.Quantity}, tips, func() {
				fill(c, at(x-0.5+across, y-0.5+down), at(x+0.5-across, y+0.5-down), cell{g.Colours.At(v)})
			})
		}
	}
}

// cell is a colour from a heat map's scale. It is the same on any paper.
type cell struct{ RGB }

// titled calls draw to draw marks. In an SVG, it gives them a title that lists
// names with values, omitting empty ones.
func (m marks) titled(c vgdraw.Canvas, names []string, values []any, draw func()) {
	base := c.Canvas
	for {
		cropped, ok := base.(vgdraw.Canvas)
		if !ok {
			break
		}
		base = cropped.Canvas
	}

	if to, ok := base.(*svg); ok {
		var facts []string
		for i, v := range values {
			if i < len(names) && v != nil && v != "" {
				facts = append(facts, strings.TrimSpace(fmt.Sprint(names[i], " ", v)))
			}
		}
		to.open(strings.Join(facts, " · "))
		defer to.close()
	}

	draw()
}

// GlyphBoxes returns the space that texts and points need beyond the plot.
// gonum/plot adds it to the margins. Other marks need no space.
func (m marks) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	for _, d := range m.Data {
		box := plot.GlyphBox{X: p.X.Norm(m.X.inside(d.X)), Y: p.Y.Norm(m.Y.inside(d.Y))}
		switch m.Mark {
		case Text:
			box.Rectangle = m.lettering(d).Rectangle(d.Text)
			switch {
			case m.Slanted:
				box.Y, box.Min.Y, box.Max.Y = 1, 0, box.Max.Y+slantedGap
			default:
				box.Min.Y, box.Max.Y = -textDrop, textDrop
			}
			if math.IsNaN(d.X) {
				box.X = 1
			}
		case Point:
			r := vg.Length(m.radius(d))
			box.Rectangle = vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}}
		default:
			continue
		}

		box.Min.X += vg.Length(m.Shift)
		box.Max.X += vg.Length(m.Shift)

		if !math.IsNaN(box.X) && !math.IsNaN(box.Y) {
			boxes = append(boxes, box)
		}
	}
	return boxes
}
