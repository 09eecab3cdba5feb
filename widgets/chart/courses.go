package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

const (
	settledFrom  = 0.9 // the probability that a settled selector has at the least
	colouredFrom = 0.1 // that of a leader that gets a colour: below it lines lie on each other
)

// course is one selector's way through the looks.
type course struct {
	selector int
	steps    []int
	values   []float64 // its largest probability
	leaders  []int     // columns of the file
	settled  int       // index of the look from which it has been settled to the end, or -1
}

// formation is how the selection of a history formed.
type formation struct {
	courses []course
	groups  []leaderGroup
	names   map[int]string
	colours map[int]given
	full    float64 // the probability at full height and strength: 1, or less where P has hardly moved
}

// given is the colour of a feature, from a step on.
type given struct{ colour, step int }

// leaderGroup is a feature that leads at the end, and the selectors that it leads: more than one are duplicates.
type leaderGroup struct {
	feature   int
	selectors []int
	highest   float64
	settled   int // the first look from which one of the selectors has been settled; after all looks where none is
}

func formationOf(s *session.Selectors) formation {
	f := formation{names: map[int]string{}, full: 1}
	if s == nil || len(s.Looks) == 0 {
		return f
	}
	for k := range s.Looks[len(s.Looks)-1].Leaders {
		c := course{selector: k, settled: -1}
		for _, l := range s.Looks {
			if k < len(l.Leaders) && k < len(l.Probability) && words.Finite(l.Probability[k]) {
				c.steps, c.values, c.leaders = append(c.steps, l.Step), append(c.values, l.Probability[k]), append(c.leaders, l.Leaders[k])
			}
		}
		if len(c.steps) > 0 {
			c.settle(s.SettleSteps)
			f.courses = append(f.courses, c)
		}
	}
	for index, name := range s.Names {
		f.names[index] = words.Plain(name)
	}
	if highest := highestOf(s.Looks); len(s.Looks) >= 50 && highest < colouredFrom {
		f.full = highest
	}
	f.colours = coloursOf(s.Looks)
	for _, c := range f.courses {
		at := slices.IndexFunc(f.groups, func(g leaderGroup) bool { return g.feature == c.leader() })
		if at < 0 {
			at = len(f.groups)
			f.groups = append(f.groups, leaderGroup{feature: c.leader(), settled: len(s.Looks)})
		}
		g := &f.groups[at]
		g.selectors, g.highest = append(g.selectors, c.selector), max(g.highest, c.last())
		if c.settled >= 0 {
			g.settled = min(g.settled, c.settled)
		}
	}
	return f
}

// highestOf is the largest probability of all.
func highestOf(looks []session.Look) float64 {
	highest := math.SmallestNonzeroFloat64
	for _, l := range looks {
		for _, p := range l.Probability {
			highest = max(highest, p)
		}
	}
	return highest
}

// coloursOf gives a feature a colour at the look that first sees it lead with 0.1, or half of the highest where in half of the training
// nothing has come so far: one that fewest of those that lead have, then that fewest
// ever had. It keeps that for good, and what was drawn before stays as it was. frontend/convergence.js does the same.
func coloursOf(looks []session.Look) map[int]given {
	colours, least := map[int]given{}, colouredFrom
	if highest := highestOf(looks); len(looks) >= 50 && highest < least {
		least = highest / 2
	}
	for _, l := range looks {
		for k, j := range l.Leaders {
			if _, has := colours[j]; has || k >= len(l.Probability) || !(l.Probability[k] >= least) {
				continue
			}
			used := make([]int, spec.Categories())
			for other, g := range colours {
				if used[g.colour]++; slices.Contains(l.Leaders, other) {
					used[g.colour] += len(colours)
				}
			}
			colours[j] = given{slices.Index(used, slices.Min(used)), l.Step}
		}
	}
	return colours
}

// settle finds the look from which the selector had 0.9 and the same leader for as long as settling takes, to the end.
func (c *course) settle(steps int) {
	last := len(c.steps) - 1
	since := last // the first look of the present leader
	for since > 0 && c.leaders[since-1] == c.leaders[last] {
		since--
	}
	for i := last; i >= since && c.values[i] >= settledFrom && c.steps[i]-c.steps[since] >= steps; i-- {
		c.settled = i
	}
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
func (f formation) colour(feature, step int) spec.RGB {
	if g, ok := f.colours[feature]; ok && step >= g.step {
		return spec.Category(g.colour)
	}
	return spec.Pale
}

// settled counts the selectors.
func (f formation) settled() (n int) {
	for _, c := range f.courses {
		if c.settled >= 0 {
			n++
		}
	}
	return n
}

// summary says in words where the selection stands.
func (f formation) summary() string {
	if len(f.courses) == 0 {
		return "no look at P yet: step or run the session first"
	}
	facts := []string{strconv.Itoa(f.settled()) + " of " + count.Of(len(f.courses), "selector") + " settled",
		count.Of(len(f.groups), "different leader")}
	for _, g := range f.groups {
		if len(g.selectors) > 1 {
			facts = append(facts, g.name(f)+" leads "+listed(g.selectors))
		}
	}
	if len(facts) > 4 {
		facts = append(facts[:4], count.Of(len(facts)-4, "more duplicate"))
	}
	return strings.Join(facts, " · ")
}

func (g leaderGroup) name(f formation) string {
	return words.Shorten(cmp.Or(f.names[g.feature], "#"+strconv.Itoa(g.feature)), 26)
}

// listed is "2", "2 and 5" or "2, 5 and 7".
func listed(numbers []int) string {
	text := strconv.Itoa(numbers[0])
	for i, n := range numbers[1:] {
		if i == len(numbers)-2 {
			text += " and " + strconv.Itoa(n)
		} else {
			text += ", " + strconv.Itoa(n)
		}
	}
	return text
}
