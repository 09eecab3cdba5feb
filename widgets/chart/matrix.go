package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// Matrix draws a selection matrix as a heat map: a row a selector, a column a feature, in the order given, coloured from 0 to 1 on one
// scale at every step, so that two pictures can be compared. Beside each row stand the mass in the columns not shown and its leader.
//
// Errors: kind Failed for a matrix without rows or columns, of uneven shape, or with a value that is not a number.
func Matrix(m session.Matrix) (Picture, error) {
	if err := checkMatrix(m); err != nil {
		return Picture{}, err
	}
	d := heatOf(m)
	p, err := Drawn(d.scene(), true, d.text(40), d.alt())
	p.terminal = func(columns int, _ bool) string { return d.text(min(40, max(8, columns-31))) }
	return p, err
}
func checkMatrix(m session.Matrix) error {
	const remedy = "step the session first; if that does not help, open it again"
	rows, columns := len(m.Values), len(m.Names)
	if rows == 0 || columns == 0 {
		return fault.New(fault.Failed, remedy, "the selection matrix of %s is empty: %s, %s", m.Session, count.Of(rows, "row"),
			count.Of(columns, "column"))
	}
	if len(m.Selectors) != rows || len(m.Index) != columns || (m.LeftOut != nil && len(m.LeftOut) != rows) {
		return fault.New(fault.Failed, remedy, "the selection matrix of %s has %s, %d selectors and %d masses left out, %s and %d indices",
			m.Session, count.Of(rows, "row"), len(m.Selectors), len(m.LeftOut), count.Of(columns, "column"), len(m.Index))
	}
	for i, row := range m.Values {
		if len(row) != columns {
			return fault.New(fault.Failed, remedy, "row %d of the selection matrix of %s has %s of %d", i, m.Session,
				count.Of(len(row), "value"), columns)
		}
		for j, v := range row {
			if !words.Finite(v) {
				return notFinite(m, fmt.Sprintf("feature %s", m.Names[j]), i, v)
			}
		}
		if m.LeftOut != nil && !words.Finite(m.LeftOut[i]) {
			return notFinite(m, "the mass left out", i, m.LeftOut[i])
		}
	}
	return nil
}

func notFinite(m session.Matrix, what string, row int, v float64) error {
	return fault.New(fault.Failed, "open it again with a lower learning_rate or selector_learning_rate",
		"the selection matrix of %s at step %d is %s for selector %d, %s", m.Session, m.Step, words.Number(v), m.Selectors[row], what)
}

// heat is a heat map: a grid of cells, with words and numbers around it.
type heat struct {
	session.Matrix
	title    string
	subtitle []string
	quantity string   // what a value is
	leaders  []int    // the column of each row's largest value of all, or -1 where that is not shown
	labels   []string // of the columns: their names, shortened, and unique
	labelled []bool   // which of them have room

	columnWidth, rowHeight float64
}

// The geometry of a heat map, in points.
const (
	heatTop       = 98.0
	heatLeft      = 44.0
	heatWidth     = 400.0 // of the columns at most
	heatHeight    = 460.0 // of the rows at most, where that leaves each smallestRow
	widestColumn  = 28.0
	tallestRow    = 24.0
	smallestRow   = 9.0
	smallestLabel = 12.0 // where columns are narrower, not all are named
	labelLength   = 18   // characters of a feature's name
	labelAngle    = 70.0
	othersWidth   = 36.0 // of the bars for the mass in all other features
	leaderIndent  = 26.0 // of the leader's name after its probability
	legendWidth   = 200.0
	legendTop     = 60.0
	legendHeight  = 8.0
	cellGap       = 1.0 // between cells
	gapless       = 6.0 // cells smaller than this have none
)

func heatOf(m session.Matrix) heat {
	d := heat{
		Matrix:      m,
		quantity:    "probability",
		labels:      columnLabels(m),
		labelled:    make([]bool, len(m.Names)),
		columnWidth: wholePixels(min(widestColumn, heatWidth/float64(len(m.Names)))),
		rowHeight:   wholePixels(max(smallestRow, min(tallestRow, heatHeight/float64(len(m.Values))))),
	}
	for i := range m.Values {
		d.leaders = append(d.leaders, leading(m, i))
	}
	for _, j := range d.leaders { // where there is no room for all names, those of leaders come first
		if j >= 0 {
			d.label(j)
		}
	}
	for j := range d.labels {
		d.label(j)
	}
	d.describe()
	return d
}

