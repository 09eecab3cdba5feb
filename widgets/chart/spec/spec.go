// Package spec describes charts by their data, scales, marks and words, and
// renders a description as Vega-Lite, PNG and SVG. It doesn't know what the
// data mean.
//
// # Nouns
//
//   - A [Spec] is a chart: a title, rows of panels, words below.
//   - A [Panel] has a horizontal and a vertical [Axis], layers of marks, and
//     [Series] with their colours. The legend lists the series.
//   - A [Layer] is marks of one kind. A [Datum] is one of them, with the
//     values of its tooltip.
//   - A [Grid] is the cells of a heat map.
//
// # Basics
//
//	s := spec.Spec{Title: "Loss", Rows: [][]spec.Panel{{{Width: 300, Height: 100, Layers: []spec.Layer{
//		{Mark: spec.Line, Data: []spec.Datum{{X: 0, Y: 3}, {X: 1, Y: 2}}},
//	}}}}}
//	png, err := s.PNG()
//
// Start reading with [Spec] and its prepare method, which all forms use.
// plot.go draws PNG and SVG, and vega.go writes Vega-Lite.
//
// # Caveats
//
// Lengths are in points. Vega lays out its chart itself, and a reader can zoom
// or choose a series in the legend. gonum/plot lays out PNG, for light paper,
// and SVG. SVG and Vega-Lite follow the theme.
package spec

import (
	"cmp"
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
	Below    []string // lines below the panels
	Beside   *Panel   // to the right of all rows, or nil; see [Words]
	Alt      string   // one sentence for readers who can't see the chart
	Linked   bool     // the panels share one horizontal axis and zoom together

	lineWidth float64 // of wrapped lines; 0 means pageWidth
}

// Panel is one plot. If its height is 0, each band has the height of a line of
// text.
type Panel struct {
	Title         string
	Width, Height float64
	X, Y          Axis
	Legend        string   // the title of the legend
	Series        []Series // in the order of the legend
	NoLegend      bool     // set if another panel has the same legend
	LegendBelow   bool     // puts the legend below the plot even if its names are short
	// Named means that names are next to the marks. The series then have no
	// legend, and a click on a mark shows only its series.
	Named  bool
	Layers []Layer
}

// Series groups marks by colour. Points are also grouped by shape, and lines by
// dash.
type Series struct {
	Name   string
	Colour RGB
	Shape  Shape
	Dash   int // 0 is solid, 1 to 3 are patterns, and higher numbers repeat them
}

// dashes returns a line's pattern as alternating lengths of marks and gaps, in
// points. It returns nil for a solid line.
func dashes(i int) []float64 { return [][]float64{nil, {6, 3}, {2, 2}, {9, 3, 2, 3}}[i%4] }

// Shape is the form of a point.
type Shape int

// Point shapes.
const (
	Circle Shape = iota
	Square
	Triangle
	Cross
)

// Kind returns the series of class i. Starting with the eleventh class, colours
// repeat with another shape.
func Kind(name string, i int) Series {
	return Series{Name: name, Colour: Category(i), Shape: Shape(i / Categories() % len(shapes()))}
}

// shapes returns Vega's names of the shapes.
func shapes() []string { return []string{"circle", "square", "triangle-up", "cross"} }

// Axis is a scale. A scale of bands has its first name at the left or the top,
// and positions are indices of names. A scale without length is fitted to the
// data.
type Axis struct {
	Title     string
	Bands     []string
	Low, High float64
	Log       bool
	Hidden    bool
	Silent    bool // leaves the numbers to the axis of a panel below
	Whole     bool // only whole numbers have labels
}

// Mark is the kind of a layer's marks.
type Mark string

// Kinds of marks. A bar extends from X to X2 and from Y to Y2. On an axis of
// bands it fills the share of a band in Layer.Size. A rule extends from X, Y to
// X2, Y2, or along the whole axis if X or Y is NaN. A text is at the top if Y
// is NaN (above the top if it is slanted), and at the right edge if X is NaN. A
// tick is a short vertical line.
const (
	Line  Mark = "line"
	Point Mark = "point"
	Bar   Mark = "bar"
	Rule  Mark = "rule"
	Tick  Mark = "tick"
	Text  Mark = "text"
	Area  Mark = "area" // from Y to Y2
)

