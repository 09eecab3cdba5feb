package record

import "slices"

// Observation is P reduced to one line a selector.
type Observation struct {
	Leader                       []int // feature of the graph
	Probability, Second, Entropy []float64
	Soft                         []float64 // the leader's weight in M without noise
}

// Look is P in three numbers at one step, and how well the validation rows were told apart.
type Look struct {
	Step                    int
	MaxProbability, Entropy float64 // means over the rows of P; bits
	MaxSoft                 float64 // mean over the rows of M without noise
	Unique                  int     // different leaders
	Validation              float64 // accuracy, NaN without such rows

	leaders []int // of each row, a feature of the graph
	leading []float64
}

// leaders follows the selectors: who leads each row of P, and since when.
type leaders struct {
	seen       bool
	last       Observation
	since      []int // step at which the present leader was first seen
	wasSettled bool
}

// settledProbability is what a row's largest P must reach to count as settled.
const settledProbability = 0.9

func newLeaders(k int) leaders { return leaders{since: make([]int, k)} }

// clone shares nothing that Saw changes: it replaces last whole.
func (l leaders) clone() leaders {
	l.since = slices.Clone(l.since)
	return l
}

// Saw records a look at P, and the accuracy of the validation rows with it, or NaN. o is kept.
func (r *Record) Saw(step int, o Observation, validation float64) {
	l := &r.now.leaders
	for k, leader := range o.Leader {
		if !l.seen || l.last.Leader[k] != leader {
			l.since[k] = step
		}
	}
	l.seen, l.last = true, o

	look := Look{Step: step, Validation: validation, leaders: o.Leader, leading: o.Probability}
	different := map[int]bool{}
	n := float64(len(o.Leader))
	for k, leader := range o.Leader {
		different[leader] = true
		look.MaxProbability += o.Probability[k] / n
		look.Entropy += o.Entropy[k] / n
		look.MaxSoft += o.Soft[k] / n
	}
	look.Unique = len(different)
	r.looks = append(r.looks, look)
}

// LastLook is nil before the first.
func (r *Record) LastLook() *Look {
	if len(r.looks) == 0 {
		return nil
	}
	last := r.looks[len(r.looks)-1]
	return &last
}

// Settled counts the selectors whose leader has at least settledProbability and has led for the given number of steps.
func (r *Record) Settled(step, steps int) int {
	l, count := r.now.leaders, 0
	if !l.seen {
		return 0
	}
	for k, p := range l.last.Probability {
		if p >= settledProbability && step-l.since[k] >= steps {
			count++
		}
	}
	return count
}

// Settle notes whether the training is settled, and says whether it is so for the first time, or again.
func (r *Record) Settle(settled bool) (newly bool) {
	newly = settled && !r.now.leaders.wasSettled
	r.now.leaders.wasSettled = settled
	return newly
}

// Since is the step at which a selector's present leader was first seen.
func (r *Record) Since(selector int) int { return r.now.leaders.since[selector] }

// Changes counts how often the leader of a selector was another one than at the look before.
func (r *Record) Changes(selector int) int {
	count := 0
	for i := 1; i < len(r.looks); i++ {
		if r.looks[i].leaders[selector] != r.looks[i-1].leaders[selector] {
			count++
		}
	}
	return count
}
