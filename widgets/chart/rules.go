package chart

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// rule is an event: a vertical line with words.
type rule struct {
	step  int
	at    float64 // on the axis
	text  string
	label string // shortened; "" where there is no room
	lane  int    // 0 is next to the panels
	foot  int    // the lowest lane that the line goes through without crossing another label
	left  bool   // whether the label ends at the line instead of beginning there
}

const (
	laneHeight = 14.0
	mostLanes  = 4
	ruleLength = 40  // characters of an event's label
	ruleDash   = 3.0 // of its line
)

// interval is a piece of a lane, in points from the left edge of the plot.
type interval struct{ from, to float64 }

// addRules places events on the axis and their labels in lanes above the panels, so that no two overlap. What opened the session is
// where the axis begins and needs no rule.
func (f *figure) addRules(events []session.Event) {
	taken := make([][]interval, mostLanes)
	for _, e := range events {
		at := float64(e.Step) / f.perEpoch
		if e.Kind == "open" || at < f.x.Low || at > f.x.High {
			continue
		}
		r := rule{step: e.Step, at: at, text: cmp.Or(words.Plain(e.Text), words.Plain(e.Kind))}
		f.place(&r, taken)
		f.rules = append(f.rules, r)
	}
	for i := range f.rules {
		r := &f.rules[i]
		x := f.along(r.at)
		for r.foot = r.lane; r.foot > 0; r.foot-- {
			if slices.ContainsFunc(taken[r.foot-1], func(o interval) bool { return o.from < x && x < o.to }) {
				break
			}
		}
	}
}

// place gives a label the lowest lane with room for it.
func (f *figure) place(r *rule, taken [][]interval) {
	short := words.Shorten(r.text, ruleLength)
	x, width := f.along(r.at), scene.TextWidth(short, scene.SmallText, false)+10
	span := interval{x, x + width}
	if span.to > plotWidth+scene.Margin {
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
	f.hidden++
}

// drawWords sets the events' words in their lanes above the panels, each beside a piece of its rule.
func (f figure) drawWords(s *scene.Scene, bottom float64) {
	for _, r := range f.rules {
		if r.label == "" {
			continue
		}
		x, y := plotLeft+f.along(r.at), bottom-laneHeight*float64(r.lane)
		l, dx := scene.Lettering{Size: scene.SmallText, Colour: scene.Ink}, 4.0
		if r.left {
			l.H, dx = 1, -4
		}
		s.Text(x+dx, y, r.label, l)
		s.Line(x, y-10, x, bottom-laneHeight*float64(r.foot)+4, scene.Soft, 0.8, ruleDash, f.facts(r.step, "event", r.text)...)
	}
}
