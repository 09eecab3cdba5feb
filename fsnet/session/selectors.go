package session

import (
	"maps"
	"slices"
)

// Selectors holds how the selection formed: who led each row of P at every look, with what probability. Each of the first hundred steps
// is a look; later ones lie further and further apart, until there is one every hundredth of the annealing in whole epochs. So a training
// has a few hundred, however long it is, and none is left out.
type Selectors struct {
	Looks []Look `json:"looks"`
	// Names of the leaders, by their 0-based column of the file.
	Names map[int]string `json:"names"`
	// SettleSteps is for how many steps a leader with 0.9 or more must have led for its selector to be settled.
	SettleSteps int `json:"settle_steps"`
	// Settled are the steps of the looks from which selectors have been settled to the last look; 0 is not settled, nil is no selector. Of
	// selectors that are certain of one leader none is settled.
	Settled []int `json:"settled,omitempty"`
}

// Look is P at one step, in two numbers a selector.
type Look struct {
	Step        int       `json:"step"`
	Leaders     []int     `json:"leaders"`     // of each selector, the column of the file
	Probability []float64 `json:"probability"` // of it
}

// until are the looks before a step.
func (s Selectors) until(step int) Selectors {
	at, _ := slices.BinarySearchFunc(s.Looks, step, func(l Look, step int) int { return l.Step - step })
	s.Looks = s.Looks[:at:at]
	return s
}

// with puts later looks behind those of s, which may be nil where there are none.
func (s *Selectors) with(later *Selectors, from int) *Selectors {
	switch {
	case s == nil:
		return later
	case later == nil:
		return s
	}
	all := s.until(from)
	all.Looks, all.SettleSteps, all.Settled = append(all.Looks, later.Looks...), later.SettleSteps, later.Settled
	all.Names = maps.Clone(s.Names)
	if all.Names == nil {
		all.Names = map[int]string{}
	}
	maps.Copy(all.Names, later.Names)
	return &all
}
