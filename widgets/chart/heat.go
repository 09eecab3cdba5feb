package chart

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/session"
)

// heat describes a heat map: what every renderer draws, in words, numbers and points.
type heat struct {
	title    string
	subtitle []string
	quantity string // what a value is
	rows     []heatRow
	columns  []heatColumn
	values   [][]float64 // rows × columns
	leftOut  bool        // whether the rows know the mass not shown

	columnWidth, rowHeight float64
}

type heatRow struct {
	selector int
	leader   int     // column of the largest value
	best     float64 // its value
	leftOut  float64
}

type heatColumn struct {
	name     string
	label    string // what it is called in the picture: the name, shortened, and unique
	index    int
	labelled bool
}

// The geometry that renderers share, in points.
const (
	heatWidth     = 400.0 // of the columns at most
	heatHeight    = 460.0 // of the rows at most, where that leaves each smallestRow
	widestColumn  = 28.0
	tallestRow    = 24.0
	smallestRow   = 9.0
	smallestLabel = 10.0 // where columns are narrower, not all are named
	labelLength   = 18   // characters of a feature's name
	labelAngle    = 60
	othersWidth   = 36.0 // of the bars for the mass in all other features
	legendWidth   = 200.0
	legendHeight  = 8.0
	cellGap       = 1.0 // between cells
	gapless       = 6.0 // cells smaller than this have none
	smallText     = 10.0
	subtitleText  = 11.0
	titleText     = 14.0
)

// What stands over the parts beside the heat map.
const (
	othersHeading = "in others"
	leaderHeading = "leader"
	rowHeading    = "selector"
)

// legendTicks are the powers of ten of the scale.
func legendTicks() []float64 { return []float64{heatFloor, 1e-3, 1e-2, 1e-1, 1} }

func heatOf(m session.Matrix) heat {
	d := heat{
		values:      m.Values,
		leftOut:     m.LeftOut != nil,
		columnWidth: wholePixels(min(widestColumn, heatWidth/float64(len(m.Names)))),
		rowHeight:   wholePixels(max(smallestRow, min(tallestRow, heatHeight/float64(len(m.Values))))),
		quantity:    "probability",
	}
	d.columns = heatColumns(m)
	d.rows = heatRows(m)
	d.thinLabels()
	d.describe(m)
	return d
}

func heatRows(m session.Matrix) []heatRow {
	rows := make([]heatRow, len(m.Values))
	for i, values := range m.Values {
		r := heatRow{selector: m.Selectors[i]}
		for j, v := range values {
			if v > values[r.leader] {
				r.leader = j
			}
		}
		r.best = values[r.leader]
		if m.LeftOut != nil {
			r.leftOut = m.LeftOut[i]
		}
		rows[i] = r
	}
	return rows
}

// thinLabels chooses which columns are named where there is no room for all: leaders first, then as many as fit.
func (d *heat) thinLabels() {
	free := func(j int) bool {
		for k := range d.columns {
			if d.columns[k].labelled && abs(j-k)*d.columnWidth < smallestLabel {
				return false
			}
		}
		return true
	}
	for _, r := range d.rows {
		if free(r.leader) {
			d.columns[r.leader].labelled = true
		}
	}
	for j := range d.columns {
		if free(j) {
			d.columns[j].labelled = true
		}
	}
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
	return max(1, math.Floor(points*pixelsPerPoint)) / pixelsPerPoint
}

// leader is the feature that stands right of a row.
func (d heat) leader(r heatRow) heatColumn { return d.columns[r.leader] }

func abs(n int) float64 { return float64(max(n, -n)) }

// describe writes the title and the caption: which matrix, when, and what is not shown.
func (d *heat) describe(m session.Matrix) {
	letter, what := "P", "P: probability, no temperature or noise"
	switch m.Of {
	case "sample":
		letter, what = "M", "M: sample at τ = "+number(m.Tau)+", with noise"
	case "soft":
		letter, what = "soft", "soft: softmax at τ = "+number(m.Tau)+", no noise"
	}
	if m.Of == "sample" || m.Of == "soft" {
		d.quantity = "weight"
	}
	d.title = fmt.Sprintf("Selection matrix %s of %s", letter, plain(m.Session))
	when := fmt.Sprintf("step %d · epoch %s", m.Step, number(m.Epoch))
	if letter == "P" {
		when += " · τ = " + number(m.Tau)
	}
	shown := fmt.Sprintf("%d of %s", len(m.Names), counted(m.D, "feature"))
	if m.LeftOut != nil {
		sum, most := 0.0, 0.0
		for _, v := range m.LeftOut {
			sum, most = sum+v, max(most, v)
		}
		shown += fmt.Sprintf(" shown; the others hold %s of the mass", percent(sum/float64(len(m.LeftOut))))
		if len(m.LeftOut) > 1 {
			shown += fmt.Sprintf(", at most %s in a row", percent(most))
		}
	}
	d.subtitle = []string{what + " · " + when, shown}
}

// legend says what the colours mean.
func (d heat) legend() string { return d.quantity + " (log scale)" }

// width and height are those of all cells, without a gap after the last.
func (d heat) width() float64  { return d.columnWidth*float64(len(d.columns)) - gap(d.columnWidth) }
func (d heat) height() float64 { return d.rowHeight*float64(len(d.rows)) - gap(d.rowHeight) }

// rowText is the size of what is written beside a row.
func (d heat) rowText() float64 { return min(smallText, d.rowHeight) }

// alt is the picture in one sentence.
func (d heat) alt() string {
	certain := 0
	for _, r := range d.rows {
		if r.best >= 0.9 {
			certain++
		}
	}
	return fmt.Sprintf("%s, %s: %s, in %d of them one feature has at least 0.9.", d.title, d.subtitle[0], counted(len(d.rows), "row"), certain)
}
