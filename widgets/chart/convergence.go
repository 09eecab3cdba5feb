package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// ConvergenceRequest is the history that Convergence draws.
func ConvergenceRequest() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"entropy", "unique_rows", "tau", "sharpness"}, Selectors: true}
}

// Convergence draws how the selection formed: for every selector a line over the epochs, its largest probability in P, in the colour of the
// feature that leads it, which that has from its first 0.1 on, and grey before. A small dot is a change of leader, a large one where the selector
// settled; at the right stands who leads at the end, once for all selectors that it leads, in the order in which they settled. Below are the entropy, the number of different
// leaders, and temperature and sharpness.
//
// A history without a look at P gives a picture that says so.
func Convergence(h session.History) (Picture, error) {
	c := convergenceOf(h)
	p, err := Drawn(c.scene(), true, c.text(40, 40), c.title+": "+c.summary()+".")
	return p.Fitting(func(columns int, _ bool) string {
		const rest = 58
		return c.text(min(40, max(8, (columns-rest)/2+8)), min(40, max(8, columns-rest)))
	}), err
}

// convergence is a figure under the courses of the selectors.
type convergence struct {
	figure
	formation
}

// The geometry of the picture, in points.
const (
	courseHeight = 230.0
	courseLabel  = 13.0 // from one name to the next
	courseReach  = 26.0 // from the plot to the names
	mostBold     = 24   // lines of full width; more would cover each other
	settleRadius = 3.8
)

// bold is how much thinner lines and small dots are where there are many.
func (c convergence) bold() float64 {
	if len(c.courses) > mostBold {
		return 0.65
	}
	return 1
}

func (c convergence) changeRadius() float64 { return 1.7 * c.bold() }

func convergenceOf(h session.History) convergence {
	c := convergence{formation: formationOf(h.Selectors)}
	k := float64(max(len(c.courses), 1))
	shown := h
	shown.Curves = map[string]session.Curve{}
	for _, metric := range ConvergenceRequest().Metrics {
		if curve, ok := h.Curves[metric]; ok {
			shown.Curves[metric] = curve
		}
	}
	c.figure = figureOf(shown, []panel{
		{title: "Entropy of P, bits, mean over selectors", height: 50,
			curves: []curve{{metric: "entropy", label: "entropy", colour: scene.Soft, width: 1.6}}},
		{title: "Different leaders", height: 50, y: axis.Linear(0, k*1.08, 2),
			curves: []curve{{metric: "unique_rows", label: "different leaders", colour: scene.Soft, width: 1.6}}},
		{title: "Temperature τ and sharpness σ", height: 50, y: axis.Axis{Log: true}, curves: []curve{
			{metric: "tau", label: "τ", colour: scene.Purple, width: 1.6}, {metric: "sharpness", label: "σ", colour: scene.Orange, width: 1.6}}},
	})
	c.title = "Convergence of " + words.Plain(h.Session)
	return c
}

func (c convergence) scene() *scene.Scene {
	s := &scene.Scene{Width: plotLeft + plotWidth + 3*scene.Margin}
	s.Heading(c.title, c.subtitle, c.summary())
	s.Height = 60 + laneHeight*float64(c.lanes)
	c.drawWords(s, s.Height)
	if len(c.courses) == 0 {
		c.drawPanels(s)
		return s
	}
	s.Height += panelTitle
	p := panel{title: "Largest probability in P of each selector (settled from 0.9)",
		height: max(courseHeight, courseLabel*float64(len(c.groups))), y: shares(5), threshold: settledFrom}
	p.frame(s, s.Height)
	c.drawKey(s, s.Height-11)
	c.drawEpochs(s, p.height)
	for _, coloured := range []bool{false, true} {
		for _, course := range c.courses {
			c.drawCourse(s, p, course, coloured)
		}
	}
	for _, course := range c.courses {
		c.drawMarks(s, p, course)
	}
	c.drawLeaders(s, p)
	c.drawRules(s, p.height)
	s.Height += p.height + panelBelow
	c.drawPanels(s)
	return s
}

// drawKey says what the marks mean.
func (c convergence) drawKey(s *scene.Scene, y float64) {
	x := plotLeft + plotWidth
	for _, k := range []struct {
		word   string
		radius float64
	}{{"settled", settleRadius}, {"another leader", c.changeRadius()}} {
		s.Text(x, y+4, k.word, scene.Small(1, 0))
		x -= scene.TextWidth(k.word, scene.SmallText, false) + 8
		s.Dot(x, y, k.radius, scene.Soft)
		x -= 14
	}
	title := "leader (selectors)"
	if c.settled() > 0 {
		title += ", as settled"
	}
	s.TextInside(plotLeft+plotWidth+courseReach, y+4, title, scene.Small(0, 0))
}

func (c convergence) place(course course, i int, p panel, top float64) [2]float64 {
	return [2]float64{plotLeft + c.along(float64(course.steps[i])/c.perEpoch), top + p.down(course.values[i])}
}

