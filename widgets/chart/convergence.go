package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// ConvergenceRequest is the history that Convergence draws.
func ConvergenceRequest() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"entropy", "unique_rows", "tau", "sharpness"}, Selectors: true}
}

// Convergence draws how the selection formed: for every selector a lane over the epochs in the colour of the feature that leads it, the
// stronger the more probable it is, and below a line, its largest probability in P, in that colour, which a feature has from its first 0.1
// on, and grey before. A small dot is a change of leader, a large one where the
// selector settled; the legend names who leads at the end, once for all selectors that it leads, in the order in which they settled. Below
// are the entropy, the number of different leaders, and temperature and sharpness.
//
// A history without a look at P gives a picture that says so.
func Convergence(h session.History) (Picture, error) {
	c := convergenceOf(h)
	p, err := Drawn(c.spec(), true, c.text(40, 40))
	return p.Fitting(func(columns int) string {
		const rest = 58
		return c.text(min(40, max(8, (columns-rest)/2+8)), min(40, max(8, columns-rest)))
	}), err
}

// convergence is a figure under the courses of the selectors.
type convergence struct {
	figure
	formation
}

const (
	courseHeight = 230.0
	courseLabel  = 15.0 // of the legend
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
			curves: []curve{{metric: "entropy", label: "entropy", colour: spec.Soft, width: 1.6}}},
		{title: "Different leaders", height: 50, y: spec.Axis{Low: 0, High: k * 1.08},
			curves: []curve{{metric: "unique_rows", label: "different leaders", colour: spec.Soft, width: 1.6}}},
		{title: "Temperature τ, sharpness σ", height: 50, y: spec.Axis{Log: true}, curves: []curve{
			{metric: "tau", label: "τ", colour: spec.Purple, width: 1.6}, {metric: "sharpness", label: "σ", colour: spec.Orange, width: 1.6}}},
	})
	c.title = "Convergence of " + words.Plain(h.Session)
	return c
}

func (c convergence) spec() spec.Spec {
	if len(c.courses) == 0 {
		s := c.figure.spec()
		s.Subtitle, s.Alt = append(s.Subtitle, c.summary()), c.title+": "+c.summary()+"."
		return s
	}
	p := spec.Panel{Title: "Largest probability in P of each selector (settled from 0.9)", Y: shares(), Height: courseHeight, NoLegend: true}
	magnified := c.full < 1
	if magnified { // in half of the training P has hardly moved, of which nothing is seen between 0 and 1
		p.Title, p.Y = "Largest probability in P of each selector, magnified", spec.Axis{Low: 0, High: 1.1 * c.full}
	}
	p.Series = c.series()
	tips := c.tips("selector", "leader", "probability")
	lines := spec.Layer{Mark: spec.Line, Size: 1.6 * c.bold(), Tips: tips}
	changes := spec.Layer{Mark: spec.Point, Size: 1.7 * c.bold(), Tips: append(slices.Clone(tips), "instead of")}
	settled := spec.Layer{Mark: spec.Point, Size: settleRadius, Tips: append(slices.Clone(tips), "mark")}
	pieces := 0
	for _, course := range c.courses {
		// A piece has one leader and begins where the one before ends.
		for i := range course.steps {
			d := c.look(course, i)
			if i == 0 {
				if len(course.steps) == 1 {
					lone := d
					lone.Tips = append(lone.Tips, "none before")
					changes.Data = append(changes.Data, lone)
				}
				continue
			}
			if before := c.look(course, i-1); before.Series != d.Series || i == 1 {
				pieces++
				before.Series, before.Course = d.Series, pieces
				lines.Data = append(lines.Data, before)
			}
			d.Course = pieces
			lines.Data = append(lines.Data, d)
		}
		for _, i := range course.changes() {
			d := c.look(course, i)
			d.Tips = append(d.Tips, c.names[course.leaders[i-1]])
			changes.Data = append(changes.Data, d)
		}
		if i := course.settled; i >= 0 {
			d := c.look(course, i)
			d.Tips = append(d.Tips, "settled")
			settled.Data = append(settled.Data, d)
		}
	}
	threshold := spec.Layer{Mark: spec.Rule, Colour: spec.Pale, Size: 1, Dashed: true,
		Data: []spec.Datum{{X: math.NaN(), Y: settledFrom, Y2: settledFrom}}}
	if !magnified {
		p.Layers = []spec.Layer{threshold}
	}
	for _, l := range []spec.Layer{lines, changes, settled} {
		p.Layers = append(p.Layers, split(l)...)
	}
	s := c.figure.spec(c.lanes(p.Series), p)
	s.Subtitle = append(s.Subtitle, c.summary(), "colour: the leader, grey before "+words.Number(min(colouredFrom, c.full/2))+
		"; strength and height: its probability; a large dot: settled, a small one: another leader")
	s.Alt = c.title + ": " + c.summary() + "."
	return s
}

