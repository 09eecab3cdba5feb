package charttest

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/widgets/chart/scene"
)

// EveryFormShowsTheSameMarks checks that every form has every mark of the scene, at its place and in its colour, and nothing lies outside
// the picture.
func EveryFormShowsTheSameMarks(t *testing.T, name string, s *scene.Scene) {
	t.Helper()
	if *gallery != "" {
		writeGallery(t, name, s)
	}
	want := MarksOf(t, s)
	for form, read := range Readers() {
		t.Run(name+"/"+form, func(t *testing.T) {
			got := read(t, s)
			themed := func(colour string) string {
				if form == "vega-lite" {
					return parsed(colour).Themed()
				}
				return colour
			}
			for _, b := range want.Rects {
				if !slices.ContainsFunc(got.Rects, func(o Box) bool {
					return Near(b.X, o.X) && Near(b.Y, o.Y) && Near(b.W, o.W) && Near(b.H, o.H) && alike(themed(b.Colour), o.Colour)
				}) {
					t.Fatalf("no %+v", b)
				}
			}
			for _, c := range want.Strokes {
				if !slices.ContainsFunc(got.Strokes, func(o Course) bool {
					return c.Width == o.Width && c.Faded == o.Faded && themed(c.Colour) == o.Colour && slices.EqualFunc(c.Points, o.Points, nearby)
				}) {
					t.Fatalf("no %+v", c)
				}
			}
			for _, d := range want.Dots {
				if !slices.ContainsFunc(got.Dots, func(o [2]float64) bool { return nearby(d, o) }) {
					t.Fatalf("no dot at %v", d)
				}
			}
			for _, w := range want.Texts {
				if !slices.ContainsFunc(got.Texts, func(o Said) bool {
					return w.Text == o.Text && Near(w.X, o.X) && Near(w.Y, o.Y) && w.Slanted == o.Slanted
				}) {
					t.Fatalf("%q is not at %g, %g", w.Text, w.X, w.Y)
				}
			}
			if len(got.Rects) != len(want.Rects) || len(got.Strokes) != len(want.Strokes) || len(got.Dots) != len(want.Dots) ||
				len(got.Texts) != len(want.Texts) {
				t.Errorf("%d rectangles, %d strokes, %d dots and %d texts; want %d, %d, %d and %d",
					len(got.Rects), len(got.Strokes), len(got.Dots), len(got.Texts), len(want.Rects), len(want.Strokes), len(want.Dots), len(want.Texts))
			}
		})
	}
}

// Near is whether two places are the same but for rounding.
func Near(a, b float64) bool { return math.Abs(a-b) < 0.011 }

func nearby(a, b [2]float64) bool { return Near(a[0], b[0]) && Near(a[1], b[1]) }

// alike is whether two colours differ by what rounding a value does.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) != 7 || len(b) != 7 {
		return false
	}
	ar, ag, ab := parsed(a).Parts()
	br, bg, bb := parsed(b).Parts()
	return max(ar, br)-min(ar, br) < 4 && max(ag, bg)-min(ag, bg) < 4 && max(ab, bb)-min(ab, bb) < 4
}

// TextsHaveRoom checks that no text is cut off at an edge of its picture, or set over another.
func TextsHaveRoom(t *testing.T, name string, s *scene.Scene) {
	t.Helper()
	var taken []Box
	for _, m := range s.Marks {
		l, ok := m.(scene.Label)
		if !ok || l.Angle != 0 {
			continue
		}
		w := scene.TextWidth(l.Text, l.Size, l.Bold)
		b := Box{l.X - l.H*w, l.Y - (1-l.V)*scene.CapHeight*l.Size, w, scene.CapHeight * l.Size, l.Text}
		if b.X < 0 || b.Y < 0 || b.X+b.W > s.Width || b.Y+b.H > s.Height {
			t.Errorf("%s: %q reaches from %g, %g to %g, %g in a picture of %g × %g", name, l.Text, b.X, b.Y, b.X+b.W, b.Y+b.H, s.Width, s.Height)
		}
		for _, o := range taken {
			if b.X < o.X+o.W && o.X < b.X+b.W && b.Y < o.Y+o.H && o.Y < b.Y+b.H {
				t.Errorf("%s: %q lies on %q", name, l.Text, o.Colour)
			}
		}
		taken = append(taken, b)
	}
}

// WordsOf are those of texts.
func WordsOf(texts []Said) (words []string) {
	for _, s := range texts {
		words = append(words, s.Text)
	}
	return words
}
