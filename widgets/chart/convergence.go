package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// ConvergenceRequest returns the request for the history that Convergence
// draws.
func ConvergenceRequest() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"entropy", "unique_rows", "tau", "sharpness"}, Selectors: true}
}

// Convergence draws how the selection formed. Each selector has a lane over the
// epochs in the colour of its leading feature, which is stronger the more
// probable that feature is. Below, each selector has a line in the same colour
// for its largest probability in P. A feature is grey until its first 0.5 and
// has its colour from then on. p is the notebook's palette. A small dot marks a
// change of leader. A large one marks the look from which the selector is
// settled. The name of the leader is at the right end of each lane and line.
// Lanes are ordered by when they settled. Below follow the entropy, the number
// of different leaders, temperature and sharpness.
//
// If the history has no look at P, the picture says so.
func Convergence(h session.History, p *Palette) (Picture, error) {
	c := convergenceOf(h, p)
	return draw(c.spec(), true, wideLetters, c.text), nil
}

const (
	settledFrom    = 0.9 // the least probability of a settled selector
	colouredFrom   = 0.5 // the least probability at which a leader gets its colour; few other leaders reach it
	magnifiedBelow = 0.1 // P is magnified if its largest probability is below this

	courseHeight = 230.0
	laneHeight   = 15.0
	thinLane     = 10.0
	namePitch    = 11.0 // between names at the ends of lines
	mostBold     = 24   // lines of full width; more of them would cover each other
	strengths    = 8    // of a lane
)

// convergence is a figure below the courses of the selectors.
type convergence struct {
	figure
	formation
}

// convergenceOf computes what Convergence draws. It uses only those curves of
// the history that ConvergenceRequest asks for.
func convergenceOf(h session.History, p *Palette) convergence {
	c := convergence{formation: formationOf(h.Selectors, p)}

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
		{title: "Different leaders", height: 50, y: spec.Axis{Low: 0, High: float64(max(len(c.courses), 1)) * 1.08},
			curves: []curve{{metric: "unique_rows", label: "different leaders", colour: spec.Soft, width: 1.6}}},
		temperaturePanel(50, 1.6, 1.6),
	})

	c.title = "Convergence of " + words.Plain(h.Session)
	return c
}

// spec puts lanes and lines of the selectors above the figure. If there was no
// look at P, it returns only the figure, and the subtitle says so.
func (c convergence) spec() spec.Spec {
	if len(c.courses) == 0 {
		s := c.figure.spec()
		s.Subtitle, s.Alt = append(s.Subtitle, c.summary()), c.title+": "+c.summary()+"."
		return s
	}

	p := spec.Panel{Title: "Largest probability in P of each selector (settled from 0.9)", Y: shareAxis(), Height: courseHeight, NoLegend: true,
		Legend: "leader (selectors)", Series: c.series(), Layers: []spec.Layer{thresholdAt(settledFrom)}}

	if c.full < 1 { // P has barely moved: between 0 and 1 you would see nothing
		p.Title, p.Y, p.Layers = "Largest probability in P of each selector, magnified", spec.Axis{Low: 0, High: 1.1 * c.full}, nil
	}

	bold := 1.0
	if len(c.courses) > mostBold {
		bold = 0.65
	}

	tips := c.tips("selector", "leader", "probability")
	lines := spec.Layer{Mark: spec.Line, Size: 1.6 * bold, Tips: tips}
	changes := spec.Layer{Mark: spec.Point, Size: 1.7 * bold, Tips: append(slices.Clone(tips), "instead of")}
	settled := spec.Layer{Mark: spec.Point, Size: 3.8, Tips: append(slices.Clone(tips), "mark")}

	mark := func(l *spec.Layer, course course, i int, tip string) {
		d := c.look(course, i)
		d.Tips = append(d.Tips, tip)
		l.Data = append(l.Data, d)
	}

	pieces := 0
	for _, course := range c.courses {
		for i := 1; i < len(course.steps); i++ { // a piece has one leader and starts where the previous one ends
			d := c.look(course, i)
			if before := c.look(course, i-1); before.Series != d.Series || i == 1 {
				pieces++
				before.Series, before.Course = d.Series, pieces
				lines.Data = append(lines.Data, before)
			}
			d.Course = pieces
			lines.Data = append(lines.Data, d)
		}

		if len(course.steps) == 1 {
			mark(&changes, course, 0, "none before")
		}
		for _, i := range course.changes() {
			mark(&changes, course, i, c.names[course.leaders[i-1]])
		}
		if course.settled >= 0 {
			mark(&settled, course, course.settled, "settled")
		}
	}

	for _, l := range []spec.Layer{lines, changes, settled} {
		p.Layers = append(p.Layers, split(l)...)
	}

	p.Layers = append(p.Layers, c.ends(p.Y.High)...)
	s := c.figure.spec(c.lanes(p.Series), p)
	s.Subtitle = append(s.Subtitle, c.summary(), "colour: the leader, grey before "+words.Number(min(colouredFrom, c.full/2))+
		"; strength and height: its probability; a large dot: settled, a small one: another leader")
	s.Subtitle = append(s.Subtitle, act(c.contest, len(c.courses))...)
	s.Alt = c.title + ": " + c.summary() + "."
	return s
}

