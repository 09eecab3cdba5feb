package chart

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// ConvergenceRequest is the history that Convergence draws.
func ConvergenceRequest() session.HistoryRequest {
	return session.HistoryRequest{Metrics: []string{"entropy", "unique_rows", "tau", "sharpness"}, Selectors: true}
}

// Convergence draws how the selection formed: for every selector a lane over the epochs in the
// colour of the feature that leads it, the stronger the more probable it is, and below a line, its
// largest probability in P, in that colour, which a feature has from its first 0.5 on, and grey
// before. The palette is that of the notebook. A small dot is a change of leader, a large one where
// the selector settled. At the right end of each lane and line stands the name of its leader; lanes
// stand in the order in which they settled. Below are the entropy, the number of different leaders,
// and temperature and sharpness.
//
// A history without a look at P gives a picture that says so.
func Convergence(h session.History, p *Palette) (Picture, error) {
	c := convergenceOf(h, p)
	return draw(c.spec(), true, wideLetters, c.text), nil
}

const (
	settledFrom  = 0.9 // the probability that a settled selector has at the least
	colouredFrom = 0.5 // that of a leader that gets a colour: few others lead briefly with so much
	moved        = 0.1 // below which P is magnified

	courseHeight = 230.0
	laneHeight   = 15.0
	thinLane     = 10.0
	namePitch    = 11.0 // between names at the ends of lines
	mostBold     = 24   // lines of full width; more would cover each other
	strengths    = 8    // of a lane
)

// convergence is a figure under the courses of the selectors.
type convergence struct {
	figure
	courses []course
	groups  []leaderGroup
	names   map[int]string
	colours map[int]Coloured
	full    float64 // the probability at full height and strength: 1, or less where P has hardly moved
}

// course is one selector's way through the looks.
type course struct {
	selector int
	steps    []int
	values   []float64 // its largest probability
	leaders  []int     // columns of the file
	settled  int       // index of the look from which it has been settled to the end, or -1
}

// leaderGroup is a feature that leads at the end, and the selectors that it leads: more than one are duplicates.
type leaderGroup struct {
	feature   int
	selectors []int
	highest   float64
	settled   int // the first look from which one of the selectors has been settled; after all looks where none is
}

func convergenceOf(h session.History, p *Palette) convergence {
	c := formationOf(h.Selectors, p)
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
		annealed(50, 1.6, 1.6),
	})
	c.title = "Convergence of " + words.Plain(h.Session)
	return c
}

// formationOf is how the selection formed, without its figure.
func formationOf(s *session.Selectors, p *Palette) convergence {
	c := convergence{names: map[int]string{}, full: 1}
	if s == nil || len(s.Looks) == 0 {
		return c
	}
	for index, name := range s.Names {
		c.names[index] = words.Plain(name)
	}
	if highest, hardly := hardlyMoves(s); hardly {
		c.full = highest
	}
	c.colours = p.Of(s)
	for k := range s.Looks[len(s.Looks)-1].Leaders {
		one := course{selector: k, settled: -1}
		for _, l := range s.Looks {
			if k < len(l.Leaders) && k < len(l.Probability) && words.Finite(l.Probability[k]) {
				one.steps, one.values, one.leaders = append(one.steps, l.Step), append(one.values, l.Probability[k]), append(one.leaders, l.Leaders[k])
			}
		}
		if len(one.steps) == 0 {
			continue
		}
		if k < len(s.Settled) && s.Settled[k] > 0 {
			one.settled = slices.Index(one.steps, s.Settled[k])
		}
		c.courses = append(c.courses, one)
		at := slices.IndexFunc(c.groups, func(g leaderGroup) bool { return g.feature == one.leader() })
		if at < 0 {
			at = len(c.groups)
			c.groups = append(c.groups, leaderGroup{feature: one.leader(), settled: len(s.Looks)})
		}
		g := &c.groups[at]
		g.selectors, g.highest = append(g.selectors, k), max(g.highest, one.last())
		if one.settled >= 0 {
			g.settled = min(g.settled, one.settled)
		}
	}
	return c
}

// hardlyMoves reports whether no probability has reached moved in half of a training, and returns
// the highest of all.
func hardlyMoves(s *session.Selectors) (highest float64, hardly bool) {
	highest = math.SmallestNonzeroFloat64
	for _, l := range s.Looks {
		for _, p := range l.Probability {
			highest = max(highest, p)
		}
	}
	half := s.SettleSteps > 0 && len(s.Looks) > 0 && s.Looks[len(s.Looks)-1].Step >= 10*s.SettleSteps // a twentieth settles
	return highest, half && highest < moved
}

