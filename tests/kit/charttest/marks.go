// Package charttest holds what every picture must keep, whichever package draws it: each of its forms shows the same marks, words have
// room, its specification stands alone, and it looks as its golden picture does.
//
// Tests of a package that draws hand over their scenes and pictures; -update rewrites the golden ones.
package charttest

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/scene"
)

// Marks are the marks of a picture as one of its forms has them: colours as they are on white paper.
type Marks struct {
	Rects   []Box
	Strokes []Course
	Dots    [][2]float64
	Texts   []Said
}

// Box is a rectangle.
type Box struct {
	X, Y, W, H float64
	Colour     string
}

// Course is a line.
type Course struct {
	Points [][2]float64
	Colour string
	Width  float64
	Faded  bool
}

// Said is a text with the point that it is anchored at.
type Said struct {
	Text    string
	X, Y    float64
	Slanted bool
}

// Readers read the marks back from every form of a scene. A new form adds one.
func Readers() map[string]func(*testing.T, *scene.Scene) Marks {
	return map[string]func(*testing.T, *scene.Scene) Marks{"scene": MarksOf, "svg": shownBySVG, "vega-lite": shownByVega}
}

// MarksOf are those of the scene itself.
func MarksOf(_ *testing.T, s *scene.Scene) (all Marks) {
	for _, m := range s.Marks {
		switch m := m.(type) {
		case scene.Rect:
			all.Rects = append(all.Rects, Box{m.X, m.Y, m.W, m.H, m.Colour.CSS()})
		case scene.Grid:
			for i := range m.Selectors {
				for j := range m.Features {
					r := m.Cell(i, j)
					all.Rects = append(all.Rects, Box{r.X, r.Y, r.W, r.H, r.Colour.CSS()})
				}
			}
		case scene.Sheet:
			m.Each(func(_, _ int, r scene.Rect) { all.Rects = append(all.Rects, Box{r.X, r.Y, r.W, r.H, r.Colour.CSS()}) })
		case scene.Stroke:
			all.Strokes = append(all.Strokes, Course{m.Points, m.Colour.CSS(), m.Width, m.Faded})
		case scene.Dot:
			all.Dots = append(all.Dots, [2]float64{m.X, m.Y})
		case scene.Label:
			all.Texts = append(all.Texts, Said{m.Text, m.X, m.Y, m.Angle != 0})
		}
	}
	return all
}

func shownBySVG(t *testing.T, s *scene.Scene) (all Marks) {
	t.Helper()
	type element struct {
		XMLName      xml.Name
		X            float64   `xml:"x,attr"`
		Y            float64   `xml:"y,attr"`
		Width        float64   `xml:"width,attr"`
		Height       float64   `xml:"height,attr"`
		CX           float64   `xml:"cx,attr"`
		CY           float64   `xml:"cy,attr"`
		Fill         string    `xml:"fill,attr"`
		Stroke       string    `xml:"stroke,attr"`
		StrokeWidth  float64   `xml:"stroke-width,attr"`
		Opacity      float64   `xml:"stroke-opacity,attr"`
		Points       string    `xml:"points,attr"`
		Transform    string    `xml:"transform,attr"`
		Text         string    `xml:",chardata"`
		Descriptions []element `xml:",any"`
	}
	var root element
	if err := xml.Unmarshal(s.SVG("a <picture>"), &root); err != nil {
		t.Fatal(err)
	}
	for _, e := range root.Descriptions {
		switch e.XMLName.Local {
		case "rect":
			all.Rects = append(all.Rects, Box{e.X, e.Y, e.Width, e.Height, e.Fill})
		case "polyline":
			all.Strokes = append(all.Strokes, Course{pairs(t, e.Points), e.Stroke, e.StrokeWidth, e.Opacity > 0})
		case "circle":
			all.Dots = append(all.Dots, [2]float64{e.CX, e.CY})
		case "text":
			place := strings.FieldsFunc(e.Transform, func(r rune) bool { return strings.ContainsRune("() ", r) })
			at := pairs(t, place[1]+","+place[2])[0]
			all.Texts = append(all.Texts, Said{e.Text, at[0], at[1], place[4] != "0"})
		}
	}
	return all
}

func pairs(t *testing.T, text string) (list [][2]float64) {
	t.Helper()
	for pair := range strings.FieldsSeq(text) {
		x, y, _ := strings.Cut(pair, ",")
		a, err := strconv.ParseFloat(x, 64)
		b, other := strconv.ParseFloat(y, 64)
		if err := errors.Join(err, other); err != nil {
			t.Fatal(err)
		}
		list = append(list, [2]float64{a, b})
	}
	return list
}

