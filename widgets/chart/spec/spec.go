// Package spec describes charts as data, scales, marks and words, and writes a description as Vega-Lite, PNG and SVG. It knows nothing of
// what is drawn.
//
// # Nouns
//
//   - A [Spec] is a chart: a title, rows of panels, words below.
//   - A [Panel] has a horizontal and a vertical [Axis], layers of marks, and [Series] with their colours, which the legend lists.
//   - A [Layer] is marks of one kind; a [Datum] is one of them, with the values that a reader is told who points at it.
//   - A [Grid] is the cells of a heat map.
//
// # Basics
//
//	s := spec.Spec{Title: "Loss", Rows: [][]spec.Panel{{{Width: 300, Height: 100, Layers: []spec.Layer{
//		{Mark: spec.Line, Data: []spec.Datum{{X: 0, Y: 3}, {X: 1, Y: 2}}},
//	}}}}}
//	png, err := s.PNG()
//
// # Caveats
//
// Lengths are in points. Vega lays out its own chart: a reader can zoom, and switch series by the legend. PNG and SVG are laid out by
// gonum/plot. A PNG is for light paper; SVG and Vega-Lite follow the theme.
package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"fsnetlab/widgets/chart/words"
)

// Spec is a chart.
type Spec struct {
	Title    string
	Subtitle []string
	Rows     [][]Panel
	Below    []string // lines under the panels
	Alt      string   // one sentence for who cannot see it
	Linked   bool     // the panels have one horizontal axis, which is zoomed in all of them
}

// Panel is one plot. A height of 0 is one row of text for each band.
type Panel struct {
	Title         string
	Width, Height float64
	X, Y          Axis
	Legend        string   // its title
	Series        []Series // in the order of the legend
	NoLegend      bool     // another panel has the same
	Named         bool     // names stand beside its marks: no legend lists its series, and a click on a mark shows its series alone
	Layers        []Layer
}

// Series is marks of one colour, points of one shape, and lines of one dash.
type Series struct {
	Name   string
	Colour RGB
	Shape  Shape
	Dash   int // 0 is solid, 1 to 3 are patterns, which come again
}

// dashes are the lengths of the patterns of lines, in points, marks and gaps in turn.
func dashes(i int) []float64 { return [][]float64{nil, {6, 3}, {2, 2}, {9, 3, 2, 3}}[i%4] }

// Shape is the form of a point.
type Shape int

// The shapes.
const (
	Circle Shape = iota
	Square
	Triangle
	Cross
)

// Kind returns the series of one of several kinds. From the eleventh on the colours come again,
// with another shape.
func Kind(name string, i int) Series {
	return Series{Name: name, Colour: Category(i), Shape: Shape(i / Categories() % len(shapes()))}
}

// shapes are the shapes as Vega calls them.
func shapes() []string { return []string{"circle", "square", "triangle-up", "cross"} }

// Axis is a scale. One of bands has its first name at the left or at the top, and positions on it are indices of names. One without
// length is fitted to the data.
type Axis struct {
	Title     string
	Bands     []string
	Low, High float64
	Log       bool
	Hidden    bool
	Silent    bool // the axis of a panel below has its numbers
	Whole     bool // only whole numbers are written
}

// Mark is a kind of marks.
type Mark string

// The kinds of marks. A bar reaches from X to X2 and from Y to Y2, on an axis of bands over the
// share of a band that the layer says. A rule reaches from X, Y to X2, Y2, or where one of X and Y
// is NaN all along that axis. A text whose Y is NaN stands at the top, a slanted one above it; one
// whose X is NaN stands at the right edge. A tick is a short upright line.
const (
	Line  Mark = "line"
	Point Mark = "point"
	Bar   Mark = "bar"
	Rule  Mark = "rule"
	Tick  Mark = "tick"
	Text  Mark = "text"
	Area  Mark = "area" // from Y to Y2
)

// Layer is marks of one kind. Size is the width of a line, the radius of a point, or the share of a band that a bar takes.
type Layer struct {
	Mark    Mark
	Colour  RGB // of marks without a series
	Size    float64
	Opacity float64 // 0 is 1
	Dashed  bool
	Shift   float64  // to the right
	Align   float64  // of a text: 0 begins at its place, 1 ends there
	Slanted bool     // text
	Bold    bool     // text
	Tips    []string // names of what a reader is told
	Data    []Datum
	Grid    *Grid // the cells of a heat map in the place of marks
}

// Datum is one mark, or a point of a line.
type Datum struct {
	X, Y, X2, Y2 float64
	Series       string
	Course       int // points of one line share it
	Radius       float64
	Text         string
	Tips         []any
}

// Grid is the cells of a heat map: a line of values for each band of Y from First on, a value for each of X; NaN is left blank. A reader is
// told the bands by the names of the axes' kinds, what is About the column, and the value.
type Grid struct {
	Values   [][]float64
	First    int
	Quantity string    // what a value is
	Names    [2]string // what a column is and what a line is
	About    []any     // each column, under the name Title
	Title    string
	Colours  Colours
}

// Faded is the opacity of what stands behind.
const Faded = 0.35

// The sizes of letters, in points.
const (
	titleText    = 14.0
	subtitleText = 11.0
	smallText    = 10.0
)

