package spec

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// PixelsPerPoint is the resolution of a PNG. It is crisp on screens of high
// density.
const PixelsPerPoint = 2

// Distances on a page, in points.
const (
	margin      = 8.0
	headingTop  = 18.0
	headingLine = 15.0
	panelTitle  = 20.0
	panelGap    = 18.0
	legendGap   = 14.0
	legendLine  = 15.0
	swatch      = 12.0 // of a legend
	scaleHeight = 96.0 // of a heat map's colours in the legend
	scalePieces = 64   // of scaleHeight, each in one colour
	longName    = 34   // a legend with a name of more letters is below the plot
)

// Size returns the width and the height of the chart, in points.
func (s Spec) Size() (width, height int) {
	l := s.layout()
	return int(l.width), int(l.height)
}

// PNG renders the chart on white paper, with two pixels per point.
func (s Spec) PNG() ([]byte, error) {
	img := s.paint()
	flat := image.NewPaletted(img.Bounds(), s.palette(img))

	known := map[[4]uint8]uint8{}
	var last [4]uint8
	index := uint8(flat.Palette.Index(color.RGBA{}))
	for i := range flat.Pix { // neither image has gaps between lines
		if c := [4]uint8(img.Pix[4*i : 4*i+4]); c != last {
			last = c
			var ok bool
			if index, ok = known[c]; !ok {
				index = uint8(flat.Palette.Index(color.RGBA{c[0], c[1], c[2], c[3]}))
				known[c] = index
			}
		}
		flat.Pix[i] = index
	}

	var b bytes.Buffer
	err := png.Encode(&b, flat)
	return b.Bytes(), err
}

// palette returns at most 256 colours: the categories, the greys of letters,
// the scale of a heat map, and the most frequent other colours of a picture. It
// makes the PNG, which every saved notebook carries, four times smaller. Only
// shades of soft edges are lost.
func (s Spec) palette(img *image.RGBA) color.Palette {
	times := map[[4]uint8]int{}
	for from := 0; from < len(img.Pix); { // runs of one colour
		c, to := [4]uint8(img.Pix[from:from+4]), from+4
		for to < len(img.Pix) && [4]uint8(img.Pix[to:to+4]) == c {
			to += 4
		}
		times[c] += to - from
		from = to
	}

	var all [][4]uint8
	for c := range times {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b [4]uint8) int { return cmp.Or(times[b]-times[a], bytes.Compare(a[:], b[:])) })

	const greys = 24
	needed := categories()
	for i := range greys {
		needed = append(needed, blend(Ink, Paper, float64(i)/(greys-1)))
	}
	if scale := s.scale(); scale != nil {
		for i := range scalePieces {
			needed = append(needed, scale.At(scale.value((float64(i)+0.5)/scalePieces)))
		}
	}

	var p color.Palette
	for _, c := range needed {
		r, g, b := c.Parts()
		p = append(p, color.RGBA{uint8(r), uint8(g), uint8(b), 0xff})
	}

	for _, c := range all[:min(len(all), 256-len(p))] {
		p = append(p, color.RGBA{c[0], c[1], c[2], c[3]})
	}
	return p
}

// scale returns the colours of the first heat map, or nil.
func (s Spec) scale() *Colours {
	for _, p := range slices.Concat(s.Rows...) {
		if g := p.grid(); g != nil {
			return &g.Colours
		}
	}
	return nil
}

// paint draws the chart on white paper.
func (s Spec) paint() *image.RGBA {
	l := s.layout()
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(l.width), vg.Length(l.height)), vgimg.UseDPI(72*PixelsPerPoint))
	l.draw(c)
	return c.Image().(*image.RGBA) // vgimg always returns this type
}

// layout places the panels of a chart.
type layout struct {
	Spec
	width, height float64
	places        [][]place
}

// place is a panel's position from the page's upper left corner, with margins
// for axes and words.
type place struct {
	Panel
	plot                     *plot.Plot
	x, y                     float64 // of the plot
	left, right, top, bottom float64
	beside, above            float64 // right and top, including the title
	legendWidth              float64 // width to the right of the plot
}

