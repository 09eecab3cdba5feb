package chart

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/scene"
)

// shown are the marks of a picture as one of its forms has them: colours as they are on white paper.
type shown struct {
	rects   []box
	strokes []course
	dots    [][2]float64
	texts   []said
}

type box struct {
	x, y, w, h float64
	colour     string
}

type course struct {
	points [][2]float64
	colour string
	width  float64
}

// said is a text with the point that it is anchored at.
type said struct {
	text    string
	x, y    float64
	slanted bool
}

// readers read the marks back from every form of a scene. A new form adds one.
func readers() map[string]func(*testing.T, *scene.Scene) shown {
	return map[string]func(*testing.T, *scene.Scene) shown{"scene": shownByScene, "svg": shownBySVG, "vega-lite": shownByVega}
}

func shownByScene(_ *testing.T, s *scene.Scene) (all shown) {
	for _, m := range s.Marks {
		switch m := m.(type) {
		case scene.Rect:
			all.rects = append(all.rects, box{m.X, m.Y, m.W, m.H, m.Colour.CSS()})
		case scene.Grid:
			for i := range m.Selectors {
				for j := range m.Features {
					r := m.Cell(i, j)
					all.rects = append(all.rects, box{r.X, r.Y, r.W, r.H, r.Colour.CSS()})
				}
			}
		case scene.Stroke:
			all.strokes = append(all.strokes, course{m.Points, m.Colour.CSS(), m.Width})
		case scene.Dot:
			all.dots = append(all.dots, [2]float64{m.X, m.Y})
		case scene.Label:
			all.texts = append(all.texts, said{m.Text, m.X, m.Y, m.Angle != 0})
		}
	}
	return all
}

func shownBySVG(t *testing.T, s *scene.Scene) (all shown) {
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
			all.rects = append(all.rects, box{e.X, e.Y, e.Width, e.Height, e.Fill})
		case "polyline":
			all.strokes = append(all.strokes, course{pairs(t, e.Points), e.Stroke, e.StrokeWidth})
		case "circle":
			all.dots = append(all.dots, [2]float64{e.CX, e.CY})
		case "text":
			place := strings.FieldsFunc(e.Transform, func(r rune) bool { return strings.ContainsRune("() ", r) })
			at := pairs(t, place[1]+","+place[2])[0]
			all.texts = append(all.texts, said{e.Text, at[0], at[1], place[4] != "0"})
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
	Angle       float64
}

type vegaRecord struct {
	X, Y         json.RawMessage
	X2           float64
	Y2           json.RawMessage
	Text, Colour string
	Value        []float64
}

type vegaLayer struct {
	Mark     vegaMark
	Data     struct{ Values []vegaRecord }
	Layer    []struct{ Mark vegaMark }
	Encoding struct {
		Color struct {
			Scale *struct {
				Domain []float64
				Range  []string
			}
		}
		Tooltip []struct{ Field, Title string }
	}
}

func layersOf(t *testing.T, s *scene.Scene) []vegaLayer {
	t.Helper()
	b, err := s.VegaLite("a picture")
	if err != nil {
		t.Fatal(err)
	}
	var spec struct{ Layer []vegaLayer }
	decodeJSON(t, b, &spec)
	return spec.Layer
}