// drawCourse draws the pieces of a line that have a colour, or the others; a piece begins where the one before ends.
func (c convergence) drawCourse(s *scene.Scene, p panel, course course, coloured bool) {
	for from := 0; from < len(course.steps)-1; {
		to, colour := from+1, c.at(course, from+1)
		for to+1 < len(course.steps) && c.at(course, to+1) == colour {
			to++
		}
		if (colour != scene.Pale) != coloured {
			from = to
			continue
		}
		piece := scene.Stroke{Colour: colour, Width: 1.6 * c.bold()}
		if !coloured {
			piece.Width = c.bold()
		}
		for i := from; i <= to; i++ {
			piece.Points = append(piece.Points, c.place(course, i, p, s.Height))
			facts := c.about(course, i)
			if piece.Facts == nil {
				piece.Facts = facts
				continue
			}
			for k := range facts {
				piece.Facts[k].Values = append(piece.Facts[k].Values, facts[k].Values...)
			}
		}
		s.Add(piece)
		from = to
	}
	if len(course.steps) == 1 && coloured {
		at := c.place(course, 0, p, s.Height)
		s.Dot(at[0], at[1], c.changeRadius(), c.at(course, 0), c.about(course, 0)...)
	}
}

// at is the colour of a line at a look.
func (c convergence) at(course course, i int) scene.RGB {
	return c.colour(course.leaders[i], course.steps[i])
}

// about is what is said of a selector at a look.
func (c convergence) about(course course, i int) []scene.Fact {
	return append(c.facts(course.steps[i], "selector", course.selector),
		scene.About("leader", c.names[course.leaders[i]], "probability", scene.Rounded(course.values[i]))...)
}

// drawMarks sets a dot at each change of leader, and where it settled.
func (c convergence) drawMarks(s *scene.Scene, p panel, course course) {
	for _, i := range course.changes() {
		at := c.place(course, i, p, s.Height)
		s.Dot(at[0], at[1], c.changeRadius(), c.at(course, i),
			append(c.about(course, i), scene.About("instead of", c.names[course.leaders[i-1]])...)...)
	}
	if i := course.settled; i >= 0 {
		at := c.place(course, i, p, s.Height)
		s.Dot(at[0], at[1], settleRadius, c.at(course, i), append(c.about(course, i), scene.About("mark", "settled")...)...)
	}
}

// drawLeaders names who leads at the end beside the plot, with its colour: in the order in which they settled, as the large dots stand from
// left to right, then by the lines' ends. A thin line leads to a name from an end that lies apart from the others, if it is near or one of duplicates.
func (c convergence) drawLeaders(s *scene.Scene, p panel) {
	groups := slices.Clone(c.groups)
	slices.SortStableFunc(groups, func(a, b leaderGroup) int { return cmp.Or(a.settled-b.settled, cmp.Compare(b.highest, a.highest)) })
	var wished []float64
	for _, g := range groups {
		wished = append(wished, s.Height+p.down(g.highest))
	}
	for i, y := range apart(wished, courseLabel, s.Height+4, s.Height+p.height-2) {
		g, x := groups[i], plotLeft+plotWidth+courseReach
		for _, k := range g.selectors {
			course := c.courses[slices.IndexFunc(c.courses, func(o course) bool { return o.selector == k })]
			at := c.place(course, len(course.steps)-1, p, s.Height)
			near := len(g.selectors) > 1 || math.Abs(at[1]-y) < 3*courseLabel
			if near && !slices.ContainsFunc(groups, func(o leaderGroup) bool { // or it were a fan that nobody can follow
				return o.feature != g.feature && math.Abs(s.Height+p.down(o.highest)-at[1]) < 1
			}) {
				s.Line(at[0]+2, at[1], x, y, c.colour(g.feature, math.MaxInt), 0.6, 0)
			}
		}
		s.Line(x, y, x+8, y, c.colour(g.feature, math.MaxInt), 2.4, 0)
		x += 12
		text := fmt.Sprintf("%s (%s)", g.name(c.formation), listed(g.selectors))
		s.TextInside(x, y, text, scene.Lettering{Size: scene.SmallText, Colour: scene.Ink, V: 0.5})
	}
}

// apart moves sorted places as little as it must so that they lie a distance apart, within limits as far as there is room.
func apart(wished []float64, distance, low, high float64) []float64 {
	places := slices.Clone(wished)
	for i := range places {
		least := low
		if i > 0 {
			least = places[i-1] + distance
		}
		places[i] = max(places[i], least)
	}
	for i := len(places) - 1; i >= 0; i-- {
		most := high
		if i+1 < len(places) {
			most = places[i+1] - distance
		}
		places[i] = min(places[i], most)
	}
	return places
}

// text is a line a selector: its course, what leads it, since when it is settled, and how often its leader changed.
func (c convergence) text(length, names int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", c.title, c.subtitle, c.summary())
	if len(c.courses) == 0 {
		return b.String()
	}
	t := table.Table{{Title: "selector", Right: true}, {Title: "largest probability"}, {Title: "last", Right: true},
		{Title: "leader", Name: true}, {Title: "changes", Right: true}, {Title: "settled"}}
	for _, course := range c.courses {
		settled := ""
		if i := course.settled; i >= 0 {
			settled = c.unit + " " + words.Number(float64(course.steps[i])/c.perEpoch)
		}
		name := c.names[course.leader()]
		for _, g := range c.groups {
			if g.feature == course.leader() && len(g.selectors) > 1 {
				name = "= " + name
			}
		}
		t.Add(fmt.Sprint(course.selector), words.Sparkline(course.values, length, 0, 1), words.Chance(course.last()), name,
			fmt.Sprint(len(course.changes())), settled)
	}
	b.WriteString(t.Text(0, names))
	c.events(&b)
	return b.String()
}
