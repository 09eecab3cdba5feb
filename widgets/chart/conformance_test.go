package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// scenes are those of all cases.
func scenes() map[string]*scene.Scene {
	all := map[string]*scene.Scene{}
	for name, m := range matrices() {
		all["matrix-"+name] = heatOf(m).scene()
	}
	for name, h := range histories() {
		all["curves-"+name] = figureOf(h, usual()).scene()
	}
	for name, h := range convergences() {
		all["convergence-"+name] = convergenceOf(h).scene()
	}
	for name, f := range features() {
		all["feature-"+name] = featureOf(f).scene()
	}
	for name, s := range networks() {
		all["network-"+name] = networkScene(s)
	}
	for _, k := range []int{3, 10, 50} {
		for _, letters := range []int{3, 60} {
			m, h := sampleMatrix(k, min(40, 2*k), 0.6), sampleConvergence(k, 200)
			for j := range m.Names {
				m.Names[j] = named(j, letters)
			}
			for j := range h.Selectors.Names {
				h.Selectors.Names[j] = named(j, letters)
			}
			at := fmt.Sprintf("k%d-%d-letters", k, letters)
			all["matrix-"+at], all["convergence-"+at] = heatOf(selected(m)).scene(), convergenceOf(h).scene()
		}
	}
	return all
}

// named is another name of so many letters for every feature.
func named(j, letters int) string {
	return fmt.Sprintf("%03d", j%1000) + strings.Repeat("ENSGW", letters/5)[:letters-3]
}

func TestPicturesConform(t *testing.T) {
	for name, s := range scenes() {
		charttest.EveryFormShowsTheSameMarks(t, name, s)
		charttest.TextsHaveRoom(t, name, s)
	}
}

// A heat map's pixels have the colours of its values; beside them stand selectors, names, the mass left out and the leaders.
func TestHeatMapsShowTheirMatrix(t *testing.T) {
	for name, m := range matrices() {
		t.Run(name, func(t *testing.T) {
			d := heatOf(m)
			s := d.scene()
			g := s.Marks[slices.IndexFunc(s.Marks, func(m any) bool { _, ok := m.(scene.Grid); return ok })].(scene.Grid)
			img, all := s.Image(), charttest.MarksOf(t, s)
			at := func(x, y float64) color.RGBA {
				return img.RGBAAt(int(x*scene.PixelsPerPoint), int(y*scene.PixelsPerPoint))
			}
			for i, row := range m.Values {
				y := g.Y + d.rowHeight*float64(i) + (d.rowHeight-gap(d.rowHeight))/2
				for j, v := range row {
					x := g.X + d.columnWidth*float64(j) + 0.5 // the middle may have a dot
					if got := probabilityOf(at(x, y)); !sameColour(got, v) {
						t.Fatalf("selector %d, %s: %g is shown as %g", m.Selectors[i], m.Names[j], v, got)
					}
				}
				var line []charttest.Said
				for _, text := range all.Texts {
					if charttest.Near(text.Y, y) && !text.Slanted {
						line = append(line, text)
					}
				}
				slices.SortFunc(line, func(a, b charttest.Said) int { return int(a.X - b.X) })
				want := []string{strconv.Itoa(m.Selectors[i]), words.Chance(slices.Max(row)), d.labels[slices.Index(row, slices.Max(row))]}
				if i < len(m.Leaders) { // of all columns
					want[1] = words.Chance(m.LeaderValues[i])
					if !slices.Contains(m.Names, m.Leaders[i]) {
						want[2] = words.Shorten(m.Leaders[i], labelLength) + ", not shown"
					}
				}
				if got := d.got(i); got >= 0 && got != d.leaders[i] {
					want[2] += " → " + d.labels[got]
				}
				if got := charttest.WordsOf(line); !slices.Equal(got, want) {
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
				labels := func(s charttest.Said) bool { return s.Slanted && s.Text == name && charttest.Near(s.X, x) }
				if got := slices.ContainsFunc(all.Texts, labels); got != d.labelled[j] {
					t.Errorf("column %d, %s: labelled is %v, want %v", j, name, got, d.labelled[j])
				}
			}
		})
	}
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
		for form, read := range charttest.Readers() {
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

func checkCurve(t *testing.T, f figure, p panel, c curve, top float64, all charttest.Marks) {
	t.Helper()
	checkLine(t, f, p, c, c.shown(), c.width, false, top, all)
	if c.smooth != nil {
		checkLine(t, f, p, c, c.values, measuredWidth, true, top, all)
	}
}

// checkLine looks for the line of that width through the values.
func checkLine(t *testing.T, f figure, p panel, c curve, values []float64, width float64, faded bool, top float64, all charttest.Marks) {
	t.Helper()
	var points [][2]float64
	for _, s := range all.Strokes {
		if y := s.Points[0][1]; s.Colour == c.colour.CSS() && s.Width == width && s.Faded == faded && y > top-1 && y < top+p.height+1 {
			points = append(points, s.Points...)
		}
	}
	if len(values) == 1 {
		points = slices.DeleteFunc(slices.Clone(all.Dots), func(d [2]float64) bool { return math.Abs(d[1]-top-p.down(values[0])) > 0.1 })
	}
	if len(points) != len(values) {
		t.Fatalf("%s has %d points, want %d", c.metric, len(points), len(values))
	}
	for i, v := range values {
		at := f.x.Low + (points[i][0]-plotLeft)/plotWidth*(f.x.High-f.x.Low)
		if want := float64(c.steps[i]) / f.perEpoch; math.Abs(at-want) > 1e-3*(f.x.High-f.x.Low) {
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
			var value float64
			var said string
			switch got := d.got(i); {
			case leader < 0: // its column is not shown
				value, said = m.LeaderValues[i], m.Leaders[i]+", not shown"
			case got >= 0 && got != leader:
				value, said = m.Values[i][leader], words.Shorten(m.Names[leader], 18)+" → "+words.Shorten(m.Names[got], 18)
			default:
				value, said = m.Values[i][leader], words.Shorten(m.Names[leader], 40)
			}
			if want := words.Chance(value) + "  " + said; !strings.Contains(text, want) {
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
