package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// featureName returns the name of a column, or its number if it has no name.
func featureName(names map[int]string, column int) string {
	return cmp.Or(names[column], "#"+strconv.Itoa(column))
}

// Formation describes how a selection formed, as a live chart draws it.
type Formation struct {
	Order   []int                 // selectors as lanes from the top, in the order in which they settled
	Settled []int                 // for each selector, the look from which it has been settled, or -1
	Full    float64               // probability at full height and strength: 1, or less if P barely moved
	Colours map[int]FeatureColour // by column of the file
	Summary string
}

// Formation returns how the selection of these looks formed. It may add colours
// to the palette.
func (p *Palette) Formation(s *session.Selectors) Formation {
	formed := formationOf(s, p)
	f := Formation{Settled: []int{}, Full: formed.full, Colours: formed.colours, Summary: formed.summary()}
	if len(formed.courses) > 0 { // a selector without a finite probability has no course
		f.Settled = slices.Repeat([]int{-1}, len(s.Looks[len(s.Looks)-1].Leaders))
	}
	for _, course := range formed.order() {
		f.Order = append(f.Order, course.selector)
		f.Settled[course.selector] = course.settled
	}
	return f
}

// course is the path of one selector through the looks.
type course struct {
	selector int
	steps    []int
	values   []float64 // its largest probability
	leaders  []int     // columns of the file
	settled  int       // the look from which it has been settled, or -1
}

// leaderGroup is a feature that leads at the end, with its selectors. If it has
// more than one, they are duplicates.
type leaderGroup struct {
	feature   int
	selectors []int
	highest   float64
	settled   int // first look from which one of its selectors has been settled, or the number of looks
}

// formation describes how a selection formed.
type formation struct {
	courses []course
	groups  []leaderGroup
	names   map[int]string
	colours map[int]FeatureColour
	full    float64 // as in Formation
	contest *session.Contest
}

// formationOf computes how a selection formed. It uses colours from the
// palette, and may add some to it. A selector without a finite probability has
// no course. If there was no look at P, there are no courses.
func formationOf(s *session.Selectors, p *Palette) formation {
	f := formation{names: map[int]string{}, full: 1}
	if s == nil || len(s.Looks) == 0 {
		return f
	}

	for index, name := range s.Names {
		f.names[index] = words.Plain(name)
	}
	if s.Contest != nil {
		for _, x := range s.Contest.Exchanges {
			f.names[x.From.Index] = words.Plain(x.From.Name)
		}
	}
	if highest, barely := barelyMoves(s); barely {
		f.full = highest
	}

	f.contest = s.Contest
	f.colours = p.Colours(s)
	for k := range s.Looks[len(s.Looks)-1].Leaders {
		c := course{selector: k, settled: -1}
		for _, l := range s.Looks {
			if k < len(l.Leaders) && k < len(l.Probability) && words.Finite(l.Probability[k]) {
				c.steps, c.values = append(c.steps, l.Step), append(c.values, l.Probability[k])
				c.leaders = append(c.leaders, l.Leaders[k])
			}
		}

		if len(c.steps) == 0 {
			continue
		}

		if k < len(s.Settled) && s.Settled[k] > 0 {
			c.settled = slices.Index(c.steps, s.Settled[k])
		}
		f.courses = append(f.courses, c)

		at := slices.IndexFunc(f.groups, func(g leaderGroup) bool { return g.feature == c.leader() })
		if at < 0 {
			at = len(f.groups)
			f.groups = append(f.groups, leaderGroup{feature: c.leader(), settled: len(s.Looks)})
		}

		g := &f.groups[at]
		g.selectors, g.highest = append(g.selectors, k), max(g.highest, c.last())
		if c.settled >= 0 {
			g.settled = min(g.settled, c.settled)
		}
	}
	return f
}

// barelyMoves returns the highest probability of all looks, and whether it is
// below magnifiedBelow although half of the training is over.
func barelyMoves(s *session.Selectors) (highest float64, barely bool) {
	highest = math.SmallestNonzeroFloat64
	for _, l := range s.Looks {
		for _, p := range l.Probability {
			highest = max(highest, p)
		}
	}
	// Settling takes a twentieth of a training, so ten times that is half of
	// it.
	half := s.SettleSteps > 0 && len(s.Looks) > 0 && s.Looks[len(s.Looks)-1].Step >= 10*s.SettleSteps
	return highest, half && highest < magnifiedBelow
}

func (c course) last() float64 { return c.values[len(c.values)-1] }
func (c course) leader() int   { return c.leaders[len(c.leaders)-1] }

// changes returns the indices of the looks whose leader differs from the look
// before.
func (c course) changes() (list []int) {
	for i := 1; i < len(c.leaders); i++ {
		if c.leaders[i] != c.leaders[i-1] {
			list = append(list, i)
		}
	}
	return list
}

// colour returns a feature's colour at a step. It is grey before the feature
// has one.
func (f formation) colour(feature, step int) spec.RGB {
	if g, ok := f.colours[feature]; ok && step >= g.Step {
		return g.Colour
	}
	return spec.Pale
}

// settled counts the settled selectors.
func (f formation) settled() (n int) {
	for _, c := range f.courses {
		if c.settled >= 0 {
			n++
		}
	}
	return n
}

// summary describes the state of the selection in one line: selectors settled,
// different leaders, and up to two shared leaders by name.
func (f formation) summary() string {
	if len(f.courses) == 0 {
		return "no look at P yet: step or run the session first"
	}

	facts := []string{strconv.Itoa(f.settled()) + " of " + phrase.Count(len(f.courses), "selector") + " settled",
		phrase.Count(len(f.groups), "different leader")}
	for _, g := range f.groups {
		if len(g.selectors) > 1 {
			facts = append(facts, f.name(g.feature)+" leads "+words.List(g.selectors))
		}
	}

	if len(facts) > 4 {
		facts = append(facts[:4], phrase.Count(len(facts)-4, "more duplicate"))
	}
	return strings.Join(facts, " · ")
}

func (f formation) name(feature int) string {
	return words.Shorten(featureName(f.names, feature), 26)
}

// last returns the name of a selector's leader at the end. If that replaced
// another feature in the contest, the text says so.
func (f formation) last(c course) string {
	return f.name(c.leader()) + replacing(f.contest, c.selector)
}

// replacing names the feature whose place a selector's took in the contest, as
// [session.Selected.Reason] does; "" if it took none.
func replacing(contest *session.Contest, selector int) string {
	if x := contest.Replaced(selector); x != nil {
		return ", replaced " + words.Plain(x.From.Name)
	}
	return ""
}

// act returns what the contest exchanged of k features, as a subtitle; nil without a contest.
func act(contest *session.Contest, k int) []string {
	if contest == nil {
		return nil
	}
	return []string{words.Plain(contest.Sentence(k))}
}

// seen returns leader and probability of a course at a look as its lane has them: at the contest,
// those before it, because a look tells of the time before it.
func (f formation) seen(c course, i int) (leader int, probability float64) {
	if x := f.contest.Replaced(c.selector); x != nil && c.steps[i] == f.contest.Step {
		return x.From.Index, x.From.Probability
	}
	return c.leaders[i], c.values[i]
}

// order returns the courses as lanes from the top, in the order in which they
// settled. Those that haven't settled follow by number.
func (f formation) order() []course {
	return slices.SortedStableFunc(slices.Values(f.courses), func(a, b course) int {
		return cmp.Or(cmp.Compare(uint(a.settled), uint(b.settled)), a.selector-b.selector)
	})
}
