package spec

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sansSerif lists fonts whose letters are about as wide as the PNG's.
const sansSerif = "Liberation Sans, Arimo, Arial, Helvetica, Nimbus Sans, FreeSans, DejaVu Sans Condensed, sans-serif"

// SVG renders the chart for documents, which may enlarge it. It follows the
// reader's theme, and marks have titles. gonum/plot draws on it as on any
// canvas. We don't use gonum's SVG canvas, because it has no titles.
func (s Spec) SVG() []byte {
	l := s.layout()

	c := &svg{width: l.width, height: l.height, states: []state{{matrix: [6]float64{1, 0, 0, 1, 0, 0}}}}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" `+
		`font-family="%[3]s" role="img"><title>%[4]s</title>`+"\n<style>@media (prefers-color-scheme:dark){svg{background:#111}\n%[5]s}</style>\n",
		l.width, l.height, sansSerif, html.EscapeString(l.Alt), darkRules())

	l.draw(c)
	c.b.WriteString("</svg>\n")
	return []byte(c.b.String())
}

// svg is a canvas of gonum/plot.
type svg struct {
	b             strings.Builder
	width, height float64
	states        []state
}

// state is saved by Push and restored by Pop.
type state struct {
	matrix [6]float64
	angle  float64
	colour color.Color
	width  float64
	dashes []vg.Length
}

func (s *svg) top() *state { return &s.states[len(s.states)-1] }

func (s *svg) Size() (w, h vg.Length)                 { return vg.Length(s.width), vg.Length(s.height) }
func (s *svg) SetLineWidth(w vg.Length)               { s.top().width = float64(w) }
func (s *svg) SetLineDash(d []vg.Length, _ vg.Length) { s.top().dashes = d }
func (s *svg) SetColor(c color.Color)                 { s.top().colour = c }
func (s *svg) Push()                                  { s.states = append(s.states, *s.top()) }
func (s *svg) Pop()                                   { s.states = s.states[:len(s.states)-1] }
func (s *svg) DrawImage(vg.Rectangle, image.Image)    {}
func (s *svg) Translate(p vg.Point)                   { s.apply([6]float64{1, 0, 0, 1, float64(p.X), float64(p.Y)}) }
func (s *svg) Scale(x, y float64)                     { s.apply([6]float64{x, 0, 0, y, 0, 0}) }

func (s *svg) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	s.apply([6]float64{cos, sin, -sin, cos, 0, 0})
	s.top().angle += angle
}

// apply prepends a transformation to the current one.
func (s *svg) apply(n [6]float64) {
	m := s.top().matrix
	s.top().matrix = [6]float64{m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5]}
}

// at formats a point. In an SVG, y grows downwards.
func (s *svg) at(p vg.Point) string {
	m := s.top().matrix
	x, y := float64(p.X), float64(p.Y)
	return fmt.Sprintf("%g %g", hundredths(m[0]*x+m[2]*y+m[4]), hundredths(s.height-m[1]*x-m[3]*y-m[5]))
}

// paint returns an attribute with the current colour. It adds the opacity if
// the colour is faded, and the class cell if the colour is the same on dark
// paper.
func (s *svg) paint(attribute string) string {
	c, class, opacity := s.top().colour, "", ""
	if faint, ok := c.(faded); ok {
		c, opacity = faint.base, fmt.Sprintf(` %s-opacity="%g"`, attribute, faint.opacity)
	}

	if fixed, ok := c.(cell); ok {
		c, class = fixed.RGB, ` class="cell"`
	}

	css := "none"
	if rgb, ok := c.(RGB); ok {
		css = rgb.CSS()
	}

	return fmt.Sprintf(`%s="%s"%s%s`, attribute, css, opacity, class)
}

// Stroke draws lines along a path in the current colour, width and dash. It
// draws nothing if the width is 0.
func (s *svg) Stroke(path vg.Path) {
	width := s.top().width
	if width <= 0 {
		return
	}

	dashes := ""
	if d := s.top().dashes; len(d) > 0 {
		lengths := strings.Trim(fmt.Sprint(d), "[]")
		dashes = ` stroke-dasharray="` + lengths + `"`
	}

	fmt.Fprintf(&s.b, `<path d="%s" fill="none" %s stroke-width="%g" stroke-linejoin="round"%s/>`+"\n", s.path(path), s.paint("stroke"), width, dashes)
}

// Fill fills a path in the current colour. A path with an arc becomes a circle,
// and a rectangle has sharp edges.
func (s *svg) Fill(path vg.Path) {
	if len(path) == 3 && path[1].Type == vg.ArcComp { // a point
		centre := strings.Fields(s.at(path[1].Pos))
		fmt.Fprintf(&s.b, `<circle cx="%s" cy="%s" r="%g" %s/>`+"\n", centre[0], centre[1], float64(path[1].Radius), s.paint("fill"))
		return
	}

	sharp := ""
	if len(path) == 5 { // a rectangle, which may touch others
		sharp = ` shape-rendering="crispEdges"`
	}

	fmt.Fprintf(&s.b, `<path d="%s" %s%s/>`+"\n", s.path(path), s.paint("fill"), sharp)
}

// path formats lines. gonum/plot's axes and our marks have no curves except
// points.
func (s *svg) path(path vg.Path) string {
	var b strings.Builder
	for _, c := range path {
		switch c.Type {
		case vg.MoveComp:
			b.WriteString("M" + s.at(c.Pos))
		case vg.LineComp:
			b.WriteString("L" + s.at(c.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// FillString writes a text in the width that it has here, regardless of the
// reader's fonts.
func (s *svg) FillString(f font.Face, p vg.Point, words string) {
	weight, place := "", strings.Fields(s.at(p))
	if f.Font.Weight > 0 {
		weight = ` font-weight="bold"`
	}

	turned := ""
	if angle := s.top().angle; angle != 0 {
		turned = fmt.Sprintf(` transform="rotate(%g %s %s)"`, hundredths(-angle*180/math.Pi), place[0], place[1])
	}

	fmt.Fprintf(&s.b, `<text x="%s" y="%s"%s font-size="%g"%s textLength="%g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`+"\n",
		place[0], place[1], turned, float64(f.Font.Size), weight, hundredths(float64(f.Width(words))), s.paint("fill"), html.EscapeString(words))
}

// open starts a group of marks with a title, if title isn't empty. close ends
// the group.
func (s *svg) open(title string) {
	s.b.WriteString("<g>")
	if title != "" {
		s.b.WriteString("<title>" + html.EscapeString(title) + "</title>")
	}
}

func (s *svg) close() { s.b.WriteString("</g>\n") }

// hundredths rounds to hundredths of a point, and turns -0 into 0.
func hundredths(v float64) float64 { return math.Round(100*v)/100 + 0 }
