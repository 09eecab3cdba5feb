package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// Colours gives genes their colours. A gene keeps its colour: views and sessions that share a Colours show it alike. The zero value is
// ready; it may be used from any goroutine.
type Colours struct {
	mu    sync.Mutex
	given map[string]int // by name
}

// Of returns the colours of the features that have led a selector with half of the probability, as numbers of a category; where P hardly
// moves, with half of the highest. A gene gets the colour that the fewest of the others have, first those that lead beside it.
func (c *Colours) Of(s *session.Selectors) map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given == nil {
		c.given = map[string]int{}
	}
	of, least := map[int]int{}, colouredFrom
	if highest, hardly := hardlyMoves(s); hardly {
		least = highest / 2
	}
	for _, l := range s.Looks {
		for k, j := range l.Leaders {
			if _, has := of[j]; has || k >= len(l.Probability) || !(l.Probability[k] >= least) {
				continue
			}
			name := cmp.Or(s.Names[j], "#"+strconv.Itoa(j))
			if _, has := c.given[name]; !has {
				c.given[name] = c.free(of, l.Leaders)
			}
			of[j] = c.given[name]
		}
	}
	return of
}

// free returns the colour that the fewest leaders have, then the fewest of this session, then the fewest at all.
func (c *Colours) free(of map[int]int, leaders []int) int {
	used := make([]float64, spec.Categories())
	for _, colour := range c.given {
		used[colour] += 1e-6
	}
	for j, colour := range of {
		if used[colour]++; slices.Contains(leaders, j) {
			used[colour] += 1e6
		}
	}
	best := 0
	for colour, n := range used {
		if n < used[best] && !math.IsNaN(n) {
			best = colour
		}
	}
	return best
}

// Formation is how a selection formed, as a live chart draws it.
type Formation struct {
	Order   []int       // selectors as lanes, from the top
	Settled []int       // of each selector, the look from which it has been settled, or -1
	Full    float64     // the probability of full height and strength: 1, or less where P has hardly moved
	Colours map[int]int // of features, by column of the file
	Summary string
}

// Formation returns how the selection of these looks formed.
func (c *Colours) Formation(s *session.Selectors) Formation {
	formed := c.formation(s)
	f := Formation{Order: []int{}, Settled: make([]int, len(formed.courses)), Full: formed.full, Colours: formed.colours,
		Summary: formed.summary()}
	for _, course := range formed.order() {
		f.Order = append(f.Order, course.selector)
		f.Settled[course.selector] = course.settled
	}
	return f
}
