package chart

import (
	"encoding/json"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// cells are the marks of a heat map as one renderer shows them.
type cells struct {
	selectors []int
	labels    []string
	values    [][]float64
	leaders   []string
	others    []float64
}

// heatReaders read the marks back from every form of a heat map. A new renderer adds one.
func heatReaders() map[string]func(*testing.T, heat) cells {
	return map[string]func(*testing.T, heat) cells{"vega-lite": cellsOfVega, "png": cellsOfPNG}
}

func TestHeatRenderersShowTheSameMarks(t *testing.T) {
	for name, m := range matrices() {
		d := heatOf(m)
		for renderer, read := range heatReaders() {
			t.Run(name+"/"+renderer, func(t *testing.T) {
				got := read(t, d)
				if !slices.Equal(got.selectors, m.Selectors) {
					t.Errorf("rows are %v, want %v", got.selectors, m.Selectors)
				}
				for j, label := range got.labels {
					if want := d.columns[j].label; d.columns[j].labelled && label != want {
						t.Errorf("column %d is called %q, want %q", j, label, want)
					}
				}
				for i, row := range m.Values {
					for j, v := range row {
						if !sameColour(got.values[i][j], v) {
							t.Fatalf("selector %d, %s: %g is shown as %g", m.Selectors[i], m.Names[j], v, got.values[i][j])
						}
					}
					if math.Abs(got.others[i]-m.LeftOut[i]) > 0.02 {
						t.Errorf("selector %d: the mass left out, %g, is shown as %g", m.Selectors[i], m.LeftOut[i], got.others[i])
					}
					if want := d.columns[slices.Index(row, slices.Max(row))].label; got.leaders[i] != want {
						t.Errorf("selector %d: the leader is called %q, want %q", m.Selectors[i], got.leaders[i], want)
					}
				}
			})
		}
	}
}

// sameColour is whether two probabilities are nearer than a reader can see: a thirtieth of the scale.
func sameColour(a, b float64) bool {
	return math.Abs(math.Log10(max(a, heatFloor))-math.Log10(max(b, heatFloor))) < 4.0/30
}

func cellsOfVega(t *testing.T, d heat) cells {
	t.Helper()
	b, err := d.vegaLite()
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		HConcat []struct {
			Data struct {
				Values []struct {
					Label    string
					Selector json.RawMessage
					Value    json.RawMessage
					Others   float64
				}
			}
		}
	}
	decodeJSON(t, b, &spec)
	var c cells
	for j, column := range spec.HConcat[0].Data.Values {
		var values []float64
		decodeJSON(t, column.Value, &values)
		if j == 0 {
			decodeJSON(t, column.Selector, &c.selectors)
			c.values = make([][]float64, len(values))
		}
		c.labels = append(c.labels, column.Label)
		for i, v := range values {
			c.values[i] = append(c.values[i], v)
		}
	}
	for _, row := range spec.HConcat[1].Data.Values {
		c.others = append(c.others, row.Others)
	}
	for _, row := range spec.HConcat[2].Data.Values {
		c.leaders = append(c.leaders, row.Label)
	}
	return c
}

func decodeJSON(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
}

// cellsOfPNG looks at the pixel in the middle of every cell, and at the texts that were set.
func cellsOfPNG(t *testing.T, d heat) cells {
	t.Helper()
	b, err := d.png()
	if err != nil {
		t.Fatal(err)
	}
	img, l := decode(t, b), d.layout()
	at := func(x, y float64) color.RGBA {
		return color.RGBAModel.Convert(img.At(int(x*pixelsPerPoint), int(y*pixelsPerPoint))).(color.RGBA)
	}
	c := cells{labels: make([]string, len(d.columns))}
	said := textsOf(func(s surface) { d.draw(s, l) }, l.height)
	named := func(x float64, reversed bool) (string, bool) {
		for _, s := range said {
			if math.Abs(s.x-x) < 0.01 && s.slanted == reversed {
				return s.text, true
			}
		}
		return "", false
	}
	for j, column := range d.columns {
		text, ok := named(l.x+d.columnWidth*(float64(j)+0.5)+1, true)
		if ok != column.labelled {
			t.Errorf("column %d: labelled is %v, want %v", j, ok, column.labelled)
		}
		c.labels[j] = text
	}
	for i := range d.rows {
		y := l.y + d.rowHeight*float64(i) + (d.rowHeight-gap(d.rowHeight))/2
		var row []float64
		for j := range d.columns {
			row = append(row, probabilityOf(at(l.x+d.columnWidth*float64(j)+(d.columnWidth-gap(d.columnWidth))/2, y)))
		}
		c.values = append(c.values, row)
		filled := 0.0
		for x := 0.25; x < othersWidth; x += 0.5 {
			if at(l.others+x, y).R < 0xd0 {
				filled += 0.5
			}
		}
		c.others = append(c.others, filled/othersWidth)
		c.leaders = append(c.leaders, textAt(said, l.leaders+leaderIndent, y))
		n, err := strconv.Atoi(textAt(said, l.x-5, y))
		if err != nil {
			t.Fatal(err)
		}
		c.selectors = append(c.selectors, n)
	}
	return c
}

// probabilityOf inverts the scale of colours.
func probabilityOf(c color.RGBA) float64 {
	best, nearest := 0.0, math.Inf(1)
	for i := range 513 {
		v := float64(i) / 512
		r, g, b := viridisAt(v).parts()
		far := math.Abs(float64(c.R)-float64(r)) + math.Abs(float64(c.G)-float64(g)) + math.Abs(float64(c.B)-float64(b))
		if far < nearest {
			best, nearest = heatAt(v), far
		}
	}
	return best
}