// ends returns the names of the leaders at the right ends of their lines, moved
// apart. It returns nil if they don't fit. high is the value at the top.
func (c convergence) ends(high float64) []spec.Layer {
	if float64(len(c.groups))*namePitch > courseHeight {
		return nil
	}

	groups := slices.Clone(c.groups)
	slices.SortStableFunc(groups, func(a, b leaderGroup) int { return cmp.Compare(b.highest, a.highest) })
	at := make([]float64, len(groups)) // points from the top
	for i, g := range groups {
		if at[i] = courseHeight * (1 - g.highest/high); i > 0 {
			at[i] = max(at[i], at[i-1]+namePitch)
		}
	}
	for i, last := len(at)-1, courseHeight; i >= 0; i, last = i-1, at[i]-namePitch { // back from the bottom
		at[i] = min(at[i], last)
	}

	dots, names := spec.Layer{Mark: spec.Text, Colour: spec.Pale, Shift: 5}, spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 15}
	for i, g := range groups {
		d := spec.Datum{X: math.NaN(), Y: high * (1 - at[i]/courseHeight), Text: c.name(g.feature)}
		names.Data = append(names.Data, d)
		if d.Text = "●"; c.colour(g.feature, math.MaxInt) != spec.Pale {
			d.Series = c.seriesName(g.feature)
		}
		dots.Data = append(dots.Data, d)
	}
	return []spec.Layer{dots, names}
}

// lanes returns a panel with a band for each selector over the epochs, in the order in which they
// settled. The colour is the leader, the strength its probability, in steps; a dot marks the look
// from which the selector is settled. The first band is for the numbers of events and the head of
// the contest, which has a block in the final leader's colour right of a double rule.
func (c convergence) lanes(series []spec.Series) spec.Panel {
	p := spec.Panel{Title: "The leader of each selector", Y: spec.Axis{Title: "selector"}, Legend: "leader (selectors)", Series: series,
		Named: true}
	if len(c.rules) > 0 || c.contest != nil {
		p.Y.Bands = []string{" "}
	}

	high, above := laneHeight, len(p.Y.Bands)
	if len(c.courses) > mostBold {
		high = thinLane
	}
	p.Height = high * float64(above+len(c.courses))

	names := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 6}
	if c.contest != nil {
		names.Shift += contestWidth
	}
	bars, dots := make([]spec.Layer, strengths), spec.Layer{Mark: spec.Point, Size: 2.6, Colour: spec.Black}
	for i := range bars {
		bars[i] = spec.Layer{Mark: spec.Bar, Size: 0.84, Colour: spec.Pale, Opacity: float64(i+1) / strengths,
			Tips: c.tips("selector", "leader", "probability")}
	}

	for lane, course := range c.order() {
		p.Y.Bands = append(p.Y.Bands, fmt.Sprint(course.selector))
		y := float64(above + lane)
		names.Data = append(names.Data, spec.Datum{X: math.NaN(), Y: y, Text: c.last(course)})
		strength := func(i int) int {
			_, probability := c.seen(course, i)
			return min(int(probability/c.full*strengths), strengths-1)
		}
		leader := func(i int) int {
			feature, _ := c.seen(course, i)
			return feature
		}
		add := func(look int, from, to float64) {
			feature, probability := c.seen(course, look)
			d := c.point(course, course.steps[look], feature, probability)
			d.X, d.X2, d.Y, d.Y2 = from, to, y, y
			bars[strength(look)].Data = append(bars[strength(look)].Data, d)
		}

		x := func(i int) float64 {
			if i < 0 {
				return 0
			}
			return float64(course.steps[i]) / c.perEpoch
		}
		// A look stands for the time before it. A bar extends while leader and
		// strength stay the same.
		for from := 0; from < len(course.steps); {
			to := from
			for to < len(course.steps)-1 && leader(to+1) == leader(from) && strength(to+1) == strength(from) &&
				c.colour(leader(to+1), course.steps[to+1]) == c.colour(leader(from), course.steps[from]) {
				to++
			}
			add(from, x(from-1), x(to))
			from = to + 1
		}

		if i := course.settled; i >= 0 {
			dots.Data = append(dots.Data, spec.Datum{X: x(i), Y: y})
		}
	}

	for _, l := range bars {
		p.Layers = append(p.Layers, split(l)...)
	}
	p.Layers = append(p.Layers, dots, names)
	if c.contest != nil {
		p.Layers = append(p.Layers, c.block(above)...)
	}
	return p
}

// contestWidth is what the contest takes right of the lanes, in points.
const contestWidth = 52