// shownByVega has the colours of the theme turned back into those for white paper.
func shownByVega(t *testing.T, s *scene.Scene) (all shown) {
	t.Helper()
	for _, layer := range layersOf(t, s) {
		mark := layer.Mark
		if len(layer.Layer) > 0 {
			mark = layer.Layer[0].Mark
		}
		for _, r := range layer.Data.Values {
			if mark.Type == "line" {
				all.strokes = append(all.strokes, course{zip(numbers(t, r.X), numbers(t, r.Y)), mark.Color, mark.StrokeWidth})
				continue
			}
			x, ys := numbers(t, r.X)[0], numbers(t, r.Y)
			switch mark.Type {
			case "rule":
				all.strokes = append(all.strokes, course{[][2]float64{{x, ys[0]}, {r.X2, numbers(t, r.Y2)[0]}}, mark.Color, mark.StrokeWidth})
			case "point":
				all.dots = append(all.dots, [2]float64{x, ys[0]})
			case "text":
				all.texts = append(all.texts, said{r.Text, x, ys[0], mark.Angle != 0})
			case "rect":
				for i, bottom := range numbers(t, r.Y2) {
					colour := r.Colour
					if scale := layer.Encoding.Color.Scale; scale != nil {
						colour = scaled(scale.Domain, scale.Range, r.Value[i])
					}
					all.rects = append(all.rects, box{x, ys[i], r.X2 - x, bottom - ys[i], colour})
				}
			default:
				t.Errorf("nobody reads marks of type %q", mark.Type)
			}
		}
	}
	return all
}

// scaled is what a logarithmic scale of colours makes of a value.
func scaled(domain []float64, colours []string, v float64) string {
	v = min(max(v, domain[0]), domain[len(domain)-1])
	i := min(max(slices.IndexFunc(domain, func(d float64) bool { return d >= v })-1, 0), len(domain)-2)
	at := math.Log(v/domain[i]) / math.Log(domain[i+1]/domain[i])
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
	decodeJSON(t, b, &list)
	return list
}

func zip(x, y []float64) (points [][2]float64) {
	for i := range x {
		points = append(points, [2]float64{x[i], y[i]})
	}
	return points
}

func decodeJSON(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
}

// scenes are those of all cases.
func scenes() map[string]*scene.Scene {
	all := map[string]*scene.Scene{}
	for name, m := range matrices() {
		all["matrix-"+name] = heatOf(m).scene()
	}
	for name, h := range histories() {
		all["curves-"+name] = figureOf(h, usual()).scene()
	}
	for name, f := range features() {
		all["feature-"+name] = featureOf(f).scene()
	}
	for name, c := range comparisons() {
		all["comparison-"+name] = comparisonScene(c)
	}
	for name, c := range stabilities() {
		all["stability-"+name] = stabilityScene(c)
	}
	for name, c := range tunings() {
		all["tuning-"+name] = tuningScene(c)
	}
	for name, c := range paths() {
		all["path-"+name] = pathScene(c)
	}
	return all
}