// layout prepares the chart and places panels in columns. Plots of a column
// start at the same horizontal position, and plots of a row at the same height.
// The page is as wide as its widest line or row.
func (s Spec) layout() layout {
	l := layout{Spec: s.prepare()}
	y := headingTop + headingLine*float64(len(l.Subtitle)) + 12
	for _, line := range append(l.Subtitle, l.Below...) {
		l.widen(textWidth(line, subtitleText, false))
	}
	l.widen(textWidth(l.Title, titleText, true))

	// These hold, for each column, the widest left margin, and the widest plot
	// with its right margin.
	var columns, widths []float64
	for _, row := range l.Rows {
		places := make([]place, len(row))
		for i, p := range row {
			places[i] = measure(p)
			if i == len(columns) {
				columns, widths = append(columns, 0), append(widths, 0)
			}
			columns[i], widths[i] = max(columns[i], places[i].left), max(widths[i], p.Width+places[i].beside)
			if i < len(row)-1 {
				widths[i] = max(widths[i], p.Width+places[i].beside+places[i].legendWidth)
			}
		}
		l.places = append(l.places, places)
	}

	edge, first := 0.0, 0.0 // the right end of the rows, and the top of the first plot
	for i, row := range l.places {
		x, top, bottom, below := margin, 0.0, 0.0, 0.0
		for i := range row {
			p := &row[i]
			x += columns[i]
			p.x = x
			edge = max(edge, x+p.Width+p.beside+p.legendWidth)
			l.widen(edge - margin)
			x += widths[i] + panelGap
			top = max(top, p.above)
			bottom = max(bottom, p.Height+p.bottom, p.legendHeight())
			if p.legendBelow() {
				below += legendLine * float64(len(p.legend()))
				for _, s := range p.legend() {
					l.widen(swatch + 6 + textWidth(s.Name, smallText, false))
				}
			}
		}

		y += top
		for j := range row {
			row[j].y = y
		}
		if i == 0 {
			first = y
		}
		y += bottom + below + 10
	}

	if l.Beside != nil {
		p := measure(*l.Beside)
		p.x, p.y = edge+2*panelGap+p.left, first
		l.places[0] = append(l.places[0], p)
		l.widen(p.x + p.Width + p.beside - margin)
		y = max(y, p.y+p.Height+p.bottom+10)
	}

	l.height = math.Ceil(y + headingLine*float64(len(l.Below)))
	l.width = math.Ceil(l.width)
	return l
}

// widen makes the page wide enough for width points between its margins.
func (l *layout) widen(width float64) { l.width = max(l.width, width+2*margin) }

// legendBelow reports whether the legend is below the plot, because the panel
// says so or a name is too long for a legend next to it.
func (p Panel) legendBelow() bool {
	return p.LegendBelow || slices.ContainsFunc(p.legend(), func(s Series) bool { return len([]rune(s.Name)) > longName })
}

// grid returns the first heat map of a panel, or nil.
func (p Panel) grid() *Grid {
	for _, l := range p.Layers {
		if l.Grid != nil {
			return l.Grid
		}
	}
	return nil
}

// measure determines a panel's margins and, if its legend is to the right, the
// width of the legend.
func measure(p Panel) place {
	m := place{Panel: p, plot: p.plot()}

	const large = 2000
	whole := vgdraw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: large, Y: large}}}
	inside := m.plot.DataCanvas(whole)
	m.left, m.right = float64(inside.Min.X), large-float64(inside.Max.X)
	m.bottom, m.top = float64(inside.Min.Y), large-float64(inside.Max.Y)

	m.beside, m.above = max(m.right, 4), m.top

	if p.Title != "" {
		m.beside, m.above = max(m.beside, textWidth(p.Title, subtitleText, true)-p.Width), m.top+panelTitle
	}

	if p.hasLegend() && !p.legendBelow() {
		m.legendWidth = textWidth(p.Legend, smallText, true)
		for _, s := range p.legend() {
			m.legendWidth = max(m.legendWidth, swatch+6+textWidth(s.Name, smallText, false))
		}
	}

	if g := p.grid(); g != nil && !p.NoLegend {
		m.legendWidth = max(m.legendWidth, textWidth(g.Quantity, smallText, true), 40)
	}

	if m.legendWidth > 0 {
		m.legendWidth += legendGap
	}
	return m
}

