package chart

import (
	"fmt"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Learning is figures over the epochs of trainings, in panels.
type Learning struct {
	Title  string
	Panels []LearningPanel
}

// LearningPanel is one of them.
type LearningPanel struct {
	Title string
	Lines []LearningLine
}

// LearningLine is one figure; a line of one point is a level that is reached at the end.
type LearningLine struct {
	Name   string
	X, Y   []float64 // of equal lengths
	Spread []float64 // standard deviation at each point, of which a band is drawn to both sides; nil: none
}

// names are those of all lines, each once.
func (l Learning) names() (names []string) {
	seen := map[string]bool{}
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if !seen[line.Name] {
				names, seen[line.Name] = append(names, words.Plain(line.Name)), true
			}
		}
	}
	return names
}

// LearningChart draws the panels, two in a row.
func LearningChart(l Learning) (Picture, error) {
	return Drawn(learningSpec(l), false, "")
}

func learningSpec(l Learning) spec.Spec {
	s := spec.Spec{Title: l.Title, Subtitle: []string{l.subtitle()}, Alt: fmt.Sprintf("%s: %s.", l.Title, count.Of(len(l.Panels), "panel"))}
	var series []spec.Series
	for i, name := range l.names() {
		series = append(series, spec.Series{Name: name, Colour: spec.Category(i)})
	}
	for i, p := range l.Panels {
		if i%2 == 0 {
			s.Rows = append(s.Rows, nil)
		}
		at := len(s.Rows) - 1
		s.Rows[at] = append(s.Rows[at], p.spec(series, i < len(l.Panels)-1))
	}
	return s
}

// subtitle says what marks are.
func (l Learning) subtitle() string {
	text := "a dot is what is reached at the end"
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if line.Spread != nil {
				return text + "; pale: one standard deviation to either side"
			}
		}
	}
	return text
}

func (p LearningPanel) spec(series []spec.Series, silent bool) spec.Panel {
	lines := spec.Layer{Mark: spec.Line, Tips: []string{"line", "epoch", "value"}}
	band := spec.Layer{Mark: spec.Area, Opacity: spec.Faded}
	ends := spec.Layer{Mark: spec.Point, Size: 3, Tips: []string{"line", "epoch", "at the end"}}
	panel := spec.Panel{Title: words.Plain(p.Title), Width: 250, Height: 130, X: spec.Axis{Title: "epoch"}, Series: series, NoLegend: silent}
	for _, line := range p.Lines {
		name := words.Plain(line.Name)
		for i, y := range line.Y {
			d := spec.Datum{X: line.X[i], Y: y, Series: name, Tips: []any{name, line.X[i], spec.Rounded(y)}}
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
	panel.Layers = []spec.Layer{band, lines, ends}
	return panel
}