// Every form has every mark of the scene, at its place and in its colour, and nothing lies outside the picture.
func TestEveryFormShowsTheSameMarks(t *testing.T) {
	for name, s := range scenes() {
		want := shownByScene(t, s)
		for form, read := range readers() {
			t.Run(name+"/"+form, func(t *testing.T) {
				got := read(t, s)
				themed := func(colour string) string {
					if form == "vega-lite" {
						return parsed(colour).Themed()
					}
					return colour
				}
				for _, b := range want.rects {
					if !slices.ContainsFunc(got.rects, func(o box) bool {
						return near(b.x, o.x) && near(b.y, o.y) && near(b.w, o.w) && near(b.h, o.h) && alike(themed(b.colour), o.colour)
					}) {
						t.Fatalf("no %+v", b)
					}
				}
				for _, c := range want.strokes {
					if !slices.ContainsFunc(got.strokes, func(o course) bool {
						return c.width == o.width && themed(c.colour) == o.colour && slices.EqualFunc(c.points, o.points, nearby)
					}) {
						t.Fatalf("no %+v", c)
					}
				}
				for _, d := range want.dots {
					if !slices.ContainsFunc(got.dots, func(o [2]float64) bool { return nearby(d, o) }) {
						t.Fatalf("no dot at %v", d)
					}
				}
				for _, w := range want.texts {
					if !slices.ContainsFunc(got.texts, func(o said) bool {
						return w.text == o.text && near(w.x, o.x) && near(w.y, o.y) && w.slanted == o.slanted
					}) {
						t.Fatalf("%q is not at %g, %g", w.text, w.x, w.y)
					}
				}
				if len(got.rects) != len(want.rects) || len(got.strokes) != len(want.strokes) || len(got.dots) != len(want.dots) || len(got.texts) != len(want.texts) {
					t.Errorf("%d rectangles, %d strokes, %d dots and %d texts; want %d, %d, %d and %d", len(got.rects), len(got.strokes), len(got.dots), len(got.texts),
						len(want.rects), len(want.strokes), len(want.dots), len(want.texts))
				}
			})
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.011 }

func nearby(a, b [2]float64) bool { return near(a[0], b[0]) && near(a[1], b[1]) }

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

// No text is cut off at an edge of its picture, or set over another.
func TestTextsHaveRoom(t *testing.T) {
	for name, s := range scenes() {
		var taken []box
		for _, m := range s.Marks {
			l, ok := m.(scene.Label)
			if !ok || l.Angle != 0 {
				continue
			}
			w := scene.TextWidth(l.Text, l.Size, l.Bold)
			b := box{l.X - l.H*w, l.Y - (1-l.V)*scene.CapHeight*l.Size, w, scene.CapHeight * l.Size, l.Text}
			if b.x < 0 || b.y < 0 || b.x+b.w > s.Width || b.y+b.h > s.Height {
				t.Errorf("%s: %q reaches from %g, %g to %g, %g in a picture of %g × %g", name, l.Text, b.x, b.y, b.x+b.w, b.y+b.h, s.Width, s.Height)
			}
			for _, o := range taken {
				if b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h {
					t.Errorf("%s: %q lies on %q", name, l.Text, o.colour)
				}
			}
			taken = append(taken, b)
		}
	}
}

// A heat map's pixels have the colours of its values; beside them stand selectors, names, the mass left out and the leaders.
func TestHeatMapsShowTheirMatrix(t *testing.T) {
	for name, m := range matrices() {
		t.Run(name, func(t *testing.T) {
			d := heatOf(m)
			s := d.scene()
			g := s.Marks[slices.IndexFunc(s.Marks, func(m any) bool { _, ok := m.(scene.Grid); return ok })].(scene.Grid)
			img, all := s.Image(), shownByScene(t, s)
			at := func(x, y float64) color.RGBA {
				return img.RGBAAt(int(x*scene.PixelsPerPoint), int(y*scene.PixelsPerPoint))
			}
			for i, row := range m.Values {
				y := g.Y + d.rowHeight*float64(i) + (d.rowHeight-gap(d.rowHeight))/2
				for j, v := range row {
					x := g.X + d.columnWidth*float64(j) + (d.columnWidth-gap(d.columnWidth))/2
					if got := probabilityOf(at(x, y)); !sameColour(got, v) {
						t.Fatalf("selector %d, %s: %g is shown as %g", m.Selectors[i], m.Names[j], v, got)
					}
				}
				var line []said
				for _, text := range all.texts {
					if near(text.y, y) && !text.slanted {
						line = append(line, text)
					}
				}
				slices.SortFunc(line, func(a, b said) int { return int(a.x - b.x) })
				want := []string{strconv.Itoa(m.Selectors[i]), chance(slices.Max(row)), d.labels[slices.Index(row, slices.Max(row))]}
				if got := wordsOf(line); !slices.Equal(got, want) {
					t.Errorf("row %d says %q, want %q", i, got, want)
				}
				filled, left := 0.0, g.X+d.columnWidth*float64(len(d.labels))-gap(d.columnWidth)+12
				for x := 0.25; x < othersWidth; x += 0.5 {
					if at(left+x, y).R < 0xd0 {
						filled += 0.5
					}
				}
				if math.Abs(filled/othersWidth-m.LeftOut[i]) > 0.02 {
					t.Errorf("selector %d: the mass left out, %g, is shown as %g", m.Selectors[i], m.LeftOut[i], filled/othersWidth)
				}
			}
			for j, name := range d.labels {
				x := g.X + d.columnWidth*(float64(j)+0.5) + 1
				if got := slices.ContainsFunc(all.texts, func(s said) bool { return s.slanted && s.text == name && near(s.x, x) }); got != d.labelled[j] {
					t.Errorf("column %d, %s: labelled is %v, want %v", j, name, got, d.labelled[j])
				}
			}
		})
	}
}

func wordsOf(texts []said) (words []string) {
	for _, s := range texts {
		words = append(words, s.text)
	}
	return words
}

// sameColour is whether two probabilities are nearer than a reader can see: a thirtieth of the scale.
func sameColour(a, b float64) bool {
	return math.Abs(math.Log10(max(a, scene.HeatFloor))-math.Log10(max(b, scene.HeatFloor))) < 4.0/30
}

// probabilityOf inverts the scale of colours.
func probabilityOf(c color.RGBA) float64 {
	best, nearest := 0.0, math.Inf(1)
	for i := range 513 {
		v := float64(i) / 512
		r, g, b := scene.Viridis(v).Parts()
		far := math.Abs(float64(c.R)-float64(r)) + math.Abs(float64(c.G)-float64(g)) + math.Abs(float64(c.B)-float64(b))
		if far < nearest {
			best, nearest = math.Pow(scene.HeatFloor, 1-v), far
		}
	}
	return best
}

// Each curve goes through its values: the strokes of its colour and width, in whichever form, are turned back into them.
func TestFiguresShowTheirValues(t *testing.T) {
	for name, h := range histories() {
		f := figureOf(h, usual())
		for form, read := range readers() {
			t.Run(name+"/"+form, func(t *testing.T) {
				all, top := read(t, f.scene()), 44+laneHeight*float64(f.lanes)
				for _, p := range f.panels {
					top += panelTitle
					for _, c := range p.curves {
						checkCurve(t, f, p, c, top, all)
					}
					top += p.height + panelBelow
				}
			})
		}
	}
}

func checkCurve(t *testing.T, f figure, p panel, c curve, top float64, all shown) {
	t.Helper()
	var points [][2]float64
	for _, s := range all.strokes {
		if y := s.points[0][1]; s.colour == c.colour.CSS() && s.width == c.width && y > top-1 && y < top+p.height+1 {
			points = append(points, s.points...)
		}
	}
	if len(c.values) == 1 {
		points = slices.DeleteFunc(slices.Clone(all.dots), func(d [2]float64) bool { return math.Abs(d[1]-top-p.down(c.values[0])) > 0.1 })
	}
	if len(points) != len(c.values) {
		t.Fatalf("%s has %d points, want %d", c.metric, len(points), len(c.values))
	}
	for i, v := range c.values {
		at := f.x.low + (points[i][0]-plotLeft)/plotWidth*(f.x.high-f.x.low)
		if want := float64(c.steps[i]) / f.perEpoch; math.Abs(at-want) > 1e-3*(f.x.high-f.x.low) {
			t.Fatalf("%s point %d stands at %g, want %g", c.metric, i, at, want)
		}
		if math.Abs(points[i][1]-top-p.down(v)) > 0.1 {
			t.Fatalf("%s at %g stands at %g, want %g", c.metric, at, points[i][1]-top, p.down(v))
		}
	}
}

func TestTextSaysWhatThePictureShows(t *testing.T) {
	for name, m := range matrices() {
		d := heatOf(m)
		text := d.text(40)
		for i, leader := range d.leaders {
			if want := chance(m.Values[i][leader]) + "  " + shorten(m.Names[leader], 40); !strings.Contains(text, want) {
				t.Errorf("matrix %s: %q is not in\n%s", name, want, text)
			}
		}
	}
	for name, h := range histories() {
		f := figureOf(h, usual())
		text := f.sparklines(40)
		for _, p := range f.panels {
			for _, c := range p.curves {
				if !strings.Contains(text, c.metric) {
					t.Errorf("curves %s: %s is not in\n%s", name, c.metric, text)
				}
			}
		}
		for _, e := range h.Events {
			if e.Kind != "open" && !strings.Contains(text, e.Text) {
				t.Errorf("curves %s: the event %q is not in\n%s", name, e.Text, text)
			}
		}
	}
}
