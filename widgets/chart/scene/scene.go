// Package scene draws with rectangles, lines, dots and words, once, and writes what was drawn as PNG, SVG and Vega-Lite. It knows nothing
// of what is drawn.
//
// # Nouns
//
//   - A [Scene] is the drawing, in points from its upper left corner; its marks are [Rect], [Stroke], [Dot] and [Label].
//   - A [Grid] or a [Sheet] is many cells as one mark, which keeps a specification small.
//   - A [Fact] is what a reader is told who points at a mark.
//   - [RGB] is a colour for light paper, with its counterpart on dark paper.
//
// # Basics
//
//	s := &scene.Scene{Width: 200, Height: 100}
//	s.Text(10, 20, "loss", scene.Small(0, 0))
//	s.Line(10, 30, 190, 30, scene.Faint, 0.5, 0)
//	svg := s.SVG()
//
// Later marks cover earlier ones. TextInside and Widen make the scene as wide as its words.
//
// # Caveats
//
// PNG, SVG and Vega-Lite show the same marks at the same places, which charttest checks; a new kind of mark must be in all three. Texts are
// set in one font, whose widths [TextWidth] knows.
package scene

import (
	"strings"
	"sync"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// Scene is a drawing in points from its upper left corner.
type Scene struct {
	Width, Height float64
	Marks         []any // Rect, Stroke, Dot, Label, Grid or Sheet; a later one covers those before it

	dark bool // its colours are for dark paper
}

// Rect is a filled rectangle.
type Rect struct {
	X, Y, W, H float64
	Colour     RGB
	Facts      []Fact
}

// Stroke is a line through points, two at the least.
type Stroke struct {
	Points [][2]float64
	Colour RGB
	Width  float64
	Dash   float64 // length of its dashes and of the gaps between them; 0: unbroken
	Faded  bool    // what lies behind it shows through, also other paper
	Facts  []Fact  // of each point, or of the whole where that is straight
}

// fadedOpacity is that of a line that is faded.
const fadedOpacity = 0.35

// Dot is a filled circle.
type Dot struct {
	X, Y, Radius float64
	Colour       RGB
	Facts        []Fact
}

// Label is a line of text.
type Label struct {
	X, Y float64
	Text string
	Lettering
}

// Lettering says how a text is set. H and V align it: 0 left or baseline, 0.5 centre or middle, 1 right or top.
type Lettering struct {
	Size   float64
	Bold   bool
	Colour RGB
	H, V   float64
	Angle  float64 // degrees, anticlockwise
}

// Fact is what a reader is told who points at a mark: a value for each of its points.
type Fact struct {
	Name   string
	Values []any
}

// About makes the facts of a mark from names and values in turn.
func About(pairs ...any) []Fact {
	var facts []Fact
	for i := 0; i < len(pairs); i += 2 {
		facts = append(facts, Fact{pairs[i].(string), pairs[i+1 : i+2 : i+2]})
	}
	return facts
}

// The geometry that all drawings share, in points.
const (
	Margin       = 6.0
	SmallText    = 10.0
	SubtitleText = 11.0
	titleText    = 14.0
	headingLine  = 15.0 // from one line of a subtitle to the next
)

// Small is how most of a drawing is lettered.
func Small(h, v float64) Lettering { return Lettering{Size: SmallText, Colour: Soft, H: h, V: v} }

// Add puts a mark over those before it.
func (s *Scene) Add(mark any) { s.Marks = append(s.Marks, mark) }

// Text adds a label, but for a blank one.
func (s *Scene) Text(x, y float64, text string, l Lettering) {
	if strings.TrimSpace(text) != "" {
		s.Add(Label{x, y, text, l})
	}
}

// TextInside is Text that begins at x, of a scene that is made wide enough for it.
func (s *Scene) TextInside(x, y float64, text string, l Lettering) {
	s.Text(x, y, text, l)
	s.Widen(x + TextWidth(text, l.Size, l.Bold))
}

// Line adds a straight line, of dashes of this length; 0 is unbroken.
func (s *Scene) Line(x0, y0, x1, y1 float64, colour RGB, width, dash float64, facts ...Fact) {
	s.Add(Stroke{Points: [][2]float64{{x0, y0}, {x1, y1}}, Colour: colour, Width: width, Dash: dash, Facts: facts})
}

// Rect adds a filled rectangle.
func (s *Scene) Rect(x, y, w, h float64, colour RGB, facts ...Fact) {
	s.Add(Rect{x, y, w, h, colour, facts})
}

// Dot adds a filled circle.
func (s *Scene) Dot(x, y, radius float64, colour RGB, facts ...Fact) {
	s.Add(Dot{x, y, radius, colour, facts})
}

// Heading sets a title with lines below it in the upper left corner, and makes the scene wide enough for them.
func (s *Scene) Heading(title string, subtitle ...string) {
	s.TextInside(Margin, 18, title, Lettering{Size: titleText, Bold: true, Colour: Ink})
	for i, line := range subtitle {
		s.TextInside(Margin, 35+headingLine*float64(i), line, Lettering{Size: SubtitleText, Colour: Soft})
	}
}

// Widen makes the scene wide enough for what ends at x.
func (s *Scene) Widen(x float64) { s.Width = max(s.Width, x+Margin) }

// fonts is parsed once, when the first picture is drawn.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightNormal}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return fonts().Lookup(f, vg.Length(size))
}

// TextWidth is the width of a text in points.
func TextWidth(s string, size float64, bold bool) float64 {
	f := face(size, bold)
	return float64(f.Width(s))
}

// CapHeight is the height of a capital letter, as a share of the size of its text.
const CapHeight = 0.72