// said is a text with the point that it is anchored at.
type said struct {
	text    string
	x, y    float64
	slanted bool
}

func textAt(texts []said, x, y float64) string {
	for _, s := range texts {
		if math.Abs(s.x-x) < 0.01 && math.Abs(s.y-y) < 0.01 {
			return s.text
		}
	}
	return ""
}

// textsOf draws on gonum/plot's recorder and lists what was set where.
func textsOf(draw func(surface), height float64) []said {
	var c recorder.Canvas
	draw(surface{vg: &c, height: height})
	var texts []said
	var here said
	for _, action := range c.Actions {
		switch a := action.(type) {
		case *recorder.Translate:
			here = said{x: float64(a.Point.X), y: height - float64(a.Point.Y)}
		case *recorder.Rotate:
			here.slanted = a.Angle != 0
		case *recorder.FillString:
			here.text = a.String
			texts = append(texts, here)
		}
	}
	return texts
}

// curveKey tells curves apart: no two of a figure share colour and width.
type curveKey struct {
	colour string
	width  float64
}

func TestFigureRenderersShowTheSameMarks(t *testing.T) {
	for name, h := range histories() {
		f := figureOf(h, usual())
		for renderer, curves := range map[string]map[curveKey][][2]float64{"vega-lite": curvesOfVega(t, f), "png": curvesOfPNG(f)} {
			t.Run(name+"/"+renderer, func(t *testing.T) {
				want := 0
				for _, p := range f.panels {
					for _, l := range p.lines {
						want++
						checkCurve(t, f, p, l, curves[curveKey{l.colour.css(), l.width}])
					}
				}
				if len(curves) != want {
					t.Errorf("%d curves are drawn, want %d", len(curves), want)
				}
			})
		}
	}
}

func checkCurve(t *testing.T, f figure, p panel, l line, got [][2]float64) {
	t.Helper()
	if len(got) != len(l.values) {
		t.Fatalf("%s has %d points, want %d", l.metric, len(got), len(l.values))
	}
	for i, v := range l.values {
		if wantX := float64(l.steps[i]) / f.perEpoch; math.Abs(got[i][0]-wantX) > 1e-3*(f.to-f.from) {
			t.Fatalf("%s point %d stands at %g, want %g", l.metric, i, got[i][0], wantX)
		}
		if math.Abs(p.y(got[i][1])-p.y(v)) > 0.1 {
			t.Fatalf("%s at %g is shown as %g, want %g", l.metric, got[i][0], got[i][1], v)
		}
	}
}

func curvesOfVega(t *testing.T, f figure) map[curveKey][][2]float64 {
	t.Helper()
	b, err := f.vegaLite()
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		VConcat []struct {
			Layer []struct {
				Mark json.RawMessage
				Data struct {
					Values []struct {
						Step  json.RawMessage
						Value []float64
					}
				}
			}
		}
	}
	decodeJSON(t, b, &spec)
	curves := map[curveKey][][2]float64{}
	for _, view := range spec.VConcat {
		for _, layer := range view.Layer {
			var mark struct {
				Type, Color string
				StrokeWidth float64
			}
			decodeJSON(t, layer.Mark, &mark)
			if mark.Type != "line" {
				continue
			}
			var steps []int
			decodeJSON(t, layer.Data.Values[0].Step, &steps)
			for i, step := range steps {
				key := curveKey{mark.Color, mark.StrokeWidth}
				curves[key] = append(curves[key], [2]float64{float64(step) / f.perEpoch, layer.Data.Values[0].Value[i]})
			}
		}
	}
	return curves
}

// curvesOfPNG reads lines and, where there is only one value, dots from gonum/plot's recorder, panel by panel.
func curvesOfPNG(f figure) map[curveKey][][2]float64 {
	curves := map[curveKey][][2]float64{}
	y := f.top()
	for _, p := range f.panels {
		y += panelTitle
		for _, l := range p.lines {
			var c recorder.Canvas
			f.curve(surface{vg: &c}, p, l, y)
			key := curveKey{l.colour.css(), l.width}
			for _, action := range c.Actions {
				var path vg.Path
				switch a := action.(type) {
				case *recorder.Stroke:
					path = a.Path
				case *recorder.Fill:
					if len(l.values) > 1 {
						continue // its line says the same
					}
					path = vg.Path{{Pos: vg.Point{X: a.Path[0].Pos.X - vg.Length(l.width+0.6), Y: a.Path[0].Pos.Y}}}
				}
				for _, q := range path {
					at := f.from + (float64(q.Pos.X)-plotLeft)/plotWidth*(f.to-f.from)
					curves[key] = append(curves[key], [2]float64{at, p.value(-float64(q.Pos.Y) - y)})
				}
			}
		}
		y += p.height + panelBelow
	}
	return curves
}

// value inverts panel.y.
func (p panel) value(y float64) float64 {
	share := 1 - y/p.height
	if p.log {
		return math.Exp(math.Log(p.low) + share*(math.Log(p.high)-math.Log(p.low)))
	}
	return p.low + share*(p.high-p.low)
}

func TestTextSaysWhatThePictureShows(t *testing.T) {
	for name, m := range matrices() {
		d := heatOf(m)
		text := d.text()
		for _, r := range d.rows {
			if want := chance(r.best) + "  " + shorten(d.leader(r).name, 40); !strings.Contains(text, want) {
				t.Errorf("matrix %s: %q is not in\n%s", name, want, text)
			}
		}
	}
	for name, h := range histories() {
		f := figureOf(h, usual())
		text := f.text()
		for _, p := range f.panels {
			for _, l := range p.lines {
				if !strings.Contains(text, l.metric) {
					t.Errorf("curves %s: %s is not in\n%s", name, l.metric, text)
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
