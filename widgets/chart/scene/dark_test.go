package scene

import (
	"math"
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
