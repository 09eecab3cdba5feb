package train

import (
	"slices"

	"fsnetlab/fsnet/engine"
)

// convergence follows the selectors: who leads each row of P, and since when.
type convergence struct {
	seen       bool
	last       engine.Observation
	since      []int // step at which the present leader was first seen
	wasSettled bool
}

// settledProbability is what a row's largest P must reach to count as settled.
const settledProbability = 0.9

func newConvergence(k int) convergence { return convergence{since: make([]int, k)} }

// clone shares nothing that see changes: it replaces last whole.
func (w *convergence) clone() convergence {
	c := *w
	c.since = slices.Clone(w.since)
	return c
}

func (w *convergence) see(step int, o engine.Observation) {
	for k, leader := range o.Leader {
		if !w.seen || w.last.Leader[k] != leader {
			w.since[k] = step
		}
	}
	w.seen, w.last = true, o
}

// settledRows counts the rows whose leader has at least settledProbability and has led for the given number of steps.
func (w *convergence) settledRows(step, steps int) int {
	count := 0
	if !w.seen {
		return 0
	}
	for k, p := range w.last.Probability {
		if p >= settledProbability && step-w.since[k] >= steps {
			count++
		}
	}
	return count
}

// rowSummary is P in three numbers, and who leads each row with what probability.
type rowSummary struct {
	maxProbability, entropy float64 // means over the rows; bits
	unique                  int     // different leaders
	leaders                 []int   // of each row, a feature of the graph
	leading                 []float64
}

func (w *convergence) summary() rowSummary {
	var s rowSummary
	if !w.seen {
		return s
	}
	leaders := map[int]bool{}
	n := float64(len(w.last.Leader))
	for k, leader := range w.last.Leader {
		leaders[leader] = true
		s.maxProbability += w.last.Probability[k] / n
		s.entropy += w.last.Entropy[k] / n
	}
	s.unique = len(leaders)
	s.leaders, s.leading = w.last.Leader, w.last.Probability // see replaces them whole
	return s
}