// block returns the last act right of the lanes: a double rule, each lane in the colour of its
// final leader, and a bracket that joins a pair. It is made of letters, which may stand beside the
// plot. above is the number of bands above the lanes.
func (c convergence) block(above int) []spec.Layer {
	rules, blocks := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 2}, spec.Layer{Mark: spec.Text, Colour: spec.Pale, Shift: 10}
	pairs := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: contestWidth - 8}
	// The numbers of events that end the training stand before it.
	head := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Shift: 42, Data: []spec.Datum{{X: math.NaN(), Y: 0, Text: "contest"}}}
	first, last := -1, -1 // lanes of a pair
	order := c.order()
	for lane, course := range order {
		if x := c.contest.Replaced(course.selector); x != nil && x.By == session.ByPair {
			if last = lane; first < 0 {
				first = lane
			}
		}
	}
	for lane, course := range order {
		at := spec.Datum{X: math.NaN(), Y: float64(above + lane), Text: "║"}
		rules.Data = append(rules.Data, at)
		at.Text = "█████"
		if c.colour(course.leader(), math.MaxInt) != spec.Pale {
			at.Series = c.seriesName(course.leader())
		}
		blocks.Data = append(blocks.Data, at)
		if at.Series = ""; first < last && lane >= first && lane <= last {
			at.Text = "│"
			if x := c.contest.Replaced(course.selector); x != nil && x.By == session.ByPair {
				at.Text = map[int]string{first: "┐", last: "┘"}[lane]
				if at.Text == "" {
					at.Text = "┤"
				}
			}
			pairs.Data = append(pairs.Data, at)
		}
	}
	return append([]spec.Layer{head, rules, pairs}, split(blocks)...)
}

// split returns a layer as two: marks without a series, in grey, below the others.
func split(l spec.Layer) []spec.Layer {
	grey, coloured := l, l
	grey.Colour, grey.Data, coloured.Data = spec.Pale, nil, nil
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

// series returns the features that lead at the end, in the order in which they
// settled, followed by all others that have a colour. A feature that leads
// several selectors appears once.
func (c convergence) series() (list []spec.Series) {
	groups := slices.Clone(c.groups)
	slices.SortStableFunc(groups, func(a, b leaderGroup) int { return cmp.Or(a.settled-b.settled, cmp.Compare(b.highest, a.highest)) })
	leads := map[int]bool{}
	for _, g := range groups {
		leads[g.feature] = true
		list = append(list, spec.Series{Name: c.seriesName(g.feature), Colour: c.colour(g.feature, math.MaxInt)})
	}
	for _, feature := range slices.Sorted(maps.Keys(c.colours)) {
		if !leads[feature] {
			list = append(list, spec.Series{Name: c.seriesName(feature), Colour: c.colour(feature, math.MaxInt)})
		}
	}
	return list
}

// seriesName returns a feature's name with the selectors that it leads at the
// end. If it leads none, the name has its column.
func (c convergence) seriesName(feature int) string {
	for _, g := range c.groups {
		if g.feature == feature {
			return fmt.Sprintf("%s (%s)", c.name(feature), words.List(g.selectors))
		}
	}
	return fmt.Sprintf("%s #%d", c.name(feature), feature)
}

// look returns the point of look i of a course: its epoch and probability. It
// belongs to the series of its leader, or to no series while the leader is
// grey.
func (c convergence) look(course course, i int) spec.Datum {
	return c.point(course, course.steps[i], course.leaders[i], course.values[i])
}

// point is look for a leader and its probability.
func (c convergence) point(course course, step, leader int, probability float64) spec.Datum {
	d := spec.Datum{X: float64(step) / c.perEpoch, Y: probability,
		Tips: c.moment(step, course.selector, c.names[leader], spec.Round(probability))}
	if c.colour(leader, step) != spec.Pale {
		d.Series = c.seriesName(leader)
	}
	return d
}

// text lists each selector: its course in at most letters characters, the last
// probability, the leader, the number of changes, and when it settled. "="
// marks a shared leader. The events follow.
func (c convergence) text(letters int) string {
	head := fmt.Sprintf("%s\n%s\n%s\n", c.title, c.subtitle, c.summary())

	if len(c.courses) == 0 {
		return head
	}

	t := words.Table{{Title: "selector", Right: true}, {Title: "largest probability"}, {Title: "last", Right: true},
		{Title: "leader", Name: true}, {Title: "changes", Right: true}, {Title: "settled"}}

	for _, course := range c.courses {
		settled, name := "", c.names[course.leader()]+replacing(c.contest, course.selector)
		if i := course.settled; i >= 0 {
			settled = c.unit + " " + words.Number(float64(course.steps[i])/c.perEpoch)
		}
		for _, g := range c.groups {
			if g.feature == course.leader() && len(g.selectors) > 1 {
				name = "= " + name
			}
		}
		t.Add(fmt.Sprint(course.selector), words.Sparkline(course.values, letters, 0, c.full), words.Chance(course.last()), name,
			fmt.Sprint(len(course.changes())), settled)
	}
	for _, sentence := range act(c.contest, len(c.courses)) {
		head += sentence + "\n"
	}
	return head + t.Text(0, letters) + c.eventLines()
}
