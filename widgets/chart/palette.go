package chart

import (
	"hash/fnv"
	"slices"
	"sync"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
)

// Palette assigns colours to the features of a notebook. A feature, identified
// by its name, has the same colour in every chart, live view and session. The
// zero value is ready to use. A Palette is safe for concurrent use.
type Palette struct {
	mu      sync.Mutex
	colours map[string]int // categories by name
}

// FeatureColour is a colour, and the step from which a session shows it. Before
// that step, the feature is grey.
type FeatureColour struct {
	Colour spec.RGB
	Step   int
}

// Colours returns, by column, the colours of features that have led a selector
// with P ≥ 0.5. If P barely moves, half of its largest value suffices. Further
// looks add colours but never change one.
func (p *Palette) Colours(s *session.Selectors) map[int]FeatureColour {
	coloured := map[int]FeatureColour{}
	if s == nil {
		return coloured
	}

	least := colouredFrom
	if highest, barely := barelyMoves(s); barely {
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

			coloured[j] = FeatureColour{p.colour(featureName(s.Names, j), beside), l.Step}
		}
	}
	return coloured
}

// Of returns the colour of a feature, by its name.
func (p *Palette) Of(name string) spec.RGB { return p.colour(name, nil) }

// colour returns the colour of a feature by its name. A new feature gets the colour that is rarest
// among the features in beside, then rarest overall: so no two features of a view share one until
// all [spec.Shades] are taken. Categories go before their shades. Other ties are broken by a hash of
// the name, so that most features keep their colour in other notebooks.
func (p *Palette) colour(name string, beside []string) spec.RGB {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.colours == nil {
		p.colours = map[string]int{}
	}

	c, known := p.colours[name]
	if !known {
		used := make([]int, spec.Shades())
		for other, c := range p.colours {
			if used[c]++; slices.Contains(beside, other) {
				used[c] += 1 + len(p.colours)
			}
		}

		hash := fnv.New32a()
		hash.Write([]byte(name))
		n := spec.Categories()
		first, best := int(hash.Sum32()%uint32(n)), -1
		for i := range used {
			next := i/n*n + (first+i)%n
			if best < 0 || used[next] < used[best] {
				best = next
			}
		}
		c = best
		p.colours[name] = c
	}
	return spec.Shade(c)
}
