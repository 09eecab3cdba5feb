package scene

import (
	"math"
	"strings"
	"testing"
)

// Whatever is written on dark paper can be read there, and the cells of a heat map keep the colours of their scale.
func TestDark(t *testing.T) {
	contrast := func(a, b RGB) float64 { // WCAG's
		light := func(c RGB) float64 {
			linear := func(v uint32) float64 { return math.Pow(float64(v)/255, 2.2) }
			r, g, b := c.Parts()
			return 0.05 + 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
		}
		return light(a) / light(b)
	}
	s := &Scene{Width: 60, Height: 40}
	for i, c := range append(categories(), Ink, Soft, Grey) {
		s.Text(2, float64(3*i), "word", Lettering{Size: 10, Colour: c})
	}
	s.Rect(30, 0, 10, 10, Viridis(0))
	dark := s.Dark()
	for _, m := range dark.Marks {
		if l, ok := m.(Label); ok && contrast(l.Colour, night) < 3.9 {
			t.Errorf("words in %s cannot be read on %s: %.1f", l.Colour.CSS(), night.CSS(), contrast(l.Colour, night))
		}
	}
	img := dark.Image()
	if got, want := img.RGBAAt(1, 79), (RGB(0x111111)); uint32(got.R) != 0x11 || uint32(got.G) != 0x11 {
		t.Errorf("the paper is %v, not %s", got, want.CSS())
	}
	r, g, b := Viridis(0).Parts()
	if got := img.RGBAAt(70, 10); uint32(got.R) != r || uint32(got.G) != g || uint32(got.B) != b {
		t.Errorf("the cell is %v", got)
	}
	if s.Marks[0].(Label).Colour != Blue || s.Image().RGBAAt(1, 79).R != 0xff {
		t.Error("the scene itself has changed")
	}
}

// In a page the rules give an SVG the colours of the dark scene, but for the cells of a heat map, whose ends are colours of lines, too.
func TestDarkRules(t *testing.T) {
	s := &Scene{Width: 20, Height: 20}
	s.Rect(0, 0, 5, 5, Blue)
	s.Add(Sheet{X: 5, Y: 5, StepX: 5, StepY: 5, Values: [][]float64{{-9, math.NaN(), 0}}})
	light, dark, rules := string(s.SVG("")), string(s.Dark().SVG("")), DarkRules()
	if !strings.Contains(rules, `svg [fill="#0072b2"]:not(.cell){fill:`+Blue.darkened().CSS()+`}`) ||
		!strings.Contains(dark, `fill="`+Blue.darkened().CSS()+`"`) {
		t.Errorf("%s\n%s", rules, dark)
	}
	cell := `<rect class="cell" x="5" y="5" width="5" height="5" fill="#0072b2"></rect>`
	if !strings.Contains(light, cell) || !strings.Contains(dark, cell) || strings.Count(light, "cell") != 2 {
		t.Errorf("%s\n%s", light, dark)
	}
}
