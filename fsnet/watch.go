package fsnet

import "slices"

// watch follows the selectors: who leads each row of P, and since when.
type watch struct {
	seen       bool
	last       observation
	since      []int // step at which the present leader was first seen
	wasSettled bool
}

// settledProbability is what a row's largest P must reach to count as settled.
const settledProbability = 0.9

func newWatch(k int) watch { return watch{since: make([]int, k)} }

// clone shares nothing that see changes: it replaces last whole.
func (w *watch) clone() watch {
	c := *w
	c.since = slices.Clone(w.since)
	return c
}

func (w *watch) see(step int, o observation) {
	for k, leader := range o.leader {
		if !w.seen || w.last.leader[k] != leader {
			w.since[k] = step
		}
	}
	w.seen, w.last = true, o
}

// settledRows counts the rows whose leader has at least settledProbability and has led for the given number of steps.
func (w *watch) settledRows(step, steps int) int {
	count := 0
	if !w.seen {
		return 0
	}
	for k, p := range w.last.probability {
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

func (w *watch) summary() rowSummary {
	var s rowSummary
	if !w.seen {
		return s
	}
	leaders := map[int]bool{}
	n := float64(len(w.last.leader))
	for k, leader := range w.last.leader {
		leaders[leader] = true
		s.maxProbability += w.last.probability[k] / n
		s.entropy += w.last.entropy[k] / n
	}
	s.unique = len(leaders)
	s.leaders, s.leading = w.last.leader, w.last.probability // see replaces them whole
	return s
}
