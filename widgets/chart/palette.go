package chart

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// Palette gives the features of a notebook their colours: a feature has one colour, by its name, in every chart, live view and
// session. The zero value is ready to use, from several goroutines.
type Palette struct {
	mu      sync.Mutex
	colours map[string]int // categories by name
}

// Coloured is the colour of a feature, and the first step at which a session shows it; before, the feature is grey.
type Coloured struct {
	Colour spec.RGB
	Step   int
}

// Of returns the colours of the features that have led a selector with P ≥ 0.5, by column. Where P hardly moves, half of its
// largest value is enough. More looks add colours and change none.
func (p *Palette) Of(s *session.Selectors) map[int]Coloured {
	coloured := map[int]Coloured{}
	if s == nil {
		return coloured
	}
	least := colouredFrom
	if highest, hardly := hardlyMoves(s); hardly {
		least = highest / 2
	}
	for _, l := range s.Looks {
		for k, j := range l.Leaders {
			if _, has := coloured[j]; has || k >= len(l.Probability) || !(l.Probability[k] >= least) {
				continue
			}
			var beside []string
			for _, other := range l.Leaders {
				if _, has := coloured[other]; has {
					beside = append(beside, featureName(s.Names, other))
				}
			}
			coloured[j] = Coloured{p.colour(featureName(s.Names, j), beside), l.Step}
		}
	}
	return coloured
}

// colour returns the colour of a feature. A new feature gets the colour that fewest of the features beside it have, then fewest
// of all. Among equals its name decides, so that most features keep their colour in other notebooks.
func (p *Palette) colour(name string, beside []string) spec.RGB {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.colours == nil {
		p.colours = map[string]int{}
	}
	c, known := p.colours[name]
	if !known {
		used := make([]int, spec.Categories())
		for other, c := range p.colours {
			if used[c]++; slices.Contains(beside, other) {
				used[c] += 1 + len(p.colours)
			}
		}
		hash := fnv.New32a()
		hash.Write([]byte(name))
		first := int(hash.Sum32() % uint32(len(used)))
		used = slices.Concat(used[first:], used[:first])
		c = (first + slices.Index(used, slices.Min(used))) % len(used)
		p.colours[name] = c
	}
	return spec.Category(c)
}

// featureName returns the name of a column, or its number where it has none.
func featureName(names map[int]string, column int) string {
	return cmp.Or(names[column], "#"+strconv.Itoa(column))
}

// Formation is how a selection formed, as a live chart draws it.
type Formation struct {
	Order   []int            // selectors as lanes, from the top: those that settled first come first
	Settled []int            // of each selector, the look from which it has been settled, or -1
	Full    float64          // the probability of full height and strength: 1, or less where P has hardly moved
	Colours map[int]Coloured // of features, by column of the file
	Summary string
}

// Formation returns how the selection of these looks formed.
func (p *Palette) Formation(s *session.Selectors) Formation {
	formed := formationOf(s, p)
	f := Formation{Settled: make([]int, len(formed.courses)), Full: formed.full, Colours: formed.colours, Summary: formed.summary()}
	for _, course := range formed.order() {
		f.Order = append(f.Order, course.selector)
		f.Settled[course.selector] = course.settled
	}
	return f
}