// columnLabels gives each feature a label that fits and that no other has: where two are called the same, or begin the same for as long
// as there is room, the column of the file is added.
func columnLabels(m session.Matrix) []string {
	labels, count := make([]string, len(m.Names)), map[string]int{}
	for j, name := range m.Names {
		labels[j] = words.Shorten(words.Plain(name), labelLength)
		count[labels[j]]++
	}
	used := map[string]bool{}
	for j, name := range m.Names {
		ending := func(s string) string {
			return words.Shorten(words.Plain(name), max(2, labelLength-utf8.RuneCountInString(s))) + s
		}
		if labels[j] == "" || count[labels[j]] > 1 {
			labels[j] = ending(fmt.Sprintf("#%d", m.Index[j]))
		}
		for n := 2; used[labels[j]]; n++ { // the same column twice
			labels[j] = ending(fmt.Sprintf("#%d/%d", m.Index[j], n))
		}
		used[labels[j]] = true
	}
	return labels
}

// label has a column named, where that leaves the names room.
func (d heat) label(j int) {
	for k, labelled := range d.labelled {
		if labelled && math.Abs(float64(j-k))*d.columnWidth < smallestLabel {
			return
		}
	}
	d.labelled[j] = true
}

// gap is the distance between cells of this size.
func gap(size float64) float64 {
	if size < gapless {
		return 0
	}
	return cellGap
}

// wholePixels rounds a length down so that equal cells look equal.
func wholePixels(points float64) float64 {
	return max(1, math.Floor(points*scene.PixelsPerPoint)) / scene.PixelsPerPoint
}

// describe writes the title and the caption: which matrix, when, and what is not shown.
func (d *heat) describe() {
	letter, what := "P", "P: probability, no temperature or noise"
	switch d.Of {
	case "sample":
		letter, what, d.quantity = "M", "M: sample at τ = "+words.Number(d.Tau)+", with noise", "weight"
	case "soft":
		letter, what, d.quantity = "soft", "soft: softmax at τ = "+words.Number(d.Tau)+", no noise", "weight"
	}
	d.title = fmt.Sprintf("Selection matrix %s of %s", letter, words.Plain(d.Session))
	when := fmt.Sprintf("step %d · epoch %s", d.Step, words.Number(d.Epoch))
	if letter == "P" {
		when += " · τ = " + words.Number(d.Tau)
	}
	shown := fmt.Sprintf("%d of %s", len(d.Names), count.Of(d.D, "feature"))
	if d.LeftOut != nil {
		sum := 0.0
		for _, mass := range d.LeftOut {
			sum += mass
		}
		shown += fmt.Sprintf(" shown; the others hold %s of the mass", words.Percent(sum/float64(len(d.LeftOut))))
		if len(d.LeftOut) > 1 {
			shown += fmt.Sprintf(", %s in the row where they hold most", words.Percent(slices.Max(d.LeftOut)))
		}
	}
	d.subtitle = []string{what + " · " + when, shown}
}

// alt is the picture in one sentence.
func (d heat) alt() string {
	certain := 0
	for i := range d.Values {
		if d.best(i) >= 0.9 {
			certain++
		}
	}
	return fmt.Sprintf("%s, %s: %s, in %d of them one feature has at least 0.9.", d.title, d.subtitle[0], count.Of(len(d.Values), "row"),
		certain)
}

// text lists the leader of each selector, its name in so many characters.
func (d heat) text(length int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.title, strings.Join(d.subtitle, "\n"))
	for i, selector := range d.Selectors {
		fmt.Fprintf(&b, "selector %3d  %s %s  %s\n", selector, words.Bar(d.best(i), 10), words.Chance(d.best(i)), d.leaderText(i, length))
	}
	return b.String()
}

