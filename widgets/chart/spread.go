package chart

import (
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// ComparedSpread is a mean over splits with its standard deviation and 95 % interval.
type ComparedSpread struct {
	Mean float64  `json:"mean"`
	SD   float64  `json:"sd"`
	Low  *float64 `json:"low"` // nil of one split, as High: there is no interval
	High *float64 `json:"high"`
}

// interval is what there is to draw from: the mean alone where there is no interval.
func (s ComparedSpread) interval() (low, high float64, ok bool) {
	if s.Low == nil || s.High == nil {
		return s.Mean, s.Mean, false
	}
	return *s.Low, *s.High, true
}

// estimate is the mark of a spread in a band; what lies below the least is not written.
func (s ComparedSpread) estimate(band int, name string, least, most float64) estimate {
	low, high, ok := s.interval()
	e := estimate{band: band, mean: s.Mean, low: low, high: high, tips: []any{name, words.Fixed(s.Mean, 3), "–", "–"}}
	if ok {
		e.tips[2], e.tips[3] = words.Fixed(max(low, least), 3), words.Fixed(min(high, most), 3)
	}
	return e
}

// estimate is a mean with what is drawn about it, in a band of one axis, along the other.
type estimate struct {
	band            int
	mean, low, high float64
	series          string
	tips            []any
}

// estimates draws a point for each mean, over a line from its lower to its upper end. A line that goes on beyond the end of the axis, where
// accuracies and R² end, has a tip there.
func estimates(list []estimate, along spec.Axis, upright bool, tips ...string) []spec.Layer {
	rules := spec.Layer{Mark: spec.Rule, Colour: spec.Blue, Tips: tips}
	points := spec.Layer{Mark: spec.Point, Colour: spec.Blue, Tips: tips}
	cut := spec.Layer{Mark: spec.Text, Colour: spec.Blue, Bold: true, Shift: -2}
	turn := func(d spec.Datum) spec.Datum {
		if upright {
			d.X, d.Y, d.X2, d.Y2 = d.Y, d.X, d.Y2, d.X2
		}
		return d
	}
	tip := "►"
	if upright {
		tip, cut.Shift = "▲", -4
	}
	for _, e := range list {
		band := float64(e.band)
		inside := func(v float64) float64 { return min(max(v, along.Low), 1) }
		if e.high > e.low {
			rules.Data = append(rules.Data, turn(spec.Datum{X: inside(e.low), Y: band, X2: inside(e.high), Y2: band, Series: e.series, Tips: e.tips}))
		}
		points.Data = append(points.Data, turn(spec.Datum{X: inside(e.mean), Y: band, Series: e.series, Tips: e.tips}))
		if e.high > 1 {
			cut.Data = append(cut.Data, turn(spec.Datum{X: 1, Y: band, Text: tip, Series: e.series}))
		}
	}
	return []spec.Layer{rules, points, cut}
}

// within is an axis for figures that end at 1, with room for the points at its ends; figures below the least are not reached.
func within(title string, low, high, least float64) spec.Axis {
	if low > high {
		low, high = 0, 1
	}
	low, high = max(low, least), min(high, 1)
	room := max(0.04*(high-low), 0.01)
	return spec.Axis{Title: title, Low: low - room, High: high + room}
}
