package session

import (
	"maps"
	"slices"
)

// Selectors records how the selection formed: the leader of each row of P at every look, with its
// probability. Each of the first hundred steps is a look; later looks lie further and further
// apart, up to a hundredth of the annealing in whole epochs. So a training of any length has a few
// hundred, and all are included.
type Selectors struct {
	Looks []Look `json:"looks"`
	// Names maps the leaders' 0-based columns of the file to their names.
	Names map[int]string `json:"names"`
	// SettleSteps is the number of steps that a leader with probability 0.9 or more must have led
	// before its selector counts as settled.
	SettleSteps int `json:"settle_steps"`
	// Settled holds, for each selector, the step of the look from which it has been settled up to
	// the last look, or 0 if it is not settled; nil without selectors. Of several selectors certain
	// of one leader none counts as settled.
	Settled []int `json:"settled,omitempty"`
	// Contest says how the choice changed once the training was over. The look of its step shows
	// the result. It is nil before the contest.
	Contest *Contest `json:"contest,omitempty"`
}

// Look is one look at P, with two numbers per selector.
type Look struct {
	Step        int       `json:"step"`
	Leaders     []int     `json:"leaders"`     // each selector's leader, as its column of the file
	Probability []float64 `json:"probability"` // of the leader
}

// until returns the looks before a step, exclusive; the rest stays as it is.
func (s Selectors) until(step int) Selectors {
	at, _ := slices.BinarySearchFunc(s.Looks, step, func(l Look, step int) int { return l.Step - step })
	s.Looks = s.Looks[:at:at]
	return s
}

// Since returns the looks from the last one up to a step on, without the contest. It returns nil if
// none follow that step; s may be nil.
func (s *Selectors) Since(step int) *Selectors {
	if s == nil || len(s.Looks) == 0 || s.Looks[len(s.Looks)-1].Step <= step {
		return nil
	}
	later := *s
	later.Looks = slices.Clip(s.Looks[max(len(s.until(step+1).Looks)-1, 0):])
	later.Settled, later.Contest = nil, nil
	return &later
}

// with returns the looks of s before step from, followed by later ones; either may be nil.
func (s *Selectors) with(later *Selectors, from int) *Selectors {
	switch {
	case s == nil:
		return later
	case later == nil:
		return s
	}
	all := s.until(from)
	all.Looks, all.SettleSteps, all.Settled = append(all.Looks, later.Looks...), later.SettleSteps, later.Settled
	all.Contest = later.Contest
	for column, name := range later.Names { // most looks have none that is new
		if known, has := s.Names[column]; !has || known != name {
			all.Names = maps.Clone(s.Names)
			if all.Names == nil {
				all.Names = map[int]string{}
			}
			maps.Copy(all.Names, later.Names)
			break
		}
	}
	return &all
}