func (d heat) scene() *scene.Scene {
	s := &scene.Scene{}
	s.Heading(d.title, d.subtitle...)
	g := scene.Grid{X: heatLeft, Y: heatTop, StepX: d.columnWidth, StepY: d.rowHeight, GapX: gap(d.columnWidth), GapY: gap(d.rowHeight),
		Columns: d.Index, Selectors: d.Selectors, Values: d.Values, Quantity: d.quantity}
	longest, slant := 0.0, labelAngle*math.Pi/180
	for _, name := range d.Names {
		g.Features = append(g.Features, words.Plain(name))
	}
	for j, text := range d.labels { // a slanted name reaches to the left of its column
		if d.labelled[j] {
			w := scene.TextWidth(text, scene.SmallText, false)
			longest = max(longest, w)
			g.X = max(g.X, scene.Margin+8+w*math.Cos(slant)-(float64(j)+0.5)*d.columnWidth)
		}
	}
	last := g.Cell(len(d.Values)-1, len(d.labels)-1)
	right, bottom := last.X+last.W+12, last.Y+last.H
	s.Height = bottom + longest*math.Sin(slant) + 20
	s.Add(g)
	d.drawLegend(s, g.X)
	d.drawChosen(s, g)
	for j, text := range d.labels {
		if d.labelled[j] {
			s.Text(g.X+d.columnWidth*(float64(j)+0.5)+1, bottom+7, text, scene.Lettering{Size: scene.SmallText, Colour: scene.Soft, H: 1,
				V: 0.5, Angle: labelAngle})
		}
	}
	s.Text(g.X-28, (g.Y+bottom)/2, "selector", scene.Lettering{Size: scene.SmallText, Colour: scene.Soft, H: 0.5, Angle: 90})
	s.Text(g.X-5, bottom+11, "feature", scene.Small(1, 0))
	leaders := right
	if d.LeftOut != nil {
		s.Text(right, g.Y-6, "in others", scene.Small(0, 0))
		leaders += othersWidth + 10
	}
	s.TextInside(leaders, g.Y-6, "leader", scene.Small(0, 0))
	for i, selector := range d.Selectors {
		beside := scene.Lettering{Size: min(scene.SmallText, d.rowHeight), Colour: scene.Soft, V: 0.5}
		cell, name := g.Cell(i, 0), d.leader(i)
		middle := cell.Y + cell.H/2
		s.Text(leaders, middle, words.Chance(d.best(i)), beside)
		if got := d.got(i); got >= 0 && got != d.leaders[i] {
			name += " → " + d.labels[got]
		}
		s.Text(leaders+leaderIndent, middle, name, beside)
		s.Widen(leaders + leaderIndent + scene.TextWidth(name, scene.SmallText, false))
		beside.H = 1
		s.Text(g.X-5, middle, strconv.Itoa(selector), beside)
		if d.LeftOut != nil {
			facts := scene.About("selector", selector, "mass in all other features", scene.Rounded(d.LeftOut[i]))
			s.Rect(right, middle-d.rowHeight/4, othersWidth, d.rowHeight/2, scene.Faint, facts...)
			s.Rect(right, middle-d.rowHeight/4, othersWidth*d.LeftOut[i], d.rowHeight/2, scene.Pale, facts...)
		}
	}
	return s
}

// drawLegend sets the colours over the first columns, with their meaning.
func (d heat) drawLegend(s *scene.Scene, x float64) {
	const pieces = 100
	for i := range pieces {
		s.Rect(x+legendWidth/pieces*float64(i), legendTop, legendWidth/pieces, legendHeight, scene.Viridis((float64(i)+0.5)/pieces))
	}
	s.Text(x+legendWidth+8, legendTop+legendHeight, d.quantity+" (log scale)", scene.Small(0, 0))
	s.Widen(x + legendWidth)
	ticks := []float64{scene.HeatFloor, 1e-3, 1e-2, 1e-1, 1}
	for i, tick := range ticks {
		align := 0.5
		if i == 0 || i == len(ticks)-1 { // the ends stay over the colours
			align = float64(min(i, 1))
		}
		s.Text(x+legendWidth*float64(i)/float64(len(ticks)-1), legendTop+legendHeight+11, words.Number(tick), scene.Small(align, 0))
	}
}
