package chart

import (
	"slices"

	"fsnetlab/fsnet/session"
)

// interval is a piece of a lane, in points from the left edge of the plot.
type interval struct{ from, to float64 }

// addRules places events on the axis and their labels in lanes above the panels, so that no two overlap. What opened the session is
// where the axis begins and needs no rule.
func (f *figure) addRules(events []session.Event) {
	taken := make([][]interval, mostLanes)
	for _, e := range events {
		at := float64(e.Step) / f.perEpoch
		if e.Kind == "open" || at < f.from || at > f.to {
			continue
		}
		r := rule{step: e.Step, at: at, text: plain(e.Text)}
		if r.text == "" {
			r.text = plain(e.Kind)
		}
		f.place(&r, taken)
		f.rules = append(f.rules, r)
	}
	for i := range f.rules {
		r := &f.rules[i]
		x := f.x(r.at)
		for r.foot = r.lane; r.foot > 0; r.foot-- {
			if slices.ContainsFunc(taken[r.foot-1], func(o interval) bool { return o.from < x && x < o.to }) {
				break
			}
		}
	}
}

// place gives a label the lowest lane with room for it.
func (f *figure) place(r *rule, taken [][]interval) {
	short := shorten(r.text, ruleLength)
	x, width := f.x(r.at), textWidth(short, smallText, false)+10
	span := interval{x, x + width}
	if span.to > plotWidth+margin {
		r.left, span = true, interval{x - width, x}
	}
	for lane := range taken {
		if !slices.ContainsFunc(taken[lane], func(o interval) bool { return span.from < o.to && o.from < span.to }) {
			taken[lane] = append(taken[lane], span)
			r.label, r.lane = short, lane
			f.lanes = max(f.lanes, lane+1)
			return
		}
	}
}

// x is where a value of the axis stands in a plot, in points from its left edge.
func (f figure) x(at float64) float64 { return (at - f.from) / (f.to - f.from) * plotWidth }
