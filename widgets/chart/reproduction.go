package chart

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Measured compares measured scores with published ones.
type Measured struct {
	Title string
	Unit  string // of the scores; the title of the axis
	Lines []MeasuredLine
}

// MeasuredLine is one score. If it has neither a measured nor a published
// score, only its name is shown.
type MeasuredLine struct {
	Group, Name string
	Measured    *metric.Spread
	Published   *float64
}

// Against draws a line for each score: a dot with its 95 % interval if it was
// measured, and an upright bar at the published value.
func Against(m Measured) (Picture, error) {
	return draw(measuredSpec(m), false, 0, fixed(measuredText(m))), nil
}

// measuredSummary counts the published figures inside our intervals, among
// lines that have both. If no line has both, it says so.
func measuredSummary(m Measured) string {
	both, inside, lie := 0, 0, "lie"
	for _, l := range m.Lines {
		if l.Measured != nil && l.Published != nil {
			if low, high, ok := l.Measured.Interval(); ok {
				if both++; low <= *l.Published && *l.Published <= high {
					inside++
				}
			}
		}
	}

	if both == 0 {
		return phrase.Count(len(m.Lines), "figure") + ", none of them beside a published one"
	}

	if inside == 1 {
		lie = "lies"
	}
	return fmt.Sprintf("%d of %s %s inside the interval of ours", inside, phrase.Count(both, "published figure"), lie)
}

// measuredText lists measured and published scores, one line each, with the
// summary below.
func measuredText(m Measured) string {
	t := words.Table{{Title: "data"}, {Title: "figure"}, {Title: "measured", Right: true}, {Title: "published", Right: true}}
	for _, l := range m.Lines {
		published := "-"
		if l.Published != nil {
			published = words.Fixed(*l.Published, 3)
		}
		t.Add(l.Group, l.Name, spreadText(l.Measured), published)
	}
	return m.Title + "\n" + t.Text(0, 0) + measuredSummary(m) + "\n"
}

// measuredSpec draws a panel for each run of lines with the same group. All
// panels have the same horizontal range.
func measuredSpec(m Measured) spec.Spec {
	s := spec.Spec{Title: m.Title, Subtitle: []string{measuredSummary(m), "dot: measured, with its 95 % interval; bar: published"},
		Alt: m.Title + ": " + measuredSummary(m) + ".", Linked: true}

	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range m.Lines {
		if l.Measured != nil {
			e := spreadEstimate(l.Measured, 0, "", 0, 0)
			low, high = min(low, e.low), max(high, e.high)
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

	for from, to := 0, 0; from < len(m.Lines); from = to {
		for to < len(m.Lines) && m.Lines[to].Group == m.Lines[from].Group {
			to++
		}
		s.Rows = append(s.Rows, []spec.Panel{measuredPanel(m.Lines[from:to], along)})
	}

	if n := len(s.Rows); n > 0 {
		s.Rows[n-1][0].X.Title = m.Unit
	}
	return s
}

// measuredPanel draws the lines of one group along the axis of all groups.
// There must be at least one line.
func measuredPanel(lines []MeasuredLine, along spec.Axis) spec.Panel {
	p := spec.Panel{Title: lines[0].Group, Width: 330, X: along}
	published := spec.Layer{Mark: spec.Tick, Colour: spec.Vermillion, Size: 2.5, Tips: []string{"figure", "published"}}
	var list []estimate

	for i, l := range lines {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(words.Plain(l.Name), 48))
		if l.Published != nil {
			published.Data = append(published.Data, spec.Datum{X: *l.Published, Y: float64(i),
				Tips: []any{words.Plain(l.Name), words.Fixed(*l.Published, 3)}})
		}
		if l.Measured != nil {
			list = append(list, spreadEstimate(l.Measured, i, words.Plain(l.Name), math.Inf(-1), math.Inf(1)))
		}
	}

	p.Layers = append([]spec.Layer{published}, estimates(list, along, false, "figure", "mean", "from", "to")...)
	return p
}

// Learning shows scores over the epochs of trainings, in panels.
type Learning struct {
	Title  string
	Panels []LearningPanel
}

// LearningPanel is one panel of Learning.
type LearningPanel struct {
	Title string
	Lines []LearningLine
}

// LearningLine is one score. A line of one point is a level that is reached at
// the end.
type LearningLine struct {
	Name   string
	X, Y   []float64 // of equal lengths
	Spread []float64 // standard deviation at each point, drawn as a band on both sides; nil for no band
}

// LearningChart draws the panels, two in a row.
func LearningChart(l Learning) (Picture, error) { return draw(learningSpec(l), false, 0, nil), nil }

// learningSpec draws the panels, two in a row. A name has the same colour in
// all panels, and the last panel has the legend.
func learningSpec(l Learning) spec.Spec {
	s := spec.Spec{Title: l.Title, Subtitle: []string{"a dot is what is reached at the end"},
		Alt: fmt.Sprintf("%s: %s.", l.Title, phrase.Count(len(l.Panels), "panel"))}

	var series []spec.Series
	spread := false
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			name := words.Plain(line.Name)
			if !slices.ContainsFunc(series, func(s spec.Series) bool { return s.Name == name }) {
				series = append(series, spec.Series{Name: name, Colour: spec.Category(len(series))})
			}
			spread = spread || line.Spread != nil
		}
	}

	if spread {
		s.Subtitle[0] += "; pale: one standard deviation to either side"
	}

	for i, p := range l.Panels {
		panel := p.spec()
		panel.Series, panel.NoLegend = series, i < len(l.Panels)-1

		if i%2 == 0 {
			s.Rows = append(s.Rows, nil)
		}
		s.Rows[i/2] = append(s.Rows[i/2], panel)
	}
	return s
}

// spec draws each line with a dot at its end, over its band. A line of one
// point is a dot.
func (p LearningPanel) spec() spec.Panel {
	lines := spec.Layer{Mark: spec.Line, Tips: []string{"line", "epoch", "value"}}
	band := spec.Layer{Mark: spec.Area, Opacity: spec.Faded}
	ends := spec.Layer{Mark: spec.Point, Size: 3, Tips: []string{"line", "epoch", "at the end"}}
	for _, line := range p.Lines {
		name := words.Plain(line.Name)
		for i, y := range line.Y {
			d := spec.Datum{X: line.X[i], Y: y, Series: name, Tips: []any{name, line.X[i], spec.Round(y)}}
			if len(line.Y) > 1 {
				lines.Data = append(lines.Data, d)
			}
			if i == len(line.Y)-1 {
				ends.Data = append(ends.Data, d)
			}
			if line.Spread != nil {
				d.Y, d.Y2, d.Tips = y-line.Spread[i], y+line.Spread[i], nil
				band.Data = append(band.Data, d)
			}
		}
	}
	return spec.Panel{Title: words.Plain(p.Title), Width: 250, Height: 130, X: spec.Axis{Title: "epoch"}, Layers: []spec.Layer{band, lines, ends}}
}
