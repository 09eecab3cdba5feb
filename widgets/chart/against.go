package chart

import (
	"fmt"
	"math"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
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

// Against draws a line for each figure: a dot with its 95 % interval where it was measured, and an upright bar where the published one is.
func Against(m Measured) (Picture, error) {
	return Drawn(measuredSpec(m), false, measuredText(m))
}

func measuredText(m Measured) string {
	t := Table{{Title: "data"}, {Title: "figure"}, {Title: "measured", Right: true}, {Title: "published", Right: true}}
	for _, l := range m.Lines {
		row := []string{l.Group, l.Name, l.Measured.text(), "-"}
		if l.Published != nil {
			row[3] = words.Fixed(*l.Published, 3)
		}
		t.Add(row...)
	}
	return m.Title + "\n" + t.Text(0, 0) + measuredSummary(m) + "\n"
}

// measuredWidth is that of the chart, in points.
const measuredWidth = 330.0

// measuredSpec has a panel for each group, all along one axis.
func measuredSpec(m Measured) spec.Spec {
	s := spec.Spec{Title: m.Title, Subtitle: []string{measuredSummary(m), "dot: measured, with its 95 % interval; bar: published"},
		Alt: m.Title + ": " + measuredSummary(m) + ".", Linked: true}
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range m.Lines {
		if l.Measured != nil {
			from, to, _ := l.Measured.interval()
			low, high = min(low, from), max(high, to)
		}
		if l.Published != nil {
			low, high = min(low, *l.Published), max(high, *l.Published)
		}
	}
	along := spec.Axis{Low: 0, High: 1}
	if high >= low {
		room := max(0.05*(high-low), 1e-3)
		along = spec.Axis{Low: low - room, High: high + room}
	}
	for from := 0; from < len(m.Lines); {
		to := from + 1
		for to < len(m.Lines) && m.Lines[to].Group == m.Lines[from].Group {
			to++
		}
		s.Rows = append(s.Rows, []spec.Panel{measuredPanel(m.Lines[from:to], along)})
		from = to
	}
	if n := len(s.Rows); n > 0 {
		s.Rows[n-1][0].X.Title = m.Unit
	}
	return s
}

func measuredPanel(lines []MeasuredLine, along spec.Axis) spec.Panel {
	p := spec.Panel{Title: lines[0].Group, Width: measuredWidth, X: along}
	published := spec.Layer{Mark: spec.Tick, Colour: spec.Vermillion, Size: 2.5, Tips: []string{"figure", "published"}}
	var list []estimate
	for i, l := range lines {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(words.Plain(l.Name), 48))
		if l.Published != nil {
			published.Data = append(published.Data, spec.Datum{X: *l.Published, Y: float64(i),
				Tips: []any{words.Plain(l.Name), words.Fixed(*l.Published, 3)}})
		}
		if l.Measured != nil {
			list = append(list, l.Measured.estimate(i, words.Plain(l.Name), math.Inf(-1), math.Inf(1)))
		}
	}
	p.Layers = append([]spec.Layer{published}, estimates(list, along, false, "figure", "mean", "from", "to")...)
	return p
}