// plot returns axes, grid and marks of the panel for gonum/plot. drawLegend
// draws title and legend.
func (p Panel) plot() *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	lines := plotter.NewGrid()
	lines.Vertical, lines.Horizontal = vgdraw.LineStyle{}, vgdraw.LineStyle{}
	for _, axis := range []struct {
		scale  Axis
		to     *plot.Axis
		lines  *vgdraw.LineStyle
		length float64
	}{{p.X, &g.X, &lines.Vertical, p.Width}, {p.Y, &g.Y, &lines.Horizontal, p.Height}} {

		upright := axis.to == &g.Y
		ticks := axis.scale.ticks(axis.length, upright)
		a := axis.to
		a.Min, a.Max, a.Padding = axis.scale.Low, axis.scale.High, 3
		a.Tick.Marker, a.Tick.Length = plot.ConstantTicks(ticks), 0
		a.Width = 0
		if axis.scale.Hidden {
			a.Padding = 0
		}

		a.Label.Text, a.Label.Padding = axis.scale.Title, 3
		for _, style := range []*text.Style{&a.Label.TextStyle, &a.Tick.Label} {
			style.Font, style.Color = lettering(smallText, false), Soft
		}

		if axis.scale.Bands == nil && !axis.scale.Hidden {
			*axis.lines = vgdraw.LineStyle{Color: Faint, Width: 0.5}
		}
		if axis.scale.Bands != nil && axis.scale.Title == "" {
			a.Tick.Label.Color = Ink
		}

		switch {
		case axis.scale.Log:
			a.Scale = plot.LogScale{}
		case axis.scale.Bands != nil && upright:
			a.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
		case axis.scale.Bands != nil && slanted(ticks, axis.length):
			a.Tick.Label.Rotation, a.Tick.Label.XAlign, a.Tick.Label.YAlign = math.Pi*7/18, vgdraw.XRight, vgdraw.YCenter
			a.Padding = 7
		}
	}

	g.Add(lines)
	for _, l := range p.Layers {
		g.Add(marks{p, l})
	}
	return g
}

// slanted reports whether the names below an axis don't fit next to each other.
func slanted(ticks []plot.Tick, length float64) bool {
	widest := 0.0
	for _, t := range ticks {
		widest = max(widest, textWidth(t.Label, smallText, false))
	}
	return len(ticks) > 0 && widest+6 > length/float64(len(ticks))
}

// draw paints the page, without a background.
func (l layout) draw(to vg.CanvasSizer) {
	c := vgdraw.New(to)
	page := writer{c, l.height}

	page.write(margin, headingTop, l.Title, titleText, true, Ink, 0)
	for i, line := range l.Subtitle {
		page.write(margin, headingTop+headingLine*float64(i+1)+1, line, subtitleText, false, Soft, 0)
	}

	for _, row := range l.places {
		for _, p := range row {
			page.write(p.x, p.y-p.top-8, p.Title, subtitleText, true, Soft, 0)
			area := c
			area.Min = page.at(p.x-p.left, p.y+p.Height+p.bottom)
			area.Max = page.at(p.x+p.Width+p.right, p.y-p.top)
			p.plot.Draw(area)
			p.drawLegend(page)
		}
	}

	for i, line := range l.Below {
		page.write(margin, l.height-margin-headingLine*float64(len(l.Below)-1-i), line, subtitleText, false, Soft, 0)
	}
}

// writer writes on a page. Positions count from the page's upper left corner.
type writer struct {
	vgdraw.Canvas
	height float64
}

