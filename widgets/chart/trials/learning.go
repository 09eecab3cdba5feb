package trials

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
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
				names, seen[line.Name] = append(names, line.Name), true
			}
		}
	}
	return names
}

func learningText(l Learning) string {
	var b strings.Builder
	fmt.Fprintln(&b, l.Title)
	for _, p := range l.Panels {
		fmt.Fprintln(&b, p.Title)
		var all []float64
		for _, line := range p.Lines {
			all = append(all, line.Y...)
		}
		for _, line := range p.Lines {
			if n := len(line.Y); n > 0 {
				end := words.Number(line.Y[n-1])
				if line.Spread != nil {
					end += " ± " + words.Number(line.Spread[n-1])
				}
				fmt.Fprintf(&b, "  %s %s at the end %s\n", words.Pad(words.Plain(line.Name), 34), words.Sparkline(line.Y, 30, all...), end)
			}
		}
	}
	return b.String()
}

// The geometry of the chart, in points.
const (
	learningWide = 250.0
	learningHigh = 130.0
	learningTop  = 62.0
	learningLeft = 46.0
	learningGapX = 56.0
	learningGapY = 62.0
)

// LearningChart draws the panels, two in a row.
func LearningChart(l Learning) (chart.Picture, error) {
	return chart.Drawn(learningScene(l), false, learningText(l), fmt.Sprintf("%s: %s.", l.Title, count.Of(len(l.Panels), "panel")))
}

func learningScene(l Learning) *scene.Scene {
	s := &scene.Scene{Width: learningLeft + 2*learningWide + learningGapX + 20}
	s.Heading(l.Title, l.subtitle())
	colour := map[string]scene.RGB{}
	for i, name := range l.names() {
		colour[name] = scene.Category(i)
	}
	rows := (len(l.Panels) + 1) / 2
	for i, p := range l.Panels {
		x := learningLeft + float64(i%2)*(learningWide+learningGapX)
		p.draw(s, x, learningTop+float64(i/2)*(learningHigh+learningGapY), colour)
	}
	s.Height = learningTop + float64(rows)*(learningHigh+learningGapY)
	for _, name := range l.names() {
		s.Rect(scene.Margin, s.Height-8, 12, 4, colour[name])
		text := words.Shorten(words.Plain(name), 70)
		s.TextInside(scene.Margin+18, s.Height-6, text, scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, V: 0.5})
		s.Height += 15
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

func (p LearningPanel) draw(s *scene.Scene, x, y float64, colour map[string]scene.RGB) {
	across, up := p.axes()
	s.Text(x, y-8, words.Plain(p.Title), scene.Lettering{Size: scene.SmallText, Bold: true, Colour: scene.Ink})
	atX := func(v float64) float64 { return x + learningWide*across.Within(v) }
	atY := func(v float64) float64 { return y + learningHigh*(1-up.Within(v)) }
	for _, v := range up.Ticks {
		s.Line(x, atY(v), x+learningWide, atY(v), scene.Faint, 0.5, 0)
		s.Text(x-5, atY(v), axis.Label(v), scene.Small(1, 0.5))
	}
	for _, v := range across.Ticks {
		s.Text(atX(v), y+learningHigh+13, axis.Label(v), scene.Small(0.5, 0))
	}
	s.Text(x+learningWide/2, y+learningHigh+27, "epoch", scene.Small(0.5, 0))
	s.Line(x, y+learningHigh, x+learningWide, y+learningHigh, scene.Soft, 0.8, 0)
	for _, line := range p.Lines {
		n := len(line.X)
		if n == 0 {
			continue
		}
		if n > 1 {
			points := make([][2]float64, n)
			for i := range points {
				points[i] = [2]float64{atX(line.X[i]), atY(line.Y[i])}
			}
			s.Add(scene.Stroke{Points: points, Colour: colour[line.Name], Width: 1.5})
			if line.Spread != nil {
				for _, side := range []float64{-1, 1} {
					edge := make([][2]float64, n)
					for i := range edge {
						edge[i] = [2]float64{points[i][0], atY(line.Y[i] + side*line.Spread[i])}
					}
					s.Add(scene.Stroke{Points: edge, Colour: colour[line.Name], Width: 1, Faded: true})
				}
			}
		}
		s.Dot(atX(line.X[n-1]), atY(line.Y[n-1]), 3, colour[line.Name],
			scene.About("line", words.Plain(line.Name), "epoch", line.X[n-1], "at the end", scene.Rounded(line.Y[n-1]))...)
	}
}

// axes hold all points.
func (p LearningPanel) axes() (across, up axis.Axis) {
	right, low, high := 1.0, math.Inf(1), math.Inf(-1)
	for _, line := range p.Lines {
		for i, v := range line.Y {
			spread := 0.0
			if line.Spread != nil {
				spread = line.Spread[i]
			}
			right, low, high = max(right, line.X[i]), min(low, v-spread), max(high, v+spread)
		}
	}
	if !(high >= low) {
		low, high = 0, 1
	}
	room := max(0.04*(high-low), 1e-3)
	return axis.Linear(0, right, 5), axis.Linear(low-room, high+room, 5)
}