// logScale says of an axis that it is logarithmic.
const logScale = " (log scale)"

// bandStep is the height of a band where the panel does not say its height.
const bandStep = 18.0

// prepared is the chart with all sizes and scales known, and its long lines broken.
func (s Spec) prepared() Spec {
	if len(s.Rows) == 0 {
		s.Rows = [][]Panel{{{Width: 300, X: Axis{Hidden: true}, Y: Axis{Hidden: true}}}}
	}
	rows := make([][]Panel, len(s.Rows))
	for i, row := range s.Rows {
		for _, p := range row {
			if p.Height == 0 {
				p.Height = bandStep * float64(max(len(p.Y.Bands), 1))
			}
			p.X.Bands, p.Y.Bands = different(p.X.Bands), different(p.Y.Bands)
			p.X = p.X.fitted(p, func(d Datum) [2]float64 { return [2]float64{d.X, d.X2} })
			p.Y = p.Y.fitted(p, func(d Datum) [2]float64 { return [2]float64{d.Y, d.Y2} })
			if p.Title != "" && p.Y.Log {
				p.Title += logScale
			} else if p.Y.Log {
				p.Y.Title = strings.TrimSpace(p.Y.Title + logScale)
			}
			if p.X.Log {
				p.X.Title = strings.TrimSpace(p.X.Title + logScale)
			}
			rows[i] = append(rows[i], p)
		}
	}
	s.Rows = rows
	s.Subtitle, s.Below = broken(s.Subtitle), broken(s.Below)
	return s
}

// different numbers names that were there before: they are the places of an axis.
func different(names []string) (list []string) {
	if names == nil {
		return nil
	}
	list, times := []string{}, map[string]int{}
	for _, name := range names {
		if name = words.Plain(name); times[name] > 0 || name == "" {
			name = fmt.Sprintf("%s (%d)", name, times[name]+1)
		}
		times[name]++
		list = append(list, name)
	}
	return list
}

// pageWidth is how wide lines of text are at the most.
const pageWidth = 640.0

// broken is lines that fit the page.
func broken(lines []string) (list []string) {
	for _, line := range lines {
		list = append(list, wrapped(words.Plain(line))...)
	}
	return list
}

func wrapped(line string) (list []string) {
	for textWidth(line, subtitleText, false) > pageWidth {
		cut := 0
		for i, r := range line {
			if r == ' ' && textWidth(line[:i], subtitleText, false) <= pageWidth {
				cut = i
			}
		}
		if cut == 0 {
			break
		}
		list, line = append(list, line[:cut]), line[cut+1:]
	}
	if line == "" {
		return list
	}
	return append(list, line)
}

// fitted is an axis that holds all marks where its ends are not given.
func (a Axis) fitted(p Panel, of func(Datum) [2]float64) Axis {
	if a.Bands != nil {
		a.Low, a.High = -0.5, float64(max(len(a.Bands), 1))-0.5
		return a
	}
	if a.High > a.Low {
		return a
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range p.Layers {
		for _, d := range l.Data {
			for i, v := range of(d) {
				second := i == 1 && l.Mark != Bar && l.Mark != Rule && l.Mark != Area
				if words.Finite(v) && !second && !(a.Log && v <= 0) {
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	switch {
	case low > high:
		a.Log, a.Low, a.High = false, 0, 1
	case a.Log && high >= 5*low:
		room := math.Pow(high/low, 0.04)
		a.Low, a.High = low/room, high*room
	case a.Log:
		a.Log, a.Low, a.High = false, min(low, 0), high*1.05
	case low == high:
		a.Low, a.High = low-0.5, high+0.5
	default:
		room := 0.04 * (high - low)
		a.Low, a.High = low-room, high+room
	}
	return a
}

// courses are the lines of a layer, each as the indices of its points; a value that is not finite interrupts one.
func (l Layer) courses() (list [][]int) {
	type key struct {
		series string
		course int
	}
	open := map[key]int{}
	for i, d := range l.Data {
		k := key{d.Series, d.Course}
		if !words.Finite(d.X) || !words.Finite(d.Y) {
			delete(open, k)
			continue
		}
		at, ok := open[k]
		if !ok {
			at = len(list)
			open[k], list = at, append(list, nil)
		}
		list[at] = append(list[at], i)
	}
	return list
}

// seriesOf returns the series of a mark; without one its colour is the layer's.
func (p Panel) seriesOf(l Layer, d Datum) Series {
	if i := slices.IndexFunc(p.Series, func(s Series) bool { return s.Name == d.Series }); i >= 0 {
		return p.Series[i]
	}
	return Series{Colour: l.Colour}
}

// listing returns the series that the legend lists.
func (p Panel) listing() []Series {
	if p.NoLegend || p.Named {
		return nil
	}
	return p.Series
}

// listed is whether the panel has a legend.
func (p Panel) listed() bool { return len(p.listing()) > 0 }

// fonts is parsed once, when the first picture is drawn.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

func lettering(size float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightNormal, Size: vg.Length(size)}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return f
}

// textWidth is the width of a text in points.
func textWidth(s string, size float64, bold bool) float64 {
	f := lettering(size, bold)
	face := fonts().Lookup(f, f.Size)
	return float64(face.Width(s))
}
