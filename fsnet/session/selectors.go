package session

import (
	"maps"
	"slices"
)

// Selectors records how the selection formed. For every look it holds the
// leader of each row of P and its probability. Each of the first hundred
// steps is a look. Later looks get further apart, up to a hundredth of the
// annealing in whole epochs. So a training of any length has a few hundred
// looks, and all of them are included.
type Selectors struct {
	Looks []Look `json:"looks"`
	// names of the leaders, by their 0-based columns of the file
	Names map[int]string `json:"names"`
	// number of steps that a leader with probability 0.9 or more must have
	// led before its selector counts as settled
	SettleSteps int `json:"settle_steps"`
	// For each selector, the step of the look since which it has been
	// settled, or 0 if it is not settled at the last look. It is nil if
	// there are no selectors. If several selectors agree on a leader, they
	// do not count as settled.
	Settled []int `json:"settled,omitempty"`
	// how the choice changed once the training was over. The look at that
	// step shows the result. It is nil before the contest.
	Contest *Contest `json:"contest,omitempty"`
}

// Look is a look at P, with two numbers per selector.
type Look struct {
	Step        int       `json:"step"`
	Leaders     []int     `json:"leaders"`     // leader of each selector, as its column of the file
	Probability []float64 `json:"probability"` // probability of each leader
}

// truncate returns s with only the looks before a step.
func (s Selectors) truncate(step int) Selectors {
	at, _ := slices.BinarySearchFunc(s.Looks, step, func(l Look, step int) int { return l.Step - step })
	s.Looks = s.Looks[:at:at]
	return s
}

// Since returns the looks after a step, preceded by the last one up to it,
// without the contest. If there are no looks after the step, or s is nil, it
// returns nil.
func (s *Selectors) Since(step int) *Selectors {
	if s == nil || len(s.Looks) == 0 || s.Looks[len(s.Looks)-1].Step <= step {
		return nil
	}
	later := *s
	later.Looks = slices.Clip(s.Looks[max(len(s.truncate(step+1).Looks)-1, 0):])
	later.Settled, later.Contest = nil, nil
	return &later
}

// with returns the looks of s before step from, followed by those of later.
// Either may be nil.
func (s *Selectors) with(later *Selectors, from int) *Selectors {
	switch {
	case s == nil:
		return later
	case later == nil:
		return s
	}
	all := s.truncate(from)
	all.Looks, all.SettleSteps, all.Settled = append(all.Looks, later.Looks...), later.SettleSteps, later.Settled
	all.Contest = later.Contest
	for column, name := range later.Names { // most looks have no new names
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