func (c course) last() float64 { return c.values[len(c.values)-1] }
func (c course) leader() int   { return c.leaders[len(c.leaders)-1] }

// changes are the looks that saw another leader than the one before.
func (c course) changes() (list []int) {
	for i := 1; i < len(c.leaders); i++ {
		if c.leaders[i] != c.leaders[i-1] {
			list = append(list, i)
		}
	}
	return list
}

// colour is that of a leader at a step, grey before it has one.
func (c convergence) colour(feature, step int) spec.RGB {
	if g, ok := c.colours[feature]; ok && step >= g.Step {
		return g.Colour
	}
	return spec.Pale
}

// settled counts the selectors.
func (c convergence) settled() (n int) {
	for _, one := range c.courses {
		if one.settled >= 0 {
			n++
		}
	}
	return n
}

// summary says in words where the selection stands.
func (c convergence) summary() string {
	if len(c.courses) == 0 {
		return "no look at P yet: step or run the session first"
	}
	facts := []string{strconv.Itoa(c.settled()) + " of " + phrase.Count(len(c.courses), "selector") + " settled",
		phrase.Count(len(c.groups), "different leader")}
	for _, g := range c.groups {
		if len(g.selectors) > 1 {
			facts = append(facts, c.name(g.feature)+" leads "+words.Listed(g.selectors))
		}
	}
	if len(facts) > 4 {
		facts = append(facts[:4], phrase.Count(len(facts)-4, "more duplicate"))
	}
	return strings.Join(facts, " · ")
}

func (c convergence) name(feature int) string {
	return words.Shorten(featureName(c.names, feature), 26)
}

func (c convergence) spec() spec.Spec {
	if len(c.courses) == 0 {
		s := c.figure.spec()
		s.Subtitle, s.Alt = append(s.Subtitle, c.summary()), c.title+": "+c.summary()+"."
		return s
	}
	p := spec.Panel{Title: "Largest probability in P of each selector (settled from 0.9)", Y: shares(), Height: courseHeight, NoLegend: true,
		Legend: "leader (selectors)", Series: c.series(), Layers: []spec.Layer{thresholdAt(settledFrom)}}
	if c.full < 1 { // P has hardly moved, of which nothing is seen between 0 and 1
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
		for i := 1; i < len(course.steps); i++ { // a piece has one leader and begins where the one before ends
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
	s.Alt = c.title + ": " + c.summary() + "."
	return s
}

// ends are the names of the leaders at the right ends of their lines, moved apart; none where they
// have no room. high is the value at the top.
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
			d.Series = c.called(g.feature)
		}
		dots.Data = append(dots.Data, d)
	}
	return []spec.Layer{dots, names}
}

// order returns the courses as lanes from the top: those that settled first come first.
func (c convergence) order() []course {
	return slices.SortedStableFunc(slices.Values(c.courses), func(a, b course) int {
		return cmp.Or(cmp.Compare(uint(a.settled), uint(b.settled)), a.selector-b.selector)
	})
}