// Layer is marks of one kind. Size is a line's width, a point's radius, or a
// bar's share of a band.
type Layer struct {
	Mark    Mark
	Colour  RGB // of marks without a series
	Size    float64
	Opacity float64 // 0 means 1
	Dashed  bool
	Shift   float64  // to the right
	Align   float64  // of a text: 0 starts at its position, 1 ends there
	Slanted bool     // for texts
	Bold    bool     // for texts
	Tips    []string // headings of the tooltip
	Data    []Datum
	Grid    *Grid // draws a heat map instead of marks
}

// Datum is one mark, or a point of a line.
type Datum struct {
	X, Y, X2, Y2 float64
	Series       string
	Course       int // the same for all points of one line
	Radius       float64
	Text         string
	Tips         []any
}

// Grid is the cells of a heat map. It has a line of values for each band of Y,
// starting with band First, and each line has a value for each band of X. NaN
// is blank. A tooltip names the bands by Names, the column's About by Title,
// and the value by Quantity.
type Grid struct {
	Values   [][]float64
	First    int
	Quantity string    // name of a value
	Names    [2]string // names of a column and of a line
	About    []any     // what tooltips say about each column, under the name Title
	Title    string
	Colours  Colours
}

// Faded is the opacity of marks in the background.
const Faded = 0.35

// Sizes of letters, in points.
const (
	titleText    = 14.0
	subtitleText = 11.0
	smallText    = 10.0
)

// logScale follows the title of a logarithmic axis.
const logScale = " (log scale)"

// bandStep is the height of a band in a panel without a height.
const bandStep = 18.0

// prepare returns a copy in which all sizes and scales are set, names of bands
// are unique, and long lines are wrapped. A chart without panels gets an empty
// one.
func (s Spec) prepare() Spec {
	if len(s.Rows) == 0 {
		s.Rows = [][]Panel{{{Width: 300, X: Axis{Hidden: true}, Y: Axis{Hidden: true}}}}
	}

	rows := make([][]Panel, len(s.Rows))
	for i, row := range s.Rows {
		for _, p := range row {
			rows[i] = append(rows[i], p.prepare())
		}
	}
	if s.Beside != nil {
		s.Beside = new(s.Beside.prepare())
	}

	s.Rows = rows
	wide := cmp.Or(s.lineWidth, pageWidth)
	s.Subtitle, s.Below = wrapAll(s.Subtitle, wide), wrapAll(s.Below, wide)
	return s
}

// Fit returns the chart for a page that is narrower than the chart, in points.
// Lines are wrapped, titles of panels are cut, legends and the panel beside the rows move below, and
// plots become narrower, but not narrower than leastPlot. Letters keep their
// size.
func (s Spec) Fit(width float64) Spec {
	if l := s.layout(); l.width <= width {
		return s
	}

	s.lineWidth = width - 2*margin
	rows := slices.Clone(s.Rows)
	if s.Beside != nil {
		rows, s.Beside = append(rows, []Panel{*s.Beside}), nil
	}
	for i, row := range rows {
		rows[i] = slices.Clone(row)
		for j := range row {
			p := &rows[i][j]
			p.LegendBelow = true
			p.Title = shorten(p.Title, s.lineWidth-measure(p.prepare()).left)
		}
	}
	s.Rows = rows

	excess := s.layout().width - width
	for _, row := range rows {
		for j := range row {
			if row[j].X.Bands == nil && !row[j].X.Hidden && excess > 0 {
				row[j].Width = max(row[j].Width-excess/float64(len(row)), leastPlot)
			}
		}
	}
	return s
}

// shorten cuts the title of a panel to a width.
func shorten(title string, wide float64) string {
	for letters := words.Width(title); letters > 1 && textWidth(title, subtitleText, true) > wide; letters-- {
		title = words.Shorten(title, letters)
	}
	return title
}

// leastPlot is the width of the narrowest plot that Fit makes.
const leastPlot = 160.0