// lanes are a band for each selector over the epochs, those that settled first at the top: its colour is the leader, its strength the
// leader's probability, in steps, and a dot is where the selector settled.
func (c convergence) lanes(series []spec.Series) spec.Panel {
	const steps, thick = 8, 0.84
	p := spec.Panel{Title: "The leader of each selector", Y: spec.Axis{Title: "selector"}, Legend: "leader (selectors)", Series: series,
		NoLegend: len(c.colours) == 0}
	if c.settled() > 0 {
		p.Legend += ", as settled"
	}
	p.Height = courseLabel * float64(max(len(c.courses), len(c.groups)+1))
	if len(c.courses) > mostBold {
		p.Height = max(courseLabel*float64(len(c.groups)+1), 9*float64(len(c.courses)))
	}
	order := slices.Clone(c.courses)
	slices.SortStableFunc(order, func(a, b course) int {
		return cmp.Or(cmp.Compare(uint(a.settled), uint(b.settled)), a.selector-b.selector)
	})
	bars, dots := make([]spec.Layer, steps), spec.Layer{Mark: spec.Point, Size: 2.6, Colour: spec.Ink}
	for i := range bars {
		bars[i] = spec.Layer{Mark: spec.Bar, Size: thick, Colour: spec.Pale, Opacity: float64(i+1) / steps,
			Tips: c.tips("selector", "leader", "probability")}
	}
	for lane, course := range order {
		p.Y.Bands = append(p.Y.Bands, fmt.Sprint(course.selector))
		for i := 0; i < len(course.steps)-1; {
			// A bar reaches as far as leader and strength stay.
			d, level := c.look(course, i), levelOf(course.values[i]/c.full, steps)
			for i++; i < len(course.steps)-1 && course.leaders[i] == course.leaders[i-1] && levelOf(course.values[i]/c.full, steps) == level &&
				c.look(course, i).Series == d.Series; i++ {
			}
			d.X2, d.Y, d.Y2 = float64(course.steps[i])/c.perEpoch, float64(lane), float64(lane)
			bars[level].Data = append(bars[level].Data, d)
		}
		if len(course.steps) == 1 { // what it is so far
			d, level := c.look(course, 0), levelOf(course.values[0]/c.full, steps)
			d.X, d.X2, d.Y, d.Y2 = 0, d.X, float64(lane), float64(lane)
			bars[level].Data = append(bars[level].Data, d)
		}
		if i := course.settled; i >= 0 {
			dots.Data = append(dots.Data, spec.Datum{X: float64(course.steps[i]) / c.perEpoch, Y: float64(lane)})
		}
	}
	for _, l := range bars {
		p.Layers = append(p.Layers, split(l)...)
	}
	p.Layers = append(p.Layers, dots)
	return p
}

// levelOf is the step of strength of a probability.
func levelOf(p float64, steps int) int { return min(int(p*float64(steps)), steps-1) }

// split is a layer as two: what has no colour yet, below the rest.
func split(l spec.Layer) []spec.Layer {
	grey := l
	grey.Colour, grey.Data = spec.Pale, nil
	coloured := l
	coloured.Data = nil
	for _, d := range l.Data {
		if d.Series == "" {
			grey.Data = append(grey.Data, d)
		} else {
			coloured.Data = append(coloured.Data, d)
		}
	}
	if l.Mark == spec.Line {
		grey.Size /= 1.6
	}
	return []spec.Layer{grey, coloured}
}

// series are those that lead at the end, in the order in which they settled, each once for all selectors that it leads; then, without a
// place in the legend, all others that have a colour.
func (c convergence) series() (list []spec.Series) {
	groups := slices.Clone(c.groups)
	slices.SortStableFunc(groups, func(a, b leaderGroup) int { return cmp.Or(a.settled-b.settled, cmp.Compare(b.highest, a.highest)) })
	for _, g := range groups {
		list = append(list, spec.Series{Name: c.called(g.feature), Colour: c.colour(g.feature, math.MaxInt)})
	}
	var others []int
	for feature := range c.colours {
		if !slices.ContainsFunc(groups, func(g leaderGroup) bool { return g.feature == feature }) {
			others = append(others, feature)
		}
	}
	slices.Sort(others)
	for _, feature := range others {
		list = append(list, spec.Series{Name: c.called(feature), Colour: c.colour(feature, math.MaxInt), Unlisted: true})
	}
	return list
}

// called is a feature's name as a series, with the selectors that it leads at the end, or with its column.
func (c convergence) called(feature int) string {
	for _, g := range c.groups {
		if g.feature == feature {
			return fmt.Sprintf("%s (%s)", g.name(c.formation), listed(g.selectors))
		}
	}
	return fmt.Sprintf("%s #%d", leaderGroup{feature: feature}.name(c.formation), feature)
}

// look is a point of a course, in the colour of its leader once that has one.
func (c convergence) look(course course, i int) spec.Datum {
	d := spec.Datum{X: float64(course.steps[i]) / c.perEpoch, Y: course.values[i],
		Tips: c.moment(course.steps[i], course.selector, c.names[course.leaders[i]], spec.Rounded(course.values[i]))}
	if c.at(course, i) != spec.Pale {
		d.Series = c.called(course.leaders[i])
	}
	return d
}

// at is the colour of a line at a look.
func (c convergence) at(course course, i int) spec.RGB {
	return c.colour(course.leaders[i], course.steps[i])
}

// text is a line a selector: its course, what leads it, since when it is settled, and how often its leader changed.
func (c convergence) text(length, names int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", c.title, c.subtitle, c.summary())
	if len(c.courses) == 0 {
		return b.String()
	}
	t := Table{{Title: "selector", Right: true}, {Title: "largest probability"}, {Title: "last", Right: true},
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
		t.Add(fmt.Sprint(course.selector), words.Sparkline(course.values, length, 0, c.full), words.Chance(course.last()), name,
			fmt.Sprint(len(course.changes())), settled)
	}
	b.WriteString(t.Text(0, names))
	c.listEvents(&b)
	return b.String()
}