// vegaMark is what a layer's look and the fields of its records say.
type vegaMark struct {
	Type, Color string
	StrokeWidth float64
	Opacity     float64 `json:"strokeOpacity"`
	Angle       float64
}

type vegaRecord struct {
	X, Y, X2, Y2 json.RawMessage
	Text, Colour string
	Value        []float64
}

// VegaLayer is one of a specification.
type VegaLayer struct {
	Mark     vegaMark
	Data     struct{ Values []vegaRecord }
	Layer    []struct{ Mark vegaMark }
	Encoding struct {
		Color struct {
			Scale *struct {
				Type   string
				Domain []float64
				Range  []string
			}
		}
		Tooltip []struct{ Field, Title string }
	}
}

func layersOf(t *testing.T, s *scene.Scene) []VegaLayer {
	t.Helper()
	b, err := s.VegaLite("a picture")
	if err != nil {
		t.Fatal(err)
	}
	var spec struct{ Layer []VegaLayer }
	DecodeJSON(t, b, &spec)
	return spec.Layer
}

// shownByVega has the colours of the theme turned back into those for white paper.
func shownByVega(t *testing.T, s *scene.Scene) (all Marks) {
	t.Helper()
	for _, layer := range layersOf(t, s) {
		mark := layer.Mark
		if len(layer.Layer) > 0 {
			mark = layer.Layer[0].Mark
		}
		for _, r := range layer.Data.Values {
			if mark.Type == "line" {
				all.Strokes = append(all.Strokes, Course{zip(numbers(t, r.X), numbers(t, r.Y)), mark.Color, mark.StrokeWidth, mark.Opacity > 0})
				continue
			}
			xs, ys := numbers(t, r.X), numbers(t, r.Y)
			if len(xs) == 0 { // a line of a sheet that is blank
				continue
			}
			x := xs[0]
			switch mark.Type {
			case "rule":
				all.Strokes = append(all.Strokes, Course{[][2]float64{{x, ys[0]}, {numbers(t, r.X2)[0], numbers(t, r.Y2)[0]}}, mark.Color,
					mark.StrokeWidth, mark.Opacity > 0})
			case "point":
				all.Dots = append(all.Dots, [2]float64{x, ys[0]})
			case "text":
				all.Texts = append(all.Texts, Said{r.Text, x, ys[0], mark.Angle != 0})
			case "rect":
				rights, bottoms := numbers(t, r.X2), numbers(t, r.Y2)
				for i := range max(len(xs), len(ys)) {
					colour := r.Colour
					if scale := layer.Encoding.Color.Scale; scale != nil && scale.Type == "log" {
						colour = scaled(scale.Domain, scale.Range, r.Value[i], math.Log)
					} else if scale != nil {
						colour = scaled(scale.Domain, scale.Range, r.Value[i], func(v float64) float64 { return v })
					}
					left, top := xs[min(i, len(xs)-1)], ys[min(i, len(ys)-1)]
					all.Rects = append(all.Rects, Box{left, top, rights[min(i, len(rights)-1)] - left, bottoms[min(i, len(bottoms)-1)] - top, colour})
				}
			default:
				t.Errorf("nobody reads marks of type %q", mark.Type)
			}
		}
	}
	return all
}

// scaled is what a scale of colours, straight in what it takes of values, makes of one.
func scaled(domain []float64, colours []string, v float64, of func(float64) float64) string {
	v = min(max(v, domain[0]), domain[len(domain)-1])
	i := min(max(slices.IndexFunc(domain, func(d float64) bool { return d >= v })-1, 0), len(domain)-2)
	at := (of(v) - of(domain[i])) / (of(domain[i+1]) - of(domain[i]))
	return scene.Blend(parsed(colours[i]), parsed(colours[i+1]), at).CSS()
}

func parsed(css string) scene.RGB {
	n, err := strconv.ParseUint(strings.TrimPrefix(css, "#"), 16, 32)
	if err != nil {
		panic(err)
	}
	return scene.RGB(n)
}

// numbers are those of a list, or one.
func numbers(t *testing.T, b json.RawMessage) []float64 {
	t.Helper()
	if len(b) == 0 {
		return nil
	}
	if b[0] != '[' {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	var list []float64
	DecodeJSON(t, b, &list)
	return list
}

func zip(x, y []float64) (points [][2]float64) {
	for i := range x {
		points = append(points, [2]float64{x[i], y[i]})
	}
	return points
}

// DecodeJSON reads what must be JSON.
func DecodeJSON(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
}