// Words returns a panel that is a table. All columns have equally many cells.
// The titles have the colours of the columns.
func Words(title string, columns []WordColumn) Panel {
	const gap = 14.0
	p := Panel{Title: title, X: Axis{Hidden: true}, Y: Axis{Hidden: true, Bands: []string{""}}}
	for i, c := range columns {
		texts := Layer{Mark: Text, Colour: Soft, Bold: i > 0}
		head := Layer{Mark: Text, Colour: c.Colour, Bold: true, Data: []Datum{{X: p.Width, Text: c.Title}}}
		wide := textWidth(c.Title, smallText, true)
		for row, cell := range c.Cells {
			texts.Data = append(texts.Data, Datum{X: p.Width, Y: float64(row + 1), Text: cell})
			wide = max(wide, textWidth(cell, smallText, true))
			if i == 0 {
				p.Y.Bands = append(p.Y.Bands, cell)
			}
		}
		p.Layers = append(p.Layers, head, texts)
		p.Width += wide + gap
	}
	p.X.High = p.Width
	return p
}

// WordColumn is a column of a table for [Words].
type WordColumn struct {
	Title  string
	Colour RGB
	Cells  []string
}

// prepare returns the panel with its height, names and scales.
func (p Panel) prepare() Panel {
	if p.Height == 0 {
		p.Height = bandStep * float64(max(len(p.Y.Bands), 1))
	}

	p.X.Bands, p.Y.Bands = unique(p.X.Bands), unique(p.Y.Bands)
	p.X = p.X.fit(p, func(d Datum) [2]float64 { return [2]float64{d.X, d.X2} })
	p.Y = p.Y.fit(p, func(d Datum) [2]float64 { return [2]float64{d.Y, d.Y2} })

	if p.Title != "" && p.Y.Log {
		p.Title += logScale
	} else if p.Y.Log {
		p.Y.Title = strings.TrimSpace(p.Y.Title + logScale)
	}
	if p.X.Log {
		p.X.Title = strings.TrimSpace(p.X.Title + logScale)
	}
	return p
}

// unique makes names plain and numbers repeated or empty ones, because names
// are the positions of an axis. nil stays nil.
func unique(names []string) (list []string) {
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

// pageWidth limits the width of lines of text.
const pageWidth = 640.0

// wrapAll wraps each line to a width, and drops empty ones.
func wrapAll(lines []string, wide float64) (list []string) {
	for _, line := range lines {
		list = append(list, wrap(words.Plain(line), wide)...)
	}
	return list
}

// wrap breaks a line between words if it exceeds a width. A longer word, with
// what follows it, stays on one line. An empty line becomes nil.
func wrap(line string, wide float64) (list []string) {
	for textWidth(line, subtitleText, false) > wide {
		cut := 0
		for i, r := range line {
			if r == ' ' && textWidth(line[:i], subtitleText, false) <= wide {
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

// fit returns the axis with ends that contain all marks. If the axis already
// has ends, it keeps them. ends returns the two positions of a mark along the
// axis. A logarithmic axis becomes linear if it has no positive values, or if
// they span less than a factor of five.
func (a Axis) fit(p Panel, ends func(Datum) [2]float64) Axis {
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
			for i, v := range ends(d) {
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

// courses returns the lines of a layer, each as the indices of its points. A
// value that isn't finite interrupts a line.
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

// seriesOf returns the series of a mark. If the mark has none, seriesOf returns
// a series with the layer's colour.
func (p Panel) seriesOf(l Layer, d Datum) Series {
	if i := slices.IndexFunc(p.Series, func(s Series) bool { return s.Name == d.Series }); i >= 0 {
		return p.Series[i]
	}
	return Series{Colour: l.Colour}
}

// legend returns the series that the panel's legend lists. It returns nil if
// the panel has no legend.
func (p Panel) legend() []Series {
	if p.NoLegend || p.Named {
		return nil
	}
	return p.Series
}

func (p Panel) hasLegend() bool { return len(p.legend()) > 0 }

// fonts parses the fonts once, when the first picture is drawn.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// lettering returns the font of all texts. size is in points.
func lettering(size float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightNormal, Size: vg.Length(size)}
	if bold {
		f.Weight = stdfont.WeightBold
	}
	return f
}

// textWidth returns the width of a text in points.
func textWidth(s string, size float64, bold bool) float64 {
	f := lettering(size, bold)
	face := fonts().Lookup(f, f.Size)
	return float64(face.Width(s))
}