// lanes are a band for each selector over the epochs, those that settled first at the top: its
// colour is the leader, its strength the leader's probability, in steps, and a dot is where the
// selector settled. The first band is for the numbers of events.
func (c convergence) lanes(series []spec.Series) spec.Panel {
	p := spec.Panel{Title: "The leader of each selector", Y: spec.Axis{Title: "selector"}, Legend: "leader (selectors)", Series: series,
		Named: true}
	if len(c.rules) > 0 {
		p.Y.Bands = []string{" "}
	}
	high, above := laneHeight, len(p.Y.Bands)
	if len(c.courses) > mostBold {
		high = thinLane
	}
	p.Height = high * float64(above+len(c.courses))
	names := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Shift: 6}
	bars, dots := make([]spec.Layer, strengths), spec.Layer{Mark: spec.Point, Size: 2.6, Colour: spec.Ink}
	for i := range bars {
		bars[i] = spec.Layer{Mark: spec.Bar, Size: 0.84, Colour: spec.Pale, Opacity: float64(i+1) / strengths,
			Tips: c.tips("selector", "leader", "probability")}
	}
	for lane, course := range c.order() {
		p.Y.Bands = append(p.Y.Bands, fmt.Sprint(course.selector))
		y := float64(above + lane)
		names.Data = append(names.Data, spec.Datum{X: math.NaN(), Y: y, Text: c.name(course.leader())})
		strength := func(i int) int { return min(int(course.values[i]/c.full*strengths), strengths-1) }
		add := func(look int, from, to float64) {
			d := c.look(course, look)
			d.X, d.X2, d.Y, d.Y2 = from, to, y, y
			bars[strength(look)].Data = append(bars[strength(look)].Data, d)
		}
		x := func(i int) float64 { return float64(course.steps[i]) / c.perEpoch }
		for from := 0; from < len(course.steps)-1; { // a bar reaches as far as leader and strength stay
			to := from + 1
			for to < len(course.steps)-1 && course.leaders[to] == course.leaders[from] && strength(to) == strength(from) &&
				c.look(course, to).Series == c.look(course, from).Series {
				to++
			}
			add(from, x(from), x(to))
			from = to
		}
		if len(course.steps) == 1 { // what it is so far
			add(0, 0, x(0))
		}
		if i := course.settled; i >= 0 {
			dots.Data = append(dots.Data, spec.Datum{X: x(i), Y: y})
		}
	}
	for _, l := range bars {
		p.Layers = append(p.Layers, split(l)...)
	}
	p.Layers = append(p.Layers, dots, names)
	return p
}

// split is a layer as two: what has no colour yet, below the rest.
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

// series are those that lead at the end, in the order in which they settled, each once for all
// selectors that it leads; then all others that have a colour.
func (c convergence) series() (list []spec.Series) {
	groups := slices.Clone(c.groups)
	slices.SortStableFunc(groups, func(a, b leaderGroup) int { return cmp.Or(a.settled-b.settled, cmp.Compare(b.highest, a.highest)) })
	leads := map[int]bool{}
	for _, g := range groups {
		leads[g.feature] = true
		list = append(list, spec.Series{Name: c.called(g.feature), Colour: c.colour(g.feature, math.MaxInt)})
	}
	for _, feature := range slices.Sorted(maps.Keys(c.colours)) {
		if !leads[feature] {
			list = append(list, spec.Series{Name: c.called(feature), Colour: c.colour(feature, math.MaxInt)})
		}
	}
	return list
}

// called is a feature's name as a series, with the selectors that it leads at the end, or with its column.
func (c convergence) called(feature int) string {
	for _, g := range c.groups {
		if g.feature == feature {
			return fmt.Sprintf("%s (%s)", c.name(feature), words.Listed(g.selectors))
		}
	}
	return fmt.Sprintf("%s #%d", c.name(feature), feature)
}

// look is a point of a course, in the colour of its leader once that has one.
func (c convergence) look(course course, i int) spec.Datum {
	d := spec.Datum{X: float64(course.steps[i]) / c.perEpoch, Y: course.values[i],
		Tips: c.moment(course.steps[i], course.selector, c.names[course.leaders[i]], spec.Rounded(course.values[i]))}
	if c.colour(course.leaders[i], course.steps[i]) != spec.Pale {
		d.Series = c.called(course.leaders[i])
	}
	return d
}

// text is a line a selector: its course, what leads it, since when it is settled, and how often its leader changed.
func (c convergence) text(length int) string {
	head := fmt.Sprintf("%s\n%s\n%s\n", c.title, c.subtitle, c.summary())
	if len(c.courses) == 0 {
		return head
	}
	t := words.Table{{Title: "selector", Right: true}, {Title: "largest probability"}, {Title: "last", Right: true},
		{Title: "leader", Name: true}, {Title: "changes", Right: true}, {Title: "settled"}}
	for _, course := range c.courses {
		settled, name := "", c.names[course.leader()]
		if i := course.settled; i >= 0 {
			settled = c.unit + " " + words.Number(float64(course.steps[i])/c.perEpoch)
		}
		for _, g := range c.groups {
			if g.feature == course.leader() && len(g.selectors) > 1 {
				name = "= " + name
			}
		}
		t.Add(fmt.Sprint(course.selector), words.Sparkline(course.values, length, 0, c.full), words.Chance(course.last()), name,
			fmt.Sprint(len(course.changes())), settled)
	}
	return head + t.Text(0, length) + c.eventLines()
}
