package trials

import (
	"fmt"
	"math"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Measured is figures beside those that somebody published.
type Measured struct {
	Title string
	Unit  string // of the figures: what the axis says
	Lines []MeasuredLine
}

// MeasuredLine is one figure. Without a measured one, or a published one, there is nothing of it but its name.
type MeasuredLine struct {
	Group, Name string
	Measured    *ComparedSpread
	Published   *float64
}

func measuredSummary(m Measured) string {
	both, inside := 0, 0
	for _, l := range m.Lines {
		if l.Measured != nil && l.Published != nil {
			if low, high, ok := l.Measured.interval(); ok {
				if both++; low <= *l.Published && *l.Published <= high {
					inside++
				}
			}
		}
	}
	if both == 0 {
		return count.Of(len(m.Lines), "figure") + ", none of them beside a published one"
	}
	lie := "lie"
	if inside == 1 {
		lie = "lies"
	}
	return fmt.Sprintf("%d of %s %s inside the interval of ours", inside, count.Of(both, "published figure"), lie)
}

func measuredText(m Measured) string {
	t := table.Table{{Title: "data"}, {Title: "figure"}, {Title: "measured", Right: true}, {Title: "published", Right: true}}
	for _, l := range m.Lines {
		row := []string{l.Group, l.Name, l.Measured.text(), "-"}
		if l.Published != nil {
			row[3] = words.Fixed(*l.Published, 3)
		}
		t.Add(row...)
	}
	return m.Title + "\n" + t.Text(0, 0) + measuredSummary(m) + "\n"
}

// The geometry of the chart, in points.
const (
	measuredRow  = 17.0
	measuredTop  = 72.0
	measuredWide = 330.0
)

// Against draws a line for each figure: a dot with its 95 % interval where it was measured, and an upright bar where the published one is.
func Against(m Measured) (chart.Picture, error) {
	return chart.Drawn(measuredScene(m), false, measuredText(m), m.Title+": "+measuredSummary(m)+".")
}

func (m Measured) axis() axis.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range m.Lines {
		if s := l.Measured; s != nil {
			from, to, _ := s.interval()
			low, high = min(low, from), max(high, to)
		}
		if l.Published != nil {
			low, high = min(low, *l.Published), max(high, *l.Published)
		}
	}
	if !(high >= low) {
		return axis.Linear(0, 1, 5)
	}
	room := max(0.05*(high-low), 1e-3)
	return axis.Linear(low-room, high+room, 6)
}

func measuredScene(m Measured) *scene.Scene {
	label := func(l MeasuredLine) string { return words.Shorten(words.Plain(l.Name), 48) }
	left := 80.0
	for _, l := range m.Lines {
		left = max(left, scene.TextWidth(label(l), scene.SmallText, false)+scene.Margin+24, scene.TextWidth(l.Group, scene.SmallText,
			true)+2*scene.Margin)
	}
	s := &scene.Scene{Width: left + measuredWide + 4*scene.Margin}
	s.Heading(m.Title, measuredSummary(m), "dot: measured, with its 95 % interval; bar: published")
	scale, y, group := m.axis(), measuredTop, ""
	at := func(v float64) float64 { return left + measuredWide*scale.Within(v) }
	type placed struct {
		MeasuredLine
		y float64
	}
	var lines []placed
	var heads []placed
	for i, l := range m.Lines {
		if i == 0 || l.Group != group {
			group = l.Group
			heads = append(heads, placed{l, y + measuredRow/2})
			y += measuredRow
		}
		lines = append(lines, placed{l, y + measuredRow/2})
		y += measuredRow
	}
	for _, v := range scale.Ticks {
		s.Line(at(v), measuredTop, at(v), y, scene.Faint, 0.5, 0)
		s.Text(at(v), y+14, axis.Label(v), scene.Small(0.5, 0))
	}
	s.Text(left+measuredWide/2, y+28, m.Unit, scene.Small(0.5, 0))
	s.Widen(left + (measuredWide+scene.TextWidth(m.Unit, scene.SmallText, false))/2)
	for _, h := range heads {
		s.Text(scene.Margin, h.y, h.Group, scene.Lettering{Size: scene.SmallText, Bold: true, Colour: scene.Ink, V: 0.5})
	}
	for _, l := range lines {
		s.Text(left-8, l.y, label(l.MeasuredLine), scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, H: 1, V: 0.5})
		if p := l.Published; p != nil {
			s.Rect(at(*p)-1.25, l.y-6, 2.5, 12, scene.Vermillion, scene.About("figure", l.Group+", "+words.Plain(l.Name), "published", *p)...)
		}
		if a := l.Measured; a != nil {
			facts := a.facts(math.Inf(-1), math.Inf(1), "figure", l.Group+", "+words.Plain(l.Name))
			if low, high, ok := a.interval(); ok {
				s.Line(at(low), l.y, at(high), l.y, scene.Blue, 1.5, 0, facts...)
			}
			s.Dot(at(a.Mean), l.y, 3.5, scene.Blue, facts...)
		}
	}
	s.Height = y + 36
	return s
}