func (w writer) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(w.height - y)}
}

// write writes words at the baseline y. With align 0 they start at x, and with
// 1 they end there. It does nothing if words is empty.
func (w writer) write(x, y float64, words string, size float64, bold bool, colour RGB, align float64) {
	if words != "" {
		w.FillText(textStyle(size, bold, colour, align), w.at(x, y), words)
	}
}

func (w writer) box(x, y, width, height float64, colour RGB) {
	fill(w.Canvas, w.at(x, y), w.at(x+width, y+height), colour)
}

func textStyle(size float64, bold bool, colour RGB, align float64) text.Style {
	return text.Style{Font: lettering(size, bold), Color: colour, XAlign: vgdraw.XAlignment(-align), Handler: text.Plain{Fonts: font.DefaultCache}}
}

// fill paints a rectangle with its edges at whole pixels, so that they are
// sharp.
func fill(c vgdraw.Canvas, a, b vg.Point, colour color.Color) {
	snap := func(v vg.Length) vg.Length { return vg.Length(math.Round(float64(v)*PixelsPerPoint) / PixelsPerPoint) }
	x0, y0, x1, y1 := snap(a.X), snap(a.Y), snap(b.X), snap(b.Y)
	c.FillPolygon(colour, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// scaleHeight returns the height of a heat map's colours in the legend.
func (p Panel) scaleHeight() float64 { return min(scaleHeight, max(p.Height-10, scaleHeight/2)) }

// legendHeight returns the height of what is to the right of the plot: a heat
// map's colours and, unless it is below, the legend. It returns 0 if there is
// neither.
func (p Panel) legendHeight() (high float64) {
	if p.NoLegend {
		return 0
	}
	if p.grid() != nil {
		high += p.scaleHeight() + 30
	}
	if n := len(p.legend()); n > 0 && !p.legendBelow() {
		high += legendLine * float64(n+1)
	}
	return high
}

// drawLegend places a heat map's colours to the right of the plot, and the
// legend below them. If names are long, the legend is below the plot. It draws
// nothing if another panel has the legend.
func (p place) drawLegend(w writer) {
	if p.NoLegend {
		return
	}

	x, y := p.x+p.Width+p.beside+legendGap, p.y+8

	if g := p.grid(); g != nil {
		w.write(x, y, g.Quantity, smallText, true, Soft, 0)
		high := p.scaleHeight()
		for i := range scalePieces {
			share := 1 - (float64(i)+0.5)/scalePieces
			w.box(x, y+6+high*float64(i)/scalePieces, swatch, high/scalePieces+0.5, g.Colours.At(g.Colours.value(share)))
		}

		scale := Axis{Low: g.Colours.Low, High: g.Colours.High, Log: g.Colours.Log}
		for _, t := range scale.ticks(min(high, 140), true) {
			w.write(x+swatch+5, y+9.5+high*(1-g.Colours.share(t.Value)), t.Label, smallText, false, Soft, 0)
		}
		y += high + 26
	}

	if !p.hasLegend() {
		return
	}

	if p.legendBelow() {
		x, y = margin, p.y+p.Height+p.bottom+10
	} else if p.Legend != "" {
		w.write(x, y, p.Legend, smallText, true, Soft, 0)
		y += legendLine
	}

	for _, s := range p.legend() {
		switch last := p.legend()[len(p.legend())-1]; {
		case last.Shape != Circle:
			w.SetColor(s.Colour)
			w.Fill(s.Shape.path(w.at(x+swatch/2, y-3.5), 4))
		case last.Dash > 0:
			from, to := w.at(x-6, y-3.5), w.at(x+swatch+2, y-3.5)
			w.StrokeLine2(dashed(vgdraw.LineStyle{Color: s.Colour, Width: 1.8}, s), from.X, from.Y, to.X, to.Y)
		default:
			w.box(x, y-6, swatch, 5, s.Colour)
		}
		w.write(x+swatch+6, y, s.Name, smallText, false, Ink, 0)
		y += legendLine
	}
}
